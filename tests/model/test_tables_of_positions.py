"""The tables of sinusoidal and rotary positions and of ALiBi are the exact real values, rounded once."""

from collections.abc import Callable
from fractions import Fraction
from unittest import mock

import mpmath as mp
import numpy as np
import pytest

from tests.arithmetic.systems import saturating
from tests.witness.functions import fraction
from tests.witness.integers import Grid
from weightsmith import Alibi, Fixed, Float, Native, Sinusoidal
from weightsmith.arithmetic import correct_rounding
from weightsmith.model import angles, distances
from weightsmith.model.angles import sines_and_cosines

FORMS = ("fixed(4,4)", "fixed(0,4)", "float(3,3)", "float16", "fixed(1,24)", "float(10,25)")


def exactly(form: str, x: Fraction) -> float:
    """Round a fraction by the independent integers."""
    A = saturating(form)
    unit = A.precision - 1 - A.least_exponent
    scaled, largest = x * Fraction(2) ** unit, int(Fraction(A.infinity) * Fraction(2) ** unit)
    return float(
        Grid(unit, A.precision, largest, A.ties).round(scaled.numerator, scaled.denominator) / Fraction(2) ** unit
    )


def wave(function: Callable[[mp.mpf], mp.mpf], t: int, base: float, p: int, size: int) -> Fraction:
    with mp.workdps(60):
        return fraction(function(t / mp.mpf(base) ** (mp.mpf(2 * p) / size)))


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("base", "size"), [(10000.0, 8), (1.5, 5), (1e29, 6)])
def test_sines_and_cosines_are_rounded_once(form: str, base: float, size: int) -> None:
    sin, cos = sines_and_cosines(saturating(form), base, size, 200)
    for t, p in np.ndindex(*sin.shape):
        assert sin[t, p] == exactly(form, wave(mp.sin, t, base, p, size)), (t, p)
        assert cos[t, p] == exactly(form, wave(mp.cos, t, base, p, size)), (t, p)
    assert sin[0].tolist() == [0.0] * len(sin[0])


@pytest.mark.parametrize("form", FORMS)
def test_scaled_sines_and_cosines_are_rounded_once(form: str) -> None:
    scales = (1.0, 0.3, 1e-6)
    sin, cos = sines_and_cosines(saturating(form), 7.0, 6, 50, scales)
    for t, p in np.ndindex(*sin.shape):
        with mp.workdps(60):
            angle = mp.mpf(scales[p]) * t / mp.mpf(7.0) ** (mp.mpf(2 * p) / 6)
            wanted = fraction(mp.sin(angle)), fraction(mp.cos(angle))
        found = float(sin[t, p]), float(cos[t, p])
        assert found == (exactly(form, wanted[0]), exactly(form, wanted[1])), (t, p)
    native = sines_and_cosines(Native("float64"), 7.0, 6, 50, scales)
    assert np.abs(native[0] - np.sin(np.arange(50)[:, None] / 7.0 ** (np.arange(3) / 3) * scales)).max() < 1e-15


def test_large_angles_beside_a_midpoint_are_rounded_once() -> None:
    """float64 angles are rounded themselves: at large positions some of their sines lie beyond a midpoint."""
    A, t = Float(10, 25), np.arange(1 << 17)
    sin, cos = sines_and_cosines(A, 50.0, 3, len(t))
    angle = t[:, np.newaxis] / 50.0 ** (2 * np.arange(2) / 3)
    wrong = [np.argwhere(A.round(naive(angle)) != table) for naive, table in ((np.sin, sin), (np.cos, cos))]
    assert sum(map(len, wrong)) > 3
    for function, table, places in ((mp.sin, sin, wrong[0]), (mp.cos, cos, wrong[1])):
        for n, p in places.tolist():
            assert table[n, p] == exactly("float(10,25)", wave(function, n, 50.0, p, 3))


def test_what_is_in_doubt_is_decided_by_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    A = Float(6, 12)
    quick = sines_and_cosines(A, 7.0, 4, 128)
    monkeypatch.setattr(angles, "_DOUBT", 2.0**-13)
    with mock.patch.object(correct_rounding, "round_ball", wraps=correct_rounding.round_ball) as decide:
        slow = sines_and_cosines.__wrapped__(A, 7.0, 4, 128)
    assert decide.call_count > 100
    assert all(np.array_equal(one, other) for one, other in zip(quick, slow, strict=True))


@pytest.mark.parametrize("form", ["fixed(4,0)", "fixed(25,0,ties=away)", "fixed(4,4)", "float(3,3)", "float(10,25)"])
@pytest.mark.parametrize("slope", [0.1, 0.3, 0.5, 0.7, 1e29, 5e-324, 0.0])
def test_a_penalty_is_the_exact_product_rounded_once(form: str, slope: float) -> None:
    found = Alibi((slope,)).penalties(saturating(form), 70)
    assert found.tolist() == [exactly(form, -Fraction(slope) * d) for d in range(70)]
    assert not np.signbit(found[0])


def test_a_float64_product_would_be_a_tie_where_the_exact_one_is_none() -> None:
    assert -0.1 * 5 == -0.5
    assert Fraction(0.1) * 5 > Fraction(1, 2)
    assert Alibi((0.1,)).penalties(Fixed(4, 0), 6)[5] == -1


@pytest.mark.parametrize("form", FORMS)
def test_slopes_that_are_not_given_are_meant_exactly(form: str, monkeypatch: pytest.MonkeyPatch) -> None:
    A = saturating(form)
    for doubt in (2.0**-45, 2.0**-5):
        monkeypatch.setattr(distances, "_DOUBT", doubt)
        distances._penalties.cache_clear()
        for heads in (3, 5, 8):
            for head in range(heads):
                with mp.workdps(60):
                    slope = fraction(mp.mpf(2) ** (-mp.mpf(8 * (head + 1)) / heads))
                found = Alibi().of_head(head, heads).penalties(A, 40)
                assert found.tolist() == [exactly(form, -slope * d) for d in range(40)]
    distances._penalties.cache_clear()


def test_a_given_slope_is_another_than_the_root_that_it_is_near_to() -> None:
    own, paper = Alibi((2.0 ** (-8 / 3),)), Alibi().of_head(0, 3)
    assert own != paper
    assert (own.slopes, own.place) == ((2.0 ** (-8 / 3),), None)
    assert (paper.slopes, paper.place) == (None, (0, 3))


def test_the_machines_arithmetic_keeps_the_values_of_float64() -> None:
    t = np.arange(16)[:, np.newaxis]
    table = Sinusoidal(16, 100.0).vectors(Native("float64"), 4)
    assert np.array_equal(table[:, 0::2], np.sin(t / 100.0 ** (np.array([0, 2]) / 4)))
