"""What the parts of a module hold: weights under their own names, and tables that grow with the inputs."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import torch
from torch import Tensor, nn

from weightsmith.arithmetic import Arithmetic, Array, Weights
from weightsmith.errors import ExportError


class Kind(NamedTuple):
    """What all parts of a module share: the arithmetic of the transformer, and how weights are held."""

    arithmetic: Arithmetic
    dtype: torch.dtype
    learnt: bool  # weights are parameters; otherwise buffers


class Part(nn.Module):
    """A part of a module: its weights have the names that they have in a transformer."""

    def hold(self, kind: Kind, where: str, **arrays: Weights | None) -> None:
        """Take weights over; `where` is said of one that the dtype does not hold."""
        for name, array in arrays.items():
            tensor = None if array is None else torch.from_numpy(np.array(array)).to(kind.dtype)
            if tensor is not None and not bool(torch.isfinite(tensor).all()):
                largest = f"{float(np.abs(array).max()):g}"  # type: ignore[arg-type]
                raise ExportError(
                    f"{where}{name} holds {largest}, which is beyond {str(kind.dtype).removeprefix('torch.')}: "
                    "write dtype='float32', or 'float64'"
                )
            if kind.learnt:
                self.register_parameter(name, None if tensor is None else nn.Parameter(tensor))
            else:
                self.register_buffer(name, tensor)


class GrowingTable(nn.Module):
    """A table with a row for each position or distance, made for as many of them as were ever asked for.

    It is no weight: it follows from what the transformer says of its positions, and no state_dict holds it.
    """

    rows: Tensor

    def __init__(self, kind: Kind, make: Callable[[int], Array], first: int) -> None:
        """Take the function that makes so many rows, and make the first ones."""
        super().__init__()
        self._make = make
        self.register_buffer("rows", torch.from_numpy(np.array(make(first))).to(kind.dtype), persistent=False)

    def forward(self, length: int) -> Tensor:
        """Return the first rows."""
        if len(self.rows) < length:
            new = torch.from_numpy(np.array(self._make(2 * length)))
            self.rows = new.to(self.rows.device, self.rows.dtype)
        return self.rows[:length]


FIRST_ROWS = 64  # of tables for inputs of any length
