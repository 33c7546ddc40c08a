"""A number system as tables, to calculate with arrays: a number is its place among the sorted members.

Each entry is calculated with fractions when it is first asked for; what uses the tables is slow once, then fast.
"""

from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from tests.witness.numbers import System, system

Places = npt.NDArray[np.int32]
UNKNOWN = -1


class Tables:
    """The operations of a system on arrays of places."""

    def __init__(self, N: System) -> None:
        self.N = N
        self.place = {x: i for i, x in enumerate(N.members)}
        self.zero, self.one = self.place[Fraction(0)], self.place[N.round(Fraction(1))]
        self._tables: dict[str, Places] = {}

    def of(self, numbers: Any) -> Places:
        """Give the places of members."""
        array = np.asarray(numbers)
        return np.array([self.place[Fraction(x)] for x in array.reshape(-1).tolist()], np.int32).reshape(array.shape)

    def each(self, name: str, function: Callable[[Fraction], Fraction], x: Places) -> Places:
        """Give a function of each number, rounded once."""
        table = self._tables.setdefault(name, np.full(len(self.N.members), UNKNOWN, np.int32))
        for place in np.unique(x[table[x] == UNKNOWN]):
            table[place] = self.place[self.N.round(function(self.N.members[place]))]
        return table[x]

    def _both(self, name: str, function: Callable[[Fraction, Fraction], Fraction], x: Places, y: Places) -> Places:
        size = len(self.N.members)
        table = self._tables.setdefault(name, np.full(size * size, UNKNOWN, np.int32))
        pairs = x * size + y
        found: Places = table[pairs]
        if found.size and found.min() == UNKNOWN:
            for pair in np.unique(pairs[found == UNKNOWN]):
                a, b = divmod(int(pair), size)
                table[pair] = self.place[self.N.round(function(self.N.members[a], self.N.members[b]))]
            found = table[pairs]
        return found

    def add(self, x: Places, y: Places) -> Places:
        return self._both("add", lambda a, b: a + b, x, y)

    def subtract(self, x: Places, y: Places) -> Places:
        return self._both("subtract", lambda a, b: a - b, x, y)

    def multiply(self, x: Places, y: Places) -> Places:
        return self._both("multiply", lambda a, b: a * b, x, y)

    def divide(self, x: Places, y: Places) -> Places:
        return self._both("divide", lambda a, b: a / b, x, y)

    def sum(self, x: Places) -> Places:
        """Fold over the last axis."""
        total = np.full(x.shape[:-1], self.zero, np.int32)
        for j in range(x.shape[-1]):
            total = self.add(total, x[..., j])
        return total

    def dot(self, x: Places, y: Places) -> Places:
        return self.sum(self.multiply(x, y))

    def product(self, M: Places, x: Places) -> Places:
        """Give M x for vectors x (…, in)."""
        return self.dot(M, x[..., None, :])


@lru_cache(maxsize=16)
def tables(text: str) -> Tables:
    """Make the tables of the system that a text form names."""
    return Tables(system(text))
