"""Deterministic automata over the places of a vocabulary, and how a regular expression becomes one."""

import re
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.check.regular import character_automaton
from weightsmith.errors import InputError, brief
from weightsmith.model.frozen import Frozen

MAX_ENTRIES = 2_000_000  # of a table


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


def compile_regex(pattern: str | re.Pattern[str], vocabulary: tuple[str, ...]) -> Automaton | None:
    """Return the smallest automaton that accepts tokens exactly when `re.fullmatch(pattern, text)` does for their text.

    The text is the tokens joined, by single spaces if any token of the vocabulary is not one character. The result
    is None where the expression is not regular, is too large, or has lookaround, atomic groups or possessive repeats.
    States are numbered in the order in which they are found, so equal languages give equal automata.

    >>> compile_regex("(0|10*1)*", ("0", "1")) == compile_regex("0*(10*10*)*", ("0", "1"))
    True
    """
    if not isinstance(vocabulary, list | tuple) or not vocabulary or not all(isinstance(t, str) for t in vocabulary):
        raise InputError(f"vocabulary must be a tuple of texts, and it is {brief(vocabulary)}: write ('0', '1')")
    gap = "" if all(len(token) == 1 for token in vocabulary) else " "
    found = character_automaton(read_pattern(pattern), sorted(set("".join(vocabulary) + gap)))
    if found is None:
        return None
    by_character = smallest(Automaton(np.array(found.table), np.array(found.accepting)))
    if (len(by_character.table) + 1) * len(vocabulary) > MAX_ENTRIES:
        return None
    return smallest(_over_tokens(by_character, found.columns, vocabulary, gap))


def _over_tokens(automaton: Automaton, columns: dict[str, int], tokens: Sequence[str], gap: str) -> Automaton:
    """Read whole tokens; a new last state is the start, from which no gap is read."""
    next_states = {character: automaton.table[:, column] for character, column in columns.items()}
    states = np.arange(len(automaton.table))
    after_gap = np.append(next_states[gap] if gap else states, automaton.start)
    table = np.empty((len(after_gap), len(tokens)), np.int32)
    for place, token in enumerate(tokens):
        here = after_gap
        for character in token:
            here = next_states[character][here]
        table[:, place] = here
    accepting = np.append(automaton.accepting, automaton.accepting[automaton.start])
    return Automaton(table, accepting, start=len(states))


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


def read_pattern(pattern: str | re.Pattern[str]) -> re.Pattern[str]:
    """Return a compiled regular expression, or say what is wrong with it and where."""
    if not isinstance(pattern.pattern if isinstance(pattern, re.Pattern) else pattern, str):
        raise InputError(f"{brief(pattern)} is not a regular expression of texts: write '(01)*', for example")
    try:
        return re.compile(pattern)
    except re.error as error:
        place = error.pos or 0
        reason = f"{error.msg} at place {place}, {brief(str(pattern)[place:])}"
    except (ValueError, OverflowError) as error:  # flags that exclude each other, a huge repeat
        reason = str(error)
    except RecursionError:
        reason = "its groups are nested too deeply"
    raise InputError(
        f"{brief(pattern)} is not a regular expression: {reason}; write a backslash before what is meant literally"
    )


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
