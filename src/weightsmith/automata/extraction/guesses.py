"""The readings of a class of queries, by weighting: one for each guess that can be right."""

from collections.abc import Iterator

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.equal_parts import equal_parts
from weightsmith.automata.extraction.folds import (
    FOLLOWING,
    FOLLOWING_BYTES,
    FinalStates,
    Normaliser,
    Reading,
    chosen,
    labelled,
    no_key,
    possible_largest,
    ranks_of,
)
from weightsmith.automata.extraction.outcomes import OutcomeOfSum
from weightsmith.automata.extraction.scores import HeadScores
from weightsmith.automata.extraction.softmax import softmax_readings
from weightsmith.model import AverageHard, LeftmostHard, RightmostHard, Softmax

WEIGHTINGS = (Softmax, AverageHard, LeftmostHard, RightmostHard)  # those of `readings`


def readings(
    scored: HeadScores, query: int, ends: FinalStates, outcome: OutcomeOfSum, budget: Budget
) -> Iterator[Reading]:
    """Return the readings of the class of a query; after each input, exactly one of their guesses is right.

    Sums with the same outcome may be merged.
    """
    scores = scored.scores[:, query].copy()
    weighting = scored.head.weighting
    if isinstance(weighting, LeftmostHard | RightmostHard):
        yield _one_key(scored, scores, isinstance(weighting, RightmostHard), budget)
    elif isinstance(weighting, AverageHard):
        yield from _best_parts(scored, scores, ends, outcome, budget)
    elif isinstance(weighting, Softmax):
        yield from softmax_readings(scored, scores, ends, outcome, budget)


# One key


def _one_key(scored: HeadScores, scores: Array, last: bool, budget: Budget) -> Reading:
    """The normaliser is 1 + the rank of the largest score so far; 0 before any."""
    A, ranks = scored.A, ranks_of(scores)
    weighted = A.add(np.zeros(()), A.multiply(A.round(np.array(1.0)), scored.values))
    codes = np.concatenate([ranks[..., None], weighted], axis=-1)
    labels, examples = labelled(codes, np.zeros(ranks.shape, np.bool_))
    rank = ranks.reshape(-1)[examples]
    states = np.arange(ranks.max() + 2, dtype=np.int32)[:, None]
    budget.room(FOLLOWING_BYTES * len(states) * len(rank), FOLLOWING)
    following = np.maximum(states, rank[None, :] + 1).astype(np.int32)
    takes = rank[None, :] + 1 >= states if last else rank[None, :] + 1 > states
    values = weighted.reshape(labels.size, -1)[examples]
    return chosen(Normaliser(labels, following, 0), np.ones(len(states), np.bool_), values, takes)


# Hard attention with equal weights, and the largest score


def _best_parts(
    scored: HeadScores, scores: Array, ends: FinalStates, outcome: OutcomeOfSum, budget: Budget
) -> Iterator[Reading]:
    """The largest score is guessed first. Keys with a lower score change nothing; a higher score makes it wrong."""
    for largest in possible_largest(scores, ends, budget):
        if largest is None:
            yield no_key(scores.shape, scored.values.shape[-1])
        else:
            yield from equal_parts(scored, scores == largest, scores > largest, largest, 1, ends, outcome, budget)
