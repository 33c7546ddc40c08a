"""How time and memory grow with a size: a fitted exponent, a factor for each step, and peak memory."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np


def exponent(sizes: Sequence[float], values: Sequence[float]) -> float:
    """Return the k of the power law size^k that fits best, by least squares of the logarithms."""
    return float(np.polyfit(np.log(sizes), np.log(values), 1)[0])


def power(sizes: Sequence[float], values: Sequence[float]) -> str:
    """Return how values grow with sizes that are multiplied, such as "n^1.97"."""
    return f"n^{exponent(sizes, values):.2f}"


def each_step(sizes: Sequence[float], values: Sequence[float]) -> str:
    """Return the factor by which values grow when a size grows by one, such as "2.00× a symbol" for lengths."""
    return f"{np.exp(np.polyfit(sizes, np.log(values), 1)[0]):.2f}×"


def peak_mebibytes() -> float | None:
    """Return the peak memory of this process so far; None where the system does not say."""
    status = Path("/proc/self/status")  # not ru_maxrss, which counts what the parent had
    if not status.exists():
        return None
    return int(status.read_text().partition("VmHWM:")[2].split()[0]) / 1024
