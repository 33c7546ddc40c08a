"""Matrices built by what they do: from lane a to lane b, times 3."""

from collections.abc import Mapping, Sequence

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import ModelError
from weightsmith.model.names import listed, nearest_names, shown


def matrix(to: Sequence[str], of: Sequence[str], entries: Mapping[tuple[str, str], float]) -> Array:
    """Give the matrix with a row for each name in `to`, a column for each name in `of`, and 0 where nothing is said.

    `entries[b, a] = 3` reads: b receives 3 times a.

    >>> matrix(to=["sum"], of=["a", "b"], entries={("sum", "a"): 1, ("sum", "b"): 3})
    array([[1., 3.]])
    """
    for names in (to, of):
        if len(set(names)) != len(names):
            raise ModelError(f"a matrix has a name twice: {listed(list(names))}")
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (to, of))
    result = np.zeros((len(to), len(of)))
    for (row, column), value in entries.items():
        for name, places in ((row, rows), (column, columns)):
            if name not in places:
                names = list(places)
                raise ModelError(
                    f"the matrix has no {shown(str(name))}: {nearest_names(str(name), names)}it has {listed(names)}"
                )
        result[rows[row], columns[column]] = value
    return result
