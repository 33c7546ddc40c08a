"""What is made for TransformerLens decides as the original, and its cache holds the run's stream."""

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.export.models import hand_built
from tests.export.reports import assert_agrees, few_inputs, run_all_up_to_6
from tests.kernels.kinds import RULES, kind_of_model
from weightsmith import Fixed, Native, Softmax, export
from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError

__all__ = ["few_inputs"]
pytestmark = pytest.mark.usefixtures("few_inputs")
DOUBLE = Native("float64")


def assert_close(found: Any, wanted: Array, what: object) -> None:
    """See that values differ by less than 10⁻¹² of the largest: sums are made in another order."""
    assert tuple(found.shape) == wanted.shape, what
    size = max(1.0, float(np.abs(wanted).max(initial=0)))
    assert np.abs(found.numpy() - wanted).max(initial=0) <= 1e-12 * size, what


def assert_same_run(T: ws.Transformer, bridge: Any, tokens: list[int]) -> None:
    """Compare the cache with the run: the stream at every stage, the weights of heads, the neurons, the logits."""
    with torch.no_grad():
        logits, cache = bridge.run_with_cache(torch.tensor([tokens]))
    r = ws.run(T, [T.vocabulary[i] for i in tokens])
    assert_close(cache["blocks.0.hook_resid_pre"][0], r.stream[0], "embedding")
    for b, heads in enumerate(r.attention):
        assert_close(cache[f"blocks.{b}.hook_resid_mid"][0], r.stream[2 * b + 1], (T, "attention", b))
        assert_close(cache[f"blocks.{b}.hook_resid_post"][0], r.stream[2 * b + 2], (T, "feed-forward", b))
        for i, weights in enumerate(heads):
            assert_close(cache[f"blocks.{b}.attn.hook_pattern"][0, i], weights, (T, "weights", b, i))
        neurons = r.activations[b].shape[-1]
        assert_close(cache[f"blocks.{b}.mlp.hook_post"][0, :, :neurons], r.activations[b], (T, "neurons", b))
    assert_close(logits[0, -1], r.logits, (T, "logits"))


def model(activation: str = "relu", norm: Any = None, seed: int = 0, **changes: Any) -> ws.Transformer:
    """Give a random transformer with what TransformerLens has: two blocks of two heads, biases, norms before."""
    T = kind_of_model(DOUBLE, seed, "none", activation, loudness=0.0, weighting=Softmax(shifted=True), strict=False)

    def own(block: ws.Block) -> ws.Block:
        layer = block.feed_forward
        assert layer is not None
        if layer.W_3 is not None:
            layer = replace(layer, b_1=np.zeros(4), b_2=np.zeros(3), b_3=np.zeros(4))
        return replace(block, feed_forward=layer, attention_norm=norm, feed_forward_norm=norm)

    return replace(T, blocks=[own(block) for block in T.blocks], final_norm=norm, **changes)


@pytest.mark.one_in(4)  # it takes TransformerLens long to wrap many blocks
@pytest.mark.parametrize("name", [name for name in hand_built() if name != "normed()"])  # a norm over some lanes
def test_every_library_model_its_form_and_combinations_decide_as_here(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    T = hand_built()[name]
    run_all_up_to_6(T, monkeypatch)
    assert_agrees(name, T, export.to_transformer_lens(T).agreement)


def test_the_lectures_example_has_the_same_stream_in_float64() -> None:
    T = ws.library.eiffel()
    bridge = export.to_transformer_lens(T, own_modules=True)
    report = bridge.agreement
    assert (report.target, report.dtype) == ("TransformerLens, own modules", "float64")
    assert report.stream_difference <= 1e-12
    assert_same_run(T, bridge, [T.vocabulary.index(word) for word in ("The", "Eiffel", "Tower", "is", "in")])


NORMS = {"none": None, "layer norm": ws.LayerNorm(1e-3, np.array([1.0, 2, 0.5]), np.ones(3)), "rms": ws.RMSNorm(0.5)}
POSITIONS = {
    "none": None,
    "table": ws.PositionTable(np.random.default_rng(0).normal(size=(12, 3))),
    "halves": ws.Rotary(7.0),
    "neighbours": ws.Rotary(3.0, "neighbours", size=2),
}


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("positions", POSITIONS)
def test_the_cache_of_a_model_with_its_own_modules_holds_the_run(positions: str, mask: Any) -> None:
    """Norms and activations go round with the positions, so that each is met under both masks or with each scheme."""
    n = 2 * list(POSITIONS).index(positions) + (mask == "full")
    activation = ("relu", "gelu", "gelu_tanh", "silu", "swiglu", "reglu")[n % 6]
    T = model(activation, list(NORMS.values())[n % 3], n, positions=POSITIONS[positions], mask=mask)
    bridge = export.to_transformer_lens(T)
    assert bridge.agreement.target == "TransformerLens"
    assert_same_run(T, bridge, [0, 1, 1, 0, 1])


@pytest.mark.one_in(3)
@pytest.mark.parametrize("rule", RULES)
def test_every_rule_inside_attention_gives_the_run_with_own_modules(rule: str) -> None:
    n = RULES.index(rule)
    T = kind_of_model(DOUBLE, n, rule, loudness=0.0, heads=(2, 3)[n % 2], weighting=Softmax(shifted=True))
    if ws.model.positions.added(T.positions) is not None and (n in (3, 4, 5, 8)):
        T = replace(T, positions=ws.model.positions.attending(T.positions))  # rotary ones stand alone
    assert_same_run(T, export.to_transformer_lens(T, own_modules=True), [0, 1, 1, 0, 1])


def test_heads_that_turn_differently_have_coordinates_of_their_own() -> None:
    T = model()
    rules = (ws.Rotary(size=2), None, ws.Rotary(5.0, "neighbours"), ws.Rotary())
    attention = T.blocks[0].attention
    assert attention is not None
    heads = [replace(attention.heads[0], positions=rule) for rule in rules]
    T = replace(T, positions=None, blocks=[replace(T.blocks[0], attention=ws.Attention(heads)), T.blocks[1]])
    bridge = export.to_transformer_lens(T)
    assert (bridge.cfg.rotary_dim, bridge.cfg.d_head) == (10, 16)
    assert_same_run(T, bridge, [0, 1, 1, 0, 1])


def test_missing_sublayers_heads_and_neurons_are_0_and_change_nothing() -> None:
    """A head of 3 and one of 1, a block without attention, one without feed-forward, and no block at all."""
    T, random = model(), np.random.default_rng(0)
    W_Q, W_K, W_V, W_O = (random.normal(size=shape) for shape in ((1, 3), (1, 3), (2, 3), (3, 2)))
    small = ws.Head(W_Q, W_K, W_V, W_O, Softmax(shifted=True))
    first, second = T.blocks
    blocks = [ws.Block(ws.Attention([small])), replace(first, attention=None), second]
    T = replace(T, positions=None, blocks=blocks)
    bridge = export.to_transformer_lens(T)
    assert (bridge.cfg.n_heads, bridge.cfg.d_head, bridge.cfg.n_layers) == (2, 4, 3)
    assert not bridge.W_Q[1].any()
    assert not bridge.W_in[0].any()
    assert_same_run(T, bridge, [0, 1, 1])
    nothing = export.to_transformer_lens(replace(T, blocks=()))
    assert nothing.agreement.logit_difference <= 1e-12


def test_weights_are_where_the_circuit_says_and_queries_are_scaled_exactly() -> None:
    T = model(positions=None)
    bridge = export.to_transformer_lens(T)
    head, layer = T.blocks[1].attention.heads[0], T.blocks[1].feed_forward  # type: ignore[union-attr]
    assert layer is not None
    assert np.array_equal(bridge.W_Q[1, 0].detach().numpy(), 2 * head.W_Q.T)
    assert np.array_equal(bridge.W_K[1, 0].detach().numpy(), head.W_K.T)
    assert np.array_equal(bridge.W_in[1, :, 3].detach().numpy(), layer.W_1[3])
    assert np.array_equal(bridge.W_out[1, 3].detach().numpy(), layer.W_2[:, 3])
    assert (bridge.vocabulary, bridge.classes) == (("a", "b"), ("NO", "YES"))


def test_a_hook_that_changes_the_weights_of_a_hard_head_changes_the_answer() -> None:
    T = ws.library.contains("1")
    bridge = export.to_transformer_lens(T, own_modules=True)
    tokens = torch.tensor([[1, 0, 0]])
    assert bridge(tokens)[0, -1].argmax() == 1
    blind = bridge.run_with_hooks(tokens, fwd_hooks=[("blocks.0.attn.hook_pattern", lambda pattern, hook: 0 * pattern)])
    assert blind[0, -1].argmax() == 0


def test_the_dtype_is_the_one_asked_for_everywhere() -> None:
    bridge = export.to_transformer_lens(model(), dtype="float32", allow_differences=True)
    logits, cache = bridge.run_with_cache(torch.tensor([[0, 1]]))
    assert {logits.dtype, bridge.cfg.dtype, *(cache[name].dtype for name in cache if "resid" in name)} == {
        torch.float32
    }
    assert export.to_transformer_lens(ws.library.length_modulo(3)).agreement.dtype == "float32"


def test_what_relies_on_saturation_is_refused_without_own_modules() -> None:
    with pytest.raises(ExportError, match="TransformerLens in float32 decides [0-9,]+ times otherwise, first on 1, 1"):
        export.to_transformer_lens(ws.library.parity(), own_modules=False)
    bridge = export.to_transformer_lens(ws.library.parity(), own_modules=False, allow_differences=True)
    assert not bridge.agreement.agrees
    assert bridge.agreement.saturates == ("block 0 attention",)
    assert export.agreement(ws.library.parity(), bridge) == bridge.agreement


def test_blocks_are_those_of_transformer_lens_where_they_decide_alike_and_ours_elsewhere() -> None:
    for T, own in ((ws.library.length_modulo(3), False), (ws.library.contains("1"), True), (ws.library.parity(), True)):
        bridge = export.to_transformer_lens(T)
        assert bridge.own_modules is own
        assert bridge.agreement.agrees


def test_blocks_that_decide_alike_by_another_stream_are_not_taken() -> None:
    """Its last block saturates: without that every decision stays, and hooks would see and change another stream."""
    T = ws.infinity_form(ws.library.length_modulo(3))
    other = export.to_transformer_lens(T, own_modules=False)
    assert other.agreement.agrees
    assert other.agreement.stream_difference > 100
    bridge = export.to_transformer_lens(T)
    assert bridge.own_modules
    assert_same_run(T, bridge, [0, 0, 0])


def test_what_transformer_lens_cannot_say_is_refused_with_what_is_possible_instead() -> None:
    T = model(positions=None)
    block, (alibi, table) = T.blocks[0], (ws.Alibi((0.5, 0.25)), ws.PositionTable(np.zeros((9, 3))))
    limited = replace(T, blocks=[replace(block, attention_norm=ws.RMSNorm(lanes=("x",)))])
    post = replace(T, blocks=[replace(block, attention_norm=ws.RMSNorm(), norm_placement="post")])
    some = replace(T, blocks=[replace(block, attention_norm=ws.RMSNorm())])
    other = replace(T, blocks=[block, replace(block, feed_forward=replace(block.feed_forward, activation="silu"))])  # type: ignore[type-var]
    gated = kind_of_model(DOUBLE, 0, activation="swiglu", loudness=0.0, weighting=Softmax())
    own, onnx = (
        "leave out own_modules=False",
        "export.to_onnx(T, path, trace=True) shows every value",
    )
    cases = [
        (ws.library.contains("1"), "hard attention, and block 0, head 0 has LeftmostHard()", own),
        (ws.library.ends_with("01"), "relative positions, and block 0, head 0 has Relative(…)", own),
        (replace(T, positions=alibi), "penalties for distance, and block 0, head 0 has Alibi(…)", own),
        (replace(T, positions=(table, ws.Rotary())), "rotary positions beside vectors that are added", onnx),
        (post, "norms after a sublayer, and block 0 attention has one", onnx),
        (limited, "norms over some lanes only", onnx),
        (some, "norms that differ from sublayer to sublayer", onnx),
        (other, "layers with different activations, and the transformer has relu and silu", onnx),
        (
            replace(gated, positions=None),
            "biases in gated layers, which facts need, and block 0 feed-forward has some",
            onnx,
        ),
        (replace(T, blocks=[replace(block, parallel=True)]), "attention and feed-forward in parallel", onnx),
    ]
    for case, said, instead in cases:
        with pytest.raises(ExportError) as caught:
            export.to_transformer_lens(case, own_modules=False if instead is own else None)
        assert str(caught.value).startswith(f"TransformerLens has no {said}"), said
        assert instead in str(caught.value)


def test_options_that_make_no_sense_are_refused() -> None:
    T = ws.library.length_modulo(3)
    with pytest.raises(ws.InputError, match="is not a transformer"):
        export.to_transformer_lens("model.safetensors")  # type: ignore[arg-type]
    with pytest.raises(ExportError, match="dtype='int8': write one of float32, float64, bfloat16, float16"):
        export.to_transformer_lens(T, dtype="int8")
    with pytest.raises(ExportError, match="own_modules=1: write True or False"):
        export.to_transformer_lens(T, own_modules=1)  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="max_length=3: write a whole number from 64 to 65536"):
        export.to_transformer_lens(T, max_length=3)
    wide = replace(ws.random_transformer(arithmetic=DOUBLE), embedding=np.full((2, 4), 1e39))
    with pytest.raises(ExportError, match="tok_embed.weight holds numbers beyond the range of torch.float32"):
        export.to_transformer_lens(wide, dtype="float32")


def test_a_saturating_softmax_and_an_empty_one_are_those_of_the_arithmetic() -> None:
    one = np.ones((1, 1))
    head = ws.Head(one, 0 * one, one, one, Softmax(empty="uniform"), b_K=np.ones(1))
    T = ws.Transformer(
        Fixed(4, 4), "ab", ["x"], np.array([[1.0], [-4.0]]), None,
        [ws.Block(ws.Attention([head]))], np.array([[0.0], [1.0]]),
    )  # fmt: skip
    bridge = export.to_transformer_lens(T, dtype="float64", own_modules=True, allow_differences=True)
    _, cache = bridge.run_with_cache(torch.tensor([[0, 0, 1]]))
    assert cache["blocks.0.attn.hook_pattern"][0, 0, 2].tolist() == [1 / 3] * 3  # exp(−4) rounds to 0
    zero = replace(T, blocks=[ws.Block(ws.Attention([replace(head, weighting=Softmax())]))])
    bridge = export.to_transformer_lens(zero, dtype="float64", own_modules=True, allow_differences=True)
    _, cache = bridge.run_with_cache(torch.tensor([[0, 0, 1]]))
    assert cache["blocks.0.attn.hook_pattern"][0, 0, 2].tolist() == [0.0] * 3


def test_the_example_in_the_documentation_runs(capsys: pytest.CaptureFixture[str]) -> None:
    """It is not run with the page, where TransformerLens would have to be loaded once more."""
    page = (Path(__file__).parents[2] / "docs" / "export.md").read_text()
    (example,) = re.findall(r"```py\n(.*?)```", page, re.DOTALL)
    exec(example, {})
    assert capsys.readouterr().out.startswith("TransformerLens, own modules, float32: ")


def test_a_product_saturates_before_its_bias_is_added() -> None:
    """15 ⊗ 2 is ∞ and ∞ ⊖ ∞ is 0; without an end it would be 30 − 15.9375."""
    A, one = Fixed(4, 4), np.ones((1, 1))
    layer = ws.FeedForward(2 * one, np.array([-A.infinity]), one, np.zeros(1))
    T = ws.Transformer(A, "ab", ["x"], np.array([[15.0], [1.0]]), None, [ws.Block(None, layer)], np.array([[0.0], [1]]))
    bridge = export.to_transformer_lens(T, own_modules=True)
    assert bridge.agreement.stream_difference == 0
    _, cache = bridge.run_with_cache(torch.tensor([[0]]))
    assert cache["blocks.0.mlp.hook_post"].tolist() == [[[0.0]]]
