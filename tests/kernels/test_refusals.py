"""A fast run refuses what the reference refuses, names the input, and says the same of it."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from tests.kernels.comparison import assert_equal_runs, assert_refused
from weightsmith import (
    Attention,
    Block,
    FeedForward,
    Fixed,
    Float,
    Head,
    LayerNorm,
    ModelError,
    Native,
    RMSNorm,
    Softmax,
    Transformer,
)
from weightsmith.arithmetic import Arithmetic
from weightsmith.kernels.packed import batch, run_columns, tree
from weightsmith.model import Norm
from weightsmith.model.block import Placement
from weightsmith.model.transformer import Mask
from weightsmith.model.weightings import Empty

ARITHMETICS: tuple[Arithmetic, ...] = (
    Fixed(4, 4),
    Fixed(8, 8, "even"),
    Float(4, 3, "away"),
    Float.like("float16", "even"),
    Float(8, 12),
    Native("float32"),
)


def lonely(A: Arithmetic, mask: Mask = "causal", shifted: bool = False) -> Transformer:
    """Give a transformer in which b sees nothing: its score with everything is far below 0."""
    far = float(A.round(-min(A.infinity, 200.0)))
    near = float(A.round(8.0))
    W_Q, W_K = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    embedding = np.array([[0.0, 0.0], [near, far]])
    head = Head(W_Q, W_K, W_Q, W_Q.T, Softmax(shifted, empty="error"))
    return Transformer(
        A,
        "ab",
        ("x", "y"),
        embedding,
        None,
        (Block(attention=Attention((head,))),),
        np.eye(2),
        mask=mask,
    )


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_a_softmax_that_may_not_be_empty_names_the_first_input_on_which_it_is(A: Arithmetic) -> None:
    message = assert_refused(lonely(A), tree(2, [], 3))
    assert message.startswith(f"on the input b: block 0, head 0, position 0: every exp(score) rounds to 0 in {A}, the")
    assert message.endswith("Softmax(empty='uniform') to say what is meant")
    assert assert_refused(lonely(A, "full"), batch(np.array([[0, 0], [1, 1]]))).startswith("on the input bb: block 0")
    assert run_columns(lonely(A), batch(np.array([[0, 0, 0]]))).empty_softmax == 0
    assert run_columns(lonely(A, shifted=True), tree(2, [], 3)).empty_softmax == 0


@pytest.mark.parametrize("empty", ["zero", "uniform"])
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_empty_rows_are_counted_and_weighed_by_their_rule(A: Arithmetic, empty: Empty) -> None:
    T = lonely(A)
    attention = T.blocks[0].attention
    assert attention is not None
    head = replace(attention.heads[0], weighting=Softmax(empty=empty))
    counts = Counter[str]()
    for mask in ("causal", "full"):
        S = replace(T, blocks=(Block(attention=Attention((head,))),), mask=mask)
        assert_equal_runs(S, batch(np.array([[1, 1, 1], [1, 0, 1], [0, 1, 1], [1, 1, 0]])), counts)
    assert counts["empty"] > 7


def test_an_input_of_words_is_named_with_spaces() -> None:
    T = replace(lonely(Fixed(4, 4), "full"), vocabulary=("to", "be"))
    with pytest.raises(ModelError, match="^on the input be be be: block 0, head 0, position 0: every exp"):
        run_columns(T, batch(np.array([[0, 0, 1], [1, 1, 1]])))


def plain(A: Arithmetic, block: Block, final: Norm | None = None, mask: Mask = "causal") -> Transformer:
    """Give a transformer whose token b is the vector 0."""
    embedding = np.array([[1.0, 0.5], [0.0, 0.0]])
    return Transformer(
        A,
        "ab",
        ("x", "y"),
        embedding,
        None,
        (block,),
        np.eye(2),
        mask=mask,
        final_norm=final,
    )


NORMS: tuple[Norm, ...] = (RMSNorm(eps=0.0), LayerNorm(eps=0.0), RMSNorm(eps=0.0, lanes=("y",)))
none = FeedForward(np.zeros((0, 2)), None, np.zeros((2, 0)), None)  # type: ignore[arg-type]
without = Block(attention=Attention(()))
PLACES = {
    "block 0 attention norm": Block(attention=Attention(()), attention_norm=RMSNorm(eps=0.0)),
    "block 0 feed-forward norm": Block(feed_forward=none, feed_forward_norm=RMSNorm(eps=0.0)),
}


@pytest.mark.parametrize("placement", ["pre", "post"])
@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_a_norm_whose_root_is_0_names_the_place_and_the_position(
    A: Arithmetic, place: str, placement: Placement
) -> None:
    block = replace(PLACES[place], norm_placement=placement)
    for layout, name, position in ((tree(2, [0], 2), "ab", 1), (batch(np.array([[0, 0, 1], [0, 0, 0]])), "aab", 2)):
        message = assert_refused(plain(A, block), layout)
        assert message.startswith(f"on the input {name}: {place}: the square root is 0 at position {position}, because")
    full = plain(A, block, mask="full")
    assert assert_refused(full, batch(np.array([[0, 0], [1, 0]]))).startswith(f"on the input ba: {place}: ")


@pytest.mark.parametrize("norm", NORMS, ids=["rms", "layer", "one lane"])
@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_a_final_norm_whose_root_is_0_is_refused_where_an_input_can_end(A: Arithmetic, norm: Norm) -> None:
    message = assert_refused(plain(A, without, norm), tree(2, [], 3))
    assert message.startswith("on the input b: final norm: the square root is 0 at position 0, because")
    full = plain(A, without, norm, "full")
    assert run_columns(full, batch(np.array([[1, 0], [0, 0]]))).decisions[2:].tolist() == [0, 0]
    assert assert_refused(full, batch(np.array([[0, 0], [0, 1]]))).startswith("on the input ab: final norm: the square")
