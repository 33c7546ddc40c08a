"""Piecewise linear functions of one whole number as neurons: one for each change of slope."""

from itertools import pairwise
from typing import NamedTuple

import numpy as np

from weightsmith.programs.compiler.forms import LARGEST_CODE, TooLargeError
from weightsmith.programs.compiler.symbols import Integers


class Kink(NamedTuple):
    """A neuron: slope · relu(direction · u − offset)."""

    direction: int
    offset: int
    slope: int


def kinks(codes: Integers, wanted: Integers) -> tuple[int, list[Kink]]:
    """Return a constant and neurons whose sum is the wanted number at every code: from the side that needs fewer."""
    reach = max(abs(int(wanted[0])), int(np.abs(np.diff(wanted)).max(initial=0))) * int(codes[-1] - codes[0])
    if reach > LARGEST_CODE:
        raise TooLargeError(
            f"a step that changes by {int(np.abs(np.diff(wanted)).max()):,} over numbers up to "
            f"{int(np.abs(codes).max()):,} needs neurons that no offered arithmetic holds: write a smaller max_length, "
            "or simpler steps"
        )
    from_left = _from_left(codes, wanted)
    from_right = _from_left(-codes[::-1], wanted[::-1])
    if len(from_right) < len(from_left):
        return int(wanted[-1]), [Kink(-1, offset, slope) for offset, slope in from_right]
    return int(wanted[0]), [Kink(1, offset, slope) for offset, slope in from_left]


def values_of(found: list[Kink], codes: Integers) -> Integers:
    """Return the sum of neurons at every code."""
    total = np.zeros(len(codes), np.int64)
    for kink in found:
        total += kink.slope * np.maximum(kink.direction * codes - kink.offset, 0)
    return total


def _from_left(codes: Integers, wanted: Integers) -> list[tuple[int, int]]:
    """Return offsets and changes of slope, from the smallest code on."""
    found: list[tuple[int, int]] = []
    slope = 0
    points = list(zip(codes.tolist(), wanted.tolist(), strict=True))
    for (here, before), (there, after) in pairwise(points):
        gap, rise = there - here, after - before
        straight = rise % gap == 0
        if straight and ((rise // gap != slope) <= (slope != 0) + (rise != 0)):
            turns = [(here, rise // gap)]
        else:  # flat, and then all at once
            turns = [(here, 0), (there - 1, rise)]
        for at, to in turns:
            if to != slope:
                found.append((at, to - slope))
                slope = to
    return found
