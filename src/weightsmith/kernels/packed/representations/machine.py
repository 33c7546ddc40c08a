"""The machine's own arithmetic: nothing is rounded a second time, nothing is cut, and NaN may occur."""

from typing import Any, NamedTuple

import numpy as np

from weightsmith.arithmetic import Native
from weightsmith.kernels.packed.instructions import plus, times
from weightsmith.kernels.packed.representations import floats_to_even
from weightsmith.kernels.packed.representations.factors import BoundedFactor, Factor, UnitFactor, WeightFactor

BASE = floats_to_even  # what is not here is as there


class Machine(NamedTuple):
    """The largest number; there are no other constants."""

    infinity: Any


def constants(A: Native, dtype: np.dtype[Any]) -> Machine:
    """Return the constants of an arithmetic."""
    return Machine(dtype.type(A.infinity))


def add(x: Any, y: Any, constants: Any) -> Any:
    """Return x + y."""
    return plus(x, y)


def add_calm(x: Any, y: Any, constants: Any) -> Any:
    """Return x + y."""
    return plus(x, y)


def multiply(x: Any, y: Factor, constants: Any) -> Any:
    """Return x · y."""
    return times(x, y.value)


def multiply_unit(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x · y."""
    return times(x, y.value)


def multiply_normal(x: Any, y: UnitFactor, constants: Any) -> Any:
    """Return x · y."""
    return times(x, y.value)


def multiply_bounded(x: Any, y: BoundedFactor, constants: Any) -> Any:
    """Return x · y."""
    return times(x, y.value)


def multiply_weight(x: Any, y: WeightFactor, constants: Any) -> Any:
    """Return x · y."""
    return times(x, y.value)


def divide(x: Any, row: int, y: Any, count: int, rounding: Any, constants: Any) -> None:
    """Replace a row of x by x / y."""
    for i in range(count):
        x[row, i] = x[row, i] / y[0, i]
