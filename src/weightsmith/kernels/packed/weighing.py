"""From scores to weights, for a SIMD vector of columns, of which the first `count` are used."""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from weightsmith.kernels.packed.access import load, store
from weightsmith.kernels.packed.instructions import filled, inlined, internal, most
from weightsmith.kernels.packed.representation import add, divide, subtract, table_index


class Weighting(IntEnum):
    """How scores become weights."""

    AVERAGE = 0
    LEFTMOST = 1
    RIGHTMOST = 2
    SOFTMAX = 3
    SHIFTED = 4  # softmax of scores less the largest


class Weigher(NamedTuple):
    """How scores become weights, with exponentials from a table."""

    weighting: int
    table: Any
    index: Any
    equal_parts: Any  # [m] is 1/m rounded: it replaces an all-zero softmax row over m visible positions


@internal
def exponentiate(scores: Any, visible: int, count: int, weigher: Any, constants: Any) -> None:
    """Replace scores by their exponentials, after subtracting the largest if the softmax is shifted."""
    if weigher.weighting == Weighting.SHIFTED:
        largest = load(scores, 0, 0)
        for s in range(1, visible):
            largest = most(largest, load(scores, s, 0))
        for s in range(visible):
            store(scores, s, 0, subtract(load(scores, s, 0), largest, constants))
    for s in range(visible):
        for i in range(count):
            scores[s, i] = weigher.table[table_index(scores[s, i], weigher.index, constants)]


@inlined
def normalise(room: Any, here: int, visible: int, count: int, part: Any, rounding: Any, constants: Any) -> int:
    """Divide exponentials by their sums; where the sum is 0, note that and set the weights to `part`.

    Return the first column whose sum is not finite, or −1.
    """
    e, total, wrong = room.weights, room.total, -1
    z = filled(e.dtype.type(0))
    for s in range(visible):
        z = add(z, load(e, s, 0), constants)
    store(total, 0, 0, z)
    for i in range(count - 1, -1, -1):
        room.empty[here + i] = total[0, i] == 0
        if total[0, i] == 0:
            total[0, i] = 1  # all that is divided by it is 0
        if not np.isfinite(total[0, i]):
            wrong = i
    for s in range(visible):
        divide(e, s, total, count, rounding, constants)
        if part != 0:
            for i in range(count):
                if room.empty[here + i]:
                    e[s, i] = part
    return wrong


@internal
def choose(scores: Any, visible: int, count: int, weigher: Any) -> None:
    """Replace scores by equal parts on the largest ones, or by 1 on the first or last of them."""
    parts, weighting = weigher.equal_parts, weigher.weighting
    for i in range(count):
        most = scores[0, i]
        first, last, equal = 0, 0, 1
        for s in range(1, visible):
            if scores[s, i] > most:
                most, first, last, equal = scores[s, i], s, s, 1
            elif scores[s, i] == most:
                last, equal = s, equal + 1
        chosen = first if weighting == Weighting.LEFTMOST else last
        for s in range(visible):
            if weighting == Weighting.AVERAGE:
                scores[s, i] = parts[equal] if scores[s, i] == most else parts[0]
            else:
                scores[s, i] = parts[1] if s == chosen else parts[0]
