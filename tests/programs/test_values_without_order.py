"""What the compiler once took for granted of values, orders and sums, and what it does now."""

from itertools import product
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.programs import compile, compile_rasp, evaluate
from weightsmith.programs.form import Apply, Select, Tokens, Width
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import Lookup
from weightsmith.programs.values import exact


class Reversed(int):
    """A number that thinks it is less than what it is more than."""

    def __lt__(self, other: object) -> bool:
        return isinstance(other, int) and int(self) > int(other)


class Cyclic:
    """Stone, scissors, paper: each is less than one other."""

    def __init__(self, place: int) -> None:
        self.place = place

    def __lt__(self, other: "Cyclic") -> bool:
        return (self.place + 1) % 3 == other.place


def compared(values: list[Any], comparison: str = "<") -> Program:
    entries = tuple((token, exact(value)) for token, value in zip("abc", values, strict=False))
    found = Apply(Lookup(entries), (Tokens(),))
    return Program(Width(Select(found, found, comparison)), "rasp", "compared")


@pytest.mark.parametrize(
    "values",
    [
        [frozenset([1]), frozenset([2])],
        [frozenset([1]), frozenset([1, 2]), frozenset([3])],
        [Cyclic(0), Cyclic(1), Cyclic(2)],
        [Reversed(1), Reversed(2), Reversed(3)],
        [(1, 2), (1, 3), (0,)],
    ],
    ids=["sets", "sets in each other", "a cycle", "numbers with an order of their own", "tuples"],
)
def test_values_are_compared_pair_by_pair(values: list[Any]) -> None:
    program, vocabulary = compared(values), "abc"[: len(values)]
    P = compile(program, vocabulary, 4)
    for n in range(1, 5):
        for tokens in product(vocabulary, repeat=n):
            assert P(tokens) == evaluate(program, tokens)
    assert P.certificate().safe_length == 4


def test_sets_that_do_not_hold_each_other_select_nothing() -> None:
    assert compile(compared([frozenset([1]), frozenset([2])]), "ab", 4)("ab") == [0, 0]


def test_values_that_cannot_be_compared_are_refused() -> None:
    with pytest.raises(ws.InputError, match="'<' not supported between"):
        compile(compared([(1, "x"), ("y", 2)]), "ab", 4)


def test_positions_that_are_equal_in_an_order_have_no_numbers_of_their_own() -> None:
    text = """
    pair = round((indices - 0.5) / 2);
    n = selector_width(select(tokens, tokens, ==) and select(pair, pair, <));
    said = aggregate(select(n, 0, ==) and select(tokens, tokens, ==), indices);
    """
    P = compile_rasp(text, "ab", 5)
    assert P("aa") == [0.5, 0.5]
    assert ws.check.computes(P, up_to=5).holds


def test_a_long_sum_over_positions_has_all_its_codes() -> None:
    P = compile_rasp("said = aggregate(select(indices, indices, <=), 100000 * indices) > 200000;", "a", 12)
    assert P("a" * 12) == [False] * 5 + [True] * 7
    assert ws.check.computes(P, up_to=12).holds
