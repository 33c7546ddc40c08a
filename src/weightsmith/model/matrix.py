"""Matrices built by name: from lane a to lane b, times 3."""

from collections.abc import Iterable, Mapping, Sequence
from numbers import Real
from types import MappingProxyType

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import ModelError, brief, listed, named, nearest_names

NO_WEIGHTS: Mapping[str, float] = MappingProxyType({})


def matrix(to: Sequence[str], of: Sequence[str], entries: Mapping[tuple[str, str], float]) -> Array:
    """Return the matrix with a row for each name in `to`, a column for each name in `of`, and 0 where nothing is said.

    `entries[b, a] = 3` reads: b receives 3 times a.

    >>> matrix(to=["sum"], of=["a", "b"], entries={("sum", "a"): 1, ("sum", "b"): 3})
    array([[1., 3.]])
    """
    if not isinstance(entries, Mapping):
        raise ModelError(f"entries={brief(entries)}: write {{(to, of): 3}}, for example")
    for names in (to, of):
        if len(set(names)) != len(names):
            raise ModelError(f"a matrix has a name twice: {listed(list(names))}")
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (to, of))
    result = np.zeros((len(to), len(of)))
    for entry, value in entries.items():
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise ModelError(f"the matrix has an entry for {brief(entry)}: write {{(to, of): 3}}, for example")
        row, column = entry
        for name, index in ((row, rows), (column, columns)):
            if name not in index:
                names = list(index)
                hint = nearest_names(name, names) if isinstance(name, str) else ""
                raise ModelError(f"the matrix has no {named(name)}: {hint}it has {listed(names)}")
        if not is_number(value):
            raise ModelError(f"the matrix has {brief(value)} from {named(column)} to {named(row)}: write a number")
        try:
            result[rows[row], columns[column]] = value
        except OverflowError:
            raise ModelError(f"the matrix has {brief(value)}, which is too large: write a smaller number") from None
    return result


def is_number(value: object) -> bool:
    """Return whether a value is a single real number of Python or numpy."""
    if isinstance(value, Real):
        return not isinstance(value, bool)
    return isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "iuf"


def check_lanes(names: Iterable[str], lanes: Sequence[str], who: str) -> None:
    """Refuse a name that is not that of a lane; `who` is the beginning of the sentence."""
    known = set(lanes)
    for name in names:
        if name not in known:
            text = name if isinstance(name, str) else brief(name)
            hint = nearest_names(text[:80], lanes)
            raise ModelError(f"{who} the lane {named(text)}, which is not there: {hint}write {listed(lanes)}")
