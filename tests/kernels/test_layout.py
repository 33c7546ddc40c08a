"""Which column is which input, and runs so wide that columns are worked on in several chunks and tiles."""

from collections import Counter
from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.kernels.comparison import assert_equal_runs
from tests.rewrites.models import transformers
from weightsmith import Attention, Block, Fixed, Relative, Transformer, random_transformer
from weightsmith.kernels.packed import Layout, batch, ranks, tree
from weightsmith.kernels.packed.layout import MAX_CHUNK
from weightsmith.kernels.packed.linear import TILE_BYTES
from weightsmith.model import LeftmostHard


@pytest.mark.parametrize("stem", [[], [0], [0, 1, 0]])
@pytest.mark.parametrize(("vocabulary", "depth"), [(1, 5), (2, 6), (3, 4), (4, 3), (5, 3), (2, 1)])
def test_the_columns_of_a_tree_are_all_continuations_of_the_stem_once_each(
    vocabulary: int, depth: int, stem: list[int]
) -> None:
    stem = [token % vocabulary for token in stem]
    layout = tree(vocabulary, stem, depth)
    for t in range(len(stem)):
        assert layout.input_at(t) == stem[: t + 1]
    for k in range(1, depth + 1):
        level = layout.level(len(stem) + k - 1)
        found = [layout.input_at(column) for column in range(level.start, level.stop)]
        in_order: list[list[int]] = [[]] * len(found)
        for place, tokens in zip(ranks(vocabulary, k), found, strict=True):
            in_order[place] = tokens
        assert in_order == [stem + list(rest) for rest in product(range(vocabulary), repeat=k)]
    assert layout.columns == sum(layout.widths)


def test_a_tree_of_no_depth_is_its_stem() -> None:
    assert [tree(2, [1, 0], 0).input_at(column) for column in range(2)] == [[1], [1, 0]]


def test_a_batch_has_every_position_of_every_input() -> None:
    ids = np.array([[0, 1, 2], [2, 2, 0]])
    layout = batch(ids)
    assert layout.widths.tolist() == [2, 2, 2]
    for n, t in product(range(2), range(3)):
        assert layout.input_at(2 * t + n) == ids[n, : t + 1].tolist()
        assert layout.input_at(2 * t + n, whole=True) == ids[n].tolist()


LAYOUTS = [tree(v, stem, d) for v, stem, d in [(1, [], 4), (2, [], 11), (3, [0], 7), (5, [1, 1], 5), (7, [], 4)]]


@pytest.mark.parametrize("layout", [*LAYOUTS, batch(np.zeros((700, 3), np.int64))], ids=lambda x: str(x.widths))
def test_what_a_column_sees_is_its_own_prefix(layout: Layout) -> None:
    random = np.random.default_rng(0)
    for t in range(layout.widths.size):
        width, offset = int(layout.widths[t]), int(layout.offsets[t])
        for simd in (32, 64, 128):
            chunk = layout.chunk(simd)
            assert chunk <= MAX_CHUNK
            assert width % chunk == 0 or chunk % width == 0 or set(layout.widths.tolist()) <= {1, width}
        for i in random.integers(0, width, 20).tolist():
            tokens = layout.input_at(offset + i)
            for s in range(t):
                assert layout.input_at(int(layout.offsets[s]) + i % int(layout.widths[s])) == tokens[: s + 1]


TILE = TILE_BYTES // np.dtype(np.int16).itemsize


def narrow(vocabulary: str, seed: int, length: int) -> Transformer:
    return random_transformer(vocabulary, 2, 1, 1, 2, length, Fixed(2, 3), seed)


@pytest.mark.parametrize(
    ("vocabulary", "stem", "depth"),
    [("ab", [], 12), ("ab", [1, 0], 11), ("abc", [2], 7), ("abcd", [], 6), ("abcde", [1], 5), ("abcdefg", [], 4)],
)
def test_trees_of_several_chunks_and_tiles_run_as_in_the_reference(
    vocabulary: str, stem: list[int], depth: int
) -> None:
    layout = tree(len(vocabulary), stem, depth)
    assert layout.widths[-1] >= TILE
    counts = Counter[str]()
    T = narrow(vocabulary, depth, len(stem) + depth)
    hard = replace(T.blocks[0].attention.heads[0], weighting=LeftmostHard())  # type: ignore[union-attr]
    assert_equal_runs(T, layout, counts)
    keys = Fixed(2, 3).round(np.random.default_rng(depth).normal(size=(3, 2)))
    smaller = tree(len(vocabulary), stem, depth - 1)
    assert_equal_runs(replace(T, positions=Relative(keys)), smaller, counts)
    assert_equal_runs(replace(T, blocks=(Block(attention=Attention((hard,))),)), smaller, counts)
    assert counts["runs"] == 3


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("inputs", [1, MAX_CHUNK - 1, MAX_CHUNK, MAX_CHUNK + 1, TILE + MAX_CHUNK + 3])
def test_batches_of_every_width_run_as_in_the_reference(inputs: int, mask: str) -> None:
    ids = np.random.default_rng(inputs).integers(0, 3, (inputs, 4))
    T = random_transformer("abc", 2, 2, 2, 2, 4, Fixed(2, 3), 5, mask=mask)  # type: ignore[arg-type]
    assert assert_equal_runs(T, batch(ids), Counter()) is not None


def test_a_vocabulary_wider_than_a_chunk_runs_as_in_the_reference() -> None:
    T = random_transformer([f"t{n}" for n in range(MAX_CHUNK + 9)], 2, 1, 1, 2, 3, Fixed(2, 3), 1)
    assert assert_equal_runs(T, tree(MAX_CHUNK + 9, [3, 1], 1), Counter()) is not None


@settings(max_examples=60)
@given(T=transformers(), stem=st.lists(st.integers(0, 1), max_size=2), depth=st.integers(1, 3))
def test_whatever_hypothesis_finds_runs_as_in_the_reference(T: Transformer, stem: list[int], depth: int) -> None:
    assert_equal_runs(T, tree(2, stem, depth), Counter())
    assert_equal_runs(T, batch(np.array([stem + [1] * depth, stem + [0] * depth])), Counter())
