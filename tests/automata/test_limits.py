"""The bounds of the extraction are one record: each is used, there are no others, and none leaks."""

import ast
from concurrent.futures import ThreadPoolExecutor
from dataclasses import fields
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.tiny import NAMES, TINY, all_tiny
from weightsmith.automata import extraction
from weightsmith.automata.extraction import Budget, UnknownError, extract
from weightsmith.automata.extraction.limits import Limits, current, using

SOURCES = sorted(Path(extraction.__file__).parent.glob("*.py"))
NO_BOUNDS = {  # what numbers in capitals may say besides: how many bytes something takes, what the budget is, marks
    "blocks": {"NO_CLASS"},
    "budget": {"DEFAULT_SECONDS", "DEFAULT_STATES", "DEFAULT_MEMORY", "MOST_STATES"},
    "exploring": {"ROW_BYTES", "TOKEN_BYTES", "STATE_BYTES"},
    "folds": {"NOTHING", "FOLLOWING_BYTES", "ROW_BYTES", "SUM_BYTES"},
    "softmax": {"FATAL", "TERM_BYTES"},
    "loops": {"DEAD"},
    "moore": {"NO_STATE"},
    "stream": {"NEVER"},
    "one_automaton": {"AUTOMATON_BYTES"},
}


def numbers_in_capitals(source: Path) -> set[str]:
    """Return the names that a module gives to numbers, or to what is computed of numbers."""
    found = set[str]()
    for node in ast.parse(source.read_text()).body:
        if isinstance(node, ast.Assign) and not any(isinstance(n, ast.Name | ast.Call) for n in ast.walk(node.value)):
            values = [n.value for n in ast.walk(node.value) if isinstance(n, ast.Constant)]
            if values and all(type(value) in (int, float) for value in values):
                found |= {n.id for target in node.targets for n in ast.walk(target) if isinstance(n, ast.Name)}
    return found


def test_there_is_no_bound_beside_the_record() -> None:
    found = {source.stem: numbers_in_capitals(source) for source in SOURCES}
    assert {name: numbers for name, numbers in found.items() if numbers} == NO_BOUNDS


def test_every_limit_is_used() -> None:
    text = "".join(source.read_text() for source in SOURCES if source.stem != "limits")
    assert [field.name for field in fields(Limits) if f"limits.{field.name}" not in text] == []


@pytest.mark.parametrize("wrong", [0, -1, 1.0, True, None])
def test_a_limit_is_a_number_from_1_on(wrong: object) -> None:
    for name in NAMES:
        with pytest.raises(ws.InputError, match=f"{name}={wrong}: write"):
            Limits(**{name: wrong})  # type: ignore[arg-type]


def test_limits_are_those_of_one_thread_and_end_with_the_block() -> None:
    tiny = all_tiny(3)
    with using(tiny), ThreadPoolExecutor(1) as other:
        assert Budget().limits is current() is tiny
        assert other.submit(current).result() == Limits()
        with using(Limits(sums=7)):
            assert Budget().limits.sums == 7
        assert Budget().rest(5).limits is tiny
    with pytest.raises(ZeroDivisionError), using(tiny):
        raise ZeroDivisionError
    assert Budget().limits == Limits()


def one_head(arithmetic: Any, weighting: Any, positions: Any = None) -> ws.Transformer:
    ones = np.ones((1, 1))
    attention = ws.Attention((ws.Head(ones, ones, ones, ones, weighting, positions=positions),))
    return ws.Transformer(
        arithmetic=arithmetic, vocabulary=("a",), lanes=("x",), embedding=ones, blocks=(ws.Block(attention),),
        output=np.array([[0.0], [1.0]]),
    )  # fmt: skip


@pytest.mark.parametrize("most", [*TINY, 30, 31, 32])
def test_no_more_keys_are_counted_than_may_be(most: int) -> None:
    """In fixed(2,4) each of 31 keys has a weight above 0, and each of 32 has 0."""
    T = one_head(ws.Fixed(2, 4), ws.AverageHard())
    budget = Budget(limits=Limits(counted_keys=most))
    if most >= 31:
        extract(T, budget)
    else:
        with pytest.raises(UnknownError, match=f"equal parts of more than {most} keys are above 0 in fixed"):
            extract(T, budget)


@pytest.mark.parametrize("most", [*TINY, 15, 16, 17])
def test_no_more_ages_are_looked_at_than_may_be(most: int) -> None:
    """In fixed(2,2) the penalty of ALiBi with the slope 1/4 is −∞ from distance 15 on: the sixteenth position."""
    T = one_head(ws.Fixed(2, 2), ws.LeftmostHard(), ws.Alibi((0.25,)))
    budget = Budget(limits=Limits(ages=most))
    if most >= 16:
        extract(T, budget)
    else:
        with pytest.raises(UnknownError, match=f"has not reached −∞ after {most} positions"):
            extract(T, budget)
