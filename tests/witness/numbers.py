"""Number systems as sorted lists of fractions. Slow, short, and straight from the definition."""

import re
from bisect import bisect_left
from decimal import Context, Decimal
from fractions import Fraction
from functools import lru_cache
from math import isqrt

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

    def round(self, x: Fraction) -> Fraction:
        if x >= self.members[-1]:
            return self.members[-1]
        if x <= self.members[0]:
            return self.members[0]
        place = bisect_left(self.members, x)
        above = self.members[place]
        if above == x:
            return above
        below = self.members[place - 1]
        if x - below != above - x:
            return below if x - below < above - x else above
        toward_zero, away = sorted((below, above), key=abs)
        if self.ties == "even":
            return below if (below / (above - below)) % 2 == 0 else above
        return toward_zero if self.ties == "zero" else away

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
        total = Fraction(0)
        for term in terms:
            total = self.round(total + term)
        return total

    def dot(self, x: list[Fraction], y: list[Fraction]) -> Fraction:
        return self.sum([self.round(a * b) for a, b in zip(x, y, strict=True) if a and b])  # 0 adds nothing


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
