"""The different rows of an array, in the order in which they come."""

from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.automata.extraction.compiled import compiled

Ints = npt.NDArray[np.int32]


def different(rows: npt.NDArray[Any]) -> tuple[npt.NDArray[Any], Ints]:
    """Return the different ones of some rows, and which of them each row is."""
    examples, numbers = examples_of(rows)
    return rows[examples], numbers


def examples_of(rows: npt.NDArray[Any]) -> tuple[Ints, Ints]:
    """Return the place of an example of each different row, and which of them each row is."""
    if rows.shape[1] == 0:
        return np.zeros(min(len(rows), 1), np.int32), np.zeros(len(rows), np.int32)
    exact = rows + 0.0 if rows.dtype.kind == "f" else rows.astype(np.int32)  # without −0
    found: tuple[Ints, Ints] = compiled().distinct(np.ascontiguousarray(exact).view(np.int32))
    return found
