"""Whatever is wrong is said, by name and value, and no model changes."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.memory.models import model, same

M = ws.memory
GOOD: tuple[dict[str, float], dict[str, float]] = ({"x2": 1.0}, {"x3": 1.0})
Act = Callable[[Any], object]
CASES: dict[str, tuple[Act, str]] = {
    "facts of no transformer": (lambda T: M.facts("T"), "is not a transformer"),  # type: ignore[arg-type]
    "undo of nothing": (lambda T: M.undo("T"), "is not a transformer"),  # type: ignore[arg-type]
    "report on a text": (lambda T: M.report(T, "T", []), "is not a transformer"),  # type: ignore[arg-type]
    "no transformer": (lambda T: M.write("T", 0, *GOOD), "'T' is not a transformer"),  # type: ignore[arg-type]
    "unknown lane": (lambda T: M.write(T, 0, {"x9": 1.0}, GOOD[1]), "there is no lane x9: the lanes are x0, x1"),
    "unknown lane of a value": (lambda T: M.write(T, 0, GOOD[0], {"y": 1.0}), "there is no lane y"),
    "number as lane": (lambda T: M.write(T, 0, {3: 1.0}, GOOD[1]), "there is no lane 3"),  # type: ignore[dict-item]
    "bool as number": (
        lambda T: M.write(T, 0, {"x2": True}, GOOD[1], name="f"),
        "the key of f, lane x2: True is not a number: write one such as 1.0",
    ),
    "bool in an array": (lambda T: M.write(T, 0, [0.0, True, 0.0, 0.0], GOOD[1]), "lane x1: True is not a number"),
    "text": (lambda T: M.write(T, 0, {"x2": "1"}, GOOD[1]), "'1' is not a number"),  # type: ignore[dict-item]
    "nan": (lambda T: M.write(T, 0, {"x2": float("nan")}, GOOD[1]), "the key of the new fact, lane x2: nan is not"),
    "infinite": (lambda T: M.write(T, 0, GOOD[0], {"x3": float("inf")}), "lane x3: inf is not a finite number"),
    "huge": (lambda T: M.write(T, 0, {"x2": 10**400}, GOOD[1]), "is not a finite number"),
    "not a member": (
        lambda T: M.write(T, 0, {"x2": 0.3}, GOOD[1]),
        r"lane x2: 0.3 is not a member of fixed\(6,4\); the nearest member is 0.3125",
    ),
    "value not a member": (lambda T: M.write(T, 0, GOOD[0], {"x3": 99.0}), "the nearest member is 63.9375"),
    "empty key": (lambda T: M.write(T, 0, {}, GOOD[1]), "the key of the new fact is 0 on every lane: write"),
    "zero key": (lambda T: M.write(T, 0, {"x2": 0.0}, GOOD[1]), "is 0 on every lane"),
    "a lane of a key that is 0": (
        lambda T: M.write(T, 0, {"x2": 1.0, "x1": 0}, GOOD[1], name="f"),
        r"the key of f, lane x1: a key has no weight where it is 0, so .*; leave x1 out if it does not matter, and for "
        r'"x2 and not x1" write Neuron\(reads=\{\'x2\': 1, \'x1\': -1\}, writes=',
    ),
    "one of many": (
        lambda T: M.write_many(T, 0, [("c", *GOOD), ("d", {"x3": 1.0, "x0": -0.0}, GOOD[1])]),
        "the key of d, lane x0: a key has no weight where it is 0",
    ),
    "a fact with a 0": (
        lambda T: M.write_many(T, 0, [M.Fact("c", {"x2": 1, "x0": 0}, GOOD[1])]),
        "the key of c, lane x",
    ),
    "edit to a key with a 0": (lambda T: M.edit(T, 0, "a", key={"x2": 1.0, "x3": 0.0}), "the key of a, lane x3"),
    "a lane of a value that is 0": (
        lambda T: M.write(T, 0, GOOD[0], {"x3": 1.0, "x1": np.float64(0)}),
        "the value of the new fact, lane x1: a value is added to the stream, and 0 adds nothing; leave it out",
    ),
    "edit to a value with a 0": (lambda T: M.edit(T, 0, "a", value={"x3": 1, "x1": 0}), "the value of a, lane x1"),
    "empty value": (lambda T: M.write(T, 0, GOOD[0], {}), "the value of the new fact is 0 on every lane"),
    "short array": (lambda T: M.write(T, 0, [1.0], GOOD[1]), r"has shape \(1,\), and there are 4 lanes"),
    "matrix": (lambda T: M.write(T, 0, np.ones((4, 4)), GOOD[1]), r"has shape \(4, 4\), and there are 4 lanes"),
    "nothing": (lambda T: M.write(T, 0, None, GOOD[1]), r"has shape \(\)"),  # type: ignore[arg-type]
    "bool as margin": (lambda T: M.write(T, 0, *GOOD, margin=True), "margin: True is not a number"),
    "nan as margin": (lambda T: M.write(T, 0, *GOOD, margin=float("nan")), "margin: nan is not a finite number"),
    "a name twice": (lambda T: M.write(T, 0, *GOOD, name="a"), "there is already a fact a: choose another name"),
    "a name twice in one call": (lambda T: M.write_many(T, 0, [("c", *GOOD)] * 2), "there is already a fact c"),
    "invisible name": (lambda T: M.write(T, 0, *GOOD, name="a\nb"), "characters that cannot be shown"),
    "number as name": (lambda T: M.write(T, 0, *GOOD, name=3), "the name of a fact must be a text"),  # type: ignore[arg-type]
    "rivals as text": (lambda T: M.write(T, 0, *GOOD, rivals="x"), "write a list of patterns"),
    "rival not a pattern": (lambda T: M.write(T, 0, *GOOD, rivals=[1.0]), r"rival 0 has shape \(\)"),
    "inputs as text": (lambda T: M.write(T, 0, *GOOD, inputs="01"), "write a list of inputs"),
    "unknown token": (lambda T: M.write(T, 0, *GOOD, inputs=["7"]), "7, is not in the vocabulary"),
    "no facts": (lambda T: M.write_many(T, 0, []), "facts is empty"),
    "facts as text": (lambda T: M.write_many(T, 0, "abc"), "write a list of .name, key, value."),  # type: ignore[arg-type]
    "a pair as fact": (lambda T: M.write_many(T, 0, [GOOD]), "fact 0 is .*: write .name, key, value."),  # type: ignore[list-item]
    "unknown neuron": (lambda T: M.delete(T, 0, 4), "there is no neuron 4 in block 0: the neurons are 0 to 3"),
    "unknown fact": (lambda T: M.delete(T, 0, "aa"), "no neuron called aa: did you mean a. the names are a, b"),
    "unnamed neuron": (lambda T: M.delete(T, 0, ""), "no neuron called ''"),
    "nothing to edit": (lambda T: M.edit(T, 0, "a"), "nothing to edit: write key"),
    "edit to a taken name": (lambda T: M.edit(T, 0, "a", name="b"), "there is already a fact b"),
    "edit to a taken key": (lambda T: M.edit(T, 0, "a", key={"x0": 1.0, "x1": -1.0}), "responds to the key of a"),
    "edit to no value": (lambda T: M.edit(T, 0, "a", value={}), "the value of a is 0 on every lane"),
    "scale by no member": (lambda T: M.scale(T, 0, "a", 0.01), "factor: 0.01 is not a member"),
    "scale by a bool": (lambda T: M.scale(T, 0, "a", True), "factor: True is not a number"),
    "no run": (lambda T: M.read(T, 0), "is not a run: write memory.read"),
    "promoted with a negative k": (lambda T: M.promoted(T, 0, 0, k=-1), "k=-1: write how many classes"),
    "triggers of an unknown neuron": (lambda T: M.triggers(T, 0, "z", ["0"]), "no neuron called z"),
    "triggers without a list": (lambda T: M.triggers(T, 0, 0, 5), "write a list of inputs"),  # type: ignore[arg-type]
    "report on another": (lambda T: M.report(T, ws.library.contains("1"), ["0"]), "differ in their"),
    "report without a list": (lambda T: M.report(T, T, "01"), "write a list of inputs"),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_what_is_wrong_is_said_and_the_model_stays(name: str) -> None:
    act, message = CASES[name]
    T = model()
    with pytest.raises(ws.WeightsmithError, match=message):
        act(T)
    assert same(T, model())


def test_a_model_without_blocks_says_how_to_get_one() -> None:
    T = ws.random_transformer(lanes=2, blocks=0)
    assert M.facts(T) == []
    with pytest.raises(ws.InputError, match="the transformer has none; write pad_blocks"):
        M.write(T, 0, {"x0": 1.0}, {"x1": 1.0})
    assert M.facts(M.write(ws.pad_blocks(T, 1), 0, {"x0": 1.0}, {"x1": 1.0}))[0].block == 0


def test_flags_are_not_written_to() -> None:
    T = ws.flag(model(), "here", [0])
    with pytest.raises(ws.InputError, match="the value of f writes to here, which is a flag"):
        M.write(T, 0, {"x2": 1.0}, {"here": 1.0}, name="f")
    assert M.facts(M.write(T, 0, {"here": 1.0}, {"x2": 1.0}, name="f"))[-1].key == {"here": 1.0}


def test_hostile_names_are_shown_plainly() -> None:
    T = M.write(model(), 0, {"x2": 1.0}, {"x3": 1.0}, name="[bold]x[/bold] ")
    assert M.facts(T)[-1].name == "[bold]x[/bold] "
    with pytest.raises(ws.InputError, match=r"there is already a fact '\[bold\]x\[/bold\] '"):
        M.write(T, 0, {"x2": 1.0}, {"x3": 1.0}, name="[bold]x[/bold] ")


def test_a_key_given_over_all_lanes_keeps_its_zeros() -> None:
    T = model()
    by_name = M.write(T, 0, {"x2": 1.0, "x3": -0.5}, {"x3": 1.0})
    assert same(M.write(T, 0, [0.0, 0.0, 1.0, -0.5], [0, 0, 0, 1.0]), by_name)
    assert same(M.write_many(T, 0, [("c", np.array([0, 0, 1.0, 0]), np.eye(4)[0])]), M.write_many(
        T, 0, [("c", {"x2": 1.0}, {"x0": 1.0})]
    ))  # fmt: skip
    assert same(M.edit(T, 0, "a", key=[0, 0, 1, 0]), M.edit(T, 0, "a", key={"x2": 1}))


def test_a_rival_may_say_that_a_lane_is_0() -> None:
    T = model()
    assert same(M.write(T, 0, *GOOD, rivals=[{"x3": 1.0, "x2": 0.0}]), M.write(T, 0, *GOOD, rivals=[{"x3": 1.0}]))


def test_the_neuron_that_a_refused_key_names_fires_for_the_one_lane_without_the_other() -> None:
    layer = ws.feed_forward(["a", "b", "c"], [ws.Neuron(reads={"a": 1, "b": -1}, writes={"c": 1})])
    A = ws.Fixed(4, 4)
    fires = {(a, b): float(A.matvec(layer.W_1, np.array([a, b, 0.0]))[0]) > 0 for a in (0, 1) for b in (0, 1)}
    assert [place for place, fired in fires.items() if fired] == [(1, 0)]
