"""The vector at the last position of the stream, after each input: a union of small machines."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.exploring import Ints
from weightsmith.automata.extraction.moore import Moore, fewer, smallest, union

NEVER = -1  # in a view: no vector


@dataclass(eq=False)
class Stream:
    """The possible vectors, and a union of machines with the labels 1 + the number of the vector.

    After each input exactly one machine has a label above 0; after an input longer than the position table, none has.
    In a context of a full mask (`contexts`), a label also says whether the context is right if the input ends there.
    Then no machine has a label above 0 where no continuation of the input has this context.
    """

    vectors: Array  # (vectors, lanes), all distinct, except for one that is right here and not there
    machines: list[Moore]
    token_ids: Sequence[int]  # for each token of the machines, the id of one with its embedding
    ends: bool  # whether there are inputs without a label
    right: npt.NDArray[np.bool_]  # (vectors): whether the context is right if the input ends with this vector
    _views: dict[bytes, Moore] = field(default_factory=dict, repr=False)
    _fewer: list[Moore] | None = field(default=None, repr=False)  # the union again, by fewer machines
    _unions: int = field(default=0, repr=False)
    _finer: list[tuple[Ints, npt.NDArray[np.bool_], Moore]] = field(default_factory=list, repr=False)

    @property
    def tokens(self) -> int:
        """The number of tokens with distinct embeddings."""
        return len(self.token_ids)

    @property
    def end_states(self) -> npt.NDArray[np.bool_] | None:
        """In which states of its one machine an input of the context may end; None without a context."""
        return None if self.right.all() else np.append(False, self.right)[self.machines[0].labels]

    def view(self, parts: Ints, queries: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        """Return a machine that labels every input with the part of its last vector; parts count from 0.

        The commonest part is encoded as 0; machines with this part only are skipped. Inputs that are too long get a
        part without queries, or `NEVER`.
        """
        key = parts.tobytes() + queries.tobytes()
        if key not in self._views:
            self._views[key] = self._coarser(parts, queries, budget) or self._joined(parts, queries, budget)
        return self._views[key]

    def _joined(self, parts: Ints, queries: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        default = self._default(parts, queries)
        code = np.append(0, np.where(parts == default, 0, parts + 1)).astype(np.int32)
        whole = self._union(code, budget)
        view = Moore(whole.table, np.where(whole.labels == 0, default, whole.labels - 1).astype(np.int32))
        self._finer = [(parts, queries, view), *self._finer[: budget.limits.kept_views - 1]]
        return view

    def _coarser(self, parts: Ints, queries: npt.NDArray[np.bool_], budget: Budget) -> Moore | None:
        """Return the view derived from a finer one that is cached, if there is one."""
        for i, (known, in_class, view) in enumerate(self._finer):
            if self.ends and (in_class != queries).any():
                continue
            becomes = np.full(int(known.max()) + 2, NEVER, np.int32)  # of each part; NEVER is the last
            becomes[known] = parts
            if (becomes[known] == parts).all():
                self._finer.insert(0, self._finer.pop(i))
                small = smallest(view.table, 1 + becomes[view.labels], budget)
                return Moore(small.table, small.labels - 1)
        return None

    def _default(self, parts: Ints, queries: npt.NDArray[np.bool_]) -> int:
        """Return the part that most machines have."""
        many = int(parts.max()) + 1
        machine, vector = self._vectors_of_machines
        machines = np.bincount(np.unique(machine * many + parts[vector]) % many, minlength=many)
        if self.ends:
            machines[parts[queries]] = 0
        return int(np.argmax(machines)) if machines.any() else NEVER

    @cached_property
    def _vectors_of_machines(self) -> tuple[npt.NDArray[np.intp], Ints]:
        """The pairs of a machine and a vector among its labels."""
        counts = [len(machine.used_labels) for machine in self.machines]
        return np.repeat(np.arange(len(counts)), counts), np.concatenate([m.used_labels for m in self.machines]) - 1

    def _union(self, code: Ints, budget: Budget) -> Moore:
        """Return one machine for the union, with code[x] in place of each label x."""
        self._unions += 1
        if self._fewer is None and self._unions > budget.limits.unions:
            self._fewer = self._by_fewer(budget)
        machines = self._fewer or self.machines
        renamed = (m.renamed(code, budget) for m in machines if code[m.used_labels].any())
        return union(renamed, self.tokens, budget)

    def _by_fewer(self, budget: Budget) -> list[Moore]:
        """Return the union by fewer machines if they have far fewer states; else many small ones are joined sooner."""
        found = fewer(self.machines, budget)
        few, many = (sum(machine.states for machine in machines) for machines in (found, self.machines))
        return found if budget.limits.states_for_one * few <= many else self.machines

    def only(self, chosen: npt.NDArray[np.bool_], budget: Budget) -> Moore:
        """Return the machine with the labels 1 + the number of the vector, for chosen vectors, and 0 for the others."""
        code = np.append(0, np.where(chosen, np.arange(1, len(chosen) + 1), 0)).astype(np.int32)
        return self._union(code, budget)
