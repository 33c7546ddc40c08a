"""The loops as machine code, compiled when they are first used and kept for the next process."""

import threading
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from weightsmith.automata.extraction import loops

# How long compiling takes on an ordinary machine, to be said before; the first of all pays for starting Numba
SECONDS = {
    "by_label": 1.2, "inverse": 0.4, "refined": 1.4, "numbered": 0.3, "leading": 0.6, "distinct": 0.5, "placed": 0.2,
    "paired": 1.0, "delayed": 0.7, "folded": 0.8,
}  # fmt: skip
_lock = threading.Lock()


class Loops(NamedTuple):
    """See the functions of the same names."""

    by_label: Any
    inverse: Any
    refined: Any
    numbered: Any
    leading: Any
    distinct: Any
    placed: Any
    paired: Any
    delayed: Any
    folded: Any


def compiled() -> Loops:
    """Return the loops; Numba loads here. If they must really be compiled, that is logged before."""
    with _lock:
        return _compiled()


@cache
def _compiled() -> Loops:
    from weightsmith.kernels.packed.machine_code import announced, cached, folder_for, uninterrupted

    folder = folder_for([Path(loops.__file__)], "automata")
    how: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    loops._PLACE, loops._COPY = cached(loops.found_place, how, folder), cached(loops.copied, how, folder)
    found = Loops(*(cached(getattr(loops, name), how, folder) for name in Loops._fields))
    with announced("automata", SECONDS):
        for loop, types in zip(found, _types(), strict=True):
            loop.compile(types)
    return Loops(*map(uninterrupted, found))


def _types() -> Loops:
    """Return the types of the arguments, so that each loop is compiled once, and when that is said."""
    import numba as nb

    number, row, table, truths, counts = nb.int64, nb.int32[::1], nb.int32[:, ::1], nb.boolean[::1], nb.int64[::1]
    found = (table, table, row, counts, counts)  # rows, their table, slots, progress and end
    return Loops(
        by_label=(row,),
        inverse=(table,),
        refined=(table, table, row, table, counts, number),
        numbered=(table, row, number),
        leading=(table, truths),
        distinct=(table,),
        placed=(table, row, number, number),
        paired=(table, table, number, number, *found),
        delayed=(table, row, table, *found),
        folded=(table, table, truths, table, nb.int32[:, :, ::1], table, *found),
    )
