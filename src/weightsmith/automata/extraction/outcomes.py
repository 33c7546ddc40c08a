"""Merging what no decision tells apart, before machines are paired: then there are fewer pairs."""

from collections.abc import Callable
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.rows import Ints, examples_of
from weightsmith.errors import ModelError

STATES_FOR_ONE = 16  # that are made and merged in the time in which one outcome is found
PAIRS_PER_STATE = 8  # that are made, for each state of either machine, at least where merging is worth while
# From places (combinations, 1 + heads) of a vector and what heads add to it, and what they are places in, to outcomes
Told: TypeAlias = Callable[[Ints, list[Array]], Ints]


def merged(A: Moore, places: Ints, B: Moore, guess: list[Array], told: Told) -> tuple[Moore, Ints, Moore, Array]:
    """Return two machines with fewer labels, and examples of what these stand for: outcomes remain what they are.

    The labels of A are rows of `places`; those of B stand for the last of the guesses.
    """
    mine, others = A.spoken, B.spoken
    pairs = min(A.states * B.states, PAIRS_PER_STATE * (A.states + B.states))
    if STATES_FOR_ONE * len(mine) * len(others) > pairs:
        return A, places, B, guess[-1]
    both = np.repeat(places[mine], len(others), axis=0), np.tile(others - 1, len(mine))[:, None]
    try:
        outcomes = told(np.concatenate(both, axis=1), guess).reshape(len(mine), len(others))
    except ModelError:  # for two that never meet, perhaps
        return A, places, B, guess[-1]
    (few, a), (few_others, b) = examples_of(outcomes), examples_of(outcomes.T)
    return (
        A.relabelled(_code(mine, a)[A.labels]),
        np.concatenate([places[:1], places[mine[few]]]),
        B.relabelled(_code(others, b)[B.labels]),
        guess[-1][others[few_others] - 1],
    )


def _code(labels: Ints, numbers: Ints) -> Ints:
    code = np.zeros(int(labels[-1]) + 1, np.int32)
    code[labels] = 1 + numbers
    return code
