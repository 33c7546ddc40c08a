"""The machine types, and error bounds of computed sums.

Every operation rounds to nearest, in any order of the terms; adding 0 and multiplying by powers of 2 round nothing, and
sums of short numbers are exact. In bfloat16 and float16 sums, and the softmax, are taken in float32 and rounded once at
the end, as PyTorch does it; in a finite arithmetic every operation rounds.
"""

from dataclasses import dataclass
from fractions import Fraction
from math import frexp

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Float, Saturating

FLOAT32 = Float(8, 24, ties="even")  # whose members are those of float32, but for the smallest
HOPELESS = 1e30  # off by more than anything is large: products with it stay numbers


@dataclass(frozen=True)
class Read:
    """The error of a row of weights: that of its lanes, and that of rounding; `short` if it rounds nothing."""

    passed: float
    rounded: float
    total: float  # the sum of all magnitudes
    short: bool = False

    @property
    def off(self) -> float:
        """By how much it may be off in all."""
        return self.passed + self.rounded


@dataclass(frozen=True)
class Rounding:
    """How a machine type rounds: results by `unit`, partial sums by `inner`, relative to themselves."""

    A: Saturating
    inner: float

    @property
    def unit(self) -> float:
        """How far a result may be off, relative to itself."""
        return 2.0**-self.A.precision

    @property
    def largest(self) -> float:
        """The largest number."""
        return float(self.A.infinity)

    @property
    def smallest(self) -> float:
        """The smallest positive number."""
        return float(self.A.smallest)

    def after(self, operations: int, result: float, total: float) -> float:
        """Return the error bound of a sum, from the number of operations and the sizes of result and terms."""
        product = operations * self.inner
        inside = product / (1 - product) * total if product < 0.5 else HOPELESS
        return inside if self.inner == self.unit else inside + self.unit * result

    def exact(self, numbers: Array, total: float) -> bool:
        """Return whether whole multiples of some numbers add up without rounding, up to a total magnitude."""
        finest = min((_last_bit(float(one)) for one in numbers if one), default=1.0)
        return total <= finest * 2.0**self.A.precision and total <= self.largest

    def read(
        self, held: Array, meant: Array, reach: Array, error: Array, most: float = HOPELESS, least: float = 0.0
    ) -> Read:
        """Return how far Σ weight · lane may be off, where the result lies between `least` and `most`, if not 0.

        The last weight is a bias: its lane is 1. Lanes without error hold whole numbers; a sum of short numbers that is
        off by less than its last bit is rounded to what is meant.
        """
        used = np.flatnonzero(held)
        weights = np.abs(held[used])
        passed = float((weights * error[used]).sum())
        total = float((weights * (reach[used] + error[used])).sum())
        wrong = float((np.abs(held - meant) * reach).sum())
        if wrong == 0 and passed <= least * self.unit / 4 and self.exact(weights, total):
            return Read(passed, 0.0, total, short=True)
        result, lone = min(most, total) + passed + wrong, bool(frexp(float(weights[0]))[0] == 0.5)
        if len(used) == 1 and lone:
            return Read(passed, wrong, total)
        if len(used) == 2 and held[-1] and lone:  # a product that is exact, and a bias
            return Read(passed, wrong + self.unit * result + self.smallest, total)
        result += total if held[-1] else 0.0  # where the bias is added after the sum has been rounded
        return Read(passed, wrong + self.after(len(used) + 1, result, total) + len(used) * self.smallest, total)


def rounding_in(A: Saturating, machine: bool) -> Rounding:
    """Return how an arithmetic rounds, or a machine type with its members, which adds up in float32."""
    unit = 2.0**-A.precision
    return Rounding(A, min(unit, 2.0**-24) if machine else unit)


TYPES = {
    "float32": rounding_in(FLOAT32, machine=True),
    "bfloat16": rounding_in(Float.like("bfloat16", ties="even"), machine=True),
    "float16": rounding_in(Float.like("float16", ties="even"), machine=True),
}


def types_for(arithmetic: Arithmetic | None) -> dict[str, Rounding]:
    """Return the types for which margins are stated: first that of the transformer."""
    if arithmetic is None:
        return TYPES
    assert isinstance(arithmetic, Float)
    return {str(arithmetic): rounding_in(arithmetic, machine=False), **TYPES}


def _last_bit(number: float) -> float:
    """Return the largest power of 2 of which a number is a whole multiple."""
    fraction = Fraction(number)
    low = fraction.numerator & -fraction.numerator
    return float(Fraction(abs(low), fraction.denominator))
