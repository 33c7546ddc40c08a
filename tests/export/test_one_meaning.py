"""One meaning in all targets: the steps and constants of the reference, where nothing rounds and a sum saturates once.

Saturating models of every kind go through all targets in float64, on every short input and on runs of
tokens. What each is to give is said by the reference run itself: see `at_the_ends`.
"""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.export.at_the_ends import furthest
from tests.export.every_target import QUICK, TARGETS, all_up_to, target
from tests.export.hub import few_inputs
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from weightsmith import Fixed, Float, export
from weightsmith.arithmetic import Array, Saturating
from weightsmith.export.pytorch import made
from weightsmith.export.search.runs import runs
from weightsmith.model import Weighting
from weightsmith.semantics import evaluate
from weightsmith.semantics.evaluation import Ids

NEAR = 1e-9  # of ∞: the machine's own rounding
ARITHMETICS: tuple[Saturating, ...] = (Fixed(4, 4), Fixed(2, 2), Float(3, 4), Float.like("e4m3"), Fixed(0, 4))


@pytest.fixture(autouse=True, scope="module")
def one_thread() -> None:
    torch.set_num_threads(1)


def compare(T: ws.Transformer, names: tuple[str, ...], up_to: int = 3) -> int:
    """See that targets give what they should; say how many could be compared."""
    inputs = [*all_up_to(T, up_to), np.stack(runs((0, 1), 8)[::6])]
    compared = 0
    for name in names:
        made_there = target(T, name)
        if made_there is not None:
            compared += 1
            for ids in inputs:
                found = made_there.outputs(ids)
                assert furthest(T, ids, found.stream, found.logits) < NEAR, (name, ids.shape)
    return compared


def drawn(rule: str, seed: int, mask: Any = "causal") -> ws.Transformer:
    """Give a loud model of a kind: with 1 to 5 heads, some strict, norms, parallel blocks and activations in turn."""
    n = seed + RULES.index(rule)
    return kind_of_model(
        ARITHMETICS[n % len(ARITHMETICS)], seed, rule, ACTIVATIONS[n % len(ACTIVATIONS)],
        heads=1 + n % 5, norms=n % 3 == 1, parallel=n % 4 == 2, loudness=0.6, mask=mask,
    )  # fmt: skip


@pytest.mark.one_in(3)
@pytest.mark.parametrize("rule", RULES)
def test_loud_models_of_every_kind_mean_the_same_in_every_target(rule: str) -> None:
    assert compare(drawn(rule, RULES.index(rule) % 2), QUICK) == len(QUICK)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rule", RULES)
def test_many_loud_models_mean_the_same_in_every_target(rule: str, seed: int) -> None:
    compare(drawn(rule, seed), TARGETS, up_to=5)
    if rule in FULL:
        compare(drawn(rule, seed, mask="full"), TARGETS, up_to=4)


def normed(A: Saturating, norm: Any, seed: int = 0, heads: int = 3, activation: Any = "relu") -> ws.Transformer:
    """Give a model that TransformerLens has a place for: one norm before each sublayer and at the end."""
    T = kind_of_model(A, seed, "alibi", activation, heads=heads, loudness=0.6)
    blocks = [replace(block, attention_norm=norm, feed_forward_norm=norm) for block in T.blocks]
    if activation == "reglu":
        layers = [block.feed_forward for block in blocks]
        bare = [replace(f, b_1=0 * f.b_1, b_2=0 * f.b_2, b_3=None) for f in layers if f is not None]
        blocks = [replace(block, feed_forward=layer) for block, layer in zip(blocks, bare, strict=True)]
    return replace(T, blocks=blocks, final_norm=norm)


@pytest.mark.parametrize(
    ("A", "norm", "activation"),
    [
        (Fixed(4, 4), ws.LayerNorm(0.04), "relu"),
        (Fixed(1, 6), ws.LayerNorm(1.0, np.array([1.0, 1.5, -1.5]), np.array([1.0, 0.0, -1.0])), "relu"),  # m = 3 → ∞
        (Float(3, 4), ws.RMSNorm(0.3), "reglu"),
        (Fixed(4, 4), None, "reglu"),
    ],
    ids=["eps is rounded", "the number of lanes is beyond ∞", "root of a mean", "gated"],
)
def test_transformer_lens_saturates_in_norms_gates_and_logits(A: Saturating, norm: Any, activation: str) -> None:
    T = normed(A, norm, activation=activation)
    assert compare(T, ("TransformerLens",)) == 1


WEIGHTINGS: tuple[Weighting, ...] = (
    ws.Softmax(empty="zero"),
    ws.Softmax(empty="uniform"),
    ws.Softmax(shifted=True, empty="error"),
    ws.AverageHard(),
    ws.LeftmostHard(),
    ws.RightmostHard(),
)


@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=str)
def test_weights_mean_the_same_also_where_1_is_beyond_infinity_and_a_row_is_empty(weighting: Weighting) -> None:
    for A in (Fixed(0, 4), Fixed(2, 4)):
        T = kind_of_model(A, 1, "slopes", weighting=weighting, loudness=0.8, strict=False)
        assert compare(T, TARGETS if A.infinity > 1 else QUICK) >= len(QUICK)


def test_a_readout_means_the_same() -> None:
    T = kind_of_model(Fixed(2, 2), 3, "relative values", heads=4, loudness=0.8)
    table = {(0.0, 0.0): "nothing"}
    nothing: Any = None
    T = replace(T, output=nothing, output_bias=None, classes=(), readout=ws.Readout(("x", "z"), table))
    assert compare(T, TARGETS) == len(TARGETS)


# The places that were found to differ, by hand


def single(A: Saturating, heads: list[ws.Head], embedding: Array, **more: Any) -> ws.Transformer:
    lanes = [f"x{j}" for j in range(embedding.shape[1])]
    blocks = [ws.Block(ws.Attention(heads))] if heads else []
    output = more.pop("output", np.eye(2, len(lanes)))
    return ws.Transformer(
        A, "ab"[: len(embedding)], lanes, embedding, more.pop("positions", None), blocks, output, **more
    )


def streams(T: ws.Transformer, ids: Ids) -> dict[str, Array]:
    found = {name: target(T, name) for name in TARGETS}
    return {name: made_there.outputs(ids).stream[-1] for name, made_there in found.items() if made_there is not None}


def test_three_like_heads_that_write_infinity_infinity_and_minus_infinity_add_0() -> None:
    A, one = Fixed(4, 4), np.ones((1, 1))
    heads = [ws.Head(0 * one, 0 * one, one, sign * A.infinity * one) for sign in (1, 1, -1)]
    T, ids = single(A, heads, one), np.array([[0]])
    assert evaluate(T, ids).stream[-1].item() == 1
    found = streams(T, ids)
    assert {name: stage.item() for name, stage in found.items()} == dict.fromkeys(TARGETS, 1.0)


def test_eps_is_the_member_that_it_rounds_to() -> None:
    T = single(Fixed(4, 4), [], np.array([[1.0, 0.5, -1.0, -0.5]]), final_norm=ws.LayerNorm(0.04))
    wanted = 1 / np.sqrt(0.625 + 0.0625)  # 0.04 is 0.0625 in this arithmetic
    for name in TARGETS:
        logit = target(T, name).outputs(np.array([[0]])).logits[0, 0, 0]
        assert abs(logit - wanted) < NEAR, name


def test_a_score_saturates_before_the_penalty_for_distance_is_added() -> None:
    """The near key has the score 12, the far one 30: ∞ − 8 is below 12, and 30 − 8 would be above."""
    A, one = Fixed(4, 4), np.ones((1, 1))
    head = ws.Head(one, one, one, one, ws.LeftmostHard(), positions=ws.Alibi((8.0,)))
    T = single(A, [head], np.array([[5.0], [2.0]]))
    T = replace(T, blocks=[ws.Block(ws.Attention([replace(head, b_Q=np.array([4.0]))]))])  # the query of b is 6
    ids = np.array([[0, 1]])
    assert evaluate(T, ids).stream[-1][0, 1, 0] == 2 + 2
    assert {name: stage[0, 1, 0] for name, stage in streams(T, ids).items()} == dict.fromkeys(TARGETS, 4.0)


def test_logits_saturate() -> None:
    T = single(Fixed(2, 0), [], np.array([[3.0]]), output=np.array([[2.0], [3.0]]))
    for name in TARGETS:
        assert target(T, name).outputs(np.array([[0]])).logits.tolist() == [[[3, 3]]], name


def test_the_embedding_with_its_position_saturates() -> None:
    T = single(Fixed(2, 0), [], np.array([[3.0]]), positions=ws.PositionTable(np.array([[2.0]])))
    assert {name: stage.item() for name, stage in streams(T, np.array([[0]])).items()} == dict.fromkeys(TARGETS, 3.0)


@pytest.mark.parametrize("dtype", ["float32", "bfloat16"])
def test_transformer_lens_takes_an_infinity_that_its_type_just_holds(dtype: str) -> None:
    A, wide = Float.like("bfloat16"), np.eye(3)
    T = single(A, [ws.Head(wide, wide, wide, wide)], np.eye(3)[:2])
    with few_inputs():
        bridge = export.to_transformer_lens(T, dtype, own_modules=True, allow_differences=True)
    assert bridge.agreement.logit_difference < 0.05


def test_the_exact_module_has_the_bits_of_the_reference_on_runs_too() -> None:
    for rule in RULES[:4]:
        T = drawn(rule, 1)
        module = made(T, exact=True)
        ids = np.stack(runs((0, 1), 9))
        with torch.inference_mode():
            found = module.run(torch.from_numpy(ids)).stream
        assert all(np.array_equal(a, b) for a, b in zip(evaluate(T, ids).stream, found, strict=True))
