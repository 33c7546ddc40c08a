"""The edges of a run: orders of folds, scores, messages, overflow by place."""

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.witness.runs import exact, witness_run
from weightsmith import Fixed, Native


def test_three_heads_are_folded_in_their_order() -> None:
    """3 ⊕ 3 saturates at 3.75 before −3 is taken away; in the other order nothing saturates."""
    A, one = Fixed(2, 2), np.ones((1, 1))
    heads = [ws.Head(0 * one, 0 * one, one, value * one, ws.LeftmostHard()) for value in (3.0, 3.0, -3.0)]
    T = ws.Transformer(A, "a", ["x"], one, None, [ws.Block(ws.Attention(heads))], np.array([[0.0], [1.0]]))
    assert ws.run(T, "a").stream[1].tolist() == [[1.75]]
    assert exact(ws.run(T, "a").stream) == witness_run(T, ["a"]).stream


def test_scores_are_0_where_nothing_is_visible_and_the_products_elsewhere() -> None:
    T = ws.random_transformer(lanes=3, blocks=1)
    r, A, head_ = ws.run(T, "0110"), T.arithmetic, T.blocks[0].attention.heads[0]  # type: ignore[union-attr]
    q, k = A.matvec(head_.W_Q, r.stream[0]), A.matvec(head_.W_K, r.stream[0])
    assert np.array_equal(r.scores[0][0], np.tril(A.matvec(k, q)))
    assert np.triu(A.matvec(k, q), 1).any()


def test_an_empty_softmax_names_its_position_and_its_largest_score() -> None:
    one = np.ones((1, 1))
    h = ws.Head(-one, one, one, one, ws.Softmax(empty="error"))
    T = ws.Transformer(
        Fixed(4, 4),
        "ab",
        ["x"],
        np.array([[1.0], [3.0]]),
        None,
        [ws.Block(ws.Attention([h]))],
        np.array([[0.0], [1.0]]),
        mask="causal",
    )
    # position 1 is a b: scores −3 for the a and −9 for the b; position 0 has −1
    assert ws.run(T, "ab").empty_softmax == 0
    T = replace(T, embedding=np.array([[0.0], [3.0]]), positions=None)
    h2 = ws.Head(-one, one, one, one, ws.Softmax(empty="error"))
    table = ws.PositionTable(np.array([[1.0], [0.0]]))
    T = replace(T, embedding=np.array([[0.0], [15.0]]), positions=table, blocks=[ws.Block(ws.Attention([h2]))])
    with pytest.raises(ws.ModelError, match=r"block 0, head 0, position 1: .* the largest score is -15;"):
        ws.run(T, "ab")


def test_the_number_of_lanes_is_rounded_into_the_arithmetic() -> None:
    """Five lanes in fixed(2,2), where ∞ is 3.75: the mean is Σ ⊘ 3.75."""
    T = ws.random_transformer("ab", 5, 1, 1, 2, 2, Fixed(2, 2), seed=1)
    T = replace(T, final_norm=ws.LayerNorm(eps=0.25))
    assert exact(ws.run(T, "ab").logits) == witness_run(T, ["a", "b"]).logits


def test_a_norm_names_the_sublayer_and_the_position_of_the_root_that_is_0() -> None:
    T = ws.random_transformer("ab", 2, 1, 1, 1, 2)
    T = replace(T, positions=None, embedding=np.array([[0.0, 4.0], [1.0, 1.0]]))
    block = replace(T.blocks[0], attention_norm=ws.LayerNorm())
    with pytest.raises(ws.ModelError, match="block 0 attention norm: the square root is 0 at position 1"):
        ws.run(replace(T, blocks=(block,)), "ab")


def overflowing(**parts: Any) -> ws.Transformer:
    huge, zero = np.array([[2.0**127]]), np.zeros((2, 1))
    defaults: dict[str, Any] = {
        "arithmetic": Native("float32"),
        "vocabulary": "a",
        "lanes": ["x"],
        "embedding": huge,
        "positions": None,
        "blocks": (),
        "output": zero,
    }
    return ws.Transformer(**defaults | parts)


ONE = np.ones((1, 1))
OVERFLOWS: dict[str, tuple[Any, str]] = {
    "embedding": ({"positions": ws.PositionTable(np.array([[2.0**127]]))}, "embedding: float32 overflowed"),
    "attention": (
        {"blocks": [ws.Block(ws.Attention([ws.Head(0 * ONE, 0 * ONE, ONE, ONE)]))]},
        "block 0 attention: float32 overflowed",
    ),
    "feed-forward": (
        {"blocks": [ws.Block(feed_forward=ws.FeedForward(ONE, np.zeros(1), ONE, np.zeros(1)))]},
        "block 0 feed-forward: float32 overflowed",
    ),
    "output": ({"output": [[0.0], [2.0]]}, "output: float32 overflowed"),
    "scores": (
        {"blocks": [ws.Block(ws.Attention([ws.Head(ONE, ONE, 0 * ONE, ONE, ws.LeftmostHard())]))]},
        "block 0, head 0: float32 overflowed",
    ),
}


@pytest.mark.parametrize("place", OVERFLOWS)
def test_overflow_is_refused_where_it_happens(place: str) -> None:
    parts, message = OVERFLOWS[place]
    with pytest.raises(ws.ModelError, match=message):
        ws.run(overflowing(**parts), "a")


def test_generate_takes_whole_numbers_only() -> None:
    T = ws.random_transformer(classes=("0", "1"))
    for steps in (True, 1.0, "1"):
        with pytest.raises(ws.InputError, match="write how many tokens to generate"):
            ws.generate(T, "0", steps)  # type: ignore[arg-type]
