"""Tables of sums: from a member and a term to the place of their sum."""

from dataclasses import dataclass, field
from functools import cache

import numpy as np

from weightsmith.arithmetic import Array, Core, Saturating
from weightsmith.arithmetic.saturating import TABLE_BITS
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.rows import Ints

ROW_BYTES = 4 * 4  # of each sum in the row of a term: there, where rows are put together, and in the reading before
SUM_BYTES = 8 * 8  # of a sum while it is computed and looked for among those that are known


@dataclass(eq=False)
class Sums:
    """What becomes of a sum in one coordinate when a term is added: a row for each term."""

    A: Core
    values: Array  # that a sum can have, ascending; the places of sums refer to them
    rows: list[Ints] = field(default_factory=list)

    def __post_init__(self) -> None:
        """Begin with the row that leaves every sum as it is."""
        self._known = {0.0: 0}
        self.rows.append(np.arange(len(self.values), dtype=np.int32))

    @property
    def zero(self) -> int:
        """The place of the empty sum."""
        return int(np.searchsorted(self.values, 0.0))

    def adding(self, term: float) -> int:
        """Return the number of the row that adds a term."""
        if term not in self._known:
            self._known[term] = len(self.rows)
            self.rows.append(np.searchsorted(self.values, self.A.add(self.values, np.array(term))).astype(np.int32))
        return self._known[term]


@cache
def _members(arithmetic: Saturating) -> Array:
    return arithmetic.values()


def sums_for(A: Core, terms: Array, budget: Budget) -> Sums:
    """Return a table for all sums of some terms, in any order."""
    different = np.unique(np.append(terms, 0.0))
    if isinstance(A.arithmetic, Saturating) and A.arithmetic.bits <= min(budget.limits.member_bits, TABLE_BITS):
        members = _members(A.arithmetic)
        budget.room(ROW_BYTES * len(members) * len(different), "the sums of its terms")
        return Sums(A, members)
    known, new = np.zeros(1), np.zeros(1)
    while len(new):
        size = (SUM_BYTES * len(new) + ROW_BYTES * len(known)) * len(different)
        budget.room(size, "the sums of its terms")
        found = np.unique(A.add(new[:, None], different[None, :]))
        places = np.searchsorted(known, found)
        fresh = known[np.minimum(places, len(known) - 1)] != found
        new = found[fresh]
        known = np.insert(known, places[fresh], new)
    return Sums(A, known)
