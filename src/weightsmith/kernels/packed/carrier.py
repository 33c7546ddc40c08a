"""What carries the values of an arithmetic in a fast run: the smallest machine type in which every step is exact."""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, Fixed, Float, Native
from weightsmith.arithmetic.core import Elementary
from weightsmith.arithmetic.elementary import table
from weightsmith.arithmetic.saturating import TABLE_BITS, Saturating
from weightsmith.kernels.packed.rules import Binary, BinaryEven, Exact, Machine, Place, Rule, Whole, WholeToZero

Carried = npt.NDArray[Any]

_TIES = {"zero": 0, "even": 1, "away": 2}


@dataclass(frozen=True, eq=False)
class Carrier:
    """An arithmetic's machine type, with the constants that the loops need."""

    arithmetic: Arithmetic
    dtype: np.dtype[Any]
    scale: float  # a carrier value is `scale` times the number that it means
    rule: Rule
    exact: Exact

    def encode(self, values: Array) -> Carried:
        """Return members as carrier values."""
        return np.ascontiguousarray((values * self.scale).astype(self.dtype))

    def decode(self, carried: Carried) -> Array:
        """Return carrier values as members, without −0."""
        return carried.astype(np.float64) / self.scale + 0.0

    def prepare(self, weights: Carried) -> Carried:
        """Return weights as products want them: see `products.prepared`."""
        prepared: Carried = weights * self.rule.nudge if isinstance(self.rule, Binary) else weights
        return prepared

    def share(self, weights: Carried) -> Carried:
        """Return weights of at most 1 as `products.share` does."""
        if not isinstance(self.rule, WholeToZero):
            return self.prepare(weights)
        larger = (weights.astype(np.int64) << int(self.rule.up)) - np.sign(weights)
        return larger.astype(self.dtype)

    def reach(self, weights: Carried) -> Carried:
        """Return for each weight the |x| from which on x ⊗ weight saturates; only integers need it."""
        if not isinstance(self.rule, Whole | WholeToZero):
            return np.zeros_like(weights)
        largest = int(self.rule.infinity)
        sizes = np.maximum(np.abs(weights.astype(np.int64)), 1)
        reach: Carried = np.minimum(-(-(largest + 1 << int(self.rule.shift)) // sizes), largest).astype(self.dtype)
        return reach


@lru_cache(maxsize=64)
def carrier(arithmetic: Arithmetic) -> Carrier:
    """Choose the carrier of an arithmetic."""
    if isinstance(arithmetic, Native):
        dtype = np.dtype(arithmetic.dtype)
        exact = Exact(0.0, 0.0, 0, 0, 3 if dtype == np.float32 else 4, 1.0, 1.0)
        return Carrier(arithmetic, dtype, 1.0, Machine(dtype.type(arithmetic.infinity)), exact)
    assert isinstance(arithmetic, Saturating)
    A, dtype = arithmetic, _dtype(arithmetic)
    scale = 2.0**A.fraction_bits if isinstance(A, Fixed) and dtype.kind == "i" else 1.0
    rule = _whole(A, dtype) if isinstance(A, Fixed) and dtype.kind == "i" else _binary(A, dtype)
    nudge = 1 + {"zero": -1, "even": 0, "away": 1}[A.ties] * (2.0**-19 if dtype == np.int16 else 2.0**-40)
    exact = Exact(A.lowest, A.infinity, A.least_exponent, A.precision, _TIES[A.ties], scale, nudge)
    return Carrier(A, dtype, scale, rule, exact)


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


def _whole(A: Fixed, dtype: np.dtype[Any]) -> Whole | WholeToZero:
    number, bits, shift = dtype.type, 8 * dtype.itemsize, A.fraction_bits
    half = 1 << shift >> 1
    bias = half if A.ties == "away" else max(half - 1, 0)
    mask = 0 if shift == 0 else -1 if A.ties == "away" else 1
    tie = shift if A.ties == "even" else bits - 1
    wide = np.dtype(f"int{2 * bits}").type
    infinity, sign, large = 2**A.precision - 1, bits - 1, 1 << bits - 2
    numbers: list[Any] = [*(number(x) for x in (infinity, shift, bias, tie, mask, sign, large)), wide(bits)]
    if dtype == np.int16 and A.ties == "zero":
        return WholeToZero(*numbers, *(number(x) for x in (15 - shift, 1, -1, shift > 0)))
    return Whole(*numbers)


def _binary(A: Saturating, dtype: np.dtype[Any]) -> Binary | BinaryEven:
    number, bits = dtype.type, np.dtype(f"int{8 * dtype.itemsize}").type
    fraction, offset = (23, 127) if dtype == np.float32 else (52, 1023)
    dropped = fraction + 1 - A.precision  # bits of the carrier that a normal member leaves at 0
    exponent = bits((2 * offset + 1) << fraction)
    least = bits((A.least_exponent + offset) << fraction)
    lift = bits((dropped << fraction) + (1 << fraction - 1))
    half = 1 << dropped - 1
    bias = bits(half if A.ties == "away" else half - 1)
    shared = (number(A.infinity), exponent, least, lift, bias, bits(-1 << dropped))
    if A.ties == "even":
        return BinaryEven(*shared, bits(dropped), bits(1))
    nudge = 1 + 2.0**-fraction if A.ties == "away" else 1 - 2.0**-fraction
    return Binary(*shared, number(nudge), bits(8 * dtype.itemsize - 1))


@lru_cache(maxsize=64)
def function_table(carrier: Carrier, name: Elementary) -> tuple[Carried, Place] | None:
    """Return a function of every member, and how a carrier value finds its place there; None if there are too many."""
    A, dtype = carrier.arithmetic, carrier.dtype
    if not isinstance(A, Saturating) or A.bits > TABLE_BITS:
        return None
    members, values = table(name, A)
    if dtype.kind == "i":
        return carrier.encode(values), Place(0, 0, len(members) // 2)
    fraction = 23 if dtype == np.float32 else 52
    shift = fraction + 1 - A.precision
    sizes = np.abs(members).astype(dtype).view(f"i{dtype.itemsize}").astype(np.int64) >> shift
    base = int(sizes[members != 0].min()) - 1
    half = int(sizes.max()) - base + 1
    result = np.zeros(2 * half, dtype)
    result[np.maximum(sizes - base, 0) + np.where(members < 0, half, 0)] = values
    return result, Place(shift, base, half)
