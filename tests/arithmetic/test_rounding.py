"""Rounding, in the reference and in the fast kernel: one body runs over both."""

import importlib
import os
import subprocess
import sys
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numba
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.arithmetic.systems import FORMS, SYSTEMS, hard_cases
from tests.witness import numbers
from weightsmith import Fixed, Float, InputError, Native, parse_arithmetic
from weightsmith.arithmetic import Array, Saturating, TwosComplement, fast_rounding, rounding

systems = st.sampled_from(SYSTEMS)
reals = st.floats(allow_nan=False, allow_infinity=False)
near = st.floats(min_value=-40.0, max_value=40.0)


def rounded_by(nearest: Callable[..., Array], A: Saturating, x: Array) -> Array:
    return nearest(x, A.rounding)


both = pytest.mark.parametrize("nearest", [rounding.nearest, fast_rounding.nearest], ids=["reference", "fast"])


@both
@pytest.mark.parametrize("A", SYSTEMS, ids=str)
@pytest.mark.one_in(3)
def test_rounding_gives_the_nearest_member_at_every_midpoint_and_beside_it(
    nearest: Callable[..., Array], A: Saturating
) -> None:
    exact = numbers.system(str(A))
    x = hard_cases(A)
    if x.size > 4000:
        x = np.concatenate([np.random.default_rng(0).choice(x[:-9], 4000), x[-9:]])
    found = rounded_by(nearest, A, x)
    for value, result in zip(x, found, strict=True):
        wanted = exact.infinity if np.isinf(value) else exact.round(Fraction(abs(float(value))))
        assert Fraction(float(result)) == (wanted if value > 0 else -wanted), (value, result)
    assert not np.signbit(found[found == 0]).any(), "there is no −0"


@pytest.mark.parametrize("A", [*SYSTEMS, TwosComplement(4, 4), Float(8, 25), Fixed(12, 13), Float(10, 25)], ids=str)
def test_the_fast_kernel_equals_the_reference_bit_for_bit(A: Saturating) -> None:
    random = np.random.default_rng(1)
    any_bits = random.integers(0, 2**64, 200_000, dtype=np.uint64).view(np.float64)
    x = np.concatenate([any_bits[~np.isnan(any_bits)], random.normal(size=100_000) * A.infinity**0.5])
    slow, fast = rounded_by(rounding.nearest, A, x), rounded_by(fast_rounding.nearest, A, x)
    assert np.array_equal(slow.view(np.int64), fast.view(np.int64))


@given(systems, st.one_of(reals, near), st.one_of(reals, near))
def test_round_is_monotone(A: Saturating, x: float, y: float) -> None:
    low, high = sorted((x, y))
    assert A.round(low) <= A.round(high)


@given(systems, st.one_of(reals, near))
def test_round_is_idempotent_and_gives_a_member(A: Saturating, x: float) -> None:
    once = A.round(x)
    assert A.round(once) == once
    assert A.contains(once)
    member = Fraction(float(once))
    assert numbers.system(str(A)).round(member) == member


@given(systems, st.one_of(reals, near))
def test_x_minus_x_is_zero(A: Saturating, x: float) -> None:
    member = A.round(x)
    assert A.subtract(member, member) == 0


@pytest.mark.parametrize("A", SYSTEMS, ids=str)
def test_values_are_the_members_of_the_definition(A: Saturating) -> None:
    assert [Fraction(v) for v in A.values().tolist()] == numbers.system(str(A)).members
    assert A.smallest == min(v for v in A.values().tolist() if v > 0)
    assert A.infinity == A.values()[-1]


def test_large_arrays_take_the_fast_path_and_small_ones_the_reference() -> None:
    A = Float(4, 3)
    x = np.random.default_rng(2).normal(size=(600, 600)) * 10
    assert np.array_equal(A.round(x), np.array([A.round(row) for row in x]))


def test_read_only_arrays_are_rounded_like_others() -> None:
    x = np.full(1 << 18, 0.1)
    x.setflags(write=False)
    assert Fixed(4, 4).round(x)[0] == 0.125
    assert np.array_equal(rounded_by(fast_rounding.nearest, Fixed(4, 4), x), Fixed(4, 4).round(x.copy()))


def test_nan_is_refused_by_name() -> None:
    with pytest.raises(InputError, match=r"cannot round nan into fixed\(4,4\)"):
        Fixed(4, 4).round([1.0, np.nan])


PROGRAM = """
import numpy as np
from weightsmith import Fixed
assert Fixed(4, 4).round(np.full(2**18, 0.1))[7] == 0.125
from weightsmith.arithmetic import fast_rounding
print(sum(fast_rounding._compiled.stats.cache_hits.values()))
"""


@pytest.mark.long
def test_the_machine_code_is_found_again_by_the_next_process(tmp_path: Path) -> None:
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    hits = [
        subprocess.run(
            [sys.executable, "-c", PROGRAM], check=True, capture_output=True, text=True, env=environment
        ).stdout
        for _ in range(2)
    ]
    assert [int(count) for count in hits] == [0, 1]


def test_rounding_works_where_no_folder_can_hold_the_machine_code(monkeypatch: pytest.MonkeyPatch) -> None:
    real: Any = numba.njit

    def njit(*arguments: Any, **options: Any) -> Any:
        if options.get("cache"):
            raise RuntimeError("cannot cache function: no locator available")
        return real(*arguments, **options)

    monkeypatch.setattr(numba, "njit", njit)
    importlib.reload(fast_rounding)
    assert fast_rounding.nearest(np.array([0.1]), Fixed(4, 4).rounding) == 0.125
    monkeypatch.undo()
    importlib.reload(fast_rounding)


@pytest.mark.parametrize("form", FORMS)
def test_the_next_member_is_the_one_after(form: str) -> None:
    A = parse_arithmetic(form)
    members = A.values()[A.values() > 0]
    assert np.array_equal(rounding.next_above(A, members), [*members[1:], A.infinity])


@pytest.mark.parametrize("form", FORMS)
def test_the_first_member_from_a_number_on_is_the_smallest_that_is_not_below_it(form: str) -> None:
    A = parse_arithmetic(form)
    members = A.values()[A.values() >= 0]
    between = (members[1:] + members[:-1]) / 2
    assert np.array_equal(rounding.at_least(A, members), members)
    assert np.array_equal(rounding.at_least(A, between), members[1:])
    assert np.array_equal(rounding.at_least(A, np.nextafter(members[1:-1], np.inf)), members[2:])
    assert np.array_equal(rounding.at_least(A, np.array([2 * A.infinity, np.inf])), [A.infinity] * 2)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_the_next_machine_number_is_that_of_the_machine(dtype: Any) -> None:
    A = Native(dtype)
    x = np.array([A.smallest, 2.0**-126, 0.1, 1.0, 1.5, 2.0**60, A.infinity], dtype=dtype)
    with np.errstate(over="ignore"):  # the machine goes on to inf
        up = np.nextafter(x, np.array(np.inf, dtype=dtype)).astype(np.float64)
    up[-1] = A.infinity
    assert np.array_equal(rounding.next_above(A, x.astype(np.float64)), up)
