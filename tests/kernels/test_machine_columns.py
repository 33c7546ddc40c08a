"""Columns in the machine's own arithmetic equal the reference in every bit, and overflow with the same words."""

from collections import Counter
from typing import Any, Literal

import numpy as np
import pytest

from tests.kernels.comparison import assert_equal_runs, assert_refused, assert_weighting, layouts
from tests.kernels.models import WEIGHTINGS, many_heads, random_model
from weightsmith import Attention, Block, FeedForward, Head, LayerNorm, Native, Relative, Softmax, Transformer
from weightsmith.kernels.packed import batch, run_columns, tree
from weightsmith.model import Weighting
from weightsmith.semantics.reference import evaluate

TYPES: tuple[Literal["float32", "float64"], ...] = ("float32", "float64")
both = pytest.mark.parametrize("dtype", TYPES)
Type = Literal["float32", "float64"]


def model(A: Native, embedding: object, *blocks: Block, output: object = None, **more: Any) -> Transformer:
    """Give a transformer with two tokens, of which the second is harmless, and two lanes."""
    matrix = np.eye(2) if output is None else np.array(output)
    positions = more.pop("positions", None)
    return Transformer(A, "ab", ("x", "y"), A.round(np.array(embedding)), positions, blocks, matrix, **more)


def head(W_Q: object, W_K: object, W_V: object, W_O: object, weighting: Weighting | None = None) -> Block:
    q, k, v, o = (np.array(W, dtype=np.float64) for W in (W_Q, W_K, W_V, W_O))
    return Block(attention=Attention((Head(q, k, v, o, weighting or Softmax()),)))


@both
def test_random_models_run_as_in_the_reference(dtype: Type) -> None:
    counts = Counter[str]()
    for seed in range(40):
        T = random_model(Native(dtype), seed)
        for layout in layouts(T, seed):
            assert_equal_runs(T, layout, counts)
    assert counts["runs"] > 30
    assert counts["refused"] > 3


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
@both
@pytest.mark.one_in(3)
def test_every_weighting_under_every_mask_runs_as_in_the_reference(
    dtype: Type, weighting: Weighting, mask: str
) -> None:
    assert_weighting(Native(dtype), range(300, 308), weighting, mask)


@both
def test_no_head_sees_what_another_left_behind(dtype: Type) -> None:
    A, counts = Native(dtype), Counter[str]()
    for seed in range(3):
        assert_equal_runs(many_heads(A, seed), tree(2, [], 5), counts)
        assert_equal_runs(many_heads(A, seed, "full"), batch(np.array([[0, 1, 1], [1, 0, 1]])), counts)
    assert counts["runs"] == 6


@both
def test_a_zero_without_a_sign_comes_out_where_the_machine_makes_one_with_a_sign(dtype: Type) -> None:
    T = model(Native(dtype), [[0.0, 2.0], [-0.5, 0.0]], output=[[-1.0, 0.0], [0.0, -1.0]])
    assert_equal_runs(T, batch(np.array([[0, 1], [1, 0]])), Counter())


def overflowing(dtype: Type) -> dict[str, Transformer]:
    """Give transformers whose runs overflow on every input with the token a, each in another place."""
    A = Native(dtype)
    big, most = float(np.sqrt(A.infinity)) * 2, A.infinity
    loud = [[big, 0.0], [0.5, 0.25]]
    loudest = [[most, -most], [0.5, 0.25]]
    feed = Block(feed_forward=FeedForward(np.array([[2.0, 2.0]]), None, np.array([[1.0], [0.0]]), None))  # type: ignore[arg-type]
    unread = Block(feed_forward=FeedForward(np.array([[2.0, 0.0]]), None, np.zeros((2, 1)), None))  # type: ignore[arg-type]
    one, none = [[1.0, 0.0]], [[0.0, 0.0]]
    up, nowhere = [[1.0], [0.0]], [[0.0], [0.0]]
    return {
        "a neuron that is infinite minus infinite": model(A, loudest, feed),
        "a neuron that nothing reads": model(A, loudest, unread),
        "the stream": model(A, loudest, head(none, none, one, up)),
        "a value that nothing reads": model(A, loudest, head(none, none, [[2.0, 0.0]], nowhere)),
        "a key that no query asks for": model(A, loudest, head(none, [[2.0, 0.0]], one, nowhere)),
        "a query that no key answers": model(A, loudest, head([[2.0, 0.0]], none, one, nowhere)),
        "a score": model(A, loud, head(one, one, none, nowhere)),
        "a score with a hard weighting": model(A, loud, head(one, one, none, nowhere, WEIGHTINGS[-1])),
        "the exponential of a score": model(A, [[1000.0, 0.0], [0.5, 0.25]], head(one, one, one, nowhere)),
        "the sum of a softmax": model(
            A, [[float(np.sqrt(np.log(most) - 0.2)), 0.0], [0.5, 0.25]], head(one, one, one, nowhere)
        ),
        "a key with what is added to it": model(
            A, loudest, head(one, one, none, nowhere), positions=Relative(np.array([[most]]))
        ),
        "a norm": model(A, loud, final_norm=LayerNorm()),
        "what a norm gives": model(
            A, [[4.0, 0.0], [0.0, 0.0]], final_norm=LayerNorm(gain=np.array([most, most]), bias=np.array([most, 1.0]))
        ),
        "the output": model(A, loudest, output=[[2.0, 0.0], [0.0, 1.0]]),
    }


NAMES = list(overflowing("float32"))


@pytest.mark.parametrize("name", NAMES)
@both
def test_overflow_is_refused_with_the_words_of_the_reference(dtype: Type, name: str) -> None:
    T = overflowing(dtype)[name]
    ids = np.array([[1, 1], [1, 0], [0, 1]])
    if name == "the sum of a softmax":
        evaluate(T, np.array([[1, 1], [1, 0]]))  # one loud token alone is not too much
        ids = np.array([[1, 1], [1, 0], [0, 0]])
    for layout in (batch(ids), tree(2, [], 3), tree(2, [1], 2)):
        assert "overflowed" in assert_refused(T, layout)
    quiet = batch(np.array([[1, 1, 1]]))
    if name != "what a norm gives":
        assert_equal_runs(T, quiet, Counter())


@pytest.mark.parametrize("name", [name for name in NAMES if name not in ("a norm", "what a norm gives", "the output")])
@both
def test_overflow_without_a_causal_mask_names_the_whole_input(dtype: Type, name: str) -> None:
    T = overflowing(dtype)[name]
    if T.positions is None:
        full = Transformer(**{**{f: getattr(T, f) for f in T.__dataclass_fields__}, "mask": "full"})
        assert assert_refused(full, batch(np.array([[1, 1, 1], [0, 0, 1]]))).startswith("on the input aab: ")


@both
def test_without_a_causal_mask_only_the_last_position_has_an_output_that_can_overflow(dtype: Type) -> None:
    A = Native(dtype)
    T = model(A, [[A.infinity, 0.0], [1.0, 2.0]], output=[[2.0, 0.0], [0.0, 2.0]], mask="full")
    assert assert_equal_runs(T, batch(np.array([[0, 1], [1, 1]])), Counter()) is not None
    assert assert_refused(T, batch(np.array([[0, 1], [1, 0]]))).startswith("on the input ba: output: ")


@both
def test_a_score_that_overflows_downwards_when_it_is_shifted_has_no_weight(dtype: Type) -> None:
    A = Native(dtype)
    root = float(A.round(np.sqrt(A.infinity / 4) * 1.5))
    T = model(A, [[root, 1.0], [-root, 0.5]], head([[1.0, 0.0]], [[1.0, 0.0]], [[0.0, 1.0]], [[0.0], [1.0]],
                                                  Softmax(shifted=True)))  # fmt: skip
    assert_equal_runs(T, tree(2, [], 4), Counter())
    assert run_columns(T, tree(2, [], 4)).empty_softmax == 0
