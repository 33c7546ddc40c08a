"""Blocks, heads, layers, neurons and stages by number or name."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.model.lookup import (
    attention_at,
    attention_stage,
    block_at,
    block_of_stage,
    feed_forward_stage,
    head_at,
    layer_at,
    neuron_at,
    present_stages,
    stage_names,
)

T = ws.random_transformer(blocks=3, heads=2, neurons=2)
SOME = replace(T, blocks=(replace(T.blocks[0], attention=None), replace(T.blocks[1], feed_forward=None), ws.Block()))


def test_things_are_found_by_number_also_by_those_of_numpy() -> None:
    for one in (1, np.int64(1)):
        assert block_at(T, one) is T.blocks[1]
        assert attention_at(T, one) is T.blocks[1].attention
        assert layer_at(T, one) is T.blocks[1].feed_forward
        assert (head_at(T, 0, one), type(head_at(T, 0, one))) == (1, int)
        assert (neuron_at(T, 0, one), type(neuron_at(T, 0, one))) == (1, int)


def test_a_neuron_called_2847_is_found_by_its_name() -> None:
    assert neuron_at(ws.library.eiffel(), 0, "2847") == 0
    assert neuron_at(ws.library.eiffel(), 0, "5432") == 1


def test_the_stages_that_are_there_are_those_of_present_sublayers() -> None:
    assert present_stages(T) == [0, 1, 2, 3, 4, 5, 6]
    assert present_stages(SOME) == [0, 2, 3]


def test_stages_are_numbered_as_they_are_named() -> None:
    names = stage_names(T)
    assert (names[0], block_of_stage(0)) == ("embedding", None)
    for b in range(len(T.blocks)):
        assert names[attention_stage(b)] == f"block {b} attention"
        assert names[feed_forward_stage(b)] == f"block {b} feed-forward"
        assert block_of_stage(attention_stage(b)) == block_of_stage(feed_forward_stage(b)) == b


@pytest.mark.parametrize("block", [3, -1, True, "0", 0.0, None])
def test_a_block_that_does_not_exist_is_refused(block: object) -> None:
    with pytest.raises(ws.InputError, match=f"there is no block {block!r}: the blocks are 0 to 2"):
        block_at(T, block)


def test_what_a_block_does_not_have_is_said() -> None:
    with pytest.raises(ws.InputError, match=r"block 0 has no attention, and so no heads: write a block of \[1\]"):
        head_at(SOME, 0, 0)
    with pytest.raises(ws.InputError, match="no block has any"):
        attention_at(replace(T, blocks=(ws.Block(),)), 0)
    with pytest.raises(ws.InputError, match="block 2 has no feed-forward layer: memory.write"):
        layer_at(SOME, 2)
    with pytest.raises(ws.InputError, match="the transformer has none; write pad_blocks"):
        block_at(replace(T, blocks=()), 0)
    with pytest.raises(ws.InputError, match="there is no head 0 in block 0: there is none"):
        head_at(replace(T, blocks=(ws.Block(ws.Attention(())),)), 0, 0)
