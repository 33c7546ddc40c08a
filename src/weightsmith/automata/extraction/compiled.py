"""The loops: in Python for small work, else compiled by Numba at first use, and cached on disk."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from weightsmith.automata.extraction import loops
from weightsmith.automata.extraction.limits import current
from weightsmith.errors import UnknownError

# Seconds to compile each, for the announcement; the first includes the start of Numba
SECONDS = {
    "by_label": 1.2, "inverse": 0.4, "refined": 1.4, "numbered": 0.3, "minimised": 2.1,
    "leading": 0.6, "distinct": 0.5, "placed": 0.2, "paired": 1.0, "delayed": 0.7, "folded": 0.8,
}  # fmt: skip
SLICED = ("placed", "paired", "delayed", "folded")  # they take a number of steps at a time
_lock = threading.Lock()
_in_python: ContextVar[bool] = ContextVar("loops in Python", default=False)


class LargeWorkError(UnknownError):
    """The work is too large for loops in Python."""


class Loops(NamedTuple):
    """The functions of the same names in `loops`."""

    by_label: Any
    inverse: Any
    refined: Any
    numbered: Any
    minimised: Any
    leading: Any
    distinct: Any
    placed: Any
    paired: Any
    delayed: Any
    folded: Any


def compiled() -> Loops:
    """Return the loops; inside `in_python` as they are, else as machine code. Compiling is announced in the log."""
    if _in_python.get() and not is_compiled():
        return _plain()
    with _lock:
        return _compiled()


@cache
def _plain() -> Loops:
    return Loops(*(getattr(loops, name) if name in SLICED else _small(name) for name in Loops._fields))


def _small(name: str) -> Any:
    """Return a loop that refuses large arrays: in Python it would run long, and look at no clock."""

    def call(*arguments: Any) -> Any:
        limits = current()
        if max(array.size for array in arguments if isinstance(array, np.ndarray)) > limits.python_numbers:
            raise LargeWorkError(f"{name} has more than {limits.python_numbers:,} numbers")
        return getattr(loops, name)(*arguments)

    return call


def is_compiled() -> bool:
    """Return whether this process has the machine code."""
    return _compiled.cache_info().currsize > 0


@contextmanager
def in_python() -> Iterator[None]:
    """Use the loops without machine code, in this thread, unless it is there already."""
    before = _in_python.set(True)
    try:
        yield
    finally:
        _in_python.reset(before)


@cache
def _compiled() -> Loops:
    from weightsmith.kernels.packed.machine_code import announced, cached, folder_for, uninterrupted

    folder = folder_for([Path(loops.__file__)], "automata")
    how: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    loops._SLOT, loops._COPY = cached(loops.slot_of, how, folder), cached(loops.copied, how, folder)
    found = Loops(*(cached(getattr(loops, name), how, folder) for name in Loops._fields))
    loops._BY_LABEL, loops._INVERSE, loops._REFINED, loops._NUMBERED = found[:4]
    with announced("automata", SECONDS):
        for loop, types in zip(found, _types(), strict=True):
            loop.compile(types)
    return Loops(*map(uninterrupted, found))


def _types() -> Loops:
    """Return the types of the arguments, so that each loop is compiled once, at a known time."""
    import numba as nb

    number, row, table, truths, counts = nb.int64, nb.int32[::1], nb.int32[:, ::1], nb.boolean[::1], nb.int64[::1]
    found = (table, table, row, counts, counts)  # rows, their table, slots, progress and end
    return Loops(
        by_label=(row,),
        inverse=(table,),
        refined=(table, table, row, table, counts, number),
        numbered=(table, row, number),
        minimised=(table, row),
        leading=(table, truths),
        distinct=(table,),
        placed=(table, row, number, number),
        paired=(table, table, number, number, *found),
        delayed=(table, row, table, *found),
        folded=(table, table, truths, table, nb.int32[:, :, ::1], table, *found),
    )
