"""The same transformer in another arithmetic, with its weights rounded."""

from dataclasses import fields, replace
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.model import Transformer
from weightsmith.model.frozen import Frozen


def to_arithmetic(T: Transformer, arithmetic: Arithmetic) -> Transformer:
    """Round every weight into another arithmetic.

    Requires: nothing.
    Ensures: every weight is the nearest member; the structure is the same. Decisions may change: nothing is promised.
    Exact in: every arithmetic that has all the weights already; there nothing is rounded.
    Because: that is what rounding is.
    """

    def rounded(part: Any) -> Any:
        if isinstance(part, np.ndarray):
            return arithmetic.round(part)
        if isinstance(part, tuple):
            return tuple(rounded(item) for item in part)
        if isinstance(part, Frozen):
            return replace(part, **parts(part))  # type: ignore[type-var]
        return part

    def parts(part: Frozen) -> dict[str, Any]:
        return {field.name: rounded(getattr(part, field.name)) for field in fields(part)}  # type: ignore[arg-type]

    made = f"to_arithmetic({arithmetic})"
    return replace(T, **{**parts(T), "arithmetic": arithmetic, "provenance": (*T.provenance, made)})
