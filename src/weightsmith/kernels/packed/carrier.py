"""The carrier of an arithmetic: the smallest machine type in which every step of a fast run is exact."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Fixed, Float, Native, Weights
from weightsmith.arithmetic.core import Elementary
from weightsmith.arithmetic.elementary import table
from weightsmith.arithmetic.rounding import Rounding, Rule
from weightsmith.arithmetic.saturating import TABLE_BITS, Saturating
from weightsmith.kernels.packed.floats import Floats, FloatsToEven, Machine
from weightsmith.kernels.packed.integers import Int16ToZero, Integers
from weightsmith.kernels.packed.representation import Encoded, Representation, TableIndex


@dataclass(frozen=True, eq=False)
class Carrier:
    """An arithmetic's machine type, with the constants that the loops need."""

    arithmetic: Arithmetic
    dtype: np.dtype[Any]
    scale: float  # an encoded value is `scale` times the number that it means
    representation: type[Representation]
    constants: Any
    rounding: Rounding

    def encode(self, values: Weights) -> Encoded:
        """Return members as values of the machine type."""
        return np.ascontiguousarray((values * self.scale).astype(self.dtype))

    def decode(self, encoded: Encoded) -> Array:
        """Return values of the machine type as members, without −0."""
        return encoded.astype(np.float64) / self.scale + 0.0

    def factors(self, encoded: Encoded) -> Encoded:
        """Return the values of right factors: see `Representation.factors`."""
        return self.representation.factors(encoded, self.constants)

    def unit_factors(self, encoded: Encoded) -> Encoded:
        """Return the values of right factors of at most 1: see `Representation.unit_factors`."""
        return self.representation.unit_factors(encoded, self.constants)

    def multiples(self, factors: Encoded) -> Encoded:
        """Return the multiples of the values of unit factors: see `Representation.multiples`."""
        return self.representation.multiples(factors, self.constants)

    def reach(self, encoded: Encoded) -> Encoded:
        """Return for each weight the |x| from which on x ⊗ weight saturates: see `Representation.reach`."""
        return self.representation.reach(encoded, self.constants)


@lru_cache(maxsize=64)
def carrier(arithmetic: Arithmetic) -> Carrier:
    """Choose the carrier of an arithmetic."""
    A: Any = arithmetic
    kind: type[Representation]
    if isinstance(A, Native):
        dtype, kind = np.dtype(A.dtype), Machine
        rule = Rule.FLOAT32 if dtype == np.float32 else Rule.FLOAT64
        return Carrier(A, dtype, 1.0, kind, kind.constants(A, dtype), Rounding(0.0, 0.0, 0, 0, int(rule)))
    dtype, ties = _dtype(A), A.rounding.direction
    if dtype.kind == "i":
        kind = Int16ToZero if dtype == np.int16 and ties < 0 else Integers
    else:
        kind = Floats if ties else FloatsToEven
    scale = 2.0**A.fraction_bits if dtype.kind == "i" else 1.0
    return Carrier(A, dtype, scale, kind, kind.constants(A, dtype), A.rounding._replace(scale=scale))


def _dtype(A: Saturating) -> np.dtype[Any]:
    """Choose a type in which products fit, or differ from every tie: see `arithmetic.rounding`.

    A product of integers is clamped to ∞·2^f plus one weight, below 2^(i + 2f) + 2^(i + f).
    """
    if isinstance(A, Fixed):
        for dtype, bits in ((np.int16, 14), (np.int32, 30)):
            if A.integer_bits + 2 * A.fraction_bits <= bits:
                return np.dtype(dtype)
    small = isinstance(A, Float) and A.infinity < 2.0**64 and A.smallest > 2.0**-90
    return np.dtype(np.float32 if small and A.precision <= 11 else np.float64)


@lru_cache(maxsize=64)
def function_table(carrier: Carrier, name: Elementary) -> tuple[Encoded, TableIndex] | None:
    """Return a table of a function of every member, and its index; None if there are too many members."""
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
