"""Every rewrite's contract, bit for bit, on random transformers and all inputs up to length 4.

The evaluator is the independent one with fractions, not the engine under test.
"""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weightsmith as ws
from tests.rewrites.models import ARITHMETICS, WITHOUT_EXP, inputs, last_stage, transformers, witness
from tests.witness.numbers import system
from tests.witness.runs import exact, product
from weightsmith.model import named_arrays

few = settings(max_examples=8)
some_inputs = inputs()


@few
@given(transformers(), st.sampled_from(["front", "back"]))
def test_widening_changes_nothing_and_the_new_lanes_hold_0(T: ws.Transformer, where: Any) -> None:
    U = ws.widen(T, ["new 1", "new 2"], where=where)
    assert (U.lanes[:2] if where == "front" else U.lanes[-2:]) == ("new 1", "new 2")
    for tokens in some_inputs:
        before, after = witness(T, tokens), witness(U, tokens)
        assert after.logits == before.logits
        assert last_stage(after, U, T.lanes) == before.stream[-1]
        assert all(value == 0 for row in last_stage(after, U, ["new 1", "new 2"]) for value in row)


@few
@given(transformers(), st.sets(st.integers(0, 4)))
def test_a_flag_is_1_at_its_positions_at_every_stage_and_nothing_else_changes(T: ws.Transformer, up: set[int]) -> None:
    U = ws.flag(T, "here", positions=sorted(up))
    assert U.flags == ("here",)
    for tokens in some_inputs:
        before, after = witness(T, tokens), witness(U, tokens)
        assert after.logits == before.logits
        for stage, old in zip(after.stream, before.stream, strict=True):
            assert [row[:-1] for row in stage] == old
            assert [row[-1] for row in stage] == [Fraction(int(i in up)) for i in range(len(tokens))]


@few
@given(transformers(norms=False), st.sets(st.integers(0, 4), min_size=1), st.integers(0, 99))
def test_adding_a_vector_adds_it_where_the_flag_is_up(T: ws.Transformer, up: set[int], seed: int) -> None:
    vector = np.random.default_rng(seed).choice(T.arithmetic.values(), len(T.lanes))
    U = ws.add_vector(ws.flag(T, "here", sorted(up)), dict(zip(T.lanes, vector.tolist(), strict=True)), at="here")
    N = system(str(T.arithmetic))
    for tokens in some_inputs:
        before, after = witness(T, tokens).stream[-1], witness(U, tokens).stream[-1]
        for i, (old, new) in enumerate(zip(before, after, strict=True)):
            added = [N.round(h + Fraction(v)) for h, v in zip(old, vector.tolist(), strict=True)]
            assert new == [*(added if i in up else old), Fraction(int(i in up))]


@few
@given(transformers(norms=False), st.sets(st.integers(0, 4), min_size=1), st.sampled_from(["saturate", "cancel"]))
def test_zeroing_zeroes_where_the_flag_is_up_and_spares_flags(T: ws.Transformer, up: set[int], method: Any) -> None:
    flagged = ws.flag(ws.flag(T, "other", [0, 1]), "here", sorted(up))
    U = ws.zero_vector(flagged, at="here", method=method)
    for tokens in some_inputs:
        before, after = witness(flagged, tokens), witness(U, tokens)
        old, new = last_stage(before, flagged, T.lanes), last_stage(after, U, T.lanes)
        assert new == [[Fraction(0)] * len(T.lanes) if i in up else row for i, row in enumerate(old)]
        assert last_stage(after, U, ["other", "here"]) == last_stage(before, flagged, ["other", "here"])


@few
@given(transformers(norms=False), st.data())
def test_ignored_lanes_are_neither_read_nor_written(T: ws.Transformer, data: st.DataObject) -> None:
    lanes = data.draw(st.lists(st.sampled_from(T.lanes), unique=True))
    U = ws.ignore_lanes(T, lanes)
    places = [T.lanes.index(lane) for lane in lanes]
    silent = T.embedding.copy()
    silent[:, places] = 0
    for tokens in some_inputs:
        after = witness(U, tokens)
        for stage in after.stream:
            assert [[row[p] for p in places] for row in stage] == [[row[p] for p in places] for row in after.stream[0]]
        rest = [lane for lane in T.lanes if lane not in lanes]
        blind = witness(replace(U, embedding=silent, positions=_silenced(U, places)), tokens)
        assert last_stage(after, U, rest) == last_stage(blind, U, rest)


def _silenced(T: ws.Transformer, places: list[int]) -> ws.PositionTable:
    assert isinstance(T.positions, ws.PositionTable)
    values = T.positions.values.copy()
    values[:, places] = 0
    return ws.PositionTable(values)


@few
@given(transformers(), st.integers(0, 3))
def test_padding_changes_nothing(T: ws.Transformer, count: int) -> None:
    U = ws.pad_blocks(T, count)
    assert len(U.blocks) == len(T.blocks) + count
    for tokens in some_inputs:
        before, after = witness(T, tokens), witness(U, tokens)
        assert after.stream[-1] == before.stream[-1]
        assert after.logits == before.logits


@few
@given(transformers(tuple(A for A in ARITHMETICS if A not in WITHOUT_EXP), norms=False), st.data())
def test_a_linear_map_fills_the_target_and_spares_everything_else(T: ws.Transformer, data: st.DataObject) -> None:
    target = data.draw(st.integers(1, 3))
    source = data.draw(st.integers(0, target - 1))
    lanes = data.draw(st.lists(st.sampled_from(T.lanes), unique=True, min_size=1))
    M = np.random.default_rng(data.draw(st.integers(0, 99))).choice(T.arithmetic.values(), (len(lanes), len(lanes)))
    flagged = ws.flag(T, "mine", [1, 2])
    U = ws.linear_map(flagged, M, source, target, lanes=lanes)
    N = system(str(T.arithmetic))
    for tokens in some_inputs:
        before, after = witness(flagged, tokens), witness(U, tokens)
        wanted = last_stage(before, flagged, flagged.lanes)
        if len(tokens) > target:
            read = last_stage(before, flagged, lanes)[source]
            for lane, value in zip(lanes, product(N, exact(M), read), strict=True):
                wanted[target][flagged.lanes.index(lane)] = value
        assert last_stage(after, U, flagged.lanes) == wanted


@few
@given(transformers(norms=False), st.data())
def test_mapping_the_stream_gives_the_product_at_every_position(T: ws.Transformer, data: st.DataObject) -> None:
    lanes = data.draw(st.lists(st.sampled_from(T.lanes), unique=True, min_size=1))
    M = np.random.default_rng(data.draw(st.integers(0, 99))).choice(T.arithmetic.values(), (len(lanes), len(lanes)))
    flagged = ws.flag(T, "mine", [1, 2])
    U = ws.map_stream(flagged, M, lanes=lanes)
    N = system(str(T.arithmetic))
    rest = [lane for lane in flagged.lanes if lane not in lanes]
    for tokens in some_inputs:
        before, after = witness(flagged, tokens), witness(U, tokens)
        reads = last_stage(before, flagged, lanes)
        assert last_stage(after, U, lanes) == [product(N, exact(M), read) for read in reads]
        assert last_stage(after, U, rest) == last_stage(before, flagged, rest)
        assert all(value == 0 for row in last_stage(after, U, [f"mapped {lane}" for lane in lanes]) for value in row)


def test_a_matrix_over_all_lanes_is_taken_if_it_is_0_at_the_flags() -> None:
    T = ws.flag(ws.random_transformer("ab", 2), "here", [1])
    M = np.array([[1.0, 2.0, 0], [0, -1, 0], [0, 0, 0]])
    assert ws.linear_map(T, M, 0, 2) == ws.linear_map(T, M[:2, :2], 0, 2)
    assert ws.map_stream(T, M) == ws.map_stream(T, M[:2, :2], lanes=["x0", "x1"])


def test_rounding_into_another_arithmetic_rounds_every_weight() -> None:
    T = ws.random_transformer(arithmetic=ws.Float.like("float16"))
    U = ws.to_arithmetic(T, ws.Fixed(2, 2))
    assert U.arithmetic == ws.Fixed(2, 2)
    for (name, old), (again, new) in zip(named_arrays(T), named_arrays(U), strict=True):
        assert name == again
        assert np.array_equal(new, ws.Fixed(2, 2).round(old))
    assert ws.to_arithmetic(T, T.arithmetic) == T


REWRITES = """hide shift_positions append prepend
widen flag add_vector zero_vector ignore_lanes pad_blocks linear_map map_stream to_arithmetic
zero_one_form infinity_form signed_infinity_form side_by_side if_then_else"""


@pytest.mark.parametrize("rewrite", REWRITES.split())
def test_every_rewrite_states_its_contract(rewrite: str) -> None:
    text = getattr(ws, rewrite).__doc__
    assert all(word in text for word in ("Requires", "Ensures", "Exact in", "Because"))
