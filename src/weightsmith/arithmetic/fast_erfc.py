"""The complementary error function of whole arrays, which numpy lacks: Numba compiles it, and caches it on disk."""

import math
from collections.abc import Callable
from typing import Any

import numba as nb


def _erfc(x: float) -> float:
    return math.erfc(x)


_vectorize: Callable[..., Any] = nb.vectorize
try:
    erfc = _vectorize(["float32(float32)", "float64(float64)"], cache=True)(_erfc)
except RuntimeError:  # neither this folder nor the user's cache folder can be written to
    erfc = _vectorize(["float32(float32)", "float64(float64)"])(_erfc)
