"""Outcomes: the effect of a head's output on the decision, or on the vector after the block.

Labels with the same outcomes are merged before machines are multiplied, so the products are smaller. An outcome is
computed for every case that can occur, or not used at all.
"""

from collections.abc import Callable
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.exploring import Ints, distinct_rows, group_rows, in_slices
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.scores import HeadScores
from weightsmith.errors import ModelError

# From outputs of a head to a row of outcomes for each, one for every case beside it; None where there are too many
OutcomeOfSum: TypeAlias = Callable[[Array], Ints | None]
# From rows (a vector's number, the number of each head's output) and the outputs of each head to an outcome each
OutcomeOfCombination: TypeAlias = Callable[[Ints, list[Array]], Ints]


def head_outputs(scored: HeadScores, sums: npt.NDArray[Any], mixed: Callable[[Any], Array], budget: Budget) -> Array:
    """Return W_O · mixed(sum), for each sum."""
    lanes, size = scored.head.W_O.shape
    budget.room(len(sums) * (3 * lanes * 8), "what the head adds")

    def of(some: slice) -> Array:
        return scored.A.matvec(scored.head.W_O, mixed(sums[some]))

    return in_slices(of, len(sums), lanes * size, budget)


def labels_of_sums(
    scored: HeadScores, sums: Ints, mixed: Callable[[Any], Array], outcome: OutcomeOfSum, budget: Budget
) -> tuple[Ints, Array]:
    """Return 1 + the number of the head's output for each sum, and the outputs; equal outcomes share an output."""
    distinct, sum_ids = distinct_rows(sums)
    outputs, numbers = distinct_rows(head_outputs(scored, distinct, mixed, budget))
    outcomes = outcome(outputs) if len(outputs) else None
    if outcomes is None:
        return 1 + numbers[sum_ids], outputs
    examples, classes = group_rows(outcomes)
    return 1 + classes[numbers[sum_ids]], outputs[examples]


def merged(
    A: Moore,
    meaning: Ints,
    B: Moore,
    outputs: list[Array],
    rest: Ints,
    outcome: OutcomeOfCombination,
    budget: Budget,
) -> tuple[Moore, Ints, Moore, Array]:
    """Merge the labels of two machines that have the same outcomes; return machines and examples for their labels.

    `meaning` gives for each label of A the number of a vector and of the output of each head so far. The labels of B
    number the outputs of the next head. `rest` (cases, heads) numbers the outputs of the heads after it.
    """
    mine, others, heads = A.used_labels, B.used_labels, meaning.shape[1] - 1
    limits, cases = budget.limits, len(mine) * len(others) * len(rest)
    pairs = min(A.states * B.states, limits.pairs_per_state * (A.states + B.states))
    if limits.states_per_outcome * (limits.outcomes_per_call + cases) > pairs:
        return A, meaning, B, outputs[heads]
    a, b, c = (x.reshape(-1) for x in np.indices((len(mine), len(others), len(rest))))
    every = np.concatenate([meaning[mine[a]], (others[b] - 1)[:, None], rest[c]], axis=1)
    try:
        outcomes = outcome(every, outputs).reshape(len(mine), len(others), len(rest))
    except ModelError:  # perhaps for two that never occur together
        return A, meaning, B, outputs[heads]
    few, a = _group(outcomes, axis=0)
    few_others, b = _group(outcomes, axis=1)
    return (
        A.renamed(_code(mine, a), budget),
        np.concatenate([meaning[:1], meaning[mine[few]]]),
        B.renamed(_code(others, b), budget),
        outputs[heads][others[few_others] - 1],
    )


def _group(outcomes: Ints, axis: int) -> tuple[Ints, Ints]:
    """Group the labels along an axis by all their outcomes: see `group_rows`."""
    return group_rows(np.moveaxis(outcomes, axis, 0).reshape(outcomes.shape[axis], -1))


def _code(labels: Ints, numbers: Ints) -> Ints:
    code = np.zeros(int(labels[-1]) + 1, np.int32)
    code[labels] = 1 + numbers
    return code
