"""The loops as machine code, compiled for each representation when they are needed, and cached on disk."""

import threading
from collections.abc import Callable, Iterable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numba as nb
import numpy as np

from weightsmith.arithmetic import fast_rounding, rounding
from weightsmith.kernels.packed import (
    access,
    attention,
    floats,
    instructions,
    integers,
    linear,
    norms,
    parts,
    representation,
    weighing,
)
from weightsmith.kernels.packed.carrier import Carrier
from weightsmith.kernels.packed.machine_code import announced, cached, digest_of, folder_for
from weightsmith.kernels.packed.representation import TableIndex

MODULES = (
    *(attention, weighing, linear, norms, access, instructions, fast_rounding, rounding),
    *(parts, representation, integers, floats),
)  # that machine code comes from
LOOPS = {
    loop.__name__: loop
    for loop in (
        *(linear.embed, linear.apply, linear.accumulate, linear.decide, linear.look_up_rows, linear.multiply_rows),
        *(attention.attend, attention.rotate, norms.norm),
    )
}
# How long compiling takes on an ordinary machine, announced before
SECONDS = {"attend": 2.8, "apply": 1.1, "norm": 0.3, "rotate": 0.3, "look_up_rows": 0.2, "multiply_rows": 0.2}
OTHER_SECONDS = 0.15

_lock = threading.Lock()


class Loops:
    """The loops for the arrays of a representation, each compiled when it is first asked for."""

    def __init__(self, signatures: dict[str, Any]) -> None:
        """Compile nothing yet."""
        self._signatures = signatures

    def __getattr__(self, name: str) -> Any:
        """Return a loop."""
        if name not in LOOPS:
            raise AttributeError(name)
        self.ready([name])
        return vars(self)[name]

    def are_ready(self, names: Iterable[str]) -> bool:
        """Return whether this process has the machine code of loops."""
        return all(name in vars(self) for name in names)

    def are_kept(self, names: Iterable[str]) -> bool:
        """Return whether machine code of loops is on disk, for this kind of numbers or another."""
        folder = _folder()
        return folder is not None and all(any(folder.glob(f"*.{name}-*.nbi")) for name in names)

    def ready(self, names: Iterable[str]) -> None:
        """Compile loops, or load them from the cache. Compiling is announced on the log."""
        if self.are_ready(names):
            return
        with _lock:
            missing = [name for name in names if name not in vars(self)]
            with announced("this kind of numbers", {name: SECONDS.get(name, OTHER_SECONDS) for name in missing}):
                for name in missing:
                    # Runs call the machine code itself: Numba's dispatcher takes longer to find the types of named
                    # tuples than a short loop takes. Unboxing still checks the type of every array.
                    setattr(self, name, _dispatchers()[name].compile(self._signatures[name]))


@lru_cache(maxsize=1)
def sources_digest() -> str:
    """Return the digest of the sources of the machine code."""
    return digest_of(_sources(), "")


def _sources() -> list[Path]:
    return [Path(str(module.__file__)) for module in MODULES]


@lru_cache(maxsize=1)
def _dispatchers() -> dict[str, Any]:
    checked = instructions.CHECKED
    options = {"nogil": True, "error_model": "numpy", "boundscheck": checked, "no_cfunc_wrapper": True}
    return {name: cached(loop, options, _folder()) for name, loop in LOOPS.items()}


def _folder() -> Path | None:
    return folder_for(_sources(), "checked" if instructions.CHECKED else "")


_made: dict[Any, Loops] = {}


def compiled(carrier: Carrier) -> Loops:
    """Return the loops for the arrays of a carrier."""
    key = carrier.dtype, type(carrier.constants)
    if key not in _made:
        _made[key] = Loops(_signatures(carrier))
    return _made[key]


def _signatures(carrier: Carrier) -> dict[str, Any]:
    """Return the types of arguments and results of each loop, mostly from examples."""
    typeof: Callable[[object], Any] = nb.typeof
    row, rows = np.zeros(0, carrier.dtype), np.zeros((0, 0), carrier.dtype)
    index, reals, kinds = np.zeros(0, np.int64), np.zeros(0), np.zeros(0, np.int8)
    lanes, flags, table = np.zeros(0, np.int32), np.zeros(0, np.bool_), np.zeros((0, 0), np.int64)
    matrix = typeof(linear.Matrix(index, lanes, row, row, row, kinds, reals, row))
    levels = typeof(attention.Levels(index, index, 1, 1, 0))
    distances = attention.Distances(rows, rows, row)
    weigher = weighing.Weigher(0, row, TableIndex(0, 0, 0), row)
    room = attention.Room(rows, rows, rows, rows, rows, kinds, row, row, table, flags)
    norm = norms.Norm(index, 1.0, 1.0, True, reals, reals)
    constants, how = typeof(carrier.constants), typeof(carrier.rounding)
    values, count, yes = typeof(rows), nb.int64, nb.boolean
    return {
        "embed": nb.void(typeof(np.zeros((0, 0, 0), carrier.dtype)), typeof(index), levels, values),
        "apply": nb.void(matrix, matrix, values, count, values, values, count, count, yes, typeof(row), constants),
        "accumulate": nb.void(values, values, typeof(row), constants),
        "decide": nb.void(values, typeof(lanes)),
        "look_up_rows": nb.void(values, count, typeof(row), typeof(TableIndex(0, 0, 0)), constants),
        "multiply_rows": nb.void(values, values, count, constants),
        "attend": count(
            *(typeof(attention.Rows(rows, rows, rows)), levels, typeof(distances), typeof(weigher)),
            *(typeof(room), count, how, constants),
        ),
        "rotate": nb.void(values, typeof(table), values, values, levels, constants),
        "norm": count(values, values, typeof(norm), typeof(reals), count, count, how),
    }
