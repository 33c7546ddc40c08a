"""From an automaton to a readable regular expression, by state elimination.

Several orders of elimination are tried, and the shortest expression is kept.
"""

import re
from collections.abc import Iterator, Sequence
from random import Random
from typing import TypeAlias

import numpy as np

from weightsmith.automata.automaton import Automaton, smallest
from weightsmith.automata.regular import compile_regex
from weightsmith.automata.terms import (
    EMPTY,
    NOTHING,
    Term,
    alternatives,
    one_of,
    repeated,
    reversed_term,
    sequence,
    text,
)
from weightsmith.errors import InputError
from weightsmith.model import separator

Edges: TypeAlias = dict[tuple[int, int], Term]  # (source, target): term
START, END = -1, -2
LONGEST_WORD = 8  # of `_usual`
MAX_STATES = 64
MAX_CHARACTERS = 5_000
ORDERS = 16  # of elimination
FEW_STATES = 10  # of automata with several orders


def expression(automaton: Automaton) -> str:
    """Return a short expression for the inputs that an automaton accepts, the empty one included.

    >>> from weightsmith.automata import Automaton, compile_regex
    >>> a = compile_regex("(0|1)*11(0|1)*", ("0", "1"))
    >>> expression(Automaton(a.table, a.accepting, a.start, "01"))
    '.*11.*'
    """
    if not automaton.vocabulary:
        raise InputError("an expression needs tokens: write Automaton(…, vocabulary='01')")
    edges = _edges(automaton)
    states = {state for edge in edges for state in edge} - {START, END}
    if len(states) > MAX_STATES:
        raise InputError(
            f"the automaton has {len(states)} states, and an expression would be too long to read: look at A.table, "
            "A.words(10), or ask whether it is the one you mean with A.difference(B)"
        )
    usual = _usual(automaton)
    if usual is not None:
        return usual
    back = {} if separator(automaton.vocabulary) else _backwards(automaton)
    ways = [(edges, False)] + ([(back, True)] if back else [])
    written = [text(term) for way, back in ways for term in _attempts(way, back)]
    best = min(written, key=len, default="")
    if not written or len(best) > MAX_CHARACTERS:
        raise InputError(f"its expressions have more than {MAX_CHARACTERS:,} characters: look at A.table instead")
    return best


def _usual(automaton: Automaton) -> str | None:
    """Return `.*word.*`, `.*word` or `word.*` if the automaton is one of these; they are common."""
    words = automaton.words(1)
    if not words or separator(automaton.vocabulary) or "\n" in automaton.vocabulary or len(words[0]) > LONGEST_WORD:
        return None
    word = "".join(map(re.escape, words[0]))
    for pattern in (f".*{word}.*", f".*{word}", f"{word}.*"):
        found = compile_regex(pattern, tuple(automaton.vocabulary))
        if found is not None and automaton.difference(found) is None:
            return pattern
    return None


def _attempts(edges: Edges, back: bool) -> Iterator[Term]:
    """Eliminate the states in several orders; with `back`, the edges are those of the reversed inputs."""
    states = {state for edge in edges for state in edge} - {START, END}
    random, longest = Random(0), 4 * MAX_CHARACTERS
    for attempt in range(ORDERS if 2 < len(states) <= FEW_STATES else 1):
        term = _eliminated(dict(edges), set(states), random if attempt else None, longest)
        if term is not None:
            longest = min(longest, 4 * len(text(term)))
            yield reversed_term(term) if back else term


def _backwards(automaton: Automaton) -> Edges:
    """Return the edges of the smallest automaton of the reversed inputs (subset construction)."""
    rows = automaton.table.T.tolist()
    begin = frozenset(int(state) for state in automaton.accepting.nonzero()[0])
    order, numbers, table = [begin], {begin: 0}, []
    for here in order:  # grows inside the loop
        row = []
        for column in rows:
            there = frozenset(state for state, to in enumerate(column) if to in here)
            if numbers.setdefault(there, len(order)) == len(order):
                order.append(there)
            row.append(numbers[there])
        table.append(row)
        if len(order) > FEW_STATES:
            return {}
    accepting = [automaton.start in here for here in order]
    return _edges(smallest(Automaton(np.array(table), np.array(accepting), 0, automaton.vocabulary)))


def _edges(automaton: Automaton) -> Edges:
    """Return the tokens on each edge, with a start that no edge leads to, and an end."""
    gap = separator(automaton.vocabulary)
    every = frozenset(automaton.vocabulary)
    edges: Edges = {}
    rows = automaton.table.tolist()
    for state, row in [(START, rows[automaton.start]), *enumerate(rows)]:
        for there in sorted(set(row)):
            tokens = [token for token, s in zip(automaton.vocabulary, row, strict=True) if s == there]
            lead = gap if state != START else ""
            edges[state, there] = one_of(tokens, every) if not gap else _words(tokens, lead)
    for state, accepting in enumerate(automaton.accepting.tolist()):
        if accepting:
            edges[state, END] = EMPTY
    if automaton.accepting[automaton.start]:
        edges[START, END] = EMPTY
    return _useful(edges)


def _words(tokens: Sequence[str], lead: str) -> Term:
    return alternatives([("word", lead + re.escape(token)) for token in tokens])


def _useful(edges: Edges) -> Edges:
    """Drop states that the start does not reach, or that do not reach the end."""
    for begin, a, b in ((START, 0, 1), (END, 1, 0)):
        seen, waiting = {begin}, [begin]
        while waiting:
            here = waiting.pop()
            for edge in edges:
                if edge[a] == here and edge[b] not in seen:
                    seen.add(edge[b])
                    waiting.append(edge[b])
        edges = {edge: term for edge, term in edges.items() if edge[0] in seen and edge[1] in seen}
    return edges


def _eliminated(edges: Edges, states: set[int], random: Random | None, longest: int) -> Term | None:
    """Return the term from start to end after all states are eliminated; None if terms grow too long."""
    sizes = {edge: len(text(term)) for edge, term in edges.items()}
    while states:
        state = min(sorted(states), key=lambda s: _weight(sizes, s) * (random.uniform(0.5, 2) if random else 1))
        states.remove(state)
        loop = repeated(edges.pop((state, state), NOTHING))
        into = [(a, term) for (a, b), term in edges.items() if b == state]
        out = [(b, term) for (a, b), term in edges.items() if a == state]
        edges = {edge: term for edge, term in edges.items() if state not in edge}
        for a, before in into:
            for b, after in out:
                way = sequence([before, loop, after])
                edges[a, b] = alternatives([edges.get((a, b), NOTHING), way])
                sizes[a, b] = len(text(edges[a, b]))
        sizes = {edge: sizes[edge] for edge in edges}
        if max(sizes.values(), default=0) > longest:
            return None
    return edges.get((START, END), NOTHING)


def _weight(sizes: dict[tuple[int, int], int], state: int) -> int:
    """Return an estimate of the characters that eliminating a state adds."""
    loop = sizes.get((state, state), 0)
    into = [size for (a, b), size in sizes.items() if b == state != a]
    out = [size for (a, b), size in sizes.items() if a == state != b]
    return sum(into) * len(out) + sum(out) * len(into) + loop * len(into) * len(out)
