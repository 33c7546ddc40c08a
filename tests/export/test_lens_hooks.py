"""Every hook of a TransformerLens bridge acts: through it one zeroes and patches as `ablate` and `patch` do."""

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import cache
from typing import Any, cast

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.export.reports import few_inputs
from tests.export.test_transformer_lens import model
from tests.kernels.kinds import kind_of_model
from weightsmith import Fixed, Softmax, export
from weightsmith.arithmetic import Array
from weightsmith.errors import ExportError
from weightsmith.inspect.components import Edge, Input, Node, read_at, writers
from weightsmith.inspect.cuts import Cutting

__all__ = ["few_inputs"]
pytestmark = pytest.mark.usefixtures("few_inputs")
Hooks = Sequence[tuple[str, Callable[..., Any]]]
MOST = 1e-6

PROGRAMS = {
    "histogram": ("hist = selector_width(select(tokens, tokens, ==));", "abc"),
    "reversed": ("turned = aggregate(select(indices, length - indices - 1, ==), tokens);", "ab"),
}
NORM = ws.LayerNorm(1e-3, np.array([1.0, 2, 0.5]), np.ones(3))
RANDOM: dict[str, Callable[[], ws.Transformer]] = {
    "plain": lambda: model(seed=1),
    "layer norm": lambda: model("gelu", NORM, 2, positions=ws.PositionTable(np.full((9, 3), 0.5))),
    "rms, rotary, full": lambda: model("silu", ws.RMSNorm(0.5), 3, positions=ws.Rotary(7.0), mask="full"),
    "gated": lambda: model("swiglu", ws.RMSNorm(0.5), 4),
}


@cache
def transformer(name: str) -> ws.Transformer:
    """Give a model by its name: compiled, of the library, or random."""
    if name in PROGRAMS:
        text, vocabulary = PROGRAMS[name]
        T: ws.Transformer = ws.programs.compile_rasp(text, vocabulary=vocabulary, max_length=5).transformer
        return T
    if name == "softmax":
        text, vocabulary = PROGRAMS["histogram"]
        return ws.programs.compile_rasp(text, vocabulary=vocabulary, max_length=5, backend="softmax").transformer
    return ws.library.parity() if name == "parity" else RANDOM[name]()


@cache
def bridge_of(name: str, own_modules: bool) -> Any:
    """Give its bridge, in float64; whoever changes its settings puts them back."""
    return export.to_transformer_lens(
        transformer(name), "float64", own_modules=own_modules, max_length=64, allow_differences=True
    )


CASES = [
    *((name, True) for name in (*PROGRAMS, "parity", "softmax", *RANDOM)),
    *((name, False) for name in ("softmax", *RANDOM)),
]
each_case = pytest.mark.parametrize(("name", "own_modules"), CASES)


def stream(bridge: Any, ids: Any, hooks: Hooks = ()) -> list[Array]:
    """Run a bridge with hooks; return the stream at every stage, as a run has it."""
    after = [f"blocks.{b}.hook_resid_{at}" for b in range(bridge.cfg.n_layers) for at in ("mid", "post")]
    stages = ["blocks.0.hook_resid_pre", *after]
    with torch.no_grad(), bridge.hooks(fwd_hooks=list(hooks)):
        _, cache = bridge.run_with_cache(torch.as_tensor(ids), names_filter=stages)
    return [cache[stage].numpy() for stage in stages]


def assert_same(found: list[Array], wanted: ws.Run, what: object) -> None:
    """See that the stream of a bridge is that of a run."""
    for stage, (ours, theirs) in enumerate(zip(found, wanted.stream, strict=True)):
        size = max(1.0, float(np.abs(theirs).max()))
        assert np.abs(ours[0] - theirs).max() <= MOST * size, (what, stage)


def putting(values: Any, *where: Any) -> Callable[..., Any]:
    """Make a hook that puts values at a place."""

    def hook(x: torch.Tensor, hook: Any) -> torch.Tensor:
        new = x.clone()
        new[where or ...] = torch.tensor(np.asarray(values), dtype=x.dtype)
        return new

    return hook


def two_runs(T: ws.Transformer) -> tuple[ws.Run, ws.Run, list[int], list[int]]:
    """Run two inputs of one length that differ."""
    a = [i % len(T.vocabulary) for i in (0, 1, 1, 0, 1)]
    b = [i % len(T.vocabulary) for i in (1, 1, 0, 2, 0)]
    first, second = (ws.run(T, [T.vocabulary[i] for i in ids]) for ids in (a, b))
    return first, second, a, b


@pytest.mark.one_in(2)
@each_case
def test_zeroing_and_patching_the_stream_is_that_of_a_run(name: str, own_modules: bool) -> None:
    T, bridge = transformer(name), bridge_of(name, own_modules)
    r, s, a, _ = two_runs(T)
    assert_same(stream(bridge, [a]), r, "as it is")
    zero = dict.fromkeys(T.lanes, 0.0)
    for b in range(len(T.blocks)):
        for at, after in (("mid", "attention"), ("post", "feed-forward")):
            hook = f"blocks.{b}.hook_resid_{at}"
            place: Any = {"block": b, "after": after}
            assert_same(stream(bridge, [a], [(hook, putting(0.0))]), ws.patch(r, zero, **place), hook)
            other = s.stream[2 * b + (1 if at == "mid" else 2)]
            assert_same(stream(bridge, [a], [(hook, putting(other))]), ws.patch(r, s, **place), hook)
    pre = "blocks.0.hook_resid_pre"
    assert_same(stream(bridge, [a], [(pre, putting(s.stream[0]))]), ws.patch(r, s, after="embedding"), pre)


@pytest.mark.one_in(2)
@each_case
def test_zeroing_and_patching_sublayers_heads_and_neurons_is_that_of_a_run(name: str, own_modules: bool) -> None:
    T, bridge = transformer(name), bridge_of(name, own_modules)
    r, s, a, b_ids = two_runs(T)
    bridge.set_use_attn_result(True)
    assert_same(stream(bridge, [a]), r, "as it is")
    with torch.no_grad():
        _, other = bridge.run_with_cache(torch.tensor([b_ids]))
    for b, block in enumerate(T.blocks):
        at = f"blocks.{b}"
        for i in range(len(block.attention.heads) if block.attention is not None else 0):
            without = ws.ablate(r, block=b, head=i)
            assert_same(
                stream(bridge, [a], [(f"{at}.attn.hook_result", putting(0.0, ..., i, slice(None)))]), without, at
            )
            assert_same(stream(bridge, [a], [(f"{at}.attn.hook_z", putting(0.0, ..., i, slice(None)))]), without, at)
            written = other[f"{at}.attn.hook_result"][0, :, i]
            hook = putting(written, 0, slice(None), i)
            assert_same(stream(bridge, [a], [(f"{at}.attn.hook_result", hook)]), ws.patch(r, s, b, head=i), (at, i))
        if block.attention is not None and block.attention.b_O is None:
            found = stream(bridge, [a], [(f"{at}.hook_attn_out", putting(0.0))])
            assert_same(found, ws.ablate(r, block=b, sublayer="attention"), at)
        if block.feed_forward is not None:
            found = stream(bridge, [a], [(f"{at}.hook_mlp_out", putting(0.0))])
            assert_same(found, ws.ablate(r, block=b, sublayer="feed-forward"), at)
            found = stream(bridge, [a], [(f"{at}.mlp.hook_post", putting(0.0, ..., 0))])
            assert_same(found, ws.ablate(r, block=b, neurons=[0]), at)
    bridge.set_use_attn_result(False)


def cuts(T: ws.Transformer, target: Node) -> list[tuple[Node, tuple[Input, ...]]]:
    """Give what to cut before a reader: each writer, from each of its inputs alone and from all of them."""
    inputs: list[tuple[Input, ...]] = [("in",)] if target.kind == "mlp" else [("q",), ("k",), ("v",), ("q", "k", "v")]
    sources = [node for node in writers(T) if node.block < target.block]
    if target.kind == "mlp":
        sources += [node for node in writers(T) if node.block == target.block and node.kind == "head"]
    return [(source, some) for source in sources for some in inputs]


@pytest.mark.one_in(2)
@each_case
def test_an_input_of_a_head_or_layer_is_cut_exactly(name: str, own_modules: bool) -> None:
    """`hook_q_input` and its kin, `hook_attn_in` and `hook_mlp_in`, with the stream that a cut edge leaves."""
    T, bridge = transformer(name), bridge_of(name, own_modules)
    ids = np.array([[0, 1, 1, 0, 1], [1, 1, 0, 0, 0]])
    cutting: Any = Cutting(T, ids)
    cutting._answers = lambda last: last  # the stream itself, which says more
    cutting.answers = cutting.found.stream[-1]
    for target in [node for node in writers(T) if node.kind in ("head", "mlp")]:
        for source, inputs in cuts(T, target):
            wanted = cutting.cut([Edge(source, target, each) for each in inputs])
            left = cutting.without(source, read_at(T, target))
            found = stream(bridge, ids, cut_by_hooks(bridge, target, inputs, left))[-1]
            set_inputs(bridge)
            size = max(1.0, float(np.abs(wanted).max()))
            assert np.abs(found - wanted).max() <= MOST * size, (str(source), str(target), inputs)


def set_inputs(bridge: Any, split: bool = False, attn_in: bool = False, mlp_in: bool = False) -> None:
    """Turn the inputs of heads and layers on or off."""
    bridge.set_use_split_qkv_input(False)
    bridge.set_use_attn_in(attn_in)
    bridge.set_use_split_qkv_input(split)
    bridge.set_use_hook_mlp_in(mlp_in)


def cut_by_hooks(bridge: Any, target: Node, inputs: tuple[Input, ...], left: Array) -> Hooks:
    """Make the hooks that let one input read another stream."""
    at = f"blocks.{target.block}"
    if target.kind == "mlp":
        set_inputs(bridge, mlp_in=True)
        return [(f"{at}.hook_mlp_in", putting(left))]
    here = putting(left, slice(None), slice(None), target.index)
    if len(inputs) > 1:
        set_inputs(bridge, attn_in=True)
        return [(f"{at}.hook_attn_in", here)]
    set_inputs(bridge, split=True)
    return [(f"{at}.hook_{inputs[0]}_input", here)]


@each_case
def test_zeroed_scores_are_those_of_heads_without_queries(name: str, own_modules: bool) -> None:
    """Of a program in whole numbers the bridge of such a model: the mean of all positions is rounded in its run."""
    T, bridge = transformer(name), bridge_of(name, own_modules)
    _, _, a, _ = two_runs(T)
    for b, block in enumerate(T.blocks):
        if block.attention is None:
            continue
        heads = [replace(head, W_Q=0 * head.W_Q, b_Q=None) for head in block.attention.heads]
        silent = replace(block, attention=replace(block.attention, heads=heads))
        changed = replace(T, blocks=[*T.blocks[:b], silent, *T.blocks[b + 1 :]])
        found = stream(bridge, [a], [(f"blocks.{b}.attn.hook_attn_scores", putting(0.0))])
        if name in PROGRAMS or name == "parity":
            other = export.to_transformer_lens(changed, "float64", own_modules=True, allow_differences=True)
            assert all(np.array_equal(*both) for both in zip(found, stream(other, [a]), strict=True)), (name, b)
        else:
            assert_same(found, ws.run(changed, [T.vocabulary[i] for i in a]), (name, b))


@each_case
def test_the_scores_are_those_of_the_run_and_masked_ones_minus_infinity(name: str, own_modules: bool) -> None:
    T, bridge = transformer(name), bridge_of(name, own_modules)
    r, _, a, _ = two_runs(T)
    with torch.no_grad():
        _, cache = bridge.run_with_cache(torch.tensor([a]))
    for b, heads in enumerate(r.scores):
        for i, wanted in enumerate(heads):
            found = cache[f"blocks.{b}.attn.hook_attn_scores"][0, i].numpy()
            seen = np.isfinite(found)
            assert np.abs(found - wanted)[seen].max() <= MOST * max(1.0, float(np.abs(wanted[seen]).max())), (
                name,
                b,
                i,
            )
            assert seen.all() == (T.mask == "full")


@pytest.mark.parametrize("own_modules", [True, False])
def test_a_score_of_minus_infinity_hides_a_position_and_no_score_shows_one(own_modules: bool) -> None:
    bridge, ids = bridge_of("layer norm", own_modules), torch.tensor([[0, 1, 1, 0]])
    hide = putting(-torch.inf, ..., 3, slice(0, 3))
    with torch.no_grad(), bridge.hooks(fwd_hooks=[("blocks.0.attn.hook_attn_scores", hide)]):
        _, cache = bridge.run_with_cache(ids)
    assert cache["blocks.0.attn.hook_pattern"][0, :, 3].tolist() == [[0.0, 0.0, 0.0, 1.0]] * 2
    with torch.no_grad(), bridge.hooks(fwd_hooks=[("blocks.0.attn.hook_attn_scores", putting(5.0))]):
        _, cache = bridge.run_with_cache(ids)
    assert not cache["blocks.0.attn.hook_pattern"].triu(1).any()


SETTINGS: list[tuple[str, Callable[[Any], object]]] = [
    ("none", lambda bridge: None),
    ("inputs of queries, keys and values", lambda bridge: bridge.set_use_split_qkv_input(True)),
    ("inputs of heads and layers", lambda bridge: (bridge.set_use_split_qkv_input(False), bridge.set_use_attn_in(True),
                                                   bridge.set_use_hook_mlp_in(True))),
    ("results", lambda bridge: (bridge.set_use_attn_in(False), bridge.set_use_hook_mlp_in(False),
                                bridge.set_use_attn_result(True))),
    ("compatibility", lambda bridge: bridge.enable_compatibility_mode(no_processing=True)),
]  # fmt: skip


@pytest.mark.parametrize("own_modules", [True, False])
@pytest.mark.parametrize("positions", [ws.Rotary(7.0), ws.PositionTable(np.eye(3).repeat(3, axis=0))])
def test_every_hook_that_is_listed_acts(positions: Any, own_modules: bool) -> None:
    """Under each setting, the hooks that it turns on too."""
    T = model("relu", NORM, 3, positions=positions)
    T = replace(T, blocks=T.blocks[:1])
    bridge, ids = export.to_transformer_lens(T, own_modules=own_modules), torch.tensor([[0, 1, 1, 0]])
    acted, first = set[str](), bridge(ids).detach()

    def other(x: torch.Tensor, hook: Any) -> torch.Tensor:
        return 0 * x + 0.37 if x.is_floating_point() else (x + 1) % 2

    for setting, turn_on in SETTINGS:
        turn_on(bridge)
        with torch.no_grad():
            assert (bridge(ids) - first).abs().max() < 1e-12, setting
            for name, point in bridge.hook_dict.items():
                if bridge._gated_hook_reason(point.name) is None:
                    changed = bridge.run_with_hooks(ids, fwd_hooks=[(name, other)])
                    assert (changed - first).abs().max() > 1e-9, (setting, name)
                    acted.add(name)
    assert acted == set(bridge.hook_dict)
    assert {"blocks.0.hook_resid_mid", "blocks.0.attn.hook_result", "blocks.0.hook_q_input"} < acted


@pytest.mark.parametrize(("name", "own_modules"), [("histogram", True), ("rms, rotary, full", True),
                                                   ("rms, rotary, full", False)])  # fmt: skip
def test_padding_is_not_seen(name: str, own_modules: bool) -> None:
    bridge, ids = bridge_of(name, own_modules), torch.tensor([[0, 1, 1, 0, 0], [1, 1, 0, 1, 0]])
    with torch.no_grad():
        padded = bridge(ids, attention_mask=torch.tensor([[1, 1, 1, 0, 0], [1, 1, 1, 1, 1]]))
        assert (padded[0, :3] - bridge(ids[:1, :3])[0]).abs().max() < 1e-12
        assert (padded[1] - bridge(ids[1:])[0]).abs().max() < 1e-12


def test_blocks_of_transformer_lens_compute_bit_for_bit_as_its_own_model() -> None:
    from transformer_lens.model_bridge.sources import native

    for name in ("plain", "layer norm"):
        bridge = bridge_of(name, False)
        own = native.boot({**vars(bridge.cfg), "model_name": "own"}, dtype=torch.float64)
        own.load_state_dict(bridge.state_dict())
        ids = torch.tensor([[0, 1, 1, 0, 1]])
        with torch.no_grad():
            assert torch.equal(own(ids), bridge(ids))


def test_gradients_reach_the_inputs_of_queries_keys_and_values() -> None:
    bridge = bridge_of("layer norm", False)
    set_inputs(bridge, split=True)
    found: dict[str, Any] = {}
    names = [f"blocks.1.hook_{part}_input" for part in "qkv"]
    saving: Hooks = [(name, lambda x, hook: found.__setitem__(hook.name, x)) for name in names]
    with bridge.hooks(bwd_hooks=list(saving)):
        bridge(torch.tensor([[0, 1, 1, 0, 1]]))[0, -1, 0].backward()
    set_inputs(bridge)
    bridge.zero_grad()
    assert len(found) == 3
    assert all(bool((gradient != 0).any()) for gradient in found.values())


@pytest.mark.parametrize("norm", [ws.RMSNorm(0.5), ws.LayerNorm(0.5)])
def test_copies_and_results_saturate_as_the_stream_does(norm: Any) -> None:
    T = kind_of_model(Fixed(3, 4), 5, "none", loudness=0.0, weighting=Softmax(shifted=True), strict=False)
    blocks = [replace(block, attention_norm=norm, feed_forward_norm=norm) for block in T.blocks]
    T = replace(T, blocks=blocks, final_norm=norm)
    bridge = export.to_transformer_lens(T, "float64", own_modules=True, allow_differences=True)
    ids = torch.tensor([[0, 1, 1, 0, 1]])
    with torch.no_grad():
        wanted = bridge(ids)
        for turn in ("set_use_split_qkv_input", "set_use_attn_in", "set_use_attn_result", "set_use_hook_mlp_in"):
            getattr(bridge, turn)(True)
            assert (bridge(ids) - wanted).abs().max() < 1e-12, turn
            getattr(bridge, turn)(False)


def test_the_unembedding_saturates_after_a_hook_as_the_model_does() -> None:
    """12 + 12 ends at ∞ = 15.9375, and a bias of −8 is added to that."""
    A = Fixed(4, 4)
    T = ws.Transformer(
        A, "ab", ["x", "y"], np.array([[1.0, 0], [0, 1]]), None, [ws.Block()], np.array([[1.0, 1], [0, 1]]),
        output_bias=np.array([-8.0, 0]),
    )  # fmt: skip
    bridge = export.to_transformer_lens(T, own_modules=True)
    wanted = ws.patch(ws.run(T, "a"), {"x": 12, "y": 12}, 0, after="feed-forward").logits.tolist()
    assert wanted == [7.9375, 12]
    logits = bridge.run_with_hooks(torch.tensor([[0]]), fwd_hooks=[("blocks.0.hook_resid_post", putting(12.0))])
    assert logits[0, -1].tolist() == wanted


@pytest.mark.parametrize(("name", "own_modules"), [("histogram", True), ("layer norm", False)])
def test_weights_are_not_processed(name: str, own_modules: bool) -> None:
    bridge = export.to_transformer_lens(transformer(name), own_modules=own_modules)
    ids = torch.tensor([[0, 1, 1]])
    before = bridge(ids)
    line = r"Write bridge.enable_compatibility_mode\(no_processing=True\)"
    refused: list[Callable[[], object]] = [
        bridge.enable_compatibility_mode,
        lambda: bridge.enable_compatibility_mode(fold_ln=False),
        bridge.process_weights,
    ]
    for call in refused:
        with pytest.raises(ExportError, match=line):
            call()
    assert not bridge.compatibility_mode
    bridge.enable_compatibility_mode(no_processing=True)
    assert torch.equal(bridge(ids), before)
    off = ("fold_ln", "center_writing_weights", "center_unembed", "fold_value_biases")
    bridge.enable_compatibility_mode(**dict.fromkeys(off, False))
    assert torch.equal(bridge(ids), before)
    assert cast(Any, bridge).compatibility_mode
