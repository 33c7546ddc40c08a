"""The loops as machine code: compiled once for each carrier, with signatures written out, and cached on disk."""

import hashlib
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from types import CellType, FunctionType, SimpleNamespace
from typing import Any

import numba as nb

from weightsmith.arithmetic import fast_rounding
from weightsmith.kernels.packed import attention, instructions, linear, norms, operations, products, rules
from weightsmith.kernels.packed.carrier import Carrier

MODULES = (attention, linear, norms, products, operations, instructions, rules, fast_rounding)
LOOPS = (
    *(linear.embed, linear.matvec, linear.feed_forward, linear.accumulate, linear.decide),
    *(linear.look_up_rows, linear.multiply_rows, attention.attend, attention.rotate, norms.norm),
)


def _stamped(function: Any) -> Any:
    """Return a function that depends on the sources of everything it is compiled from.

    Numba's cache on disk looks only at the file that the function is in, and at its closure: so a digest of all the
    sources becomes a variable of the closure, which nothing reads.
    """
    sources = hashlib.sha256(b"".join(Path(str(module.__file__)).read_bytes() for module in MODULES)).hexdigest()
    code = function.__code__.replace(co_freevars=("sources",))
    return FunctionType(code, function.__globals__, function.__name__, None, (CellType(sources),))


@lru_cache(maxsize=1)
def _dispatchers() -> dict[str, Any]:
    result = {}
    for loop in LOOPS:
        name, function = loop.__name__, _stamped(loop)
        try:
            result[name] = nb.njit(nogil=True, error_model="numpy", cache=True)(function)
        except RuntimeError:  # neither this folder nor the user's cache folder can be written to
            result[name] = nb.njit(nogil=True, error_model="numpy")(function)
    return result


_done: set[Any] = set()


def compiled(carrier: Carrier) -> SimpleNamespace:
    """Return the loops, ready for the arrays of a carrier."""
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
    typeof: Callable[[object], Any] = nb.typeof
    rule, exact, place = typeof(carrier.rule), typeof(carrier.exact), typeof(rules.Place(0, 0, 0))
    levels = (index, index, yes)
    numbers = nb.float64[::1]
    matrix = (index, nb.int32[::1], row, row, nb.int8[::1], numbers, row, row)
    return {
        "embed": nb.void(tiles, index, index, index, rows),
        "look_up_rows": nb.void(rows, count, row, place, rule),
        "multiply_rows": nb.void(rows, rows, count, rule),
        "matvec": nb.void(*matrix, rows, count, rows, count, count, yes, rule),
        "feed_forward": nb.void(*matrix, *matrix, rows, rows, rows, count, rule),
        "accumulate": nb.void(rows, rows, row, rule),
        "attend": nb.int64(
            *(rows, rows, rows, rows, count, rows, rows, row, count, row, place, row, *levels, count, rows, rows),
            *(nb.boolean[::1], exact, rule),
        ),
        "rotate": nb.void(rows, index, index, rows, rows, index, index, rule),
        "norm": nb.int64(rows, rows, index, count, count, nb.float64, nb.float64, yes, numbers, numbers, exact),
        "decide": nb.void(rows, nb.int32[::1]),
    }
