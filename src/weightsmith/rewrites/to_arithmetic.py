"""The same transformer in another arithmetic, with its weights rounded."""

from weightsmith.arithmetic import Arithmetic
from weightsmith.model import Transformer
from weightsmith.model.folds import map_arrays


def to_arithmetic(T: Transformer, arithmetic: Arithmetic) -> Transformer:
    """Round every weight into another arithmetic.

    Requires: nothing.
    Ensures: every weight is the nearest member; the structure is the same. Decisions may change: nothing is promised.
    Exact in: every arithmetic that has all the weights already; there nothing is rounded.
    Because: that is what rounding is.
    """
    made = f"to_arithmetic({arithmetic})"
    return map_arrays(T, arithmetic.round, arithmetic=arithmetic, provenance=(*T.provenance, made))
