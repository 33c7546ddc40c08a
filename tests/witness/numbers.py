"""Number systems as sorted lists of fractions. Slow, short, and straight from the definition."""

import re
from bisect import bisect_right
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isqrt, lcm

HARDWARE = {  # exponent range, precision, largest finite value
    "float16": (-14, 15, 11, Fraction(65504)),
    "bfloat16": (-126, 127, 8, Fraction(255) * 2**120),
    "e4m3": (-6, 8, 4, Fraction(448)),
    "e5m2": (-14, 15, 3, Fraction(57344)),
}


class System:
    """A finite set of rationals with rounding to nearest, a tie rule and saturation."""

    def __init__(self, members: set[Fraction], ties: str) -> None:
        self.members = sorted(members)
        self.ties = ties
        self.infinity = self.members[-1]
        self.unit = lcm(*(x.denominator for x in members))  # every member is a whole number of 1/unit
        self.counts = [x.numerator * (self.unit // x.denominator) for x in self.members]

    def round(self, x: Fraction) -> Fraction:
        return self.members[self.nearest(x.numerator * self.unit, x.denominator)]

    def nearest(self, above: int, under: int = 1) -> int:
        """Find the member nearest to above/under units: in whole numbers, for fractions take ten times as long."""
        if above >= self.counts[-1] * under:
            return len(self.counts) - 1
        if above <= self.counts[0] * under:
            return 0
        place = bisect_right(self.counts, above // under)  # the first member that is greater
        low, high = self.counts[place - 1], self.counts[place]
        twice = 2 * above - (low + high) * under
        if twice != 0:
            return place - (twice < 0)
        if self.ties == "even":
            return place - (low // (high - low) % 2 == 0)
        toward_zero = place - (abs(low) < abs(high))
        return toward_zero if self.ties == "zero" else 2 * place - 1 - toward_zero

    def exp(self, x: Fraction) -> Fraction:
        if x > 1000:
            return self.infinity
        if x < -1000:
            return Fraction(0)
        return self.round(exp_to_60_digits(x))

    def sqrt(self, x: Fraction) -> Fraction:
        """Round the root cut off after 400 bits, with a last bit that says that it was cut."""
        scaled = x * 2**800
        root = isqrt(scaled.numerator // scaled.denominator)
        exact = root * root == scaled
        return self.round(Fraction(2 * root + (0 if exact else 1), 2**401))

    def sum(self, terms: list[Fraction]) -> Fraction:
        return self._folded([x.numerator * (self.unit // x.denominator) for x in terms])

    def dot(self, x: list[Fraction], y: list[Fraction]) -> Fraction:
        places = (
            self.nearest(a.numerator * b.numerator * self.unit, a.denominator * b.denominator)
            for a, b in zip(x, y, strict=True)
            if a and b  # 0 adds nothing
        )
        return self._folded([self.counts[place] for place in places])

    def _folded(self, counts: list[int]) -> Fraction:
        total = 0
        for count in counts:
            total = self.counts[self.nearest(total + count)]
        return Fraction(total, self.unit)


def exp_to_60_digits(x: Fraction) -> Fraction:
    """Give exp(x) from the standard library's decimals, which round it correctly."""
    context = Context(prec=60, Emax=10**6, Emin=-(10**6))
    return Fraction(context.divide(Decimal(x.numerator), Decimal(x.denominator)).exp(context))


def fixed(i: int, f: int, ties: str = "zero") -> System:
    largest = 2 ** (i + f) - 1
    return System({Fraction(k, 2**f) for k in range(-largest, largest + 1)}, ties)


def floating(least: int, greatest: int, p: int, ties: str = "zero", largest: Fraction | None = None) -> System:
    exponents, significands = range(least, greatest + 1), range(-(2**p) + 1, 2**p)
    members = {Fraction(S) * Fraction(2) ** (E - p + 1) for E in exponents for S in significands}
    return System({x for x in members if largest is None or abs(x) <= largest}, ties)


@lru_cache(maxsize=64)
def system(text: str) -> System:
    """Build the system that a text form names."""
    ties = "zero"
    if "ties=" in text:
        ties = text.split("ties=")[1].rstrip(")")
        text = re.sub(r",?ties=\w+", "", text).replace("()", "")
    if text in HARDWARE:
        least, greatest, p, largest = HARDWARE[text]
        return floating(least, greatest, p, ties, largest)
    family, first, second = re.fullmatch(r"(\w+)\((\d+),(\d+)\)", text).groups()  # type: ignore[union-attr]
    if family == "fixed":
        return fixed(int(first), int(second), ties)
    e = int(first)
    return floating(-(2 ** (e - 1)), 2 ** (e - 1) - 1, int(second), ties)
