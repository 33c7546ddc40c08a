"""Parallel blocks: what they mean, what is refused, what is said of them, and that older models stay what they were."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.model import digest
from weightsmith.model.sites import feed_forward_source

OLD_DIGEST = "92745a5ee06d801019f270e12976311c24f30f3230636f31475186d99ca785eb"


def parts(A: ws.Fixed) -> dict[str, Any]:
    T = ws.random_transformer("ab", 3, 1, 2, 4, 4, A, seed=5)
    return {"attention": T.blocks[0].attention, "feed_forward": T.blocks[0].feed_forward}


def test_both_sublayers_read_the_entry_and_attention_is_added_first() -> None:
    """By hand, in integers: attention adds 2h, neurons that read h = 3 add relu(3 − 2) · 5, and 3 ⊕ 6 ⊕ 5 = 14."""
    A = ws.Fixed(4, 0)
    one, zero = np.ones((1, 1)), np.zeros((1, 1))
    attention = ws.Attention([ws.Head(zero, zero, one, 2 * one)])
    layer = ws.FeedForward(one, np.array([-2.0]), 5 * one)
    T = ws.Transformer(A, "a", ["x"], 3 * one, None, [ws.Block(attention, layer, parallel=True)], np.ones((2, 1)))
    assert ws.run(T, "a").stream[:, 0, 0].tolist() == [3, 9, 14]
    serial = replace(T, blocks=[replace(T.blocks[0], parallel=False)])
    assert ws.run(serial, "a").stream[:, 0, 0].tolist() == [3, 9, 15]  # 9 ⊕ relu(9 − 2) · 5 saturates
    assert [feed_forward_source(each, 0) for each in (T, serial)] == [0, 1]


def test_a_parallel_block_with_one_sublayer_is_a_block_with_one_sublayer() -> None:
    T = ws.random_transformer("ab", 3, 2, 2, 4, 4, seed=5)
    less: Any
    for less in ({"attention": None}, {"feed_forward": None}):
        serial = replace(T, blocks=[replace(block, **less) for block in T.blocks])
        parallel = replace(T, blocks=[replace(block, parallel=True) for block in serial.blocks])
        assert not any(block.reads_entry for block in parallel.blocks)
        assert np.array_equal(ws.run(serial, "abba").stream, ws.run(parallel, "abba").stream)


def test_norms_after_the_sublayers_of_a_parallel_block_are_refused() -> None:
    with pytest.raises(ws.ModelError) as refused:
        ws.Block(**parts(ws.Fixed(4, 4)), norm_placement="post", parallel=True)
    assert str(refused.value) == (
        "Block(parallel=True, norm_placement='post'): the norms of a parallel block stand before its sublayers: "
        "write norm_placement='pre', or parallel=False"
    )


@pytest.mark.parametrize("wrong", [1, None, "yes", np.True_])
def test_parallel_is_true_or_false(wrong: Any) -> None:
    with pytest.raises(ws.ModelError, match=r"^Block\(parallel=.*\): write True or False$"):
        ws.Block(parallel=wrong)


def test_a_parallel_block_is_another_and_says_so() -> None:
    serial, parallel = (ws.Block(**parts(ws.Fixed(4, 4)), parallel=each) for each in (False, True))
    assert serial != parallel
    T = replace(ws.random_transformer("ab", 3, 1, 2, 4, 4), blocks=[parallel])
    assert "2 heads (Softmax), 4 neurons (relu), in parallel" in str(T)
    assert "in parallel" not in str(replace(T, blocks=[serial]))
    assert digest(T) != digest(replace(T, blocks=[serial]))


def test_models_without_parallel_blocks_keep_their_digest() -> None:
    """Certificates name models by it: this one is what it was before blocks could be parallel."""
    assert digest(ws.library.contains("1")) == OLD_DIGEST


def test_parallel_blocks_come_back_from_their_file(tmp_path: Path) -> None:
    T = ws.random_transformer("ab", 3, 2, 2, 4, 4, parallel=True)
    assert all(block.parallel for block in T.blocks)
    mixed = replace(T, blocks=[T.blocks[0], replace(T.blocks[1], parallel=False)])
    for each in (T, mixed):
        ws.save(each, tmp_path / "model")
        assert ws.load(tmp_path / "model") == each
