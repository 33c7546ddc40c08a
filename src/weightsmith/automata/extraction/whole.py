"""From a transformer to machines that label every input with its decision."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import NamedTuple

import numpy as np

from weightsmith.arithmetic import Array, Saturating
from weightsmith.automata.extraction.blocks import Finish, Outcome, run_block
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.contexts import (
    after_no_heads,
    blocks_in_contexts,
    check_full_mask,
    contexts_of,
)
from weightsmith.automata.extraction.exploring import Ints, distinct_rows, state_bytes
from weightsmith.automata.extraction.failures import unless_it_fails
from weightsmith.automata.extraction.guesses import WEIGHTINGS
from weightsmith.automata.extraction.moore import Moore, smallest, union
from weightsmith.automata.extraction.stream import Stream
from weightsmith.automata.extraction.trace import BlockTrace, ProofTrace
from weightsmith.errors import InputError
from weightsmith.model import Rotary, Transformer, position_table
from weightsmith.model.positions import AttentionPositions
from weightsmith.semantics.evaluation import unsupported
from weightsmith.semantics.reference import Reference


@dataclass(frozen=True, eq=False)
class Decisions:
    """A union of machines over the vocabulary, with the labels 1 + the number of the answer."""

    transformer: Transformer
    machines: tuple[Moore, ...]
    max_length: int | None  # the longest input, with a position table
    trace: ProofTrace

    def after(self, ids: list[int]) -> int:
        """Return the number of the answer to an input."""
        (label,) = {machine.label_after(ids) for machine in self.machines} - {0}
        return label - 1


def extract(
    T: Transformer, budget: Budget | None = None, numbers: Outcome | None = None, outcomes: Outcome | None = None
) -> Decisions:
    """Return the machines of a transformer, or raise.

    By default they are labelled with answers; `numbers` gives the last vectors other numbers. `outcomes` distinguishes
    them too, and is also called with vectors that may never occur.
    """
    budget = budget or Budget()
    answers = numbers or partial(_answers_of, T)
    last_outcome = outcomes or numbers or (_numbers if T.readout is not None else answers)
    check_possible(T)
    budget.compile()
    stream, tokens = _embedded(T, budget)
    made, traces = _follow(T, 0, stream, budget, _Labels(answers, last_outcome))
    trace = ProofTrace(traces if T.blocks else [BlockTrace()])
    machines = tuple(Moore(np.ascontiguousarray(m.table[:, tokens]), m.labels) for m in made if m.has_labels)
    return Decisions(T, machines, T.max_length, trace)


class _Labels(NamedTuple):
    """The labels at the end: `answers` numbers the last vectors, and `outcomes` distinguishes possible ones."""

    answers: Outcome
    outcomes: Outcome


def _follow(
    T: Transformer, first: int, stream: Stream, budget: Budget, labels: _Labels, where: str = ""
) -> tuple[list[Moore], list[BlockTrace]]:
    """Return the machines of the decisions, and the traces of the blocks from the first on; `where` names a context."""
    traces, in_contexts = list[BlockTrace](), blocks_in_contexts(T)
    for b in range(first, len(T.blocks)):
        attention, last = T.blocks[b].attention, b == len(T.blocks) - 1
        budget.step = f"block {b}{where}"
        if b >= in_contexts:
            outcome = labels.outcomes if last else _numbers
            stream, block = run_block(T, b, stream, _finish(labels.answers) if last else distinct_rows, budget, outcome)
            traces.append(block)
        elif attention is None or not attention.heads:
            stream = after_no_heads(T, b, stream, budget)
            traces.append(BlockTrace())
        else:
            found, machines = contexts_of(T, b, stream, budget), list[Moore]()
            block = BlockTrace(found.heads, whole=found.machine)
            for n, inside in enumerate(found.streams, 1):
                context = f", context {n} of {len(found.streams)}{where}"
                more, following = _follow(T, b + 1, inside, budget, labels, context)
                machines += more
                block.contexts.append((inside.machines[0], following))
            return machines, [*traces, block]
    labels_are_vectors = len(T.blocks) <= in_contexts
    return _decided(T, stream, budget, labels.answers) if labels_are_vectors else stream.machines, traces


def _decided(T: Transformer, stream: Stream, budget: Budget, answers_of: Outcome) -> list[Moore]:
    """Return the machines of a stream, with labels for the answers where an input may end."""
    ends, code = np.flatnonzero(stream.right), np.zeros(1 + len(stream.right), np.int32)
    code_of_ends = np.append(0, np.where(stream.right, np.cumsum(stream.right), 0))
    labelled = [Moore(machine.table, code_of_ends[machine.labels]) for machine in stream.machines]
    answers = unless_it_fails(T, stream, labelled, answers_of, stream.vectors[ends])
    code[1 + ends] = 1 + answers
    return [machine.relabelled(code[machine.labels], budget) for machine in stream.machines]


def one_machine(machines: Sequence[Moore], answers: int, budget: Budget) -> Moore:
    """Return one machine for a union of machines.

    The commonest label is encoded as 0 meanwhile; machines with this label only are skipped.
    """
    budget.step = "the decisions"
    states = np.zeros(answers + 1, np.int64)
    for machine in machines:
        labels = machine.labels[machine.labels > 0]
        states[np.unique(labels)] += machine.states
    default = int(np.argmax(states))
    codes = np.arange(len(states))
    codes[default] = 0
    few = union((smallest(m.table, codes[m.labels], budget) for m in machines), machines[0].table.shape[1], budget)
    labels = np.where(few.labels == 0, default, few.labels)
    labels[0] = 0
    return Moore(few.table, labels.astype(np.int32))


def check_possible(T: Transformer) -> None:
    """Refuse a transformer that is no finite automaton, or has a part that the extraction does not know."""
    instead = "check inputs up to a length: up_to=10"
    if not isinstance(T.arithmetic, Saturating):
        raise InputError(
            f"an automaton needs a finite arithmetic, and this is {T.arithmetic}: write to_arithmetic(T, Fixed(4, 4)), "
            f"or {instead}"
        )
    heads = [head for block in T.blocks if block.attention for head in block.attention.heads]
    reason = unsupported(T, "an automaton", WEIGHTINGS)
    if reason is not None:
        raise InputError(f"{reason}, or {instead}")
    schemes: list[AttentionPositions | None] = [T.attention_positions, *(head.positions for head in heads)]
    if any(isinstance(scheme, Rotary) for scheme in schemes):
        raise InputError(
            "an automaton cannot follow rotary positions, whose angles go on growing: write a PositionTable, "
            f"Relative(…) or Alibi(…), or {instead}"
        )
    check_full_mask(T, instead)


def _embedded(T: Transformer, budget: Budget) -> tuple[Stream, Ints]:
    """Return the stream after the embedding, over tokens with distinct embeddings, and the number of each token.

    With a position table the machine steps through its rows, and stays at the last rows if these are equal: it then
    reads inputs that are too long, and the caller must not ask for them.
    """
    A = T.arithmetic.core
    rows, token_ids, tokens = np.unique(T.embedding.astype(np.float64), axis=0, return_index=True, return_inverse=True)
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    times = np.zeros((1, len(T.lanes))) if table is None else table
    same = np.flatnonzero((times != times[-1]).any(axis=1))
    begin = int(same[-1]) + 1 if len(same) else 0  # the rows are equal from here on
    ends = table is not None and begin == len(times) - 1 and begin > 0
    times = times[: begin + 1]
    size = len(times) * len(rows) * (4 * 8 * len(T.lanes) + state_bytes(1, len(rows)))
    budget.room(size, "a state for each position and token")
    every = (rows[None] if table is None else A.add(rows[None], times[:, None])).reshape(-1, len(T.lanes))
    vectors, numbers = distinct_rows(every)
    states = 1 + np.arange(len(every)).reshape(len(times), len(rows))  # state 1 + time·tokens + token
    over = 1 + len(every)
    following = np.concatenate([states, np.full((1, len(rows)), over) if ends else states[-1:]])
    after = np.minimum(np.repeat(np.arange(len(times)), len(rows)) + 1, len(times))
    machine = np.concatenate([states[:1], following[after], np.full((1, len(rows)), over)])
    labels = np.concatenate([[0], 1 + numbers, [0]])
    if not ends:
        machine, labels = machine[:-1], labels[:-1]
    small = smallest(np.ascontiguousarray(machine, np.int32), labels, budget)
    right = np.ones(len(vectors), np.bool_)
    return Stream(vectors, [small], token_ids.tolist(), ends, right), tokens.reshape(-1).astype(np.int32)


def _answers_of(T: Transformer, vectors: Array) -> Ints:
    """Return the numbers of the answers; each vector occurs on some input, so each must have an answer."""
    answer_ids = Reference(T).read_answers(vectors).astype(np.int32)
    if T.readout is not None and (answer_ids < 0).any():
        code = Reference(T).read_codes(vectors[answer_ids < 0][:1])[0]
        values = ", ".join(f"{lane}={x:g}" for lane, x in zip(T.readout.lanes, code, strict=True))
        raise InputError(
            f"on some input the lanes of the readout hold {values}, which stands for nothing: add it to the table"
        )
    return answer_ids


def _numbers(vectors: Array) -> Ints:
    """Number vectors: between blocks, the outcome is the whole vector."""
    return distinct_rows(vectors)[1]


def _finish(answers: Outcome) -> Finish:
    """Number vectors by their answers, after the last block."""

    def finish(vectors: Array) -> tuple[Array, Ints]:
        return vectors, answers(vectors)

    return finish
