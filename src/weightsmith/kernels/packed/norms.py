"""The loop for norms, in float64, where every step is rounded as in the reference."""

from typing import Any

import numpy as np

from weightsmith.kernels.packed.operations import round_exactly


def norm(
    h: Any, out: Any, lanes: Any, first: int, last: int, m: float, eps: float, centred: bool, gain: Any, bias: Any,
    exact: Any,
) -> int:  # fmt: skip
    """Normalise the given lanes of the columns from first to last; give a column with the root 0, or −1 for none."""
    x = np.empty(lanes.size)
    for i in range(first, last):
        total = 0.0
        for j in range(lanes.size):
            x[j] = np.float64(h[lanes[j], i]) / exact.scale
            total = round_exactly(total + x[j], exact)
        if centred:
            mean = round_exactly(total / m, exact)
            for j in range(lanes.size):
                x[j] = round_exactly(x[j] - mean, exact)
        total = 0.0
        for j in range(lanes.size):
            total = round_exactly(total + round_exactly(x[j] * x[j], exact), exact)
        root = round_exactly(np.sqrt(round_exactly(round_exactly(total / m, exact) + eps, exact)), exact)
        if not (root > 0 and np.isfinite(root)):
            return i
        for j in range(lanes.size):
            y = round_exactly(x[j] / root, exact)
            y = round_exactly(y * gain[j], exact) if gain.size else y
            y = round_exactly(y + bias[j], exact) if bias.size else y
            out[lanes[j], i] = h.dtype.type(y * exact.scale)
    return -1
