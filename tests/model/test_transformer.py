"""Transformers are frozen, compare by value, and are checked however they are made."""

import copy
import pickle
from dataclasses import FrozenInstanceError, replace

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.model import lane_index, named_arrays


@pytest.fixture
def T() -> ws.Transformer:
    return ws.random_transformer(lanes=3, blocks=2, heads=2, neurons=4)


def test_nothing_in_a_transformer_can_be_changed(T: ws.Transformer) -> None:
    with pytest.raises(FrozenInstanceError):
        T.mask = "full"  # type: ignore[misc]
    for _, array in named_arrays(T):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
        with pytest.raises(ValueError, match="cannot set WRITEABLE flag to True"):
            array.setflags(write=True)
    for again in (pickle.loads(pickle.dumps(T)), copy.deepcopy(T), replace(T)):
        assert all(not array.flags.writeable for _, array in named_arrays(again))


def test_a_transformer_does_not_share_memory_with_what_it_was_made_from() -> None:
    values = np.ones((2, 3))
    table = ws.PositionTable(values)
    values[0, 0] = 5
    assert table.values[0, 0] == 1


def test_transformers_compare_by_value(T: ws.Transformer) -> None:
    again = ws.random_transformer(lanes=3, blocks=2, heads=2, neurons=4)
    assert again == T
    assert hash(T) == hash(again)
    assert pickle.loads(pickle.dumps(T)) == T
    assert copy.copy(T) == T
    changed = T.output.copy()
    changed[0, 0] += T.arithmetic.smallest
    for other in (
        replace(T, output=changed),
        replace(T, mask="full"),
        replace(T, lanes=("a", "b", "c")),
        replace(T, positions=None),
        replace(T, output_bias=np.zeros(2)),
        replace(T, blocks=(replace(T.blocks[0], origin="another"), T.blocks[1])),
        "a text",
    ):
        assert other != T
    assert replace(T, provenance=("elsewhere",)) == T, "provenance is history, not value"


def test_minus_zero_does_not_exist(T: ws.Transformer) -> None:
    zero = replace(T, output=np.zeros((2, 3)))
    assert replace(T, output=np.full((2, 3), -0.0)) == zero
    assert hash(replace(T, output=np.full((2, 3), -0.0))) == hash(zero)


def test_a_transformer_describes_itself_briefly(T: ws.Transformer) -> None:
    flagged = replace(T, blocks=(replace(T.blocks[0], origin="flag"), ws.Block()))
    assert repr(flagged).splitlines() == [
        "Transformer in fixed(4,4)",
        "  vocabulary  2: 0, 1",
        "  lanes       3: x0, x1, x2",
        "  positions   table for 8",
        "  mask        causal",
        "  block 0     2 heads (Softmax), 4 neurons (relu) · flag",
        "  block 1     empty",
        "  classes     NO, YES",
        "  weights     139, of which 138 are not 0",
    ]
    many = ws.random_transformer([f"word{i}" for i in range(50)], lanes=2, blocks=0)
    assert "word10, word11, … (50 in all)" in repr(many)
    assert "final norm  LayerNorm over x0" in repr(replace(T, final_norm=ws.LayerNorm(lanes=["x0"])))
    assert "sinusoidal for 12, base 10000" in repr(replace(T, positions=ws.Sinusoidal(12)))


def test_weights_are_counted_under_their_full_names(T: ws.Transformer) -> None:
    names = dict(named_arrays(T))
    assert T.weights == sum(array.size for array in names.values())
    assert names["blocks.1.attention.heads.0.W_Q"] is T.blocks[1].attention.heads[0].W_Q  # type: ignore[union-attr]
    assert names["positions.values"].shape == (8, 3)


def test_the_vocabulary_may_be_written_as_a_text_of_one_character_tokens(T: ws.Transformer) -> None:
    assert replace(T, vocabulary="ab").vocabulary == ("a", "b")


def test_a_lane_that_does_not_exist_is_named_with_the_nearest_one(T: ws.Transformer) -> None:
    assert lane_index(T, "x1") == 1
    with pytest.raises(ws.ModelError, match=r"there is no lane found: the lanes are x0, x1, x2"):
        lane_index(T, "found")
    with pytest.raises(ws.ModelError, match=r"there is no lane fund: did you mean found\? the lanes are symbol, found"):
        lane_index(ws.library.contains("1"), "fund")
