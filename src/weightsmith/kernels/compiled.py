"""The loops as machine code: compiled once for each carrier, with signatures written out, and cached on disk."""

from collections.abc import Callable
from functools import lru_cache
from types import SimpleNamespace
from typing import Any

import numba as nb
import numpy as np

from weightsmith.kernels import loops
from weightsmith.kernels.carrier import Carrier

NAMES = ("matvec", "accumulate", "spread", "score", "mix", "shift", "look_up", "normalise", "choose", "norm", "decide")


@lru_cache(maxsize=1)
def _dispatchers() -> dict[str, Any]:
    result = {}
    for name in NAMES:
        function: Callable[..., object] = getattr(loops, name)
        try:
            result[name] = nb.njit(nogil=True, error_model="numpy", cache=True)(function)
        except RuntimeError:  # neither this folder nor the user's cache folder can be written to
            result[name] = nb.njit(nogil=True, error_model="numpy")(function)
    return result


_done: set[Any] = set()


def compiled(carrier: Carrier) -> SimpleNamespace:
    """Give the loops, ready for the arrays of a carrier."""
    dispatchers = _dispatchers()
    key = (carrier.dtype, type(carrier.rule))
    if key not in _done:
        for name, signature in _signatures(carrier).items():
            dispatchers[name].compile(signature)
        _done.add(key)
    return SimpleNamespace(**dispatchers)


def _signatures(carrier: Carrier) -> dict[str, Any]:
    value = nb.from_dtype(carrier.dtype)
    row, rows, tiles = value[::1], value[:, ::1], value[:, :, ::1]
    count, yes, index = nb.int64, nb.boolean, nb.int64[::1]
    rule, exact, place = nb.typeof(carrier.rule), nb.typeof(carrier.exact), nb.typeof(loops.Place(0, 0, 0))
    levels = (index, index, yes)
    matrix = (index, index, row, row, nb.int8[::1])
    numbers = nb.float64[::1]
    return {
        "matvec": nb.void(*matrix, row, rows, count, rows, count, count, yes, yes, rule),
        "accumulate": nb.void(rows, rows, rule),
        "spread": nb.void(rows, index, index, tiles),
        "score": nb.void(rows, rows, tiles, rows, *levels, rows, rule),
        "mix": nb.void(rows, rows, tiles, *levels, rows, rule),
        "shift": nb.void(rows, *levels, rule),
        "look_up": nb.void(rows, *levels, row, place, rule),
        "normalise": nb.int64(rows, *levels, nb.boolean[::1], row, exact, rule),
        "choose": nb.void(rows, *levels, count, row),
        "norm": nb.int64(rows, rows, index, count, count, nb.float64, nb.float64, yes, numbers, numbers, exact),
        "decide": nb.void(rows, nb.int32[::1]),
    }
