"""Laws: the verdicts that the notes depend on, and each counterexample evaluated again."""

import numpy as np
import pytest

from weightsmith import Fixed, Float, Law, Native, TwosComplement, laws
from weightsmith.arithmetic import Arithmetic, multiplications_to_infinity


def row(arithmetic: Arithmetic, name: str) -> Law:
    return next(law for law in laws(arithmetic) if law.name == name)


@pytest.mark.parametrize("A", [Fixed(4, 4), Fixed(2, 2), Fixed(8, 8), Float(4, 3), Float.like("float16")], ids=str)
def test_all_laws_hold_where_the_notes_assume_them(A: Arithmetic) -> None:
    assert all(law.holds and law.counterexample is None for law in laws(A))
    assert len({law.name for law in laws(A)}) == 10


def test_three_multiplications_by_infinity_are_needed_in_float_3_3() -> None:
    A = Float(3, 3)
    assert row(A, "growth").statement == "3 multiplications by ∞ take every x > 0 to ∞"
    assert A.multiply(A.multiply(A.smallest, A.infinity), A.infinity) == 3.0, "two are not enough"


@pytest.mark.parametrize("s", range(2, 9))
def test_two_multiplications_suffice_in_every_fixed_s_s_from_2_on(s: int) -> None:
    assert multiplications_to_infinity(Fixed(s, s)) == 2


@pytest.mark.parametrize("A", [Fixed(4, 4), Fixed(3, 1), Float(3, 3), Float(2, 4), Float.like("e4m3")], ids=str)
def test_the_number_of_multiplications_is_right_for_every_positive_value_and_one_fewer_is_not(
    A: Arithmetic,
) -> None:
    count = multiplications_to_infinity(A)
    assert count is not None
    x = A.values()[A.values() > 0]
    for done in range(count):
        assert (x != A.infinity).any(), f"{done} multiplications already suffice"
        x = A.multiply(x, A.infinity)
    assert (x == A.infinity).all()


@pytest.mark.parametrize("A", [Fixed(1, 1), Fixed(0, 3), Float(1, 2)], ids=str)
def test_growth_fails_where_a_value_never_grows(A: Arithmetic) -> None:
    assert multiplications_to_infinity(A) is None
    assert not row(A, "growth").holds
    assert A.multiply(A.smallest, A.infinity) <= A.smallest


def test_exp_of_minus_infinity_is_not_0_in_float_2_4() -> None:
    law = row(Float(2, 4), "exp of −∞")
    assert not law.holds
    assert law.counterexample == "exp(−∞) = exp(-3.75) = 0.03125"
    assert Float(2, 4).exp(-3.75) == 0.03125


def test_a_twos_complement_range_is_not_symmetric_and_does_not_saturate_to_infinity() -> None:
    A = TwosComplement(4, 4)
    assert row(A, "symmetric").counterexample == "16.0 is not a member, and -16.0 is"
    assert row(A, "saturation").counterexample == "x = -16.0: (x ⊕ ∞) ⊕ ∞ = 15.875, and ∞ = 15.9375"
    assert A.add(A.add(-16.0, A.infinity), A.infinity) == 15.875


def test_the_laws_of_saturation_do_not_hold_for_the_machine() -> None:
    for A in (Native("float32"), Native("float64")):
        assert {law.name for law in laws(A) if not law.holds} == {"saturation", "growth"}


def test_1_is_not_a_member_of_every_system() -> None:
    assert row(Fixed(0, 4), "unit product").counterexample == "1 is not a member: ∞ = 0.9375"


def test_every_way_of_deciding_is_named() -> None:
    small, wide = laws(Fixed(4, 4)), laws(Fixed(12, 12))
    assert row(Fixed(4, 4), "distinct difference").decided == "all 261,121 pairs"
    assert row(Float.like("float16"), "distinct difference").decided.startswith("all 63,486 pairs of neighbours")
    assert {law.decided for law in small} >= {"all 511 values", "evaluated"}
    assert sum(law.decided.startswith("argued: ") for law in wide) == 5


@pytest.mark.parametrize("A", [Fixed(2, 2), Float(3, 3), Float.like("e5m2")], ids=str)
def test_the_argument_by_neighbours_gives_what_all_pairs_give(A: Arithmetic) -> None:
    x = A.values()
    assert (A.subtract(x[1:], x[:-1]) > 0).all()
    assert ((A.subtract(x[:, None], x) == 0) == (x[:, None] == x)).all()
    assert np.array_equal(A.values(), x)


def test_laws_print_as_a_table_with_what_breaks_them() -> None:
    found = laws(Float(2, 4))
    lines = str(found).splitlines()
    assert lines[0] == "float(2,4): ∞ = 3.75, smallest x > 0 = 0.03125"
    assert [line.split()[0] for line in lines if line.split()[:1] in (["holds"], ["fails"])] == [
        "holds" if law.holds else "fails" for law in found
    ]
    assert "exp(−∞) = exp(-3.75) = 0.03125" in str(found)


def test_laws_show_themselves_in_a_notebook_with_their_texts_escaped() -> None:
    page = laws(Fixed(4, 4))._repr_html_()
    assert page.count("<tr>") == 11
    assert "1 is a member, and 1 &lt; ∞" in page


def test_laws_are_a_sequence() -> None:
    found = laws(Fixed(4, 4))
    assert (len(found), found[-1].name, found[:2]) == (10, "growth", tuple(found)[:2])
    assert found[1] in found
    assert next(reversed(found)) == found[9]
    assert found == laws(Fixed(4, 4)) != laws(Fixed(2, 2))
