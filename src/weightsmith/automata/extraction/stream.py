"""What stands in the stream at the last position, after each input: a union of small machines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.moore import Moore, smallest, together
from weightsmith.automata.extraction.rows import Ints

NEVER = -1  # in a view: no vector at all


@dataclass(eq=False)
class Stream:
    """The vectors that can stand there, and machines that speak 1 + the place of the vector.

    After each input exactly one of them speaks; after an input that is too long for a position table, none does.
    """

    vectors: Array  # (vectors, lanes), all different
    machines: list[Moore]
    names: Sequence[int]  # for each token of the machines, the place of one in the vocabulary
    ends: bool  # whether there are inputs that are too long
    _views: dict[bytes, Moore] = field(default_factory=dict, repr=False)
    _finer: list[tuple[Ints, npt.NDArray[np.bool_], Moore]] = field(default_factory=list, repr=False)

    @property
    def tokens(self) -> int:
        """How many tokens the machines read: those with one embedding are one."""
        return len(self.names)

    def view(self, parts: Ints, queries: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        """Return a machine that says, for every input, in which part the vector is; parts count from 0.

        What most machines say is taken for silence, so that those that say nothing else need not be followed. What is
        said after inputs that are too long is in no part with queries, or `NEVER`.
        """
        key = parts.tobytes() + queries.tobytes()
        if key not in self._views:
            self._views[key] = self._coarser(parts, queries, budget) or self._joined(parts, queries, budget)
        return self._views[key]

    def _joined(self, parts: Ints, queries: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        default = self._default(parts, queries)
        code = np.append(0, np.where(parts == default, 0, parts + 1)).astype(np.int32)
        said = self._saying(code, budget)
        view = Moore(said.table, np.where(said.labels == 0, default, said.labels - 1).astype(np.int32))
        self._finer = [(parts, queries, view), *self._finer[: budget.limits.kept_views - 1]]
        return view

    def _coarser(self, parts: Ints, queries: npt.NDArray[np.bool_], budget: Budget) -> Moore | None:
        """Return the view as one that is known makes it, if that tells apart whatever it does."""
        for place, (known, asking, view) in enumerate(self._finer):
            if self.ends and (asking != queries).any():
                continue
            becomes = np.full(int(known.max()) + 2, NEVER, np.int32)  # of each part; NEVER is the last
            becomes[known] = parts
            if (becomes[known] == parts).all():
                self._finer.insert(0, self._finer.pop(place))
                small = smallest(view.table, 1 + becomes[view.labels], budget)
                return Moore(small.table, small.labels - 1)
        return None

    def _default(self, parts: Ints, queries: npt.NDArray[np.bool_]) -> int:
        """Return the part that most machines speak of."""
        many = int(parts.max()) + 1
        machine, vector = self._spoken
        spoken = np.bincount(np.unique(machine * many + parts[vector]) % many, minlength=many)
        if self.ends:
            spoken[parts[queries]] = 0
        return int(np.argmax(spoken)) if spoken.any() else NEVER

    @cached_property
    def _spoken(self) -> tuple[npt.NDArray[np.intp], Ints]:
        """The pairs of a machine and a vector that it speaks of."""
        counts = [len(machine.spoken) for machine in self.machines]
        return np.repeat(np.arange(len(counts)), counts), np.concatenate([m.spoken for m in self.machines]) - 1

    def _saying(self, code: Ints, budget: Budget) -> Moore:
        """Return the machine that says a code of each label; what has code 0 is not spoken of."""
        found = (m.renamed(code, budget) for m in self.machines if code[m.spoken].any())
        return together(found, self.tokens, budget)

    def only(self, chosen: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        """Return the machine that says 1 + the place of the vector, where it is one of the chosen, and else nothing."""
        code = np.append(0, np.where(chosen, np.arange(1, len(chosen) + 1), 0)).astype(np.int32)
        return self._saying(code, budget)
