"""Functions of a number as steps: between two values a ramp, and around each a plateau on which nothing changes.

A small error in the input gives no error in the output. A step takes two neurons, relu(s(x − a)) − relu(s(x − b)) with
s(b − a) = 1; s is a power of 2, and a and b lie on a grid, so that weights are short numbers.
"""

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import NamedTuple

from weightsmith.programs.circuit.circuit import Part
from weightsmith.programs.circuit.forms import Cell

GRID = 4  # parts of a ramp on which its ends lie


@dataclass(frozen=True)
class Step:
    """Between two codes a ramp from `start` to `end`, over which the function changes."""

    below: Fraction
    above: Fraction
    start: Fraction
    end: Fraction
    change: int

    @property
    def slope(self) -> Fraction:
        """How steep the ramp is: a power of 2."""
        return 1 / (self.end - self.start)

    @property
    def plateau(self) -> Fraction:
        """How far a code may be off on either side."""
        return min(self.start - self.below, self.above - self.end)


class Neuron(NamedTuple):
    """`change` times relu(slope · (x − end))."""

    slope: Fraction
    end: Fraction
    change: Fraction


@dataclass(frozen=True)
class Steps:
    """A function of a form: its value at the far left, or right, and its steps from there."""

    part: Part
    codes: tuple[Fraction, ...]  # of the form, ascending
    base: Fraction | int
    direction: int  # 1: steps come in from the left, −1: from the right
    steps: tuple[Step, ...]

    @cached_property
    def neurons(self) -> list[Neuron]:
        """What computes it."""
        return flat_neurons(self)


def flat_neurons(steps: Steps) -> list[Neuron]:
    """Return two neurons for each step."""
    found = []
    for step in steps.steps:
        slope, change = steps.direction * step.slope, Fraction(steps.direction * step.change)
        start, end = (step.start, step.end)[:: steps.direction]
        found += [Neuron(slope, start, change), Neuron(slope, end, -change)]
    return found


def steps_of(part: Part, reciprocals: frozenset[Cell]) -> Steps:
    """Return a part of a layer as steps: it begins on the side on which it is 0, if it is 0 on one."""
    reads = [(Fraction(int(code)), int(wanted)) for code, wanted in zip(part.codes, part.wanted, strict=True)]
    weight = any(cell in reciprocals for cell, _ in part.form.cells)
    if weight:
        reads = [(1 / code, wanted) for code, wanted in reversed(reads)]
    direction = -1 if weight or (reads[0][1] and not reads[-1][1]) else 1  # steep steps stand on the left
    base = reads[0 if direction == 1 else -1][1]
    steps = tuple(step_between(a, b, high - low) for (a, low), (b, high) in pairwise(reads) if low != high)
    return Steps(part, tuple(code for code, _ in reads), base, direction, steps)


def step_between(below: Fraction, above: Fraction, change: int) -> Step:
    """Return the step between two codes: a ramp of a quarter to a half of the distance, in the middle."""
    width = Fraction(1)
    while width > (above - below) / 2:
        width /= 2
    while 2 * width <= (above - below) / 2:
        width *= 2
    grid = width / GRID
    start = round(((above + below) / 2 - width / 2) / grid) * grid
    return Step(below, above, start, start + width, change)
