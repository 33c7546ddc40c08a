"""Rewrites keep their contracts with every rule inside attention, activation and bias, tied or not, in every bit."""

from dataclasses import replace
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from weightsmith import Fixed, Float
from weightsmith.arithmetic import Array
from weightsmith.model import named_arrays, position_table
from weightsmith.rewrites.lanes import own_positions

TEXTS = ("b", "abba")
A = Fixed(4, 4)
every_rule = pytest.mark.parametrize("rule", RULES)


def model(rule: str, *, tabled: bool = False, **more: Any) -> ws.Transformer:
    """Return a transformer with this rule, and if wanted with a table of 5 positions."""
    n = RULES.index(rule)
    T = kind_of_model(A, n, rule, ACTIVATIONS[n % 6], heads=1 + n % 2, **more)
    if not tabled:
        return T
    table = position_table(T.positions, A, 3, 5)
    vectors = ws.PositionTable(np.ones((5, 3)) if table is None else table)
    return replace(T, positions=tuple(p for p in (vectors, T.attention_positions) if p is not None))


def lanes_of(T: ws.Transformer, r: ws.Run, lanes: Any) -> Array:
    return r.stream[..., [T.lanes.index(lane) for lane in lanes]]


@every_rule
def test_widening_changes_nothing_and_the_new_lanes_hold_0(rule: str) -> None:
    tied = len(rule) % 2 == 0
    T = model(rule, tied=tied, norms=tied)
    wheres: tuple[Any, ...] = ("front", "back")
    for where in wheres:
        U = ws.widen(T, ["new"], where=where)
        assert U.tied == tied
        for text in TEXTS:
            before, after = ws.run(T, text), ws.run(U, text)
            assert np.array_equal(lanes_of(U, after, T.lanes), before.stream)
            assert not lanes_of(U, after, ["new"]).any()
            assert np.array_equal(after.logits, before.logits)


@every_rule
def test_a_flag_is_1_at_its_positions_and_nothing_else_changes(rule: str) -> None:
    tied = len(rule) % 2 == 0
    T = model(rule, tied=tied)
    U = ws.flag(T, "here", [0, 2], max_length=4)
    assert U.max_length == 4
    assert U.attention_positions == T.attention_positions
    assert U.tied == tied
    for text in TEXTS:
        before, after = ws.run(T, text), ws.run(U, text)
        assert np.array_equal(lanes_of(U, after, T.lanes), before.stream)
        assert (lanes_of(U, after, ["here"])[:, :, 0] == np.array([1, 0, 1, 0])[: len(text)]).all()
        assert np.array_equal(after.logits, before.logits)


def test_a_flag_beside_sinusoids_leaves_them_what_they_were() -> None:
    T = replace(model("halves"), positions=(ws.Sinusoidal(6), ws.Rotary()))
    U = ws.flag(T, "here", [5])
    assert (U.max_length, U.attention_positions) == (6, ws.Rotary())
    assert np.array_equal(ws.run(U, "abbaba").stream[..., :3], ws.run(T, "abbaba").stream)


@every_rule
def test_ignored_lanes_are_neither_read_nor_written_not_by_a_bias_either(rule: str) -> None:
    T = model(rule, tabled=True)
    U = ws.ignore_lanes(T, ["y"])
    for text in TEXTS:
        found = ws.run(U, text)
        assert (lanes_of(U, found, ["y"]) == lanes_of(U, found, ["y"])[0]).all()
        embedding = U.embedding.copy()
        embedding[:, 1] = A.round([3.0, -2.0])
        other = ws.run(replace(U, embedding=embedding), text)
        assert np.array_equal(lanes_of(U, other, "xz"), lanes_of(U, found, "xz"))


@every_rule
def test_padding_adding_and_zeroing_do_what_they_say(rule: str) -> None:
    T = ws.flag(model(rule, tabled=True), "here", [1])
    for text in TEXTS:
        before = ws.run(T, text).stream[-1]
        assert np.array_equal(ws.run(ws.pad_blocks(T, 2), text).stream[-1], before)
        wanted = before.copy()
        wanted[1:2, :3] = A.add(before[1:2, :3], [1.5, 0, -2])
        assert np.array_equal(ws.run(ws.add_vector(T, {"x": 1.5, "z": -2.0}, at="here"), text).stream[-1], wanted)
        wanted[1:2, :3] = 0
        assert np.array_equal(ws.run(ws.zero_vector(T, at="here"), text).stream[-1], wanted)


@every_rule
def test_a_linear_map_fills_the_target_and_spares_everything_else(rule: str) -> None:
    """Its head has no rule, whatever the others follow: a penalty or a turn would change the scores 0 and −∞."""
    T = model(rule, tabled=True, tied=len(rule) % 2 == 0)
    M = A.round(np.random.default_rng(0).normal(size=(3, 3)))
    U = ws.linear_map(T, M, 0, 2)
    for text in ("ab", "abba"):
        before, after = ws.run(T, text).stream[-1], lanes_of(U, ws.run(U, text), T.lanes)[-1]
        wanted = before.copy()
        if len(text) > 2:
            wanted[2] = A.matvec(M, before[0])
        assert np.array_equal(after, wanted)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("tied", [False, True])
@every_rule
def test_both_lowerings_of_the_0_1_form_give_the_logits_and_nothing_else(rule: str, tied: bool) -> None:
    T = model(rule, tied=tied, norms=len(rule) % 2 == tied)
    U, V = ws.zero_one_form(T), ws.zero_one_form(T, lowering="attention", length=4)
    for text in TEXTS:
        wanted = ws.run(T, text).logits
        found = ws.run(U, text)
        assert found.logits.tolist() == wanted.tolist()
        assert found.stream[-1, -1].tolist() == [*wanted, *[0] * (len(U.lanes) - 2)]
        if len(text) == 4:
            ended = ws.run(V, [*text, "END"])
            assert ended.logits.tolist() == wanted.tolist()
            assert ended.stream[-1, -1].tolist() == [*wanted, *[0] * (len(V.lanes) - 2)]


@every_rule
def test_the_loud_forms_leave_every_decision_unchanged(rule: str) -> None:
    T = model(rule, tied=len(rule) % 2 == 0)
    texts = ["".join(t) for n in (1, 3) for t in product("ab", repeat=n)]
    wanted = ws.decisions(T, texts)
    assert ws.decisions(ws.infinity_form(T), texts) == wanted
    assert ws.decisions(ws.signed_infinity_form(T), texts) == wanted


@pytest.mark.parametrize("tied", [False, True])
@every_rule
def test_rounding_into_another_arithmetic_rounds_every_weight_and_keeps_the_rules(rule: str, tied: bool) -> None:
    T, B = model(rule, tied=tied, norms=True), Float(3, 2, "even")
    U = ws.to_arithmetic(T, B)
    arrays = [(name, B.round(array)) for name, array in named_arrays(T)]
    assert [name for name, _ in named_arrays(U)] == [name for name, _ in arrays]
    assert all(np.array_equal(new, old) for (_, new), (_, old) in zip(named_arrays(U), arrays, strict=True))
    assert type(U.attention_positions) is type(T.attention_positions)
    assert U.tied == tied
    assert ws.to_arithmetic(T, A) == T


@every_rule
def test_rules_moved_to_each_head_give_the_same_run(rule: str) -> None:
    T = model(rule)
    U = own_positions(T)
    assert U.attention_positions is None
    for text in TEXTS:
        assert np.array_equal(ws.run(U, text).stream, ws.run(T, text).stream)
        assert np.array_equal(ws.run(U, text).logits, ws.run(T, text).logits)
