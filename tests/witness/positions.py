"""Where a token stands, from the definitions: vectors added to the embedding, and the rules inside attention."""

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import mpmath as mp

from tests.witness.functions import DIGITS, fraction
from tests.witness.numbers import System

Vector = list[Fraction]


def fractions(array: Any) -> list[Vector]:
    return [[Fraction(x) for x in row] for row in array.tolist()]


def schemes(positions: Any) -> list[Any]:
    return list(positions) if isinstance(positions, tuple) else [] if positions is None else [positions]


def added_vectors(N: System, T: Any, length: int) -> list[Vector] | None:
    """Give what is added to the embedding, by position."""
    for scheme in schemes(T.positions):
        if type(scheme).__name__ == "PositionTable":
            return fractions(scheme.values)[:length]
        if type(scheme).__name__ == "Sinusoidal":
            return [[_sinusoid(N, scheme.base, t, j, len(T.lanes)) for j in range(len(T.lanes))] for t in range(length)]
    return None


def _sinusoid(N: System, base: float, t: int, lane: int, lanes: int) -> Fraction:
    return _wave(N, mp.cos if lane % 2 else mp.sin, t, base, 2 * (lane // 2), lanes)


def _wave(
    N: System, function: Callable[[mp.mpf], mp.mpf], t: int, base: float, p: int, q: int, scale: float = 1
) -> Fraction:
    """Give a function of scale · t / base^(p/q), rounded once."""
    with mp.workdps(DIGITS):
        return N.round(fraction(function(mp.mpf(scale) * t / mp.mpf(base) ** (mp.mpf(p) / q))))


class Rule:
    """No rule: queries and keys meet as they are."""

    def turned(self, N: System, t: int, x: Vector) -> Vector:
        return x

    def key(self, N: System, i: int, j: int, k: Vector) -> Vector:
        return k

    def value(self, N: System, i: int, j: int, v: Vector) -> Vector:
        return v

    def penalty(self, N: System, i: int, j: int) -> Fraction | None:
        return None


class ByDistance(Rule):
    """Relative positions."""

    def __init__(self, rule: Any) -> None:
        self.keys = fractions(rule.keys)
        self.values = None if rule.values is None else fractions(rule.values)

    def key(self, N: System, i: int, j: int, k: Vector) -> Vector:
        assert i >= j
        return [N.round(a + b) for a, b in zip(k, self.keys[min(i - j, len(self.keys) - 1)], strict=True)]

    def value(self, N: System, i: int, j: int, v: Vector) -> Vector:
        if self.values is None:
            return v
        return [N.round(a + b) for a, b in zip(v, self.values[min(i - j, len(self.values) - 1)], strict=True)]


class Turning(Rule):
    """Rotary positions."""

    def __init__(self, rule: Any) -> None:
        self.base, self.pairing, self.size = rule.base, rule.pairing, rule.size
        self.scales = rule.scales

    def turned(self, N: System, t: int, x: Vector) -> Vector:
        result, size = list(x), len(x) if self.size is None else self.size
        for p in range(size // 2):
            first, second = (p, p + size // 2) if self.pairing == "halves" else (2 * p, 2 * p + 1)
            scale = 1 if self.scales is None else self.scales[p]
            cos, sin = (_wave(N, function, t, self.base, 2 * p, size, scale) for function in (mp.cos, mp.sin))
            a, b = x[first], x[second]
            result[first] = N.round(N.round(a * cos) - N.round(b * sin))
            result[second] = N.round(N.round(b * cos) + N.round(a * sin))
        return result


class Penalty(Rule):
    """ALiBi."""

    def __init__(self, slope: Fraction) -> None:
        self.slope = slope

    def penalty(self, N: System, i: int, j: int) -> Fraction:
        return N.round(-self.slope * abs(i - j))


def _slope(place: int, heads: int) -> Fraction:
    """Give 2^(−8·(place + 1)/heads)."""
    with mp.workdps(DIGITS):
        return fraction(mp.mpf(2) ** (-mp.mpf(8 * (place + 1)) / heads))


def rule_of_head(T: Any, head: Any, place: int, heads: int) -> Rule:
    """Give the rule of a head: its own, or the transformer's."""
    own = head.positions is not None
    for rule in [head.positions] if own else schemes(T.positions):
        kind = type(rule).__name__
        if kind == "Relative":
            return ByDistance(rule)
        if kind == "Rotary":
            return Turning(rule)
        if kind == "Alibi":
            if rule.slopes is None:
                return Penalty(_slope(*(rule.place or (place, heads))))
            return Penalty(Fraction(rule.slopes[0 if own else place]))
        assert kind in ("PositionTable", "Sinusoidal"), f"the witness knows no positions {kind}"
    return Rule()
