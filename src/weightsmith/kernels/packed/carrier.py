"""What carries the values of an arithmetic in a fast run: the smallest machine type in which every step is exact."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Fixed, Float, Native, Weights
from weightsmith.arithmetic.core import Elementary
from weightsmith.arithmetic.elementary import table
from weightsmith.arithmetic.saturating import TABLE_BITS, Saturating
from weightsmith.kernels.packed.exact import Mode, Rounding
from weightsmith.kernels.packed.operations import TableIndex
from weightsmith.kernels.packed.representations import (
    Constants,
    floats,
    floats_to_even,
    function,
    int16_to_zero,
    integers,
    machine,
)

Carried = npt.NDArray[Any]

_MODES = {"zero": Mode.TO_ZERO, "even": Mode.TO_EVEN, "away": Mode.AWAY}


@dataclass(frozen=True, eq=False)
class Carrier:
    """An arithmetic's machine type, with the constants that the loops need."""

    arithmetic: Arithmetic
    dtype: np.dtype[Any]
    scale: float  # a carrier value is `scale` times the number that it means
    constants: Constants
    rounding: Rounding

    def encode(self, values: Weights) -> Carried:
        """Return members as carrier values."""
        return np.ascontiguousarray((values * self.scale).astype(self.dtype))

    def decode(self, carried: Carried) -> Array:
        """Return carrier values as members, without −0."""
        return carried.astype(np.float64) / self.scale + 0.0

    def factors(self, carried: Carried) -> Carried:
        """Return carrier values as the values of right factors of `multiply` and `multiply_weight`."""
        return self._by_representation("factors", carried)

    def unit_factors(self, carried: Carried) -> Carried:
        """Return carrier values of at most 1 as the values of right factors of `multiply_unit`."""
        return self._by_representation("unit_factors", carried)

    def reach(self, carried: Carried) -> Carried:
        """Return for each weight the |x| from which on x ⊗ weight saturates; zeros, where it need not be known."""
        return self._by_representation("reach", carried)

    def _by_representation(self, name: str, carried: Carried) -> Carried:
        made: Carried = function(type(self.constants), name)(carried, self.constants)
        return made


@lru_cache(maxsize=64)
def carrier(arithmetic: Arithmetic) -> Carrier:
    """Choose the carrier of an arithmetic."""
    A: Any = arithmetic
    if isinstance(A, Native):
        dtype = np.dtype(A.dtype)
        mode = Mode.FLOAT32 if dtype == np.float32 else Mode.FLOAT64
        return Carrier(A, dtype, 1.0, machine.constants(A, dtype), Rounding(0.0, 0.0, 0, 0, int(mode), 1.0))
    dtype = _dtype(A)
    if dtype.kind == "i":
        module = int16_to_zero if dtype == np.int16 and A.ties == "zero" else integers
    else:
        module = floats_to_even if A.ties == "even" else floats
    scale = 2.0**A.fraction_bits if dtype.kind == "i" else 1.0
    rounding = Rounding(A.lowest, A.infinity, A.least_exponent, A.precision, int(_MODES[A.ties]), scale)
    return Carrier(A, dtype, scale, module.constants(A, dtype), rounding)


def _dtype(A: Saturating) -> np.dtype[Any]:
    """Choose a type in which products fit, or are told from every tie: see `arithmetic.rounding`.

    A product of integers is cut at ∞·2^f plus one weight, below 2^(i + 2f) + 2^(i + f).
    """
    if isinstance(A, Fixed):
        for dtype, bits in ((np.int16, 14), (np.int32, 30)):
            if A.integer_bits + 2 * A.fraction_bits <= bits:
                return np.dtype(dtype)
    small = isinstance(A, Float) and A.infinity < 2.0**64 and A.smallest > 2.0**-90
    return np.dtype(np.float32 if small and A.precision <= 11 else np.float64)


@lru_cache(maxsize=64)
def function_table(carrier: Carrier, name: Elementary) -> tuple[Carried, TableIndex] | None:
    """Return a function of every member, and where a carrier value stands in it; None if there are too many."""
    A, dtype = carrier.arithmetic, carrier.dtype
    if not isinstance(A, Saturating) or A.bits > TABLE_BITS:
        return None
    members, values = table(name, A)
    if dtype.kind == "i":
        return carrier.encode(values), TableIndex(0, 0, len(members) // 2)
    fraction = 23 if dtype == np.float32 else 52
    shift = fraction + 1 - A.precision
    sizes = np.abs(members).astype(dtype).view(f"i{dtype.itemsize}").astype(np.int64) >> shift
    base = int(sizes[members != 0].min()) - 1
    half = int(sizes.max()) - base + 1
    result = np.zeros(2 * half, dtype)
    result[np.maximum(sizes - base, 0) + np.where(members < 0, half, 0)] = values
    return result, TableIndex(shift, base, half)
