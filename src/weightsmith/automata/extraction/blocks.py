"""A block: from what stands in the stream before it to what stands there after it."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.failures import unless_it_fails
from weightsmith.automata.extraction.guesses import EmptySoftmaxError, readings
from weightsmith.automata.extraction.meeting import Meeting, meet
from weightsmith.automata.extraction.moore import Moore, pair, together
from weightsmith.automata.extraction.outcomes import Told, merged
from weightsmith.automata.extraction.reading import Normaliser, Truths
from weightsmith.automata.extraction.rows import Ints, different
from weightsmith.automata.extraction.slices import in_slices
from weightsmith.automata.extraction.stream import Stream
from weightsmith.automata.extraction.trace import BlockMade, ClassMade, PartMade, Path
from weightsmith.automata.extraction.walk import ends_of, walked
from weightsmith.errors import ModelError
from weightsmith.model import Transformer
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.semantics.reference import after_attention, before_attention

EMPTY_ERROR = (
    "{}: on some input every exp(score) rounds to 0 in {}; write Softmax(shifted=True), or Softmax(empty='zero') or "
    "Softmax(empty='uniform') to say what is meant"
)
Spoken: TypeAlias = tuple[Moore, Array]  # a machine, and what its labels 1, 2 … stand for
Outcome: TypeAlias = Callable[[Array], Ints]  # from vectors to all that matters of them
Finish: TypeAlias = Callable[[Array], tuple[Array, Ints]]  # from vectors to different ones, and which each of them is


def run_block(
    T: Transformer, b: int, stream: Stream, finish: Finish, budget: Budget, outcome: Outcome
) -> tuple[Stream, BlockMade]:
    """Return the stream after a block, and what it was made from; `finish` numbers all new vectors at once.

    Where `outcome` says all that matters of a vector, machines are merged by it before they are paired.
    """
    attention, name = T.blocks[b].attention, f"block {b}"
    budget.place = name
    if attention is None or not attention.heads:

        def alone(vectors: Array) -> Array:
            if attention is not None:
                before_attention(T, b, vectors)  # the result is unused, but its norm may raise an error
            return _after(T, b, vectors, None if attention is None else [], budget)

        vectors = unless_it_fails(T, stream, stream.machines, alone, stream.vectors)
        after = _renumbered(T, stream, [(machine, vectors) for machine in stream.machines], finish, budget)
        return after, BlockMade()
    A, shared = T.arithmetic.core, T.attention_positions
    seen = unless_it_fails(T, stream, stream.machines, partial(before_attention, T, b), stream.vectors)
    meetings = [
        meet(A, head, attention.positions_of(i, shared) or NO_POSITIONS, seen, budget)
        for i, head in enumerate(attention.heads)
    ]
    heads = [_Head(stream, meeting, f"{name}, head {i}", budget) for i, meeting in enumerate(meetings)]
    if len(heads) <= budget.limits.told_heads:
        heads[-1].told = partial(_told, T, b, stream, heads, outcome, budget)
    found = [
        part for asking in _classes(heads, len(seen)) for part in _class(T, b, stream, heads, asking, outcome, budget)
    ]
    heads[-1].told = None  # it refers to all heads: without this reference cycle they are freed
    after = _renumbered(T, stream, [spoken for spoken, _ in found], finish, budget)
    return after, BlockMade([head.made for head in heads], [part for _, part in found], after.machines)


def _after(T: Transformer, b: int, h: Array, outputs: list[Array] | None, budget: Budget) -> Array:
    """Return vectors after a block, slice by slice."""
    layer, lanes = T.blocks[b].feed_forward, len(T.lanes)
    budget.room(8 * 4 * len(h) * lanes, "the vectors after it")

    def of(some: slice) -> Array:
        return after_attention(T, b, h[some], None if outputs is None else [added[some] for added in outputs])

    return in_slices(of, len(h), lanes * (1 + (0 if layer is None else 2 * len(layer.W_1))), budget)


def _told(
    T: Transformer,
    b: int,
    stream: Stream,
    heads: "list[_Head]",
    outcome: Outcome,
    budget: Budget,
    which: int,
    added: Array,
) -> Ints | None:
    """Return the outcomes of what the last head adds, for each vector of a class and all that the others can add."""
    *others, last = heads
    own = np.flatnonzero(last.classes == which)
    beside = [[_every(head.machines(int(x))) for head in others] for x in own]
    cases = [math.prod(map(len, every)) for every in beside]
    if len(added) * sum(cases) > budget.limits.outcomes:
        return None
    x, combined = np.repeat(own, cases), [_combinations(every) for every in beside]
    outputs = [np.tile(np.concatenate(rows), (len(added), 1)) for rows in zip(*combined, strict=True)]
    outputs.append(np.repeat(added, len(x), axis=0))
    try:
        found = outcome(_after(T, b, np.tile(stream.vectors[x], (len(added), 1)), outputs, budget))
    except ModelError:  # for what never meets, perhaps
        return None
    return found.reshape(len(added), len(x))


def _combinations(several: list[Array]) -> list[Array]:
    """Return the rows of each array, in all combinations with those of the others."""
    sizes = [len(rows) for rows in several]
    places = np.indices(sizes).reshape(len(sizes), math.prod(sizes))
    return [rows[place] for rows, place in zip(several, places, strict=True)]


def _classes(heads: "list[_Head]", vectors: int) -> Iterator[Truths]:
    """Return the classes of queries that all heads treat alike."""
    rows = np.array([head.classes for head in heads], np.int32).reshape(-1, vectors).T
    for row in np.unique(rows, axis=0):
        yield (rows == row).all(axis=1)


class _Head:
    """The machines of a head, for a class of queries each, made when they are first asked for."""

    def __init__(self, stream: Stream, meeting: Meeting, name: str, budget: Budget) -> None:
        self.stream, self.meeting, self.name, self.budget = stream, meeting, name, budget
        self.classes = meeting.classes(budget)[meeting.query_of]  # of each vector
        self.made = [ClassMade(_labels(self.classes == c)) for c in range(int(self.classes.max()) + 1)]
        self.told: Callable[[int, Array], Ints | None] | None = None  # the outcomes of what it adds for a class
        self._known: dict[int, list[Spoken]] = {}
        self._rights: dict[int, Moore] = {}  # which guess is right

    def machines(self, vector: int) -> list[Spoken]:
        """Return a machine for each guess; each speaks 1 + the place of what the head adds to the stream."""
        which = int(self.classes[vector])
        if which not in self._known:
            self.budget.place = f"{self.name}, class {which + 1} of {int(self.classes.max()) + 1} of its queries"
            try:
                self._known[which] = self._spoken(which, int(self.meeting.query_of[vector]))
            except EmptySoftmaxError:
                raise ModelError(EMPTY_ERROR.format(self.name, self.meeting.A.arithmetic)) from None
        return self._known[which]

    def _spoken(self, which: int, query: int) -> list[Spoken]:
        asking, found = self.classes == which, []
        told = partial(self.told, which) if self.told else lambda _: None
        for reading in readings(self.meeting, query, partial(self._ends, which=which), told, self.budget):
            made, added = walked(self.stream, self.meeting, reading, asking, told, self.budget)
            if made.machine.speaks:
                found.append((reading.guess, made, added))
        found.sort(key=lambda one: one[0])
        self.made[which].readings = [made for _, made, _ in found]
        return [(made.machine, added) for _, made, added in found]

    def fitting(self, machine: Moore, vector: int) -> list[int]:
        """Return the guesses that are right on some input on which a machine speaks."""
        spoken, which = self.machines(vector), int(self.classes[vector])
        if len(spoken) <= self.budget.limits.tried_guesses:
            return list(range(len(spoken)))
        if which not in self._rights:
            each = (m.relabelled(np.where(m.labels > 0, n + 1, 0), self.budget) for n, (m, _) in enumerate(spoken))
            self._rights[which] = together(each, self.stream.tokens, self.budget)
        both = pair(machine, self._rights[which], lambda a, b: np.where(a > 0, b, 0), self.budget, both=True)
        return [int(label) - 1 for label in np.unique(both.labels[both.labels > 0])]

    def _ends(self, normaliser: Normaliser, which: int) -> Ints:
        ends, view = ends_of(self.stream, self.meeting, normaliser, self.classes == which, self.budget)
        self.made[which].view = self.made[which].view or view  # the first tells all keys apart that weigh differently
        return ends


def _class(
    T: Transformer, b: int, stream: Stream, heads: list[_Head], asking: Truths, outcome: Outcome, budget: Budget
) -> Iterator[tuple[Spoken, PartMade]]:
    """Return the machines of a class of queries: for each of its vectors and each guess of each head."""
    own = stream.only(asking, budget)
    places = np.append(0, np.arange(len(asking), dtype=np.int32))[:, None]  # by label: the vector, then what heads add
    vector = int(np.argmax(asking))
    classes = tuple(int(head.classes[vector]) for head in heads)

    def vectors(found: Ints, guess: list[Array]) -> Array:
        outputs = [added[place] for added, place in zip(guess, found[:, 1:].T, strict=True)]
        return _after(T, b, stream.vectors[found[:, 0]], outputs, budget)

    def told(found: Ints, guess: list[Array]) -> Ints:
        return outcome(vectors(found, guess))

    for machine, found, guess, path in _combined(own, places, [], heads, vector, told, budget):
        made = unless_it_fails(T, stream, [machine], partial(vectors, guess=guess), found[1:])
        yield (machine, made), PartMade(classes, own, path)


def _combined(
    machine: Moore, places: Ints, guess: list[Array], heads: list[_Head], vector: int, told: Told, budget: Budget
) -> Iterator[tuple[Moore, Ints, list[Array], Path]]:
    """Go through the guesses of all heads that can be right together: machines that speak where all of them are."""
    if not heads:
        yield machine, places, guess, []
        return
    first, *others = heads
    spoken = first.machines(vector)
    for number in first.fitting(machine, vector) if guess else range(len(spoken)):
        budget.check()
        (B, added), A, known = spoken[number], machine, places
        if len(others) < 2:
            every = [_every(head.machines(vector)) for head in others]
            rest = np.arange(len(every[0]), dtype=np.int32)[:, None] if others else np.zeros((1, 0), np.int32)
            A, known, B, added = merged(A, known, B, [*guess, added, *every], rest, told, budget)
        both, more = _both(A, known, B, budget)
        if both.speaks:
            for whole, numbers, outputs, path in _combined(both, more, [*guess, added], others, vector, told, budget):
                yield whole, numbers, outputs, [(number, both), *path]


def _every(spoken: list[Spoken]) -> Array:
    """Return all that the machines of a head can add."""
    found: Array = different(np.concatenate([added for _, added in spoken]))[0]
    return found


def _labels(chosen: Truths) -> Ints:
    return (1 + np.flatnonzero(chosen)).astype(np.int32)


def _both(A: Moore, places: Ints, B: Moore, budget: Budget) -> tuple[Moore, Ints]:
    """Return a machine that speaks where both do, and what its labels stand for: those of A, and the place in B."""
    known = np.zeros((1, 2), np.int32)  # what each label stands for

    def number(a: Ints, b: Ints) -> Ints:
        nonlocal known
        speaking = (a > 0) & (b > 0)
        both = np.stack([np.append(0, a * speaking), np.append(0, b * speaking)], axis=1)
        known, numbers = different(both)
        return numbers[1:]

    machine = pair(A, B, number, budget, both=True)
    return machine, np.concatenate([places[known[:, 0]], known[:, 1:] - 1], axis=1)


def _renumbered(T: Transformer, stream: Stream, found: list[Spoken], finish: Finish, budget: Budget) -> Stream:
    """Give equal vectors of all machines one number."""
    every = np.concatenate([vectors for _, vectors in found])
    try:
        vectors, numbers = finish(every)
    except ModelError:
        for machine, own in found:
            unless_it_fails(T, stream, [machine], lambda some: finish(some)[0], own)
        raise
    machines, begin = [], 0
    for machine, own in found:
        code = np.append(0, 1 + numbers[begin : begin + len(own)])
        machines.append(machine.renamed(code, budget))
        begin += len(own)
    return Stream(vectors, machines, stream.names, stream.ends)
