"""Blocks, heads, layers, neurons and stages by number or name."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.model.lookup import (
    attention_at,
    block_at,
    head_at,
    layer_at,
    neuron_at,
)
from weightsmith.model.sites import Site, present_stages, stage_names, stage_site

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
    assert names[:4] == ("embedding", "block 0 attention", "block 0 feed-forward", "block 1 attention")
    for stage, name in enumerate(names):
        site = stage_site(stage)
        assert (str(site), site.stage, site.in_stream) == (name, stage, True)
        assert site.block == (None if stage == 0 else (stage - 1) // 2)


@pytest.mark.parametrize("site", [Site("embedding"), Site("attention", 3), Site("head", 0, 11), Site("neuron", 2, 0)])
def test_a_site_is_read_from_its_name_and_its_label(site: Site) -> None:
    assert Site.parse(str(site)) == Site.parse(site.label) == site
    assert not Site("head", 0, 1).in_stream
    assert (str(Site("head", 0, 1)), Site("head", 0, 1).label) == ("block 0 head 1", "block 0, head 1")


@pytest.mark.parametrize("text", ["", "block", "block 0", "block 0 heads 1", "block 0 head", "block 0 attention 1", 0])
def test_a_text_that_names_no_site_is_refused(text: object) -> None:
    with pytest.raises(ws.InputError, match="names no site of a run: write 'block 0 attention' or 'block 0 head 1'"):
        Site.parse(text)


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
