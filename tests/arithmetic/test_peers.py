"""Agreement with gfloat and apytypes, wherever their rounding modes coincide with ours."""

import apytypes
import gfloat
import gfloat.formats as formats
import numpy as np
import pytest

from tests.arithmetic.systems import TIES, hard_cases
from weightsmith import Fixed, Float
from weightsmith.arithmetic import Array, Saturating

GFLOAT = {
    "float16": formats.format_info_binary16,
    "bfloat16": formats.format_info_bfloat16,
    "e4m3": formats.format_info_ocp_e4m3,
    "e5m2": formats.format_info_ocp_e5m2,
}
GFLOAT_MODES = {"even": gfloat.RoundMode.TiesToEven, "away": gfloat.RoundMode.TiesToAway}
APYTYPES_MODES = {
    "zero": apytypes.QuantizationMode.TIES_ZERO,
    "even": apytypes.QuantizationMode.TIES_EVEN,
    "away": apytypes.QuantizationMode.TIES_AWAY,
}


def cases(A: Saturating) -> Array:
    x = hard_cases(A)
    random = np.random.default_rng(5)
    return np.concatenate([x[np.isfinite(x)], random.normal(size=100_000) * A.infinity**0.5])


@pytest.mark.parametrize("ties", ["even", "away"])
@pytest.mark.parametrize("format", ["float16", "bfloat16", "e4m3", "e5m2"])
def test_gfloat_rounds_as_we_do_with_saturation(format: str, ties: str) -> None:
    A = Float.like(format, ties=ties)  # type: ignore[arg-type]
    x = cases(A)
    with np.errstate(over="ignore"):  # gfloat scales numbers that it then saturates
        theirs = gfloat.round_ndarray(GFLOAT[format], x, GFLOAT_MODES[ties], sat=True)
    assert np.array_equal(A.round(x), theirs)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("format", ["float16", "bfloat16", "e5m2"])
def test_apytypes_rounds_floats_as_we_do_but_for_overflow_and_one_fault(format: str, ties: str) -> None:
    """Apytypes overflows to infinity where we saturate, so infinities are compared with ∞.

    Its cast (0.5.1) turns a value that rounds up to the smallest normal number into 0; gfloat and the rationals give
    that number, as we do. Those values are left out.
    """
    A = Float.like(format, ties=ties)  # type: ignore[arg-type]
    x = cases(A)
    smallest_normal = 2.0**A.least_exponent
    x = x[(np.abs(A.round(x)) != smallest_normal) | (np.abs(x) >= smallest_normal)]
    double = apytypes.APyFloatArray.from_array(x, exp_bits=11, man_bits=52)
    cast = double.cast(exp_bits=A.exponent_bits, man_bits=A.precision - 1, quantization=APYTYPES_MODES[ties])
    theirs = np.clip(cast.to_numpy(), -A.infinity, A.infinity)
    assert np.array_equal(A.round(x), theirs)


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize(("i", "f"), [(2, 3), (4, 4), (8, 8), (0, 6)])
def test_apytypes_rounds_fixed_point_as_we_do_but_for_its_lowest_value(i: int, f: int, ties: str) -> None:
    """Its range is two's complement, so it has one value, −2^i, that saturates to −∞ here."""
    A = Fixed(i, f, ties)  # type: ignore[arg-type]
    steps = np.random.default_rng(6).integers(-(2 ** (i + f + 12)), 2 ** (i + f + 12), 200_000)
    x = steps * 2.0 ** -(f + 10)
    exact = apytypes.APyFixedArray.from_array(x, int_bits=i + 4, frac_bits=f + 10)
    cast = exact.cast(
        int_bits=i + 1, frac_bits=f, quantization=APYTYPES_MODES[ties], overflow=apytypes.OverflowMode.SAT
    )
    theirs = cast.to_numpy()
    lowest = theirs == -(2.0**i)
    assert lowest.any()
    assert np.array_equal(A.round(x), np.where(lowest, -A.infinity, theirs))
