"""Deterministic automata over the places of a vocabulary, and the smallest one that accepts the same."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief
from weightsmith.model.frozen import Frozen


@dataclass(frozen=True, eq=False)
class Automaton(Frozen):
    """A deterministic automaton over the places of a vocabulary.

    >>> Automaton([[0, 1], [1, 0]], [False, True]).accepts([1, 0, 1, 1])  # an odd number of ones
    True
    """

    table: npt.NDArray[np.int32]  # (states, vocabulary): the next state
    accepting: npt.NDArray[np.bool_]  # (states)
    start: int = 0

    def __post_init__(self) -> None:
        """Freeze and check everything."""
        table = _array(self.table, "table", 2, "iu", "a row of integers for each state: [[0, 1], [1, 0]]")
        states, wrong = len(table), (table < 0) | (table >= len(table))
        if wrong.any():
            where = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise InputError(f"table{list(where)} is {table[where]}, which is no state: write 0 to {states - 1}")
        accepting = _array(self.accepting, "accepting", 1, "b", "True or False for each state: [False, True]")
        if len(accepting) != states:
            raise InputError(f"accepting has {len(accepting)} entries and table has {states} rows: write one for each")
        if not _is_place(self.start, states):
            raise InputError(f"start={brief(self.start)} is no state: write 0 to {states - 1}")
        self._set("table", _read_only(table.astype(np.int32)))
        self._set("accepting", _read_only(accepting))
        self._set("start", int(self.start))

    def accepts(self, ids: Sequence[int]) -> bool:
        """Say whether it accepts the tokens at these places of the vocabulary."""
        tokens = self.table.shape[1]
        if not isinstance(ids, Sequence | np.ndarray):
            raise InputError(f"ids must be a list of places in the vocabulary, and it is {brief(ids)}: write [0]")
        state = self.start
        for place, token in enumerate(ids):
            if not _is_place(token, tokens):
                raise InputError(
                    f"ids[{place}] is {brief(token)}, which is no place in the vocabulary: write 0 to {tokens - 1}"
                )
            state = int(self.table[state, token])
        return bool(self.accepting[state])


def smallest(automaton: Automaton) -> Automaton:
    """Merge the states that no input tells apart, drop those that none reaches, and number the rest as found."""
    classes = _classes(automaton)
    rows = automaton.table.tolist()
    order = [automaton.start]
    numbers = {classes[automaton.start]: 0}
    for state in order:  # it grows meanwhile
        for following in rows[state]:
            if numbers.setdefault(classes[following], len(order)) == len(order):
                order.append(following)
    renumbered = np.array([numbers.get(which, -1) for which in classes])
    return Automaton(renumbered[automaton.table[order]], automaton.accepting[order])


def _classes(automaton: Automaton) -> list[int]:
    """Return each state the number of its class; one class is what no input tells apart (Hopcroft 1971)."""
    columns = np.unique(automaton.table, axis=1).T.tolist()  # equal tokens split nothing more
    sources: list[dict[int, list[int]]] = [defaultdict(list) for _ in columns]
    for column, into in zip(columns, sources, strict=True):
        for state, following in enumerate(column):
            into[following].append(state)
    classes: list[int] = automaton.accepting.astype(int).tolist()
    members = [{state for state, which in enumerate(classes) if which == number} for number in (0, 1)]
    waiting = {0, 1}
    while waiting:
        splitter = list(members[waiting.pop()])
        for into in sources:
            touched: dict[int, set[int]] = defaultdict(set)
            for state in splitter:
                for source in into.get(state, ()):
                    touched[classes[source]].add(source)
            for which, part in touched.items():
                if len(part) < len(members[which]):
                    _split(classes, members, waiting, which, part)
    return classes


def _split(classes: list[int], members: list[set[int]], waiting: set[int], which: int, part: set[int]) -> None:
    """Make a part of a class a class of its own; of two halves, only the smaller need split others."""
    new = len(members)
    members[which] -= part
    members.append(part)
    for state in part:
        classes[state] = new
    waiting.add(new if which in waiting or len(part) <= len(members[which]) else which)


def _array(value: Any, name: str, axes: int, kinds: str, instead: str) -> npt.NDArray[Any]:
    try:
        array = np.asarray(value)
    except (ValueError, TypeError):
        raise InputError(f"{name} is {brief(value)}, which is not a rectangular array: write {instead}") from None
    if array.ndim != axes or array.size == 0:
        raise InputError(f"{name} has shape {array.shape}, and it must have {axes} axes, none empty: write {instead}")
    if array.dtype.kind not in kinds:
        raise InputError(f"{name} is {brief(value)}, of type {array.dtype}: write {instead}")
    return array


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy an array into bytes, which nobody can make writable again."""
    return np.ndarray(array.shape, array.dtype, array.tobytes())


def _is_place(value: object, size: int) -> bool:
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and 0 <= int(value) < size
