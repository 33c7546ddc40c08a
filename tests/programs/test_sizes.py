"""Compiled programs are small: a third of Tracr's lanes, an eighth of its parameters, no more blocks; or less."""

import pytest
from benchmarks.programs import PAGE, markdown

from tests.programs.tracr_rows import ROWS, Row
from weightsmith import Transformer
from weightsmith.programs import compile

BLOCKS = {
    "hist": 1, "reverse_1": 2, "sort_1": 2, "sort_freq": 3, "shuffle_dyck2_1": 2, "shuffle_dyck3_1": 2,
}  # fmt: skip


def compiled(row: Row, max_length: int) -> Transformer:
    return compile(row.make(max_length), row.vocabulary, max_length).transformer


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_every_row_is_smaller_than_in_tracr(row: Row) -> None:
    T = compiled(row, row.max_length)
    assert len(T.blocks) <= row.blocks
    assert 3 * len(T.lanes) <= row.lanes
    assert 8 * T.weights <= row.parameters
    assert T.nonzero_weights < row.nonzero


@pytest.mark.parametrize("name", BLOCKS)
def test_the_known_programs_have_the_fewest_blocks_that_are_known(name: str) -> None:
    (row,) = (row for row in ROWS if row.name == name)
    assert len(compiled(row, row.max_length).blocks) == BLOCKS[name]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row.name)
def test_lanes_and_blocks_do_not_grow_with_the_length(row: Row) -> None:
    short, long = compiled(row, row.max_length), compiled(row, 4 * row.max_length)
    assert len(long.lanes) == len(short.lanes)
    assert len(long.blocks) == len(short.blocks)


def test_all_rows_are_there() -> None:
    assert len(ROWS) == len({row.name for row in ROWS}) == 25
    assert sum(row.parameters for row in ROWS) == 1_182_263


def test_the_documentation_shows_these_sizes() -> None:
    assert markdown() in PAGE.read_text("utf-8"), "write python -m benchmarks.programs"
