"""The loop for norms: in float64, every step rounded as in the reference."""

from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic.fast_rounding import away, to_even, to_zero
from weightsmith.arithmetic.rounding import Rule
from weightsmith.kernels.packed.instructions import internal


class Norm(NamedTuple):
    """A norm over some lanes of the stream."""

    lanes: Any
    m: float  # their number, rounded
    eps: float
    centred: bool
    gain: Any  # empty for none
    bias: Any


@internal
def round_exactly(x: Any, r: Any) -> Any:
    """Round a float64 into the arithmetic."""
    if r.rule == Rule.ZERO:
        return to_zero(x, r)
    if r.rule == Rule.EVEN:
        return to_even(x, r)
    if r.rule == Rule.AWAY:
        return away(x, r)
    return np.float64(np.float32(x)) if r.rule == Rule.FLOAT32 else x


def norm(h: Any, out: Any, norm: Any, x: Any, first: int, last: int, rounding: Any) -> int:
    """Normalise the columns from first to last; return a column with the root 0, or −1 for none. x has room for one."""
    lanes, m, r = norm.lanes, norm.m, rounding
    for i in range(first, last):
        total = 0.0
        for j in range(lanes.size):
            x[j] = np.float64(h[lanes[j], i]) / r.scale
            total = round_exactly(total + x[j], r)
        if norm.centred:
            mean = round_exactly(total / m, r)
            for j in range(lanes.size):
                x[j] = round_exactly(x[j] - mean, r)
        total = 0.0
        for j in range(lanes.size):
            total = round_exactly(total + round_exactly(x[j] * x[j], r), r)
        root = round_exactly(np.sqrt(round_exactly(round_exactly(total / m, r) + norm.eps, r)), r)
        if not (root > 0 and np.isfinite(root)):
            return i
        for j in range(lanes.size):
            y = round_exactly(x[j] / root, r)
            y = round_exactly(y * norm.gain[j], r) if norm.gain.size else y
            y = round_exactly(y + norm.bias[j], r) if norm.bias.size else y
            out[lanes[j], i] = h.dtype.type(y * r.scale)
    return -1
