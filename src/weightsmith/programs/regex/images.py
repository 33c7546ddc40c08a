"""Image sets of an automaton, their classes, and the tiles of each.

A set of states is a whole number: bit q stands for state q. The *image sets* are all Q·w, where w is a word and Q are
all states, and the single states. Two image sets are in one *class* if words lead from each to the other, so that both
have as many states. A spanning tree of the class gives a *carry*, a bijection from its representative to each member.
The *tiles* of an image set are the largest image sets properly inside it, those of the representative carried along.

The language is star-free if and only if inside every class each letter takes carries to carries: then no word permutes
the states of an image set (Schützenberger 1965).
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.automata import Automaton
from weightsmith.errors import InputError

States: TypeAlias = int  # a set of states, as bits
Word: TypeAlias = tuple[int, ...]  # token ids
Carry: TypeAlias = dict[int, int]  # from the states of a representative

MOST_IMAGES = 2_000
MOST_STATES = 300


class TooManyStatesError(InputError):
    """The cascade of an automaton, or its image sets, are too many."""


def states_in(some: States) -> list[int]:
    """Return the states of a set, ascending."""
    return [q for q in range(some.bit_length()) if some >> q & 1]


@dataclass(frozen=True, eq=False)
class ImageClass:
    """Image sets that lead to each other: each with a word and a carry from the first, the representative."""

    number: int
    words: dict[States, Word]
    carries: dict[States, Carry]
    tiles: tuple[States, ...]  # of the representative

    @property
    def representative(self) -> States:
        """The first member."""
        return next(iter(self.words))

    def carried(self, member: States, part: States) -> States:
        """Return a part of the representative, carried to a member."""
        return sum(1 << there for here, there in self.carries[member].items() if part >> here & 1)

    def brought_back(self, member: States, part: States) -> States:
        """Return the part of the representative that is carried to a part of a member."""
        return sum(1 << here for here, there in self.carries[member].items() if part >> there & 1)


@dataclass(frozen=True, eq=False)
class Images:
    """The image sets of an automaton, with their classes in an order in which letters lead forward."""

    automaton: Automaton
    following: dict[States, list[States]]  # for every letter
    classes: tuple[ImageClass, ...] = field(init=False)
    class_of: dict[States, ImageClass] = field(init=False)

    def __post_init__(self) -> None:
        """Find the classes."""
        tiler = _Tiler(list(self.following), len(self.automaton.table) <= 64)
        classes = list[ImageClass]()
        for members in _components({some: _equal(some, there) for some, there in self.following.items()}):
            words, carries = self._tree(members)
            classes.append(ImageClass(len(classes), words, carries, tiler.tiles(next(iter(words)))))
        object.__setattr__(self, "classes", tuple(classes))
        object.__setattr__(self, "class_of", {some: one for one in classes for some in one.words})

    @cached_property
    def steps(self) -> list[list[int]]:
        """For every letter, the next state of each state."""
        columns: list[list[int]] = self.automaton.table.T.tolist()
        return columns

    def _tree(self, members: Sequence[States]) -> tuple[dict[States, Word], dict[States, Carry]]:
        """Return a word and a carry from the first member to each."""
        root, inside = members[0], set(members)
        words: dict[States, Word] = {root: ()}
        carries: dict[States, Carry] = {root: {q: q for q in states_in(root)}}
        for some in (order := [root]):  # grows inside the loop
            for letter, there in enumerate(self.following[some]):
                if there in inside and there not in words:
                    step = self.steps[letter]
                    words[there] = (*words[some], letter)
                    carries[there] = {q: step[r] for q, r in carries[some].items()}
                    order.append(there)
        return words, carries

    def inner_edges(self) -> Iterator[tuple[ImageClass, States, int, States]]:
        """Yield the edges inside a class: the class, a member, a letter, and where it leads."""
        for one in self.classes:
            for some in one.words:
                for letter, there in enumerate(self.following[some]):
                    if there in one.words and some & (some - 1):
                        yield one, some, letter, there

    def twist(self, one: ImageClass, some: States, letter: int, there: States) -> Carry:
        """Return the permutation of the representative by which a letter on an edge differs from the carries."""
        step, back = self.steps[letter], {r: q for q, r in one.carries[there].items()}
        return {q: back[step[r]] for q, r in one.carries[some].items()}


def images_of(automaton: Automaton) -> Images:
    """Return the image sets of an automaton; refuse too many."""
    columns: list[list[int]] = automaton.table.T.tolist()
    count = len(automaton.table)
    if count > MOST_STATES:
        raise too_many(f"its smallest automaton has {count:,} states, and {MOST_STATES} are the most")
    everything = (1 << count) - 1
    following: dict[States, list[States]] = {}
    waiting = [everything, *(1 << q for q in range(count))]
    while waiting:
        some = waiting.pop()
        if some in following:
            continue
        if len(following) >= MOST_IMAGES:
            raise too_many(f"its automaton of {count:,} states has more than {MOST_IMAGES:,} image sets")
        here = states_in(some)
        following[some] = [_union(column, here) for column in columns]
        waiting += following[some]
    return Images(automaton, following)


def too_many(what: str) -> TooManyStatesError:
    """Return the refusal of a language whose construction explodes."""
    return TooManyStatesError(
        f"the language explodes as weights without positions: {what}; write up_to=63, chain=True for one state a token"
    )


def _union(column: Sequence[int], states: Sequence[int]) -> States:
    found = 0
    for q in states:
        found |= 1 << column[q]
    return found


def _equal(some: States, following: Sequence[States]) -> list[States]:
    """Return where letters lead without fewer states."""
    return [there for there in following if there.bit_count() == some.bit_count()]


class _Tiler:
    """Finds the largest image sets properly inside a set."""

    def __init__(self, images: list[States], small: bool) -> None:
        images.sort(key=lambda some: -some.bit_count())
        self.images = images
        self.as_bits: npt.NDArray[np.uint64] | None = np.array(images, np.uint64) if small else None

    def tiles(self, outer: States) -> tuple[States, ...]:
        if self.as_bits is not None:
            where = np.flatnonzero((self.as_bits & np.uint64(~outer & (1 << 64) - 1)) == 0)
            inside = [self.images[i] for i in where.tolist()]
        else:
            inside = [some for some in self.images if some | outer == outer]
        found: list[States] = []
        for some in inside:
            if some != outer and not any(some | tile == tile for tile in found):
                found.append(some)
        return tuple(sorted(found))


def _components(edges: dict[States, list[States]]) -> list[list[States]]:
    """Return the strongly connected components, each before those to which its edges lead (Tarjan 1972)."""
    index: dict[States, int] = {}
    low: dict[States, int] = {}
    stack, on_stack, found = list[States](), set[States](), list[list[States]]()
    for root in edges:
        if root in index:
            continue
        work = [(root, iter(edges[root]))]
        index[root] = low[root] = len(index)
        stack.append(root)
        on_stack.add(root)
        while work:
            here, rest = work[-1]
            for there in rest:
                if there not in index:
                    index[there] = low[there] = len(index)
                    stack.append(there)
                    on_stack.add(there)
                    work.append((there, iter(edges[there])))
                    break
                if there in on_stack:
                    low[here] = min(low[here], index[there])
            else:
                work.pop()
                if work:
                    low[work[-1][0]] = min(low[work[-1][0]], low[here])
                if low[here] == index[here]:
                    cut = stack.index(here)
                    found.append(stack[cut:])
                    on_stack.difference_update(stack[cut:])
                    del stack[cut:]
    return found[::-1]
