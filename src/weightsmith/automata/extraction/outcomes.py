"""Merging what no decision tells apart, before machines are paired: then there are fewer pairs."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.budget import Budget
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.rows import Ints, examples_of
from weightsmith.errors import ModelError

# From places (combinations, 1 + heads) of a vector and what heads add to it, and what they are places in, to outcomes
Told: TypeAlias = Callable[[Ints, list[Array]], Ints]


def merged(
    A: Moore, places: Ints, B: Moore, guess: list[Array], rest: Ints, told: Told, budget: Budget
) -> tuple[Moore, Ints, Moore, Array]:
    """Return two machines with fewer labels, and examples of what these stand for: outcomes remain what they are.

    The labels of A are rows of `places`; those of B stand for the last of the guesses whose places are given. What the
    heads that are left can add is in `rest`: places (combinations, heads) in the guesses after it.
    """
    mine, others, given = A.spoken, B.spoken, places.shape[1] - 1
    limits, cases = budget.limits, len(mine) * len(others) * len(rest)
    pairs = min(A.states * B.states, limits.pairs_per_state * (A.states + B.states))
    if limits.states_per_outcome * cases > pairs:
        return A, places, B, guess[given]
    a, b, c = (x.reshape(-1) for x in np.indices((len(mine), len(others), len(rest))))
    every = np.concatenate([places[mine[a]], (others[b] - 1)[:, None], rest[c]], axis=1)
    try:
        outcomes = told(every, guess).reshape(len(mine), len(others), len(rest))
    except ModelError:  # for two that never meet, perhaps
        return A, places, B, guess[given]
    few, a = examples_of(outcomes.reshape(len(mine), -1))
    few_others, b = examples_of(outcomes.swapaxes(0, 1).reshape(len(others), -1))
    return (
        A.renamed(_code(mine, a), budget),
        np.concatenate([places[:1], places[mine[few]]]),
        B.renamed(_code(others, b), budget),
        guess[given][others[few_others] - 1],
    )


def _code(labels: Ints, numbers: Ints) -> Ints:
    code = np.zeros(int(labels[-1]) + 1, np.int32)
    code[labels] = 1 + numbers
    return code
