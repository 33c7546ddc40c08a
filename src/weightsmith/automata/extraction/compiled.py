"""The loops as machine code, compiled when they are first used and kept for the next process."""

from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from weightsmith.automata.extraction import loops


class Loops(NamedTuple):
    """See the functions of the same names."""

    by_label: Any
    refined: Any
    numbered: Any
    leading: Any
    distinct: Any
    paired: Any
    delayed: Any
    folded: Any


@cache
def compiled() -> Loops:
    """Return the loops; Numba loads here."""
    from weightsmith.kernels.packed.cache import cached, folder_for

    folder = folder_for([Path(loops.__file__)], "automata")
    how: dict[str, Any] = {"nogil": True, "error_model": "numpy"}
    loops._PLACE = cached(loops.found_place, how, folder)
    loops._LARGER = cached(loops.larger, how, folder)
    return Loops(*(cached(getattr(loops, name), how, folder) for name in Loops._fields))
