"""Rounding to nearest with saturation, written to be read. `fast_rounding` does the same with Numba.

**One routine for both families.** The members of a system are S·2^(E−p+1) with |S| ≤ 2^p − 1 and E at least some
least exponent. In `Float` E varies; in `Fixed(i, f)` every value has the least exponent i − 1, with p = i + f. So a
fixed-point system is a floating-point system whose values are all subnormal. The distance between members near x is
its *quantum* 2^(max(E(x), least) − p + 1), where E(x) is the exponent of x: divide by it (exact, a power of two),
round to an integer, multiply back.

**Why one rounding of a float64 result is the rounding of the exact result.** Write x ∘ y for the exact real result of
an operation on members, and fl(x ∘ y) for what the carrier, with its w bits (53 in float64, 24 in float32), gives.
Rounding to p bits changes its answer only at the midpoints between neighbouring members, and a midpoint has at most
p + 1 bits, so it is itself a carrier value. The carrier's rounding is monotone and leaves carrier values alone:
x ∘ y below a midpoint never ends above it. What remains is a *false tie*: fl(x ∘ y) = m for a midpoint m ≠ x ∘ y.
For w ≥ 2p + 2 there is none:

- Products have at most 2p bits: exact. So are sums and differences in `Fixed`.
- A sum in `Float` that is not exact has operands so far apart that the last bit of the smaller one, y, lies w places
  or more below the first bit of the sum; y has p bits, so |y| < 2^(p−w) times that first bit, at most a quarter of the
  quantum of the larger one, x. So x is the nearest member, since the midpoints beside x are at least a quarter of
  its quantum away (a quarter, because the quantum halves just below a power of two). And |y| misses that quarter by at
  least one part in 2^p, more than the carrier errs. One bit more and it fails: a test shows a sum with p = 12 that a
  float32 carrier gets wrong.
- A quotient a/b·2^k of p-bit integers differs from a midpoint m/2·2^l (m odd, at most p + 1 bits) by at least 1 part in
  a·2 or in b·m, so relatively by more than 2^(−2p−1), and the carrier errs by at most 2^(−w).
- A square root s is never a midpoint m: m² has an odd last bit where s² has none. With h half a quantum at s, both are
  multiples of h², so |s − m| ≥ h² / (s + m). For 2^E ≤ s < 2^(E+1) that is more than h²·2^(−E−2), and the carrier errs
  by at most 2^(E−w). For normal s, h = 2^(E−p), which leaves 2^(E−2p−2) ≥ 2^(E−w). For subnormal s and in
  `Fixed(i, f)`, h = 2^(−f−1) is larger than that unless s is; s² < 2^i then bounds E, and 2f + 2E + 4 ≤ w
  holds for i + f ≤ 25.

Hence float64 carries p ≤ 25 and float32 carries p ≤ 11. The exponents must fit as well: products and quotients of
members may leave the carrier's range only where they saturate or vanish anyway, which holds for up to 10 exponent bits
in float64.

An arbitrary float64 given to `round` is not such a result, so the rounding below does not lean on any of this: it is
correct for every float64.
"""

from enum import IntEnum
from typing import NamedTuple, get_args

import numpy as np

from weightsmith.arithmetic.base import Arithmetic
from weightsmith.arithmetic.core import Array, Ties

MAX_PRECISION = 25
MAX_EXPONENT_BITS = 10


class Rule(IntEnum):
    """How machine code rounds a float64: by a tie rule, numbered as in `Ties`, or to the machine's own floats."""

    ZERO = 0
    EVEN = 1
    AWAY = 2
    FLOAT32 = -1
    FLOAT64 = -2


class Rounding(NamedTuple):
    """How a float64 is rounded into an arithmetic: everything that the roundings here and in the kernels need."""

    lowest: float
    infinity: float
    least_exponent: int
    precision: int
    rule: int  # a `Rule`, or the number of a rule in `Ties` that machine code does not know
    scale: float = 1.0  # of the values that a kernel holds: scale times the number that they mean

    @classmethod
    def of(cls, A: Arithmetic, ties: Ties) -> "Rounding":
        """Return the rounding of an arithmetic with a tie rule."""
        return cls(A.lowest, A.infinity, A.least_exponent, A.precision, get_args(Ties).index(ties))

    @property
    def direction(self) -> int | None:
        """Where a tie goes: −1 to zero, 0 to even, 1 away from zero; None for another rule, which kernels refuse."""
        directions: dict[int, int] = {Rule.ZERO: -1, Rule.EVEN: 0, Rule.AWAY: 1}
        return directions.get(self.rule)


def quantum(x: Array, least_exponent: int, precision: int) -> Array:
    """Return the distance between the members around each x."""
    _, exponent = np.frexp(x)  # x = m·2^exponent with ½ ≤ |m| < 1, so E(x) = exponent − 1
    steps: Array = np.ldexp(1.0, np.maximum(exponent - 1, least_exponent) - (precision - 1))
    return steps


def nearest_integer(s: Array, ties: Ties) -> Array:
    """Round to integers; |s| is below 2^52. Every intermediate value is exact or on the right side of ½."""
    if ties == "even":
        return np.rint(s)
    if ties == "zero":
        return np.copysign(np.ceil(np.abs(s) - 0.5), s)
    if ties == "away":
        whole = np.trunc(s)
        return whole + np.copysign(np.abs(s - whole) >= 0.5, s)
    raise AssertionError(f"the tie rule {ties} is not defined")


def nearest(x: Array, rounding: Rounding) -> Array:
    """Round each float64, which must not be NaN, to the nearest member between lowest and ∞."""
    lowest, infinity, least_exponent, precision, rule, _ = rounding
    clamped = np.minimum(np.maximum(x, lowest), infinity)
    steps: Array | float = 2.0 ** (least_exponent - precision + 1)
    if infinity >= 2.0 ** (least_exponent + 1):  # not fixed point, where there is one quantum for all
        steps = quantum(clamped, least_exponent, precision)
    return nearest_integer(clamped / steps, get_args(Ties)[rule]) * steps + 0.0  # + 0.0: there is no −0


def at_least(A: Arithmetic, x: Array) -> Array:
    """Return the smallest member that is not below each x ≥ 0; ∞ for x beyond it."""
    clamped = np.minimum(x, A.infinity)
    steps = quantum(clamped, A.least_exponent, A.precision)
    result: Array = np.ceil(clamped / steps) * steps
    return result


def next_above(A: Arithmetic, x: Array) -> Array:
    """Return the next member above each positive member; ∞ for ∞."""
    with np.errstate(over="ignore"):  # where ∞ is the largest float64
        return np.minimum(x + quantum(x, A.least_exponent, A.precision), A.infinity)
