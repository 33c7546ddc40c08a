"""Every operation against exact integers: all pairs of small systems, millions of random pairs of large ones."""

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest

from tests.arithmetic.test_rounding import TIES, saturating, tied
from tests.witness import numbers
from tests.witness.integers import Grid, grid
from weightsmith import Fixed, Float, InputError, Native
from weightsmith.arithmetic import Array, Saturating, elementary

SMALL = ("fixed(2,2)", "fixed(2,3)", "float(2,4)", "float(3,3)", "float(4,3)", "e4m3", "e5m2", "fixed(4,4)")
LARGE = ("float16", "bfloat16", "fixed(8,8)")
WIDEST = ("fixed(12,13)", "float(8,25)")
OPERATIONS = ("add", "subtract", "multiply", "divide")


def assert_exact(A: Saturating, exact: Grid, x: Array, y: Array, operation: str) -> None:
    found = getattr(A, operation)(x, y)
    step = getattr(exact, operation)
    pairs = zip(map(exact.units, x.tolist()), map(exact.units, y.tolist()), strict=True)
    wanted = np.array([exact.value(step(a, b)) for a, b in pairs])
    wrong = found != wanted
    assert not wrong.any(), (x[wrong][0], operation, y[wrong][0], found[wrong][0], wanted[wrong][0])


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("form", SMALL)
def test_all_pairs_are_rounded_correctly(form: str, ties: str, operation: str) -> None:
    A = saturating(tied(form, ties))
    x, y = (side.ravel() for side in np.meshgrid(A.values(), A.values()))
    if operation == "divide":
        x, y = x[y != 0], y[y != 0]
    assert_exact(A, grid(form, ties), x, y, operation)


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("form", [*LARGE, *WIDEST])
def test_a_million_random_pairs_of_each_large_system_are_rounded_correctly(
    form: str, ties: str, operation: str
) -> None:
    """Four operations of 250,000 pairs make a million cases for each system and tie rule."""
    A, exact = saturating(tied(form, ties)), grid(form, ties)
    random = np.random.default_rng(OPERATIONS.index(operation))
    x, y = _members(A, random, 250_000), _members(A, random, 250_000)
    close = random.random(x.size) < 0.5  # neighbours in size, where sums round and cancel
    if form != "fixed(8,8)":
        y[close] = A.round(x[close] * random.uniform(-2, 2, int(close.sum())))
    y[y == 0] = A.smallest
    assert_exact(A, exact, x, y, operation)


def _members(A: Saturating, random: np.random.Generator, count: int) -> Array:
    if A.bits <= 16:
        return random.choice(A.values(), count)
    significands = random.integers(-(2**A.precision) + 1, 2**A.precision, count).astype(np.float64)
    if isinstance(A, Fixed):
        return significands * A.smallest
    spread = random.integers(0, 256, count)
    return np.clip(significands * A.smallest * 2.0**spread, -A.infinity, A.infinity)


def test_the_integer_witness_agrees_with_the_definition() -> None:
    for form in SMALL[:6]:
        for ties in TIES:
            exact, quick = numbers.system(tied(form, ties)), grid(form, ties)
            assert quick.value(quick.largest) == exact.infinity
            for x in exact.members[:: max(1, len(exact.members) // 40)]:
                for y in exact.members[:: max(1, len(exact.members) // 40)]:
                    a, b = quick.units(float(x)), quick.units(float(y))
                    assert quick.value(quick.add(a, b)) == exact.round(x + y)
                    assert quick.value(quick.multiply(a, b)) == exact.round(x * y)
                    if y:
                        assert quick.value(quick.divide(a, b)) == exact.round(x / y)


@pytest.mark.parametrize("function", ["exp", "sqrt"])
@pytest.mark.parametrize("form", [*SMALL, *LARGE])
def test_exp_and_sqrt_of_all_values_are_rounded_correctly(form: str, function: str) -> None:
    for ties in TIES if form in SMALL else TIES[:1]:
        A, exact = saturating(tied(form, ties)), numbers.system(tied(form, ties))
        members = exact.members if function == "exp" else [x for x in exact.members if x >= 0]
        found = getattr(A, function)(np.array([float(x) for x in members]))
        for x, result in zip(members, found.tolist(), strict=True):
            assert Fraction(result) == getattr(exact, function)(x), (form, ties, function, x)


@pytest.mark.parametrize("form", ["float(8,24)", "float(8,25)", "fixed(12,13)", "fixed(4,20)"])
def test_exp_of_wide_systems_is_rounded_correctly(form: str) -> None:
    A, exact = saturating(form), grid(form, "zero")
    x = np.unique(A.round(np.random.default_rng(3).normal(size=20_000) * 5))
    for value, result in zip(x.tolist(), A.exp(x).tolist(), strict=True):
        power = numbers.exp_to_60_digits(Fraction(value)) * 2**exact.unit
        assert result == exact.value(exact.round(power.numerator, power.denominator)), value


def test_values_in_doubt_are_decided_by_balls(monkeypatch: pytest.MonkeyPatch) -> None:
    """With a doubt as wide as a member's distance, most values go to arbitrary precision, and none changes."""
    A = Float(6, 12)
    x = np.unique(A.round(np.linspace(-20, 20, 2001)))
    quick = A.exp(x)
    monkeypatch.setattr(elementary, "_DOUBT", 2.0**-13)
    with mock.patch.object(elementary, "_nearer_to_exp", wraps=elementary._nearer_to_exp) as decide:
        assert np.array_equal(A.exp(x), quick)
    assert decide.call_count > 500


def test_a_product_of_native_float32_is_the_machines() -> None:
    A = Native("float32")
    random = np.random.default_rng(4)
    x = (random.normal(size=100_000) * 10.0 ** random.integers(-40, 38, 100_000)).astype(np.float32)
    y = random.permutation(x)
    with np.errstate(all="ignore"):
        for operation, machine in (
            ("add", x + y),
            ("multiply", x * y),
            ("subtract", x - y),
            ("divide", x / y),
        ):
            if operation == "divide":
                x, y, machine = x[y != 0], y[y != 0], machine[y != 0]
            assert np.array_equal(getattr(A, operation)(x, y), machine.astype(np.float64), equal_nan=True), operation


def test_folds_round_after_each_step_from_the_left() -> None:
    A = Fixed(2, 2)
    assert A.infinity == 3.75
    assert A.sum([3.0, 3.0, -3.0]) == 0.75, "3 ⊕ 3 saturates at 3.75 before 3 is taken away"
    assert A.sum([3.0, -3.0, 3.0]) == 3.0
    assert A.dot([0.25, 0.5], [0.5, 0.5]) == 0.25, "0.25 ⊗ 0.5 is a tie and goes to 0"
    assert A.matvec([[1.0, 0.0], [1.0, 1.0]], [[3.0, 2.0], [1.0, 1.0]]).tolist() == [[3.0, 3.75], [1.0, 2.0]]
    assert A.sum(np.zeros((3, 0))).tolist() == [0.0, 0.0, 0.0]
    assert A.sum([[1.0, 2.0], [0.5, 0.25]], axis=0).tolist() == [1.5, 2.25]


def test_softmax_is_unshifted_and_gives_zeros_when_every_exponential_vanishes() -> None:
    A = Fixed(4, 4)
    assert A.softmax([0.0, 0.0]).tolist() == [0.5, 0.5]
    assert A.softmax([-15.0, -15.0]).tolist() == [0.0, 0.0]
    assert A.softmax([[0.0, -15.0], [-15.0, -15.0]]).tolist() == [[1.0, 0.0], [0.0, 0.0]]


def test_scalars_go_in_and_come_out_as_scalars() -> None:
    result = Fixed(4, 4).add(1, 2)
    assert result == 3
    assert np.ndim(result) == 0
    assert isinstance(result, np.float64)


def test_what_cannot_be_computed_is_refused_with_the_value() -> None:
    A = Fixed(4, 4)
    with pytest.raises(InputError, match=r"0\.1 is not a member of fixed\(4,4\); round it first"):
        A.add(0.1, 1)
    with pytest.raises(InputError, match=r"16\.0 is not a member"):
        A.exp(16)
    with pytest.raises(InputError, match="nan is not a member"):
        A.add(np.nan, 1)
    with pytest.raises(InputError, match=r"division by 0 in fixed\(4,4\)"):
        A.divide([1, 1], [1, 0])
    with pytest.raises(InputError, match=r"no square root of -1\.0"):
        A.sqrt([-1])
    with pytest.raises(InputError, match="is not an array of real numbers"):
        A.round(["1"])
    with pytest.raises(InputError, match=r"integers beyond 2\^53"):
        A.round([2**60 + 1])
