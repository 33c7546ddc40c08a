"""Piecewise linear functions of one whole number as neurons: one for each change of slope."""

from typing import NamedTuple

import numpy as np

from weightsmith.programs.circuit.forms import LARGEST_CODE, Integers, TooLargeError


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
    if len(from_right[0]) < len(from_left[0]):
        return int(wanted[-1]), _kinks(-1, *from_right)
    return int(wanted[0]), _kinks(1, *from_left)


def _kinks(direction: int, offsets: Integers, slopes: Integers) -> list[Kink]:
    return [Kink(direction, offset, slope) for offset, slope in zip(offsets.tolist(), slopes.tolist(), strict=True)]


def _from_left(codes: Integers, wanted: Integers) -> tuple[Integers, Integers]:
    """Return offsets and changes of slope, from the smallest code on.

    Between two codes the slope is one whole number where that will do, else 0 and, over the last 1, all of the rise.
    """
    gaps, rises = np.diff(codes), np.diff(wanted)
    straight = rises % gaps == 0
    at = np.stack([codes[:-1], codes[1:] - 1], axis=1).ravel()
    slopes = np.stack([np.where(straight, rises // gaps, 0), np.where(straight, rises // gaps, rises)], axis=1).ravel()
    changes = np.diff(slopes, prepend=0)
    turns = np.flatnonzero(changes)
    return at[turns], changes[turns]
