"""Full masks: the results of a block's heads for the whole input are guessed before the first token is read.

Under a full mask every position sees the same keys, so what a head adds at a position depends on the class of its query
and on the whole input. A *context* is one result for every class of every head: it is a function of the input with
finitely many values, and one machine labels each input with its context. In a known context the vector after the block
follows from the vector before it, so the stream is again a machine that reads from left to right. Its labels also say
whether the context is right if the input ends there. The next block begins with this stream, once for each context.

Only the last position decides. So the last block with heads needs no context: its heads are read where the input ends,
as under a causal mask. If a norm or an empty softmax can fail there, at any position, it gets contexts too.
"""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.blocks import (
    HeadMachines,
    after_block,
    combinations,
    heads_of,
    product_machine,
    without_heads,
)
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.exploring import Ints, distinct_rows, group_rows
from weightsmith.automata.extraction.failures import unless_it_fails
from weightsmith.automata.extraction.folds import Truths
from weightsmith.automata.extraction.moore import Moore, constant, pairs_of, smallest, union
from weightsmith.automata.extraction.stream import Stream
from weightsmith.automata.extraction.trace import ClassTrace
from weightsmith.errors import InputError, ModelError
from weightsmith.model import Block, Softmax, Transformer


def blocks_in_contexts(T: Transformer) -> int:
    """Return how many blocks, from the first on, need contexts."""
    with_heads = [b for b, block in enumerate(T.blocks) if block.attention and block.attention.heads]
    if T.mask == "causal" or not with_heads:
        return 0
    last = with_heads[-1]
    return len(T.blocks) if any(map(_may_fail, T.blocks[last:])) else last


def _may_fail(block: Block) -> bool:
    """Return whether a run can fail in a block: by a norm of 0, or an empty softmax that is an error."""
    weightings = [head.weighting for head in block.attention.heads] if block.attention else []
    empty = any(isinstance(weighting, Softmax) and weighting.empty == "error" for weighting in weightings)
    return empty or block.attention_norm is not None or block.feed_forward_norm is not None


def check_full_mask(T: Transformer, instead: str) -> None:
    """Refuse a full mask with heads that do not see the same keys from every position."""
    for b, block in enumerate(T.blocks[: blocks_in_contexts(T)]):
        for i, head in enumerate(block.attention.heads if block.attention else ()):
            assert block.attention is not None
            what = "is strict" if head.strict else "has positions inside attention"
            if head.strict or block.attention.positions_of(i, T.attention_positions) is not None:
                raise InputError(
                    f"an automaton of a full mask needs heads that see the same keys from every position, and block "
                    f"{b}, head {i} {what}: write mask='causal', or {instead}"
                )


@dataclass(frozen=True, eq=False)
class Contexts:
    """The contexts of a block: its heads, the machine that labels an input with 1 + its context, a stream for each."""

    heads: list[list[ClassTrace]]
    machine: Moore
    streams: list[Stream]


def after_no_heads(T: Transformer, b: int, stream: Stream, budget: Budget) -> Stream:
    """Return the stream of a context after a block without heads."""
    budget.step = f"block {b}"
    vectors = without_heads(T, b, stream, budget)
    both, numbers = distinct_rows(np.column_stack([vectors, stream.right]))
    machines = [machine.renamed(np.append(0, 1 + numbers), budget) for machine in stream.machines]
    return Stream(both[:, :-1], machines, stream.token_ids, stream.ends, both[:, -1] > 0)


def contexts_of(T: Transformer, b: int, stream: Stream, budget: Budget) -> Contexts:
    """Return the contexts of a block with heads."""
    attention = T.blocks[b].attention
    assert attention is not None
    name = budget.step
    heads = heads_of(T, b, attention, stream, budget, _numbers, whole=True)
    columns = [_Column(h, head, int(np.argmax(head.classes == c))) for h, head in enumerate(heads) for c in _each(head)]
    machine, meaning = constant(stream.tokens, 1), np.zeros((2, 1), np.int32)
    for column in columns:
        machine, meaning = product_machine(machine, meaning, column.machine(stream, budget), budget)
        _check_number(len(meaning) - 1, budget)
    budget.step = name
    results = _Results(T, b, stream, heads, columns, meaning[1:, 1:], budget)
    groups = results.grouped()
    machine = machine.renamed(np.append(0, 1 + groups), budget)
    heads[-1].outcome = None  # breaks the reference cycle with all heads, so that they are freed
    streams = [*_streams(stream, machine, results, np.unique(groups, return_index=True)[1].tolist(), budget)]
    return Contexts([head.traces for head in heads], machine, streams)


def _each(head: HeadMachines) -> range:
    return range(int(head.classes.max()) + 1)


def _numbers(vectors: Array) -> Ints:
    return distinct_rows(vectors)[1]


def _check_number(contexts: int, budget: Budget) -> None:
    if contexts > budget.limits.contexts:
        raise budget.stop(f"its heads have more than {budget.limits.contexts:,} combinations of results")


class _Column:
    """A class of queries of a head: the results that it can have."""

    def __init__(self, head: int, machines: HeadMachines, vector: int) -> None:
        self.head, self.machines, self.vector = head, machines, vector
        self.outputs = machines.outputs(vector)

    def machine(self, stream: Stream, budget: Budget) -> Moore:
        """Return the machine that labels an input with 1 + the number of the output."""
        every = []
        for machine, outputs in self.machines.machines(self.vector):
            found = distinct_rows(np.concatenate([self.outputs, outputs]))[1][len(self.outputs) :]
            every.append(machine.renamed(np.append(0, 1 + found), budget))
        return union(every, stream.tokens, budget)


class _Results:
    """The vectors after a block in each combination of results: rows (combinations, columns) of numbers of outputs."""

    def __init__(
        self,
        T: Transformer,
        b: int,
        stream: Stream,
        heads: list[HeadMachines],
        columns: list[_Column],
        rows: Ints,
        budget: Budget,
    ) -> None:
        self.T, self.b, self.stream, self.columns, self.rows, self.budget = T, b, stream, columns, rows, budget
        first = np.cumsum([0, *(len(_each(head)) for head in heads)])[:-1]
        self.column_of = np.array([begin + head.classes for begin, head in zip(first, heads, strict=True)])

    def vectors(self, x: Ints, numbers: Ints) -> Array:
        """Return the vectors after the block, from vectors x and the number of each head's output (x, heads)."""
        outputs = []
        for of_head, number in zip(self.column_of[:, x], numbers.T, strict=True):
            found = np.empty((len(x), len(self.T.lanes)))
            for column in np.unique(of_head):
                mine = of_head == column
                found[mine] = self.columns[column].outputs[number[mine]]
            outputs.append(found)
        return after_block(self.T, self.b, self.stream.vectors[x], outputs, self.budget)

    def in_row(self, row: int, x: Ints) -> Array:
        """Return the vectors after the block in a combination."""
        return self.vectors(x, self.rows[row][self.column_of[:, x]].T)

    def grouped(self) -> Ints:
        """Group combinations after which all vectors are the same; return the number of each combination's group.

        The outputs of each class in a group may be combined in any way, as the checker does.
        """
        every = np.arange(len(self.stream.vectors), dtype=np.int32)
        alone = np.arange(len(self.rows), dtype=np.int32)
        if len(self.rows) * len(every) > self.budget.limits.outcomes:
            return alone
        try:
            after = [self.in_row(row, every) for row in range(len(self.rows))]
            numbers = _numbers(np.concatenate(after)).reshape(len(self.rows), len(every))
            _, groups = group_rows(numbers)
            closed = len(self.column_of) == 1 or all(
                self._closed(np.flatnonzero(groups == group).tolist(), after) for group in np.unique(groups)
            )
        except ModelError:  # perhaps for two that never occur together
            return alone
        return groups if closed else alone

    def _closed(self, rows: list[int], after: list[Array]) -> bool:
        """Return whether the outputs of some combinations give the same vectors in all combinations."""
        if len(rows) == 1:
            return True
        for x, columns in enumerate(self.column_of.T):
            several = [np.unique(self.rows[rows, column])[:, None] for column in columns]
            cases = math.prod(map(len, several))
            if cases > self.budget.limits.outcomes:
                return False
            numbers = np.concatenate(combinations(several), axis=1).astype(np.int32)
            found = self.vectors(np.full(cases, x, np.int32), numbers)
            if (found != after[rows[0]][x]).any():
                return False
        return True


def _streams(
    stream: Stream, machine: Moore, results: _Results, examples: list[int], budget: Budget
) -> Iterator[Stream]:
    """Return the stream after the block in each context."""
    (before,) = stream.machines
    rows, table = pairs_of(before, machine, budget, both=True)
    x, context = before.labels[rows[:, 0]] - 1, machine.labels[rows[:, 1]]
    right_before = np.append(stream.right, False)[x]  # label 0 is the last
    for label, row in enumerate(examples, 1):
        budget.check()
        right = right_before & (context == label)
        useful: Truths = compiled().leading(table, right)
        useful[0] = False
        here, index = np.unique(x[useful], return_inverse=True)
        labels = np.zeros(len(x), np.int32)
        labels[useful] = 1 + index.reshape(-1)
        labelled, of_row = Moore(table, labels.copy()), partial(results.in_row, row)
        after = unless_it_fails(results.T, stream, [labelled], of_row, here, right)
        both, numbers = distinct_rows(np.column_stack([after[labels[useful] - 1], right[useful]]))
        labels[useful] = 1 + numbers
        made = smallest(table, labels, budget)
        ends = bool((made.labels[1:] == 0).any())
        yield Stream(both[:, :-1], [made], stream.token_ids, ends, both[:, -1] > 0)
