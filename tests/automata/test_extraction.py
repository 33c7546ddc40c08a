"""The automaton of a transformer says what the witness says: on every short input, and along a long one."""

import itertools
from functools import partial
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.models import random_model
from tests.automata.proving import said
from tests.witness.runs import witness_run
from tests.witness.trees import decided, every_input, one_input
from weightsmith.automata.extraction import Budget, Decisions, UnknownError, extract

SHORT, LONG = 8, 300
BATCH = 25  # models of a test


def agree(T: ws.Transformer, D: Decisions, seed: int) -> None:
    random, symbols = Random(seed), len(T.vocabulary)
    every = every_input(symbols, min(SHORT, T.max_length or SHORT))
    long = one_input([random.randrange(symbols) for _ in range(random.randint(1, T.max_length or LONG))])
    for tree in (every, long):
        np.testing.assert_array_equal(said(D, tree), decided(T, tree))


def ended(seeds: range, steps: int, states: int) -> int:
    """Extract models, and compare those that end; return how many did.

    Time is counted in looks at the clock, so that the same models end on every machine.
    """
    count = 0
    for seed in seeds:
        T = random_model(seed)
        try:
            D = extract(T, Budget(steps, states, clock=partial(next, itertools.count(0.0))))
        except (UnknownError, ws.ModelError):  # a norm of 0 has no root
            continue
        agree(T, D, seed)
        count += 1
    return count


@pytest.mark.one_in(2)
@pytest.mark.parametrize("begin", range(0, 250, BATCH))
def test_the_machines_say_what_the_transformer_says(begin: int) -> None:
    assert ended(range(begin, begin + BATCH), steps=500, states=600) >= 6


@pytest.mark.long
@pytest.mark.parametrize("begin", range(0, 2000, BATCH))
def test_larger_machines_say_what_the_transformer_says(begin: int) -> None:
    assert ended(range(begin, begin + BATCH), steps=12_000, states=20_000) >= 12


def test_all_inputs_of_a_tree_are_decided_as_the_witness_decides_each() -> None:
    for seed in range(60):
        T, random = random_model(seed), Random(seed)
        ids = [random.randrange(len(T.vocabulary)) for _ in range(min(5, T.max_length or 5))]
        try:
            run = witness_run(T, [T.vocabulary[i] for i in ids])
        except ZeroDivisionError:  # a norm of 0
            continue
        assert [T.classes[place] for place in decided(T, one_input(ids))] == run.outputs
        every = every_input(len(T.vocabulary), len(ids))
        (same,) = np.flatnonzero((every.tokens[every.beginnings] == ids).all(axis=1) & (every.lengths == len(ids)))
        assert T.classes[decided(T, every)[same]] == run.decision
