"""Text forms parse back, and what does not parse is refused with what to write."""

import pytest

from tests.arithmetic.systems import SYSTEMS
from weightsmith import Fixed, Float, InputError, Native, TwosComplement, parse_arithmetic
from weightsmith.arithmetic import Arithmetic

ALL: list[Arithmetic] = [
    *SYSTEMS,
    TwosComplement(3, 2, "even"),
    Native("float32"),
    Native("float64"),
    Float(10, 25),
]


@pytest.mark.parametrize("A", ALL, ids=str)
def test_text_and_python_forms_parse_back(A: Arithmetic) -> None:
    assert parse_arithmetic(str(A)) == A
    assert eval(repr(A)) == A
    assert hash(parse_arithmetic(str(A))) == hash(A)


def test_the_fixed_names_of_the_text_forms() -> None:
    assert str(Fixed(4, 4)) == "fixed(4,4)"
    assert str(Float(4, 3)) == "float(4,3)"
    assert str(Native("float32")) == "float32"
    assert str(Float.like("e4m3", ties="even")) == "e4m3(ties=even)"
    assert parse_arithmetic(" Fixed( 4, 4 , ties = even)") == Fixed(4, 4, "even")
    assert Fixed(4, 4) != Fixed(4, 4, "even")
    assert Float(5, 11) != Float.like("float16")


@pytest.mark.parametrize(
    "text", ["", "fixed", "fixed(4)", "fixed(4,4,even)", "fixed(4,4ties=even)", "float128", "float32(ties=even)",
             "fixed(-1,4)", "fixed(4,4))", "float(ties=even)", "int8", "fixed(4,4)\n; import os", "x" * 9999, None, 3],
)  # fmt: skip
def test_other_texts_are_refused_with_what_to_write(text: str) -> None:
    with pytest.raises(InputError, match=r"is not an arithmetic: write fixed\(4,4\), float\(4,3\), one of float16"):
        parse_arithmetic(text)


def test_systems_that_the_carrier_cannot_hold_are_refused() -> None:
    with pytest.raises(InputError, match=r"fixed\(20,20\) has 40 bits besides the sign: between 1 and 25 are exact"):
        Fixed(20, 20)
    with pytest.raises(InputError, match=r"significand_bits=26 of Float must be a whole number from 2 to 25"):
        Float(5, 26)
    with pytest.raises(InputError, match=r"exponent_bits=11 of Float .* only that many bits are exact in a float64"):
        Float(11, 5)
    with pytest.raises(InputError, match="has 0 bits besides the sign"):
        Fixed(0, 0)
    with pytest.raises(InputError, match=r"integer_bits=4\.0 of Fixed must be a whole number"):
        Fixed(4.0, 4)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="ties='up' is not a tie rule: write one of zero, even, away"):
        Fixed(4, 4, "up")  # type: ignore[arg-type]
    with pytest.raises(
        InputError, match="'float8' is not a hardware format: write one of float16, bfloat16, e4m3, e5m2"
    ):
        Float.like("float8")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"the sizes do not fit 'e4m3': write Float\.like\('e4m3'\)"):
        Float(5, 3, format="e4m3")
    with pytest.raises(InputError, match="Native\\('float16'\\) does not exist"):
        Native("float16")  # type: ignore[arg-type]
    with pytest.raises(InputError, match=r"fixed\(8,8\) has 17 bits: values\(\) lists"):
        Fixed(8, 8).values()
