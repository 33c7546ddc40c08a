"""Every operation of the loops, on every pair of members of small arithmetics, equals the arithmetic's own."""

import numpy as np
import pytest

from tests.arithmetic.test_rounding import tied
from tests.kernels.loops import TIES, assert_all_equal, by_loop, finite_arithmetic
from weightsmith.kernels.carrier import carrier
from weightsmith.kernels.rules import Binary, BinaryEven, Whole

OPERATIONS = ("add", "subtract", "multiply", "scaled", "saturate", "divide")
CARRIERS = {
    "int16": ("fixed(4,4)", "fixed(2,2)", "fixed(1,1)", "fixed(0,3)", "fixed(0,7)", "fixed(1,6)", "fixed(8,0)",
              "fixed(7,1)", "fixed(0,1)", "fixed(1,0)"),
    "int32": ("fixed(0,8)", "fixed(1,7)"),
    "float32": ("float(3,3)", "float(2,4)", "float(1,2)", "float(4,5)", "e4m3", "e5m2", "float(1,8)"),
    "float64": ("float(8,2)",),
}  # fmt: skip
FORMS = [(dtype, form) for dtype, forms in CARRIERS.items() for form in forms]


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("dtype", "form"), FORMS)
def test_all_pairs_give_what_the_arithmetic_gives(dtype: str, form: str, ties: str, operation: str) -> None:
    A = finite_arithmetic(tied(form, ties))
    assert carrier(A).dtype == dtype
    assert type(carrier(A).rule) is (Whole if dtype[0] == "i" else BinaryEven if ties == "even" else Binary)
    members = A.values()
    x, y = (side.reshape(-1) for side in np.meshgrid(members, members))
    assert assert_all_equal(A, operation, x, y) > 2 * len(members) * (operation != "divide")


@pytest.mark.parametrize("operation", ["multiply", "scaled", "saturate", "divide"])
@pytest.mark.parametrize("form", ["fixed(4,4)", "fixed(3,6)", "float(3,3)", "float(8,2)"])
def test_the_tie_rules_give_different_results_on_those_pairs(form: str, operation: str) -> None:
    members = finite_arithmetic(form).values()
    x, y = np.meshgrid(members[(members > 0) & (members <= 1)], members[members > 0])
    x, y = x[x <= y], y[x <= y]
    zero, even, away = (by_loop(finite_arithmetic(tied(form, ties)), operation, x, y) for ties in TIES)
    assert (zero <= even).all()
    assert (even <= away).all()
    assert (zero < even).any()
    assert (even < away).any()


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(
    ("dtype", "form"),
    [*(("int16", form) for form in ("fixed(14,0)", "fixed(4,5)", "fixed(0,7)")),
     *(("int32", form) for form in ("fixed(15,0)", "fixed(4,6)", "fixed(1,7)", "fixed(10,10)", "fixed(0,15)",
                                    "fixed(25,0)", "fixed(3,12)")),
     *(("float64", form) for form in ("fixed(11,10)", "fixed(0,16)", "fixed(12,13)", "bfloat16", "float(5,12)",
                                      "float(8,3)", "float(7,25)")),
     *(("float32", form) for form in ("float16", "float(7,11)", "float(1,2)"))],
)  # fmt: skip
def test_the_carrier_is_the_smallest_that_is_exact(dtype: str, form: str, ties: str) -> None:
    assert carrier(finite_arithmetic(tied(form, ties))).dtype == dtype
