"""Every operation of the loops equals the arithmetic's own.

On all pairs of members of small arithmetics; in large ones on pairs chosen to refute it: exact ties, results one unit
from a tie, the edge of ∞.
"""

import numpy as np
import pytest

from tests.arithmetic.systems import TIES, saturating, tied
from tests.kernels.hard_pairs import hard_products, hard_quotients, hard_sums
from tests.kernels.loops import assert_all_equal, by_loop, one_tie_rule_each
from weightsmith.arithmetic import Array, Float, Saturating, rounding
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.floats import Floats, FloatsToEven
from weightsmith.kernels.packed.integers import Int16ToZero, Integers

OPERATIONS = ("add", "subtract", "multiply", "multiply_unit", "multiply_bounded", "multiply_weight", "divide")
CARRIERS = {
    "int16": ("fixed(4,4)", "fixed(2,2)", "fixed(1,1)", "fixed(0,3)", "fixed(0,7)", "fixed(1,6)", "fixed(8,0)",
              "fixed(7,1)", "fixed(0,1)", "fixed(1,0)"),
    "int32": ("fixed(0,8)", "fixed(1,7)"),
    "float32": ("float(3,3)", "float(2,4)", "float(1,2)", "float(4,5)", "e4m3", "e5m2", "float(1,8)"),
    "float64": ("float(8,2)",),
}  # fmt: skip
FORMS = [(dtype, form) for dtype, forms in CARRIERS.items() for form in forms]
LARGE = ("fixed(8,8)", "fixed(10,10)", "fixed(14,0)", "fixed(4,5)", "fixed(0,15)", "fixed(25,0)", "fixed(3,12)",
         "float16", "float(7,11)", "float(3,9)", "bfloat16", "float(5,12)", "float(10,25)", "float(3,25)",
         "float(6,20)", "fixed(12,13)", "fixed(12,12)", "fixed(0,25)")  # fmt: skip
COUNT = 3000


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("dtype", "form", "ties"), one_tie_rule_each(FORMS))
def test_all_pairs_give_what_the_arithmetic_gives(dtype: str, form: str, ties: str, operation: str) -> None:
    A = saturating(tied(form, ties))
    assert carrier(A).dtype == dtype
    whole = Int16ToZero if dtype == "int16" and ties == "zero" else Integers
    assert carrier(A).representation is (whole if dtype[0] == "i" else FloatsToEven if ties == "even" else Floats)
    members = A.values()
    x, y = (side.reshape(-1) for side in np.meshgrid(members, members))
    assert assert_all_equal(A, operation, x, y) > 2 * len(members) * (operation != "divide")


@pytest.mark.parametrize("operation", ["multiply", "multiply_unit", "multiply_weight", "divide"])
@pytest.mark.parametrize("form", ["fixed(4,4)", "fixed(3,6)", "float(3,3)", "float(8,2)"])
def test_the_tie_rules_give_different_results_on_those_pairs(form: str, operation: str) -> None:
    members = saturating(form).values()
    x, y = np.meshgrid(members[(members > 0) & (members <= 1)], members[members > 0])
    x, y = x[x <= y], y[x <= y]
    if operation == "multiply_unit":
        x, y = y, x
    zero, even, away = (by_loop(saturating(tied(form, ties)), operation, x, y) for ties in TIES)
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
    assert carrier(saturating(tied(form, ties))).dtype == dtype


def ties_and_near(A: Saturating, results: Array) -> tuple[int, int]:
    """Count exact ties, and results that are not but lie within 2^(1−p) of a quantum of one."""
    inside = results[np.abs(results) < A.infinity]
    distance = np.abs(np.abs(np.modf(inside / rounding.quantum(inside, A.least_exponent, A.precision))[0]) - 0.5)
    return int((distance == 0).sum()), int(((distance > 0) & (distance <= 2.0 ** (1 - A.precision))).sum())


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.one_in(2)
@pytest.mark.parametrize("form", LARGE)
def test_products_at_a_tie_beside_it_and_at_the_edge_are_rounded_correctly(form: str, ties: str) -> None:
    A = saturating(tied(form, ties))
    x, y = hard_products(A, np.random.default_rng(1), COUNT)
    exact, near = ties_and_near(A, x * y)
    assert exact > COUNT // 2 or form.endswith(",0)")
    assert near > COUNT // 2 or not isinstance(A, Float)
    for operation in ("multiply", "multiply_bounded", "multiply_weight", "multiply_unit"):
        assert_all_equal(A, operation, x, y)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("form", LARGE)
def test_sums_at_a_tie_and_beside_it_are_rounded_correctly(form: str, ties: str) -> None:
    A = saturating(tied(form, ties))
    x, y = hard_sums(A, np.random.default_rng(2), 10 * COUNT)
    exact, near = ties_and_near(A, x + y)
    assert not isinstance(A, Float) or exact > COUNT // 10
    assert form not in ("float16", "float(7,11)", "float(10,25)") or near > COUNT // 10
    for operation in ("add", "subtract"):
        assert_all_equal(A, operation, x, y)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("form", LARGE)
def test_quotients_at_a_tie_and_beside_it_are_rounded_correctly(form: str, ties: str) -> None:
    A = saturating(tied(form, ties))
    x, y = hard_quotients(A, np.random.default_rng(3), 10 * COUNT)
    assert_all_equal(A, "divide", x, y)


@pytest.mark.parametrize("ties", TIES)
def test_every_product_of_11_bits_is_exact_in_float32_at_every_depth_of_underflow(ties: str) -> None:
    """All pairs of significands: with the exponents, which only shift them, this is every product there is."""
    A = saturating(tied("float16", ties))
    significands = np.arange(1024.0, 2048.0) / 1024
    x, y = (side.reshape(-1) for side in np.meshgrid(significands, significands))
    random = np.random.default_rng(4)
    for depth in range(13):
        scale = 2.0 ** (A.least_exponent - depth)  # at depth 0 the product is normal
        for operation in ("multiply", "multiply_unit"):
            found = assert_all_equal(
                A, operation, x * 2.0**-13, y * scale * 2.0**13 * random.choice([-1.0, 1.0], y.size)
            )
            assert found == 1 << 20
        if depth == 0:
            assert_all_equal(A, "multiply", x * 2.0**8, y * 2.0**7)  # up to beyond ∞


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("p", [2, 3, 5, 7, 8, 9, 10])
def test_every_product_of_fewer_bits_is_exact_in_float32(p: int, ties: str) -> None:
    A = saturating(tied(f"float(5,{p})", ties))
    significands = np.arange(2.0 ** (p - 1), 2.0**p) / 2 ** (p - 1)
    x, y = (side.reshape(-1) for side in np.meshgrid(significands, significands))
    for depth in range(p + 2):
        for operation in ("multiply", "multiply_unit"):
            assert_all_equal(A, operation, x * 2.0**-15, y * 2.0 ** (A.least_exponent - depth + 15))
