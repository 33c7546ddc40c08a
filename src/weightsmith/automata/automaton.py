"""Deterministic automata over the token ids of a vocabulary: products, comparison, minimisation."""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from heapq import heappop, heappush
from itertools import islice
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.automata.drawing import MAX_STATES, drawn
from weightsmith.automata.inputs import Input, written
from weightsmith.automata.tikz import tikz
from weightsmith.errors import InputError, brief, is_whole, listed, whole_number
from weightsmith.model.frozen import Frozen
from weightsmith.tables import Table

MAX_WORDS = 100_000
FAR = 1 << 40  # tokens: more than any automaton has states
HASHED = 100  # decisions in a hash


@dataclass(frozen=True, eq=False)
class Automaton(Frozen):
    """A deterministic automaton over the token ids of a vocabulary.

    >>> Automaton([[0, 1], [1, 0]], [False, True]).accepts([1, 0, 1, 1])  # an odd number of ones
    True
    """

    table: npt.NDArray[np.int32]  # (states, vocabulary): the next state
    accepting: npt.NDArray[np.bool_]  # (states)
    start: int = 0
    vocabulary: Sequence[str] = field(default=(), compare=False)  # the tokens, to write inputs

    def __post_init__(self) -> None:
        """Check and freeze the arrays."""
        table = _array(self.table, "table", 2, "iu", "a row of integers for each state: [[0, 1], [1, 0]]")
        states, wrong = len(table), (table < 0) | (table >= len(table))
        if wrong.any():
            where = tuple(int(i) for i in np.argwhere(wrong)[0])
            raise InputError(f"table{list(where)} is {table[where]}, which is no state: write 0 to {states - 1}")
        accepting = _array(self.accepting, "accepting", 1, "b", "True or False for each state: [False, True]")
        if len(accepting) != states:
            raise InputError(f"accepting has {len(accepting)} entries and table has {states} rows: write one for each")
        if not _is_index(self.start, states):
            raise InputError(f"start={brief(self.start)} is no state: write 0 to {states - 1}")
        self._set("vocabulary", _checked_tokens(self.vocabulary, table.shape[1]))
        self._set("table", _read_only(table.astype(np.int32)))
        self._set("accepting", _read_only(accepting))
        self._set("start", int(self.start))

    def labels(self) -> Sequence[object]:
        """Return the label of each state."""
        labels: list[object] = self.accepting.tolist()
        return labels

    def about(self) -> tuple[object, ...]:
        """Return the properties that equal automata have in common."""
        return type(self), self.table.shape[1], self.vocabulary

    def __eq__(self, other: object) -> bool:
        """Return whether two of one kind have the same labels after every non-empty input, over the same tokens."""
        if not isinstance(other, Automaton):
            return NotImplemented
        return self is other or (self.about() == other.about() and _decide_alike(self, other))

    def __hash__(self) -> int:
        """Hash the labels after the first inputs: equal automata have equal hashes."""
        if "_hash" not in self.__dict__:
            labels, states, said = self.labels(), [self.start], list[object]()
            for state in states:  # grows inside the loop, in the order of inputs
                following = self.table[state].tolist() if len(said) < HASHED else []
                said += [labels[there] for there in following]
                states += following
            self._set("_hash", hash((self.about(), *said)))
        found: int = self.__dict__["_hash"]
        return found

    def accepts(self, ids: Sequence[int]) -> bool:
        """Return whether it accepts an input of token ids."""
        tokens = self.table.shape[1]
        if not isinstance(ids, Sequence | np.ndarray):
            raise InputError(f"ids must be a list of token ids, and it is {brief(ids)}: write [0]")
        state = self.start
        for i, token in enumerate(ids):
            if not _is_index(token, tokens):
                raise InputError(
                    f"ids[{i}] is {brief(token)}, which is no place in the vocabulary: write 0 to {tokens - 1}"
                )
            state = int(self.table[state, token])
        return bool(self.accepting[state])

    def __and__(self, other: "Automaton") -> "Automaton":
        """A & B: the intersection."""
        return self._with(other, np.logical_and)

    def __or__(self, other: "Automaton") -> "Automaton":
        """A | B: the union."""
        return self._with(other, np.logical_or)

    def __xor__(self, other: "Automaton") -> "Automaton":
        """A ^ B: the symmetric difference."""
        return self._with(other, np.logical_xor)

    def __sub__(self, other: "Automaton") -> "Automaton":
        """A - B: the difference."""
        return self._with(other, np.greater)

    def __invert__(self) -> "Automaton":
        """~A: the complement."""
        return smallest(Automaton(self.table, ~self.accepting, self.start, self.vocabulary))

    def _with(self, other: "Automaton", truth: np.ufunc) -> "Automaton":
        """Return the minimised product, accepting by a function of both."""
        pairs, table = pairs_of(self, other)
        accepting = truth(self.accepting[pairs[:, 0]], other.accepting[pairs[:, 1]])
        return smallest(Automaton(table, accepting, 0, self.vocabulary or other.vocabulary))

    def difference(self, other: "Automaton") -> Input | None:
        """Return the shortest input, the first in vocabulary order, that only one of two accepts; None for none.

        Of two automata of transformers it is the first input with different decisions; inputs that are too long for one
        of them do not count, nor does the empty input. Without a vocabulary it consists of token ids.
        """
        pairs, table = pairs_of(self, other)
        ids = first_path(table, self._differs(other, pairs))
        return None if ids is None else self._written(ids, other)

    def _differs(self, other: "Automaton", pairs: npt.NDArray[np.int32]) -> npt.NDArray[np.bool_]:
        differs: npt.NDArray[np.bool_] = self.accepting[pairs[:, 0]] != other.accepting[pairs[:, 1]]
        return differs

    def _written(self, ids: Sequence[int], other: "Automaton | None" = None) -> Input:
        vocabulary = self.vocabulary or (other.vocabulary if other is not None else ())
        return written(vocabulary, ids) if vocabulary else tuple(map(str, ids))

    def words(self, n: int) -> list[Input]:
        """Return the first n inputs that it accepts, shortest first, then in vocabulary order; fewer if it has fewer.

        >>> Automaton([[0, 1], [1, 0]], [False, True], vocabulary="ab").words(3)
        ['b', 'ab', 'ba']
        """
        n = whole_number(n, "n", 0, MAX_WORDS, f"how many inputs, 0 to {MAX_WORDS:,}")
        return [self._written(ids) for ids in islice(_accepted(self), n)]

    def regex(self) -> str:
        """Return a regular expression for the inputs that it accepts; see `weightsmith.automata.writing`."""
        from weightsmith.automata.writing import expression  # it reads what is defined here

        return expression(self)

    def svg(self) -> str:
        """Return a picture."""
        return drawn(self)

    def latex(self, document: bool = False) -> str:
        """Return a picture for LaTeX, in TikZ: a fragment that names its packages, or a whole `document`."""
        return tikz(self, document)

    def _repr_svg_(self) -> str | None:
        """Return a picture, for notebooks, of an automaton that fits one."""
        return drawn(self) if len(self.table) <= MAX_STATES else None

    def outcome(self, state: int) -> str:
        """Return the label of a state as a word."""
        return "yes" if self.accepting[state] else "no"

    def __str__(self) -> str:
        """Return its table as text: a row for each state."""
        names = self.vocabulary or [str(token) for token in range(self.table.shape[1])]
        shown = Table("state", "says", *names, right=range(2, 2 + len(names)), lead=2)
        for state, row in enumerate(self.table.tolist()):
            mark = " (start)" if state == self.start else ""
            shown.add(f"{state}{mark}", self.outcome(state), *map(str, row))
        return str(shown)


def pairs_of(A: Automaton, B: Automaton) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
    """Return the reachable pairs of states, in breadth-first order, and their table."""
    if not isinstance(B, Automaton):
        raise InputError(f"{brief(B)} is not an automaton: write Automaton(…) or ws.automaton(T)")
    if A.table.shape[1] != B.table.shape[1]:
        raise InputError(
            f"one automaton reads {A.table.shape[1]} tokens and the other {B.table.shape[1]}: both must read the same"
        )
    if A.vocabulary and B.vocabulary and A.vocabulary != B.vocabulary:
        raise InputError(
            f"the automata read {listed(A.vocabulary)} and {listed(B.vocabulary)}: both must read the same in one order"
        )
    first, second = A.table.tolist(), B.table.tolist()
    order = [(A.start, B.start)]
    numbers = {order[0]: 0}
    table = []
    for a, b in order:  # grows inside the loop
        row = []
        for pair in zip(first[a], second[b], strict=True):
            number = numbers.setdefault(pair, len(order))
            if number == len(order):
                order.append(pair)
            row.append(number)
        table.append(row)
    return np.array(order, np.int32), np.array(table, np.int32)


def first_path(table: npt.NDArray[np.int32], wanted: npt.NDArray[np.bool_]) -> tuple[int, ...] | None:
    """Return the shortest input, the first in vocabulary order, that leads from state 0 to a wanted state."""
    seen: dict[int, tuple[int, int]] = {}  # state: its predecessor, and the token
    waiting = [0]
    for state in waiting:  # grows inside the loop
        for token, there in enumerate(table[state].tolist()):
            if there in seen:
                continue
            seen[there] = (state, token)
            waiting.append(there)
            if wanted[there]:
                return _path(seen, there)
    return None


def _path(seen: dict[int, tuple[int, int]], state: int) -> tuple[int, ...]:
    ids: list[int] = []
    while not ids or state != 0:
        state, token = seen[state]
        ids.append(token)
    return tuple(reversed(ids))


def _accepted(automaton: Automaton) -> Iterator[tuple[int, ...]]:
    """Yield the accepted non-empty inputs, shortest first, then in vocabulary order.

    A priority queue holds prefixes, by the length of the shortest accepted input with that prefix.
    """
    rest, table = _to_go(automaton), automaton.table.tolist()
    waiting: list[tuple[int, tuple[int, ...], int]] = []
    if rest[automaton.start] < FAR:
        waiting = [(rest[automaton.start], (), automaton.start)]
    while waiting:
        _, ids, state = heappop(waiting)
        if ids and automaton.accepting[state]:
            yield ids
        for token, there in enumerate(table[state]):
            if rest[there] < FAR:
                heappush(waiting, (len(ids) + 1 + rest[there], (*ids, token), there))


def _to_go(automaton: Automaton) -> list[int]:
    """Return the distance of each state to an accepting one; FAR where there is none."""
    rest = np.where(automaton.accepting, 0, FAR)
    while True:
        nearer = np.minimum(rest, rest[automaton.table].min(axis=1) + 1)
        if (nearer == rest).all():
            found: list[int] = rest.tolist()
            return found
        rest = nearer


def _decide_alike(A: Automaton, B: Automaton) -> bool:
    """Return whether two have the same labels after every non-empty input (Hopcroft and Karp 1971).

    States that one input leads to are merged with union-find; all merged states must have one label.
    """
    labels = [*A.labels(), *B.labels()]
    shift = len(A.table)
    table = [*A.table.tolist(), *(B.table + shift).tolist()]
    parent = list(range(len(table)))

    def root(state: int) -> int:
        while parent[state] != state:
            parent[state] = state = parent[parent[state]]
        return state

    waiting = list(zip(table[A.start], table[shift + B.start], strict=True))  # the start has no label
    while waiting:
        a, b = (root(state) for state in waiting.pop())
        if a == b:
            continue
        if labels[a] != labels[b]:
            return False
        parent[b] = a
        waiting += zip(table[a], table[b], strict=True)
    return True


def smallest(automaton: Automaton) -> Automaton:
    """Minimise an automaton: merge equivalent states, drop unreachable ones, number the rest in breadth-first order."""
    classes = _classes(automaton)
    rows = automaton.table.tolist()
    order = [automaton.start]
    numbers = {classes[automaton.start]: 0}
    for state in order:  # grows inside the loop
        for following in rows[state]:
            if numbers.setdefault(classes[following], len(order)) == len(order):
                order.append(following)
    renumbered = np.array([numbers.get(which, -1) for which in classes])
    return Automaton(renumbered[automaton.table[order]], automaton.accepting[order], 0, automaton.vocabulary)


def _classes(automaton: Automaton) -> list[int]:
    """Return the class of each state: equivalent states are one class (Hopcroft 1971)."""
    columns = np.unique(automaton.table, axis=1).T.tolist()  # equal columns split the same
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
    """Split a class; only the smaller part becomes a splitter."""
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


def _checked_tokens(given: Any, tokens: int) -> tuple[str, ...]:
    """Return the tokens of an automaton; () for none."""
    if not isinstance(given, str | list | tuple) or not all(isinstance(token, str) for token in given):
        raise InputError(f"vocabulary={brief(given)}: write the tokens in the order of the columns, such as '01'")
    if given and (len(given) != tokens or len(set(given)) != tokens):
        raise InputError(
            f"vocabulary={brief(given)}: the table has {tokens} columns; write a token for each, all different"
        )
    return tuple(given)


def _read_only(array: npt.NDArray[Any]) -> npt.NDArray[Any]:
    """Copy an array into immutable bytes."""
    return np.ndarray(array.shape, array.dtype, array.tobytes())


def _is_index(value: object, size: int) -> bool:
    return is_whole(value) and 0 <= int(value) < size
