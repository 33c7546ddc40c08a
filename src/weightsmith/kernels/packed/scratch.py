"""Memory that each thread keeps for its next run: to fetch it anew takes as long as many a run."""

import threading
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.kernels.packed.carrier import Carried

KEPT_BYTES = 32 << 20  # as much as a check's run takes


class Scratch(threading.local):
    """Arrays by name."""

    def __init__(self) -> None:
        """Begin with none."""
        self.named: dict[str, npt.NDArray[np.uint8]] = {}

    def rows(self, name: str, count: int, width: int, dtype: np.dtype[Any]) -> Carried:
        """Return rows that hold anything; what had the name before is written over."""
        size = count * width * dtype.itemsize
        if name not in self.named or self.named[name].size < size:
            self.named[name] = np.empty(size, np.uint8)
        return self.named[name][:size].view(dtype).reshape(count, width)

    def shrink(self) -> None:
        """Drop everything, if it is more than what a check's run takes."""
        if sum(kept.size for kept in self.named.values()) > KEPT_BYTES:
            self.named.clear()
