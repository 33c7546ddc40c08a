"""What stands in the stream at the last position, after each input: a union of small machines."""

from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.moore import Ints, Moore, smallest, together

NEVER = -1  # in a view: no vector at all


def different(rows: Array) -> tuple[Array, Ints]:
    """Return the different ones of some rows, in the order in which they come, and which of them each row is."""
    found: dict[bytes, int] = {}
    numbers = [found.setdefault(row.tobytes(), len(found)) for row in np.ascontiguousarray(rows + 0.0)]  # without −0
    order = np.array(numbers, np.int32)
    return rows[np.unique(order, return_index=True)[1]], order


@dataclass(eq=False)
class Stream:
    """The vectors that can stand there, and machines that speak 1 + the place of the vector.

    After each input exactly one of them speaks; after an input that is too long for a position table, none does.
    """

    vectors: Array  # (vectors, lanes), all different
    machines: list[Moore]
    tokens: int
    ends: bool  # whether there are inputs that are too long
    _views: dict[bytes, Moore] = field(default_factory=dict, repr=False)

    def view(self, parts: Ints, queries: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        """Return a machine that says, for every input, in which part the vector is; parts count from 0.

        What most machines say is taken for silence, so that those that say nothing else need not be followed. What is
        said after inputs that are too long is in no part with queries, or `NEVER`.
        """
        key = parts.tobytes() + queries.tobytes()
        if key not in self._views:
            default = self._default(parts, queries)
            code = np.append(0, np.where(parts == default, 0, parts + 1)).astype(np.int32)
            said = together((smallest(m.table, code[m.labels]) for m in self.machines), self.tokens, budget)
            self._views[key] = Moore(said.table, np.where(said.labels == 0, default, said.labels - 1).astype(np.int32))
        return self._views[key]

    def _default(self, parts: Ints, queries: npt.NDArray[np.bool_]) -> int:
        """Return the part that most machines speak of."""
        spoken = np.zeros(int(parts.max()) + 1, np.int64)
        for machine in self.machines:
            spoken[np.unique(parts[machine.labels[machine.labels > 0] - 1])] += 1
        if self.ends:
            spoken[parts[queries]] = 0
        return int(np.argmax(spoken)) if spoken.any() else NEVER

    def only(self, chosen: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        """Return the machine that says 1 + the place of the vector, where it is one of the chosen, and else nothing."""
        code = np.append(0, np.where(chosen, np.arange(1, len(chosen) + 1), 0)).astype(np.int32)
        return together((smallest(m.table, code[m.labels]) for m in self.machines), self.tokens, budget)
