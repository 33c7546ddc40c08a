"""Members of an arithmetic next to each other."""

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Native, Saturating


def at_least(A: Arithmetic, x: Array) -> Array:
    """Return the smallest member that is not below each value, or ∞."""
    nearest = A.round(np.minimum(x, A.infinity))
    return np.where(nearest < x, above(A, nearest), nearest)


def above(A: Arithmetic, x: Array) -> Array:
    """Return the next member above each positive member; ∞ for ∞."""
    if isinstance(A, Native):
        up = np.nextafter(x.astype(A.dtype), np.inf, dtype=A.dtype).astype(np.float64)
    else:
        up = x + spacing(A, x)
    return A.round(np.minimum(up, A.infinity))


def below(A: Arithmetic, x: Array) -> Array:
    """Return the next member below each positive member; 0 for 0."""
    if isinstance(A, Native):
        down = np.nextafter(x.astype(A.dtype), -np.inf, dtype=A.dtype).astype(np.float64)
    else:
        down = x - 0.6 * spacing(A, x)  # from a power of two it is half a step, else a whole one
    return A.round(np.maximum(down, 0.0))


def spacing(A: Arithmetic, x: Array) -> Array:
    """Return the distance from each member to the next above it."""
    if isinstance(A, Native):
        gap: Array = np.spacing(x.astype(A.dtype)).astype(np.float64)
        return gap
    assert isinstance(A, Saturating)
    step: Array = np.ldexp(1.0, np.maximum(np.frexp(x)[1] - 1, A.least_exponent) - A.precision + 1)
    return step
