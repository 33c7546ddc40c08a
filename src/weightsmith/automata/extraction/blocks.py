"""A block: from the stream before it to the stream after it."""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.exploring import Ints, distinct_rows, in_slices
from weightsmith.automata.extraction.failures import unless_it_fails
from weightsmith.automata.extraction.folds import Normaliser, Truths
from weightsmith.automata.extraction.guesses import readings
from weightsmith.automata.extraction.moore import Moore, pair, union
from weightsmith.automata.extraction.outcomes import OutcomeOfCombination, merged
from weightsmith.automata.extraction.scores import HeadScores, score_vectors
from weightsmith.automata.extraction.softmax import EmptySoftmaxError
from weightsmith.automata.extraction.stream import Stream
from weightsmith.automata.extraction.trace import BlockTrace, ClassTrace, PartTrace, Path
from weightsmith.automata.extraction.walk import final_states, machine_of_reading
from weightsmith.errors import ModelError
from weightsmith.model import Attention, Transformer
from weightsmith.model.positions import NO_POSITIONS
from weightsmith.semantics.reference import Reference

EMPTY_ERROR = (
    "{}: on some input every exp(score) rounds to 0 in {}; write Softmax(shifted=True), or Softmax(empty='zero') or "
    "Softmax(empty='uniform') to say what is meant"
)
NO_CLASS = -1
Labelled: TypeAlias = tuple[Moore, Array]  # a machine, and the vectors that its labels 1, 2 … number
Outcome: TypeAlias = Callable[[Array], Ints]  # from vectors after the block to their outcomes
Finish: TypeAlias = Callable[[Array], tuple[Array, Ints]]  # from vectors to the distinct ones, and the number of each


def run_block(
    T: Transformer, b: int, stream: Stream, finish: Finish, budget: Budget, outcome: Outcome
) -> tuple[Stream, BlockTrace]:
    """Return the stream after a block, and its trace; `finish` numbers all new vectors at once.

    Labels with the same `outcome` are merged before machines are multiplied.
    """
    attention = T.blocks[b].attention
    if attention is None or not attention.heads:
        vectors = without_heads(T, b, stream, budget)
        after = _renumbered(T, stream, [(machine, vectors) for machine in stream.machines], finish, budget)
        return after, BlockTrace()
    heads = heads_of(T, b, attention, stream, budget, outcome)
    parts = [
        part
        for in_class in _classes(heads, stream.right)
        for part in _class(T, b, stream, heads, in_class, outcome, budget)
    ]
    heads[-1].outcome = None  # breaks the reference cycle with all heads, so that they are freed
    after = _renumbered(T, stream, [labelled for labelled, _ in parts], finish, budget)
    return after, BlockTrace([head.traces for head in heads], [trace for _, trace in parts], after.machines)


def heads_of(
    T: Transformer, b: int, attention: Attention, stream: Stream, budget: Budget, outcome: Outcome, whole: bool = False
) -> "list[HeadMachines]":
    """Return the heads of a block; with `whole`, for positions anywhere in an input: see `contexts`."""
    A, shared, name = T.arithmetic.core, T.attention_positions, budget.step
    before = partial(Reference(T).before_attention, b)
    seen = unless_it_fails(T, stream, stream.machines, before, stream.vectors, stream.end_states)
    scored = [
        score_vectors(A, head, attention.positions_of(i, shared) or NO_POSITIONS, seen, budget)
        for i, head in enumerate(attention.heads)
    ]
    heads = [HeadMachines(stream, each, f"{name}, head {i}", budget, whole) for i, each in enumerate(scored)]
    if len(heads) <= budget.limits.outcome_heads:
        heads[-1].outcome = partial(_outcomes_of_last_head, T, b, stream, heads, outcome, budget)
    return heads


def without_heads(T: Transformer, b: int, stream: Stream, budget: Budget) -> Array:
    """Return the vectors after a block without heads."""
    attention = T.blocks[b].attention

    def alone(vectors: Array) -> Array:
        if attention is not None:
            Reference(T).before_attention(b, vectors)  # unused, but its norm may raise
        return after_block(T, b, vectors, None if attention is None else [], budget)

    return unless_it_fails(T, stream, stream.machines, alone, stream.vectors, stream.end_states)


def after_block(T: Transformer, b: int, h: Array, outputs: list[Array] | None, budget: Budget) -> Array:
    """Return vectors after a block, computed in slices."""
    reference, layer, lanes = Reference(T), T.blocks[b].feed_forward, len(T.lanes)
    budget.room(8 * 4 * len(h) * lanes, "the vectors after it")

    def of(some: slice) -> Array:
        return reference.after_attention(b, h[some], None if outputs is None else [added[some] for added in outputs])

    return in_slices(of, len(h), lanes * (1 + (0 if layer is None else 2 * len(layer.W_1))), budget)


def _outcomes_of_last_head(
    T: Transformer,
    b: int,
    stream: Stream,
    heads: "list[HeadMachines]",
    outcome: Outcome,
    budget: Budget,
    which: int,
    outputs: Array,
) -> Ints | None:
    """Return the outcomes of outputs of the last head, for each vector of a class and all outputs of the others."""
    *others, last = heads
    if which not in last.beside:
        last.beside[which] = _beside(np.flatnonzero(last.classes == which), others, budget.limits.outcomes)
    x, combined = last.beside[which]
    if not len(x) or len(outputs) * len(x) > budget.limits.outcomes:
        return None
    every = [np.tile(rows, (len(outputs), 1)) for rows in combined]
    every.append(np.repeat(outputs, len(x), axis=0))
    try:
        outcomes = outcome(after_block(T, b, np.tile(stream.vectors[x], (len(outputs), 1)), every, budget))
    except ModelError:  # perhaps for a combination that never occurs
        return None
    return outcomes.reshape(len(outputs), len(x))


def _beside(own: npt.NDArray[Any], others: "list[HeadMachines]", most: int) -> tuple[npt.NDArray[Any], list[Array]]:
    """Return the vectors of a class, each with all combinations of the other heads; empty if more than `most`."""
    every = [[head.outputs(int(x)) for head in others] for x in own]
    cases = [math.prod(map(len, arrays)) for arrays in every]
    if sum(cases) > most:
        return own[:0], []
    combined = [combinations(arrays) for arrays in every]
    return np.repeat(own, cases), [np.concatenate(rows) for rows in zip(*combined, strict=True)]


def combinations(several: list[npt.NDArray[Any]]) -> list[npt.NDArray[Any]]:
    """Return the rows of each array, in all combinations with those of the others."""
    sizes = [len(rows) for rows in several]
    indices = np.indices(sizes).reshape(len(sizes), math.prod(sizes))
    return [rows[index] for rows, index in zip(several, indices, strict=True)]


def _classes(heads: "list[HeadMachines]", right: Truths) -> Iterator[Truths]:
    """Return the sets of vectors whose queries are in the same class of every head."""
    rows = np.array([head.classes for head in heads], np.int32).reshape(-1, len(right)).T
    for row in np.unique(rows[right], axis=0):
        yield (rows == row).all(axis=1)


class HeadMachines:
    """The machines of a head for each class of queries, made at first use.

    They label inputs whose last vector is in the class. With `whole`, they label every input at whose end the context
    is right with the output that a query of the class has at any position.
    """

    def __init__(self, stream: Stream, scored: HeadScores, name: str, budget: Budget, whole: bool = False) -> None:
        """Divide the queries of the stream into classes."""
        self.stream, self.scored, self.name, self.budget, self.whole = stream, scored, name, budget, whole
        self.classes = scored.classes(budget)[scored.query_of]  # of each vector
        if not whole:  # only vectors at the end of an input ask
            self.classes[~stream.right] = NO_CLASS
            self.classes[stream.right] = np.unique(self.classes[stream.right], return_inverse=True)[1]
        self.traces = [ClassTrace(_labels(self.classes == c)) for c in range(int(self.classes.max()) + 1)]
        self.outcome: Callable[[int, Array], Ints | None] | None = None  # of outputs for a class
        self.beside: dict[int, tuple[npt.NDArray[Any], list[Array]]] = {}  # of a class: see `_beside`
        self._known: dict[int, list[Labelled]] = {}
        self._outputs: dict[int, Array] = {}
        self._right_guess: dict[int, Moore] = {}  # labels an input with 1 + the number of its guess

    def machines(self, vector: int) -> list[Labelled]:
        """Return a machine for each guess, and the outputs of the head that its labels number."""
        which = int(self.classes[vector])
        if which not in self._known:
            self.budget.step = f"{self.name}, class {which + 1} of {int(self.classes.max()) + 1} of its queries"
            try:
                self._known[which] = self._make(which, int(self.scored.query_of[vector]))
            except EmptySoftmaxError:
                if self.whole:  # perhaps on inputs that have no such query
                    raise self.budget.stop("a softmax may be empty, which is an error") from None
                raise ModelError(EMPTY_ERROR.format(self.name, self.scored.A.arithmetic)) from None
        return self._known[which]

    def outputs(self, vector: int) -> Array:
        """Return all outputs of the head, for any guess."""
        which = int(self.classes[vector])
        if which not in self._outputs:
            self._outputs[which] = distinct_rows(np.concatenate([some for _, some in self.machines(vector)]))[0]
        return self._outputs[which]

    def _make(self, which: int, query: int) -> list[Labelled]:
        in_class, made = self._asking(which), []
        outcome = partial(self.outcome, which) if self.outcome else lambda _: None
        for reading in readings(self.scored, query, partial(self._final_states, which=which), outcome, self.budget):
            trace, outputs = machine_of_reading(self.stream, self.scored, reading, in_class, outcome, self.budget)
            if trace.machine.has_labels:
                made.append((reading.guess, trace, outputs))
        made.sort(key=lambda one: one[0])
        self.traces[which].readings = [trace for _, trace, _ in made]
        return [(trace.machine, outputs) for _, trace, outputs in made]

    def _asking(self, which: int) -> Truths:
        """Return the vectors at which the fold of a class ends."""
        return self.stream.right if self.whole else self.classes == which

    def fitting(self, machine: Moore, vector: int) -> list[int]:
        """Return the guesses that are right on some input to which a machine gives a label above 0."""
        machines, which = self.machines(vector), int(self.classes[vector])
        if len(machines) <= self.budget.limits.tried_guesses:
            return list(range(len(machines)))
        if which not in self._right_guess:
            each = (m.relabelled(np.where(m.labels > 0, n + 1, 0), self.budget) for n, (m, _) in enumerate(machines))
            self._right_guess[which] = union(each, self.stream.tokens, self.budget)
        both = pair(machine, self._right_guess[which], lambda a, b: np.where(a > 0, b, 0), self.budget, both=True)
        return [int(label) - 1 for label in np.unique(both.labels[both.labels > 0])]

    def _final_states(self, normaliser: Normaliser, which: int) -> Ints:
        ends, view = final_states(self.stream, self.scored, normaliser, self._asking(which), self.budget)
        self.traces[which].view = self.traces[which].view or view  # the first view separates all weights
        return ends


def _class(
    T: Transformer,
    b: int,
    stream: Stream,
    heads: list[HeadMachines],
    in_class: Truths,
    outcome: Outcome,
    budget: Budget,
) -> Iterator[tuple[Labelled, PartTrace]]:
    """Return the machines of a class of queries: one for each combination of guesses of all heads."""
    own = stream.only(in_class, budget)
    meaning = np.append(0, np.arange(len(in_class), dtype=np.int32))[:, None]  # see `merged`
    vector = int(np.argmax(in_class))
    classes = tuple(int(head.classes[vector]) for head in heads)

    def entering(rows: Ints, outputs: list[Array]) -> list[Array]:
        added = [of_head[number] for of_head, number in zip(outputs, rows[:, 1:].T, strict=True)]
        return [stream.vectors[rows[:, 0]], *added]

    def vectors(rows: Ints, outputs: list[Array]) -> Array:
        h, *added = entering(rows, outputs)
        return after_block(T, b, h, added, budget)

    def outcome_of(rows: Ints, outputs: list[Array]) -> Ints:
        return outcome(vectors(rows, outputs))

    joined = list(_combined(own, meaning, [], heads, vector, outcome_of, budget))
    if not joined:
        return
    parts = [entering(rows[1:], outputs) for _, rows, outputs, _ in joined]
    try:  # for all together, which takes less time
        h, *added = map(np.concatenate, zip(*parts, strict=True))
        after = np.split(after_block(T, b, h, added, budget), np.cumsum([len(part[0]) for part in parts])[:-1])
    except ModelError:
        after = [
            unless_it_fails(T, stream, [machine], partial(vectors, outputs=outputs), rows[1:])
            for machine, rows, outputs, _ in joined
        ]
    for (machine, _, _, path), of_machine in zip(joined, after, strict=True):
        yield (machine, of_machine), PartTrace(classes, own, path)


def _combined(
    machine: Moore,
    meaning: Ints,
    outputs: list[Array],
    heads: list[HeadMachines],
    vector: int,
    outcome: OutcomeOfCombination,
    budget: Budget,
) -> Iterator[tuple[Moore, Ints, list[Array], Path]]:
    """Yield the product machine for each combination of guesses that can be right together."""
    if not heads:
        yield machine, meaning, outputs, []
        return
    first, *others = heads
    machines = first.machines(vector)
    for number in first.fitting(machine, vector) if outputs else range(len(machines)):
        budget.check()
        (B, added), A, known = machines[number], machine, meaning
        if len(others) < 2:
            every = [head.outputs(vector) for head in others]
            rest = np.arange(len(every[0]), dtype=np.int32)[:, None] if others else np.zeros((1, 0), np.int32)
            A, known, B, added = merged(A, known, B, [*outputs, added, *every], rest, outcome, budget)
        both, more = product_machine(A, known, B, budget)
        if both.has_labels:
            for whole, rows, of_heads, path in _combined(
                both, more, [*outputs, added], others, vector, outcome, budget
            ):
                yield whole, rows, of_heads, [(number, both), *path]


def _labels(chosen: Truths) -> Ints:
    return (1 + np.flatnonzero(chosen)).astype(np.int32)


def product_machine(A: Moore, meaning: Ints, B: Moore, budget: Budget) -> tuple[Moore, Ints]:
    """Return the product of two machines, and the meaning of its labels: that of A, and the label of B minus 1."""
    known = np.zeros((1, 2), np.int32)  # for each label, those of A and B

    def number(a: Ints, b: Ints) -> Ints:
        nonlocal known
        labelled = (a > 0) & (b > 0)
        both = np.stack([np.append(0, a * labelled), np.append(0, b * labelled)], axis=1)
        known, numbers = distinct_rows(both)
        return numbers[1:]

    machine = pair(A, B, number, budget, both=True)
    return machine, np.concatenate([meaning[known[:, 0]], known[:, 1:] - 1], axis=1)


def _renumbered(T: Transformer, stream: Stream, union: list[Labelled], finish: Finish, budget: Budget) -> Stream:
    """Number the vectors of all machines together: equal vectors get one number."""
    every = np.concatenate([vectors for _, vectors in union])
    try:
        vectors, numbers = finish(every)
    except ModelError:
        for machine, own in union:
            unless_it_fails(T, stream, [machine], lambda some: finish(some)[0], own)
        raise
    ends = np.cumsum([len(own) for _, own in union])
    codes = [np.append(0, 1 + some) for some in np.split(numbers, ends[:-1])]
    machines = [machine.renamed(code, budget) for (machine, _), code in zip(union, codes, strict=True)]
    return Stream(vectors, machines, stream.token_ids, stream.ends, np.ones(len(vectors), np.bool_))
