"""The nondeterministic automaton of a regular expression, over characters: Thompson's construction.

The parse tree is Python's own, and `re` decides which characters belong to a set and whether an anchor holds between
two characters. `fullmatch` does not depend on the order of attempts, so greedy and lazy repeats are the same here.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, TypeAlias

from weightsmith.automata.expressions import (
    READ_BY_PARSER,
    TYPES,
    NotTranslatedError,
    anchor_text,
    flags_inside,
    parse_tree,
    set_text,
)

MAX_WORK = 10_000_000  # visits of states: a few seconds
NODE_WORK = 50  # visits that take as long as adding a node
READ_WORK = 10  # visits that take as long as reading a character
KNOWN_FLAGS = TYPES | READ_BY_PARSER | int(re.IGNORECASE | re.MULTILINE | re.DOTALL)

States: TypeAlias = frozenset[int]
# $ before a last newline depends on whether the text ends there. So a subset has the states if the text goes on, the
# states if it ends, and, for anchors, the last character.
Subset: TypeAlias = tuple[States, States, str]


class Nfa:
    """States with steps (on a character), jumps (ε-transitions), and anchors (jumps where an anchor holds)."""

    def __init__(self, characters: Sequence[str]) -> None:
        """Begin with state 0, the start."""
        self.characters = characters
        self.steps: list[list[tuple[frozenset[str], int]]] = [[]]
        self.jumps: list[list[int]] = [[]]
        self.anchors: list[list[tuple[re.Pattern[str], int]]] = [[]]
        self.anchored = False
        self.last = 0
        self.sets: dict[tuple[str, int], frozenset[str]] = {}
        self.work = 0

    def spend(self, work: int) -> None:
        """Count work; raise for expressions that take too long."""
        self.work += work
        if self.work > MAX_WORK:
            raise NotTranslatedError

    def grow_whole(self, pattern: re.Pattern[str]) -> None:
        """Add the whole expression."""
        if pattern.flags & ~KNOWN_FLAGS:
            raise NotTranslatedError
        try:
            self.last = self._grow(*parse_tree(pattern), 0)
        except (AttributeError, TypeError, ValueError):  # a Python whose tree looks different
            raise NotTranslatedError from None

    def _grow(self, nodes: Iterable[tuple[object, Any]], flags: int, here: int) -> int:
        """Add nodes of the parse tree from the state `here` on; return the state where they end."""
        for node, value in nodes:
            self.spend(NODE_WORK)
            match str(node):
                case "LITERAL" | "NOT_LITERAL" | "ANY" | "IN" as kind:
                    here = self._step(here, self._members(set_text(kind, value), flags))
                case "AT":
                    here = self._anchor(here, re.compile(anchor_text(value), flags))
                case "SUBPATTERN":
                    here = self._grow(value[-1], flags_inside(value, flags), here)
                case "BRANCH":
                    here = self._join([self._grow(branch, flags, here) for branch in value[1]])
                case "MAX_REPEAT" | "MIN_REPEAT":
                    least, most, body = value
                    here = self._repeat(least, most, body, flags, here)
                case _:
                    raise NotTranslatedError
        return here

    def _repeat(self, least: int, most: int, body: Any, flags: int, here: int) -> int:
        for _ in range(least):
            self.spend(NODE_WORK)  # even if the body is empty
            here = self._grow(body, flags, here)
        if str(most) == "MAXREPEAT":
            here = self._join([here])
            self.jumps[self._grow(body, flags, here)].append(here)
            return here
        exits = [here]
        for _ in range(most - least):
            self.spend(NODE_WORK)  # even if the body is empty
            here = self._grow(body, flags, here)
            exits.append(here)
        return self._join(exits)

    def _state(self) -> int:
        self.steps.append([])
        self.jumps.append([])
        self.anchors.append([])
        return len(self.steps) - 1

    def _step(self, here: int, members: frozenset[str]) -> int:
        there = self._state()
        self.steps[here].append((members, there))
        return there

    def _anchor(self, here: int, anchor: re.Pattern[str]) -> int:
        there = self._state()
        self.anchors[here].append((anchor, there))
        self.anchored = True
        return there

    def _join(self, ends: list[int]) -> int:
        there = self._state()
        for end in set(ends):
            self.jumps[end].append(there)
        return there

    def _members(self, text: str, flags: int) -> frozenset[str]:
        if (text, flags) not in self.sets:
            self.spend(len(self.characters))
            one = re.compile(text, flags)
            self.sets[text, flags] = frozenset(c for c in self.characters if one.fullmatch(c))
        return self.sets[text, flags]

    def kinds(self) -> list[list[str]]:
        """Group equivalent characters: in the same sets, and alike for anchors, which depend on newlines and words."""
        sights = [*self.sets.values(), *(self._members(text, flags) for text in (r"\n", r"\w") for flags in (0, re.A))]
        groups: dict[tuple[bool, ...], list[str]] = defaultdict(list)
        for character in self.characters:
            groups[tuple(character in sight for sight in sights)].append(character)
        return list(groups.values())

    def ahead(self, states: Iterable[int]) -> States:
        """Return the ε-closure, without states that only jump."""
        found = set(states)
        waiting = list(found)
        while waiting:
            for there in self.jumps[waiting.pop()]:
                if there not in found:
                    found.add(there)
                    waiting.append(there)
        self.spend(len(found))
        return frozenset(s for s in found if self.steps[s] or self.anchors[s] or s == self.last)

    def reach(self, states: States, before: str, after: str, more: str) -> States:
        """Return the closure under anchors between two characters (or none); `more` stands for more text."""
        text, at = before + after + more, len(before)
        found, waiting = states, states if self.anchored else States()
        while waiting:
            self.spend(len(waiting))
            pairs = [pair for here in waiting for pair in self.anchors[here]]
            waiting = self.ahead(there for anchor, there in pairs if anchor.match(text, at)) - found
            found |= waiting
        return found

    def follow(self, subset: Subset, character: str) -> Subset:
        """Read a character."""
        going, _, before = subset
        ends = self._read(self.reach(going, before, character, ""), character)
        if not self.anchored:
            return ends, ends, ""
        goes_on = self._read(self.reach(going, before, character, "x"), character)
        return goes_on, ends, character if ends or goes_on else ""

    def _read(self, states: States, character: str) -> States:
        self.spend(READ_WORK + len(states))
        return self.ahead(there for here in states for members, there in self.steps[here] if character in members)
