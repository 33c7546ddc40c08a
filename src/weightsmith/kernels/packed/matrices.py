"""Sparse matrices for the loops: without zeros, weights as right factors."""

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, Native, Saturating, Weights, as_float64
from weightsmith.kernels.packed.carrier import Carrier
from weightsmith.kernels.packed.linear import EntryKind, Matrix

MIN_REUSE = 8  # entries for each lane from which on it pays to look at its values first
Indices = npt.NDArray[np.int64]


def sparse(c: Carrier, weights: Weights, bias: Weights | None = None) -> Matrix:
    """Return a matrix without its zeros: adding 0 changes nothing.

    In `Native` zeros are kept: 0 times an overflow is NaN there, and the run must be refused.
    """
    dense = as_float64(weights)
    rows, lanes = np.nonzero(np.ones_like(dense) if isinstance(c.arithmetic, Native) else dense)
    values = dense[rows, lanes]
    unit = np.abs(values) <= 1
    kinds = np.select(
        [values == 1, values == -1, unit], [EntryKind.ONE, EntryKind.MINUS_ONE, EntryKind.UNIT], EntryKind.LARGE
    )
    starts = np.searchsorted(rows, np.arange(len(dense) + 1)).astype(np.int64)
    entries = c.encode(values)
    shift = c.encode(np.zeros(len(dense)) if bias is None else bias)
    factors = np.where(unit, c.unit_factors(entries), c.factors(entries))
    calm = _bounds(c, rows, values, len(dense))
    if len(values) < MIN_REUSE * dense.shape[1]:
        calm = calm[:0]
    indices = lanes.astype(np.int32)
    return Matrix(starts, indices, factors, c.multiples(factors), c.reach(entries), kinds.astype(np.int8), calm, shift)


def _bounds(c: Carrier, rows: Indices, values: Array, count: int) -> Array:
    """Return for each row how large all |x| may be so that no sum saturates.

    Each product and each sum is rounded, which adds at most half a quantum, or a part in 2^p.
    """
    if not isinstance(c.arithmetic, Saturating):
        return np.zeros(0)
    r, sizes = c.rounding, np.bincount(rows, np.abs(values), count)
    entries = np.bincount(rows, minlength=count)
    quantum = 2.0 ** (r.least_exponent + 1 - r.precision)
    with np.errstate(over="ignore"):
        growth = (1 + 2.0**-r.precision) ** (2.0 * entries) if r.scale == 1 else np.ones(count)
        room = np.maximum(0.99 * r.infinity / growth - entries * quantum, 0)
        bounds: Array = c.scale * room / np.maximum(sizes, quantum)
    return bounds
