"""From a regular expression to an automaton by the subset construction, or to None where the two could differ.

Of 20,000 random expressions each one that is translated answers as `re` does: `make bench ONLY=expressions`.
"""

import re
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import NamedTuple

import numpy as np

from weightsmith.automata.automaton import Automaton, smallest
from weightsmith.automata.expressions import NotTranslatedError, read_pattern
from weightsmith.automata.nfa import Nfa, Subset
from weightsmith.errors import InputError, brief
from weightsmith.model import separator

MAX_ENTRIES = 2_000_000  # of a table
MAX_STATES = 10_000  # of an automaton over characters
PROBE_LETTERS = ("a", "b", "\n")
PROBES = (  # together they have every kind of node that is translated
    r"(?:a|b)*?a.[^b]{1,2}",
    r"(?i:A|[\nB])+(?P<x>b)?[^\Wa-a]$\n?",
    r"(?s:.)+\b\w\Z|\A(?m:^a?$\n)*\B",
)


def compile_regex(pattern: str | re.Pattern[str], vocabulary: tuple[str, ...]) -> Automaton | None:
    """Return the smallest automaton that accepts the tokens whose text `re.fullmatch(pattern, text)` matches.

    The text is the tokens joined, by single spaces if any token of the vocabulary is not one character. The result
    is None where the expression is not regular, is too large, or has lookaround, atomic groups or possessive repeats.
    States are numbered in breadth-first order, so equal languages give equal automata.

    >>> compile_regex("(0|10*1)*", ("0", "1")) == compile_regex("0*(10*10*)*", ("0", "1"))
    True
    """
    if not isinstance(vocabulary, list | tuple) or not vocabulary or not all(isinstance(t, str) for t in vocabulary):
        raise InputError(f"vocabulary must be a tuple of texts, and it is {brief(vocabulary)}: write ('0', '1')")
    compiled = read_pattern(pattern)
    return _translated(compiled, vocabulary) if parser_is_known() else None


@cache
def parser_is_known() -> bool:
    """Return whether Python's parse tree is known, by a test of some expressions on all short texts.

    The parser is a private module, which another Python may have changed.
    """
    for pattern in map(re.compile, PROBES):
        automaton = _translated(pattern, PROBE_LETTERS)
        for length in range(4):
            for ids in product(range(len(PROBE_LETTERS)), repeat=length):
                matches = pattern.fullmatch("".join(PROBE_LETTERS[i] for i in ids)) is not None
                if automaton is None or automaton.accepts(ids) != matches:
                    return False
    return True


def _translated(pattern: re.Pattern[str], vocabulary: tuple[str, ...]) -> Automaton | None:
    gap = separator(vocabulary)
    found = character_automaton(pattern, sorted(set("".join(vocabulary) + gap)))
    if found is None:
        return None
    by_character = smallest(Automaton(np.array(found.table), np.array(found.accepting)))
    if (len(by_character.table) + 1) * len(vocabulary) > MAX_ENTRIES:
        return None
    return smallest(_over_tokens(by_character, found.columns, vocabulary, gap))


def _over_tokens(automaton: Automaton, columns: dict[str, int], tokens: Sequence[str], gap: str) -> Automaton:
    """Return an automaton over whole tokens; its start is a new state, from which no separator is read."""
    next_states = {character: automaton.table[:, column] for character, column in columns.items()}
    states = np.arange(len(automaton.table))
    after_gap = np.append(next_states[gap] if gap else states, automaton.start)
    table = np.empty((len(after_gap), len(tokens)), np.int32)
    for column, token in enumerate(tokens):
        here = after_gap
        for character in token:
            here = next_states[character][here]
        table[:, column] = here
    accepting = np.append(automaton.accepting, automaton.accepting[automaton.start])
    return Automaton(table, accepting, start=len(states))


class CharacterAutomaton(NamedTuple):
    """A deterministic automaton with start 0; equivalent characters share a column."""

    table: list[list[int]]  # (states, columns): the next state
    accepting: list[bool]
    columns: dict[str, int]


def character_automaton(pattern: re.Pattern[str], characters: Sequence[str]) -> CharacterAutomaton | None:
    """Return the automaton of `pattern.fullmatch` over these characters."""
    nfa = Nfa(characters)
    try:
        nfa.grow_whole(pattern)
        return _subsets(nfa)
    except (NotTranslatedError, RecursionError):
        return None


def _subsets(nfa: Nfa) -> CharacterAutomaton:
    """Return the automaton of subsets (subset construction)."""
    kinds = nfa.kinds()
    start: Subset = (nfa.ahead([0]), nfa.ahead([0]), "")
    numbers, order = {start: 0}, [start]
    table: list[list[int]] = []
    accepting: list[bool] = []
    for subset in order:  # grows inside the loop
        _, ends, before = subset
        accepting.append(nfa.last in nfa.reach(ends, before, "", ""))
        table.append([])
        for character, *_ in kinds:
            following = nfa.follow(subset, character)
            table[-1].append(numbers.setdefault(following, len(order)))
            if table[-1][-1] == len(order):
                order.append(following)
        if len(order) > MAX_STATES:
            raise NotTranslatedError
    return CharacterAutomaton(table, accepting, {c: column for column, kind in enumerate(kinds) for c in kind})
