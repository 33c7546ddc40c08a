"""The machine's run equals the definition with left folds, up to the order of sums; many inputs equal single ones."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.closeness import COUNTS, assert_close_runs
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.kernels.models import WEIGHTINGS
from weightsmith import Fixed, Float, Native, Softmax
from weightsmith.arithmetic import Array
from weightsmith.inspect.run import evaluate
from weightsmith.model.sites import Site

TEXTS = ("a", "abbab")


def model(n: int, rule: str, activation: str = "relu", dtype: Any = "float64", **more: Any) -> ws.Transformer:
    how = {"loudness": 0.0, "norms": n % 2 == 0, "weighting": Softmax(shifted=True), "parallel": n % 3 == 1, **more}
    return kind_of_model(Native(dtype), n, rule, activation, **how)


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(2)
@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_every_rule_and_activation_equals_the_definition_up_to_the_order_of_sums(activation: str, mask: Any) -> None:
    for n, rule in enumerate(RULES if mask == "causal" else FULL[::2]):
        T = model(n, rule, activation, heads=(2, 3, 5, 0, 1)[n % 5], mask=mask)
        for text in TEXTS:
            assert assert_close_runs(T, text) is not None


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
def test_every_weighting_equals_the_definition_up_to_the_order_of_sums(weighting: Any, mask: Any) -> None:
    """Scores are multiples of 2⁻²⁰ or so, which no order of sums rounds: so hard attention sees the same ties."""
    COUNTS.clear()
    for n in range(6):
        T = kind_of_model(Fixed(3, 3), n, weighting=weighting, mask=mask, loudness=0.0)
        positions = (None, ws.Alibi((0.25, 0.5)))[n % 2]
        T = ws.to_arithmetic(replace(T, positions=positions, blocks=T.blocks[:1]), Native("float64"))
        assert_close_runs(T, TEXTS[1])
    assert COUNTS["runs"] >= 4, COUNTS


def test_heads_of_mixed_kinds_in_one_block_equal_the_definition_up_to_the_order_of_sums() -> None:
    """Sizes, weightings and rules differ from head to head, and neighbours that agree are computed together."""
    A, random = Native("float64"), np.random.default_rng(0)

    def head(keys: int, values: int, weighting: Any, rule: Any, biased: bool) -> ws.Head:
        d = random.normal
        b_Q, b_V = (d(size=keys), d(size=values)) if biased else (None, None)
        W_Q, W_K, W_V, W_O = d(size=(keys, 3)), d(size=(keys, 3)), d(size=(values, 3)), d(size=(3, values))
        return ws.Head(W_Q, W_K, W_V, W_O, weighting, b_Q, None, b_V, rule)

    relative = ws.Relative(random.normal(size=(3, 4)), random.normal(size=(3, 2)))
    other = ws.Relative(random.normal(size=(3, 4)), random.normal(size=(3, 2)))
    shifted = Softmax(shifted=True)
    kinds = [
        (4, 2, shifted, relative, False),
        (4, 2, shifted, other, True),
        (4, 2, shifted, ws.Relative(relative.keys), True),
        (4, 2, shifted, ws.Rotary(), True),
        (4, 2, shifted, ws.Rotary(), False),
        (4, 2, shifted, ws.Rotary(size=2), False),
        (4, 2, shifted, ws.Alibi((0.5,)), False),
        (4, 2, shifted, ws.Alibi((3.0,)), True),
        (4, 2, shifted, None, False),
        (4, 1, shifted, None, False),
        (0, 2, shifted, None, True),
        (3, 0, shifted, None, True),
        (3, 0, ws.RightmostHard(), None, True),
        (2, 2, ws.AverageHard(), ws.Rotary(), False),
        (2, 2, ws.LeftmostHard(), ws.Rotary(), True),
    ]
    for order in (range(len(kinds)), random.permutation(len(kinds)).tolist()):
        attention = ws.Attention([head(*kinds[i]) for i in order], random.normal(size=3))
        table = ws.PositionTable(random.normal(size=(9, 3)))
        T = ws.Transformer(
            A, "ab", ("x", "y", "z"), random.normal(size=(2, 3)), table, [ws.Block(attention)] * 2,
            random.normal(size=(2, 3)),
        )  # fmt: skip
        T = replace(T, blocks=[replace(block, attention_norm=ws.RMSNorm()) for block in T.blocks])
        for text in ("b", "abba", "abababbba"):
            assert assert_close_runs(T, text) is not None


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("empty", ["zero", "uniform", "error"])
def test_empty_softmaxes_follow_their_rule_as_in_the_definition(empty: Any, mask: Any) -> None:
    one, A = np.ones((1, 1)), Native("float64")
    head = ws.Head(one, 0 * one, one, one, Softmax(empty=empty), b_K=np.ones(1))
    T = ws.Transformer(
        A, "ab", ["x"], np.array([[1.0], [-1000.0]]), None,
        [ws.Block(ws.Attention([head] * 2))], np.array([[0.0], [1.0]]), mask=mask,
    )  # fmt: skip
    found = assert_close_runs(T, "aabab")
    if empty == "error":
        assert found is None
        with pytest.raises(ws.ModelError, match="block 0, head 0, position 2: .*largest score is -1000"):
            ws.run(T, "aabab")
    else:
        assert found is not None
        assert found.empty_softmax == 4
        seen = 3 if mask == "causal" else 5
        row = [1 / seen if empty == "uniform" else 0.0] * seen + [0.0] * (5 - seen)
        assert found.attention[0][1][2].tolist() == row


def test_a_shifted_softmax_takes_scores_far_below_0_under_a_causal_mask() -> None:
    """What is not visible has no part in it: not even as exp(0 − largest), which overflows."""
    T = kind_of_model(Native("float64"), 4, "none", loudness=0.0, weighting=Softmax(shifted=True))
    head = T.blocks[0].attention.heads[0]  # type: ignore[union-attr]
    low = replace(head, W_Q=np.zeros((4, 3)), b_Q=np.full(4, -1000.0), W_K=np.zeros((4, 3)), b_K=np.ones(4))
    T = replace(T, positions=None, blocks=[ws.Block(ws.Attention([low]))])
    found = assert_close_runs(T, "abba")
    assert found is not None
    assert np.abs(found.attention[0][0] - np.tril(np.ones((4, 4))) / np.arange(1, 5)[:, np.newaxis]).max() < 1e-15


def test_changed_values_change_the_run_as_in_the_definition() -> None:
    """Double one head's output, take away the neurons of a block, or shift a stage: the rest follows."""
    T = model(4, "one for each head", "gelu", heads=4)
    plain = ws.run(T, "abba")
    for wanted in [
        Site("head", 0, 2),
        Site("head", 1, 0),
        Site("activations", 1),
        Site("embedding"),
        Site("attention", 1),
    ]:
        seen = []

        def change(site: Site, x: Array, at: Site = wanted) -> Array:
            seen.append(site)  # noqa: B023
            return 2 * x + 1 if site == at else x

        found = assert_close_runs(T, "abba", change)
        assert found is not None
        assert not np.array_equal(found.stream, plain.stream)
        assert seen.count(wanted) == 2  # once in each run
        assert len(seen) == 2 * (1 + 2 * 2 + 2 * 4 + 2)
    finite = kind_of_model(Fixed(4, 4), 4, "halves")

    def silence(site: Site, x: Array) -> Array:
        return 0 * x if site.kind == "head" else x

    quiet = ws.run(finite, "abba", change=silence)
    shifts = [block.attention.b_O for block in finite.blocks if block.attention]
    alone = [
        ws.Block(ws.Attention((), b_O), block.feed_forward) for b_O, block in zip(shifts, finite.blocks, strict=True)
    ]
    assert np.array_equal(quiet.stream, ws.run(replace(finite, blocks=alone), "abba").stream)
    assert not quiet.heads[0][0].output.any()
    with pytest.raises(ws.InputError, match="not a member"):
        ws.run(finite, "abba", change=lambda site, x: x + 0.01 if site.kind == "head" else x)


@pytest.mark.parametrize("A", [Fixed(4, 4), Float(4, 3, "even"), Native("float32"), Native("float64")], ids=str)
def test_many_inputs_at_once_give_what_each_gives_alone(A: Any) -> None:
    inputs = ["".join(t) for n in (1, 3, 2) for t in product("ab", repeat=n)]
    for n, rule in enumerate(RULES if isinstance(A, Native) else RULES[::4]):
        T = kind_of_model(A, n, rule, ACTIVATIONS[n % 6], loudness=0.0, weighting=Softmax(shifted=True), norms=True)
        single = [ws.run(T, text) for text in inputs]
        together, wanted = ws.logits(T, inputs), np.array([r.logits for r in single])
        if isinstance(A, Native):  # products with more rows may add in another order
            assert np.abs(together - wanted).max() <= 200 * np.finfo(A.dtype).eps * np.abs(wanted).max()
        else:
            assert np.array_equal(together, wanted)
        assert ws.decisions(T, inputs) == [r.decision for r in single]


@pytest.mark.parametrize("rule", RULES)
def test_float32_stays_float32_on_the_way_and_comes_out_as_float64(rule: str) -> None:
    T = model(2, rule, "swiglu", "float32")
    found = evaluate(T, np.array([0, 1, 1]))
    assert {x.dtype.name for x in (*found.stream, *found.activations, found.logits)} == {"float32"}
    for heads in found.heads:
        for head in heads:
            parts = (head.scores, head.weights, head.keys, head.values, head.mixed, head.output)
            assert {x.dtype.name for x in parts} == {"float32"}
    r = ws.run(T, "abb")
    assert {x.dtype.name for x in (r.stream, r.logits, *r.activations, *r.attention[0], *r.scores[0])} == {"float64"}


def test_sums_are_left_or_the_machines_and_nothing_else() -> None:
    T = kind_of_model(Fixed(4, 4), 0)
    assert np.array_equal(ws.run(T, "ab", sums="left").stream, ws.run(T, "ab").stream)
    with pytest.raises(ws.InputError, match="sums='machine' is for Native arithmetics: in fixed"):
        ws.run(T, "ab", sums="machine")
    with pytest.raises(ws.InputError, match="sums='right': write 'left' for left folds, or 'machine'"):
        ws.run(T, "ab", sums="right")  # type: ignore[arg-type]
