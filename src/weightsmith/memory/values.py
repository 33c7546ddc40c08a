"""Columns of W_2 such that what a neuron adds at its key is just its value."""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import InputError, shown
from weightsmith.memory.members import above, below
from weightsmith.model import FeedForward, Transformer


def columns(T: Transformer, layer: FeedForward, values: Array, labels: Sequence[str]) -> Array:
    """Return (lanes, facts): the members c with act(1) ⊗ c = value; refuse a value for which there is none.

    In the machine's arithmetic the nearest is taken: functions are not exact there, and `facts` says what comes out.
    """
    A = T.arithmetic
    for flag in T.flags:
        for n in np.flatnonzero(values[:, T.lanes.index(flag)]).tolist():
            raise InputError(f"the value of {labels[n]} writes to {shown(flag)}, which is a flag: choose other lanes")
    full = float(A.activate(layer.function, 1.0))
    if full == 0:
        raise InputError(f"{layer.activation}(1) is 0 in {A}, so no value comes out: use a finer arithmetic")
    sizes = np.abs(values)
    result = A.divide(sizes, full)
    for near in (above(A, result), below(A, result)):
        result = np.where((A.multiply(full, result) != sizes) & (A.multiply(full, near) == sizes), near, result)
    wrong = np.argwhere(A.multiply(full, result) != sizes)
    if wrong.size and not isinstance(A, Native):
        n, j = (int(place) for place in wrong[0])
        nearest = float(A.multiply(full, result[n, j]) * np.sign(values[n, j]))
        raise InputError(
            f"the value of {labels[n]}, lane {shown(T.lanes[j])}: {float(values[n, j])!r} is not {full:g} times a "
            f"member of {A}, and {full:g} is {layer.activation}(1); write {nearest!r} instead"
        )
    return (result * np.sign(values)).T + 0.0
