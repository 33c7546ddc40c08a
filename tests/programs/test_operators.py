"""Operators that programs know by name: exact on numbers, Python's meaning otherwise."""

import operator
from fractions import Fraction
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightsmith.errors import InputError
from weightsmith.programs.functions import Function
from weightsmith.programs.operators import COMPARISONS, NAMED, TRUTHS, Lookup, Member, Named
from weightsmith.programs.values import exact

NUMBERS = st.fractions(max_denominator=50, min_value=-50, max_value=50)
SAME_AS: dict[str, Any] = {
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": operator.truediv,
    "//": operator.floordiv,
    "%": operator.mod,
    "min": min,
    "max": max,
    **COMPARISONS,
}


@given(NUMBERS, NUMBERS, st.sampled_from(sorted(SAME_AS)))
def test_arithmetic_is_that_of_fractions(x: Fraction, y: Fraction, symbol: str) -> None:
    if y != 0 or symbol not in ("/", "//", "%"):
        assert Named(symbol)(exact(x), exact(y)) == SAME_AS[symbol](x, y)


@given(NUMBERS)
def test_functions_of_one_number_are_those_of_fractions(x: Fraction) -> None:
    value = exact(x)
    assert NAMED["negative"](value) == -x
    assert NAMED["absolute"](value) == abs(x)
    assert NAMED["round"](value) == round(x)
    assert NAMED["float"](str(float(x))) == exact(Fraction(str(float(x))))
    assert NAMED["int"](value) == int(x)


def test_truth_is_pythons_and_and_and_or_return_an_operand() -> None:
    for x, y in product([0, 1, 2, "", "a", True, False], repeat=2):
        assert NAMED["and"](x, y) == (x and y)
        assert NAMED["or"](x, y) == (x or y)
        assert NAMED["not"](x) == (not x)
        assert NAMED["truth"](x) == NAMED["indicator"](x) == bool(x)
        assert NAMED["where"](x, "yes", "no") == ("yes" if x else "no")


def test_results_of_truth_operators_are_truth_values() -> None:
    for symbol in TRUTHS:
        values: tuple[Any, ...] = (1, 2) if symbol in COMPARISONS else (1,)
        assert isinstance(Named(symbol)(*values), bool)
        assert Named(symbol).gives_truth
    assert Member(frozenset([1])).gives_truth
    assert not Named("+").gives_truth


def test_texts_are_joined_repeated_and_compared() -> None:
    assert NAMED["+"]("a", "b") == "ab"
    assert NAMED["*"]("ab", 2) == NAMED["*"](2, "ab") == "abab"
    assert NAMED["<"]("a", "b") is True
    assert NAMED["str"](1) == NAMED["str"](True) == "1"
    assert NAMED["str"](Fraction(1, 2)) == "0.5"
    assert NAMED["int"]("12") == 12


def test_powers_are_exact_where_they_can_be() -> None:
    assert NAMED["^"](Fraction(2, 3), 3) == Fraction(8, 27)
    assert NAMED["^"](4, Fraction(1, 2)) == 2
    assert NAMED["^"](2, -2) == Fraction(1, 4)


@pytest.mark.parametrize(
    ("symbol", "values", "kind", "words"),
    [
        ("-", ("a", 1), TypeError, "'a' is not a number"),
        ("*", ("a", "b"), TypeError, "'a' is not a number"),
        ("*", ("a" * 100, 1000), TypeError, "is not a number"),
        ("/", (1, 0), ZeroDivisionError, ""),
        ("%", (1, 0), ZeroDivisionError, ""),
        ("%", ("%d", 3), TypeError, "'%d' is not a number"),
        ("^", (10, 10**9), InputError, "10 to the power of 1000000000 is too large a number"),
        ("^", (-1, Fraction(1, 2)), ValueError, "-1 has no real power of"),
        ("+", (1, "a"), TypeError, ""),
        ("str", ((1, 2),), TypeError, "(1, 2) is neither a text nor a number"),
        ("int", ("x",), ValueError, "invalid literal"),
        ("round", ("x",), TypeError, "'x' is not a number"),
    ],
)
def test_what_has_no_result_raises(symbol: str, values: tuple[Any, ...], kind: type[Exception], words: str) -> None:
    with pytest.raises(kind) as caught:
        Named(symbol)(*values)
    assert words in str(caught.value)


def test_tables_know_their_entries_and_are_equal_by_them() -> None:
    table = Lookup(((1, "a"), (2, "b")))
    assert table(2) == "b"
    assert table(True) == "a"
    assert table == Lookup(((1, "a"), (2, "b"))) != Lookup(((1, "a"),))
    with pytest.raises(InputError, match="there is no entry for 3; the entries are 1, 2"):
        table(3)


def test_a_function_is_asked_once_for_each_value(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[Any] = []

    def double(x: Any) -> Any:
        asked.append(x)
        return 2 * x

    function = Function(double, "double")
    assert [function(value) for value in (1, 1, True, 2, 1)] == [2, 2, 2, 4, 2]
    assert asked == [1, 1.0, True, 2, 2.0]
    monkeypatch.setattr("weightsmith.programs.functions.MOST_REMEMBERED", 2)
    assert function(3) == 6
    assert list(function.remembered) == [(3,)]
