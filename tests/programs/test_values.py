"""Values of programs are exact, and a float stands for one of them."""

from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from weightsmith.errors import InputError
from weightsmith.programs.values import exact, kind, presented


def test_the_float_of_every_simple_fraction_stands_for_it() -> None:
    for below in range(1, 70):
        for above in range(-70, 71):
            value = Fraction(above, below)
            assert exact(above / below) == value
            assert presented(exact(value)) == above / below


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e30, max_value=1e30))
def test_a_float_stands_for_a_fraction_that_rounds_to_it_and_is_shown_as_itself(number: float) -> None:
    value = exact(number)
    assert isinstance(value, int | Fraction)
    assert float(value) == number
    assert presented(value) == number


@given(st.fractions(max_denominator=10**6, min_value=-1000, max_value=1000))
def test_showing_a_value_and_reading_it_again_changes_nothing(value: Fraction) -> None:
    assert exact(presented(exact(value))) == value


@pytest.mark.parametrize("one", [1, 1.0, True, Fraction(1), np.int64(1), np.float32(1), np.bool_(True)])
def test_one_is_one_whatever_its_type(one: Any) -> None:
    assert exact(one) == 1
    assert hash(exact(one)) == hash(1)


def test_whole_numbers_are_ints_and_others_are_floats_where_one_stands_for_them() -> None:
    assert repr(presented(exact(2.0))) == "2"
    assert repr(presented(exact(Fraction(1, 3)))) == "0.3333333333333333"
    assert repr(presented(exact((0.5, "a", 4.0)))) == "(0.5, 'a', 4)"
    precise = Fraction(10**40 + 1, 3 * 10**40)
    assert presented(precise) == precise
    assert presented(Fraction(1, 10**400)) == Fraction(1, 10**400)
    assert presented(Fraction(10**400, 7)) == Fraction(10**400, 7)


@pytest.mark.parametrize(
    ("text", "number"), [("0.1", Fraction(1, 10)), ("2.50", Fraction(5, 2)), ("3", 3), ("1E+2", 100), ("-0", 0)]
)
def test_a_decimal_is_the_number_that_it_writes(text: str, number: Any) -> None:
    assert exact(Decimal(text)) == number
    assert kind(exact(Decimal(text))) == "number"


class Unequal:
    def __eq__(self, other: object) -> bool:
        return False

    def __hash__(self) -> int:
        return 0


class Incomparable(Unequal):
    def __eq__(self, other: object) -> bool:
        raise ArithmeticError("not to be compared")

    def __hash__(self) -> int:
        return 0


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (nan, "nan is no value of a program: numbers are finite"),
        (-inf, "-inf is no value of a program: numbers are finite"),
        ([1], "[1] is no value of a program: it cannot be hashed; write a tuple instead of a list"),
        (1j, "1j is no value of a program: numbers are real"),
        ("a" * 10_001, "is too long for a value: 10,000 characters or items at most"),
        (1 << 5000, "a number of more than 4096 bits"),
        ((1, [2]), "[2] is no value of a program"),
        (Decimal("NaN"), "NaN is no value of a program: numbers are finite"),
        (Decimal("sNaN"), "sNaN is no value of a program: numbers are finite"),
        (("a", Decimal("-Infinity")), "-Infinity is no value of a program: numbers are finite"),
        (Decimal("1E+999999999"), "takes more than 4096 bits: programs compute with smaller numbers"),
        (Decimal("1E-999999999"), "takes more than 4096 bits: programs compute with smaller numbers"),
        (Unequal(), "is no value of a program: it does not equal itself"),
        (Incomparable(), "is no value of a program: it does not equal itself"),
    ],
)
def test_what_is_no_value_is_refused(value: Any, message: str) -> None:
    with pytest.raises(InputError) as caught:
        exact(value)
    assert message in str(caught.value)


def test_kinds_are_numbers_texts_and_things() -> None:
    assert [kind(value) for value in (1, True, Fraction(1, 2), "a", None, (1, 2), Decimal(1))] == [
        "number",
        "number",
        "number",
        "text",
        None,
        "thing",
        "thing",
    ]
