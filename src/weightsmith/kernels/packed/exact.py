"""A float64 rounded into the arithmetic, wherever the carrier's own operations are not enough."""

from enum import IntEnum
from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic.fast_rounding import away, to_even, to_zero
from weightsmith.kernels.packed.instructions import internal


class Mode(IntEnum):
    """How a float64 is rounded: by a tie rule, or to the machine's own floats."""

    TO_ZERO = 0
    TO_EVEN = 1
    AWAY = 2
    FLOAT32 = 3
    FLOAT64 = 4


class Rounding(NamedTuple):
    """How a float64 is rounded into the arithmetic, and scaled to a carrier value."""

    lowest: float
    infinity: float
    least_exponent: int
    precision: int
    mode: int
    scale: float


@internal
def round_exactly(x: Any, r: Any) -> Any:
    """Round a float64 into the arithmetic."""
    if r.mode == Mode.TO_ZERO:
        return to_zero(x, r.lowest, r.infinity, r.least_exponent, r.precision)
    if r.mode == Mode.TO_EVEN:
        return to_even(x, r.lowest, r.infinity, r.least_exponent, r.precision)
    if r.mode == Mode.AWAY:
        return away(x, r.lowest, r.infinity, r.least_exponent, r.precision)
    return np.float64(np.float32(x)) if r.mode == Mode.FLOAT32 else x
