"""Steps whose plateaus are not flat, so that gradients pass them.

Around each code the function is a line through its value, and between the lines of two codes there is a ramp. What a
code is off by comes out smaller, by the slope of its line. The line rises, or falls, towards the nearest code with
another value; where there are two, towards the larger.
"""

from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from math import floor, log2

import numpy as np

from weightsmith.programs.circuit.forms import Cell, Codes
from weightsmith.programs.softmax.steps import Neuron, Step, Steps, flat_neurons, step_between


@dataclass(frozen=True)
class Slanted(Steps):
    """A function with a slope at every code; `gaps` are the ramps between all neighbours."""

    slopes: tuple[Fraction, ...]  # at every code
    gaps: tuple[Step, ...]

    @cached_property
    def neurons(self) -> list[Neuron]:
        """One neuron for every bend, in the direction of the function."""
        if not any(self.slopes):
            return flat_neurons(self)
        sign = self.direction
        slopes = [sign * one for one in self.slopes[::sign]]  # along the way
        first = self.gaps[::sign][0]
        found = [Neuron(sign * first.slope, _begin(self), slopes[0] / first.slope)]
        for gap, before, after in zip(self.gaps[::sign], slopes, slopes[1:], strict=False):
            code, other = (gap.below, gap.above)[::sign]
            start, end = (gap.start, gap.end)[::sign]
            rise = sign * gap.change - before * abs(start - code) - after * abs(other - end)
            ramp = rise * gap.slope
            found.append(Neuron(sign * gap.slope, start, (ramp - before) / gap.slope))
            found.append(Neuron(sign * gap.slope, end, (after - ramp) / gap.slope))
        return [one for one in found if one.change]


def plateau_slope(sharpness: Fraction) -> Fraction:
    """Return the slope of plateaus, relative to that of a line to the nearest other value: 2^(−sharpness / 2)."""
    return Fraction(1, 1 << max(1, floor(sharpness / 2)))


def slanted(flat: Steps, codes: Codes, sharpness: Fraction, maybe_none: frozenset[Cell]) -> Steps:
    """Return steps with slopes on their plateaus; `codes` are those of the cell that is written.

    A slope leads at most to the nearest code of the cell. Where a head may select nothing, the first code stands for
    all that its mean may be: its plateau stays flat.
    """
    if not flat.steps:
        return flat
    values = _values(flat)
    nearest = int(np.diff(codes).min()) if len(codes) > 1 else 1
    part = plateau_slope(sharpness)
    slopes = [part * one for one in _towards(flat.codes, values, nearest)]
    if any(cell in maybe_none for cell, _ in flat.part.form.cells):
        slopes[0] = Fraction(0)
    changes = {(step.below, step.above): step for step in flat.steps}
    gaps = tuple(changes.get((a, b)) or step_between(a, b, 0) for a, b in zip(flat.codes, flat.codes[1:], strict=False))
    found = Slanted(flat.part, flat.codes, flat.base, flat.direction, flat.steps, tuple(slopes), gaps)
    first = slice(None, None, flat.direction)
    return replace(found, base=flat.base + slopes[first][0] * (_begin(found) - flat.codes[first][0]))


def _begin(steps: Slanted) -> Fraction:
    """Return where the line through the first code begins: as far before it as its plateau goes on behind it."""
    sign = steps.direction
    first, code = steps.gaps[::sign][0], steps.codes[::sign][0]
    return 2 * code - (first.start if sign == 1 else first.end)


def _values(flat: Steps) -> list[int]:
    """Return the value at every code."""
    changes = {step.below: step.change for step in flat.steps}
    value, found = int(flat.base), list[int]()
    if flat.direction == -1:
        value -= sum(changes.values())
    for code in flat.codes:
        found.append(value)
        value += changes.get(code, 0)
    return found


def _towards(codes: tuple[Fraction, ...], values: list[int], nearest: int) -> list[Fraction]:
    """Return for each code the slope of a line towards the nearest with another value, as a power of 2."""
    last = len(codes) - 1
    before, after = list(range(-1, last)), list(range(1, last + 2))  # the next with another value, on either side
    for n in range(1, last + 1):
        if values[n] == values[n - 1]:
            before[n] = before[n - 1]
    for n in reversed(range(last)):
        if values[n] == values[n + 1]:
            after[n] = after[n + 1]
    found = []
    for n, code in enumerate(codes):
        others = [m for m in (after[n], before[n]) if 0 <= m <= last]
        best = min(others, key=lambda m: abs(codes[m] - code))
        change = min(abs(values[best] - values[n]), nearest)
        up = (values[best] > values[n]) == (best > n)
        power = floor(log2(change / abs(codes[best] - code)))
        found.append(Fraction(2) ** power * (1 if up else -1))
    return found
