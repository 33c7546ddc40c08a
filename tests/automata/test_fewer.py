"""A union of machines by fewer machines: the same labels, and no more states."""

from random import Random

import numpy as np
import pytest

from tests.automata.models import random_model
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.blocks import run_block
from weightsmith.automata.extraction.exploring import distinct_rows
from weightsmith.automata.extraction.limits import Limits
from weightsmith.automata.extraction.moore import Moore, fewer
from weightsmith.automata.extraction.stream import Stream
from weightsmith.automata.extraction.whole import _embedded, _numbers

MANY = 25  # a block of this seed has 18 machines, and one does as well


def after_a_block(seed: int, budget: Budget) -> Stream:
    T = random_model(seed, plain=True, arithmetic="fixed(2,2)", blocks=1)
    stream, _ = _embedded(T, budget)
    return run_block(T, 0, stream, distinct_rows, budget, _numbers)[0]


def labels(machines: list[Moore], letters: list[int]) -> list[int]:
    """The one label above 0 after each beginning of an input."""
    found = []
    for end in range(1, len(letters) + 1):
        (label,) = {machine.label_after(letters[:end]) for machine in machines} - {0}
        found.append(label)
    return found


@pytest.mark.parametrize("seed", range(10, 26))
def test_fewer_machines_say_the_same_and_have_no_more_states(seed: int) -> None:
    budget, random = Budget(), Random(seed)
    stream = after_a_block(seed, budget)
    few = fewer(stream.machines, budget)
    assert len(few) <= len(stream.machines)
    assert sum(m.states for m in few) <= sum(m.states for m in stream.machines)
    for _ in range(20):
        letters = [random.randrange(stream.tokens) for _ in range(40)]
        assert labels(few, letters) == labels(stream.machines, letters)


def test_machines_of_neighbouring_guesses_are_joined() -> None:
    budget = Budget()
    machines = after_a_block(MANY, budget).machines
    assert len(machines) > 4 * len(fewer(machines, budget))


def test_two_machines_whose_product_is_larger_stay_two() -> None:
    budget = Budget()
    counters = []
    for number, modulus in enumerate((5, 7), 1):  # of the states after 1 letter and more, one has a label
        table = np.append(np.arange(1, modulus + 1), 1).astype(np.int32)[:, None]
        counters.append(Moore(table, np.where(np.arange(modulus + 1) == 1, number, 0).astype(np.int32)))
    assert fewer(counters, budget) == counters
    assert len(fewer([counters[0], counters[0]], budget)) == 1
    tight = Budget(limits=Limits(union_pairs=1))
    assert len(fewer([counters[0], counters[0]], tight)) == 1


def test_views_are_the_same_by_fewer_machines() -> None:
    """The second view of a stream with `unions=1` is made of the fewer machines."""
    many, few = (after_a_block(MANY, Budget(limits=Limits(unions=unions))) for unions in (10_000, 1))
    random, queries = np.random.default_rng(0), np.ones(len(many.vectors), np.bool_)
    for _ in range(4):
        parts = random.integers(0, 3, len(many.vectors)).astype(np.int32)
        first = many.view(parts, queries, Budget(limits=Limits(unions=10_000)))
        second = few.view(parts, queries, Budget(limits=Limits(unions=1)))
        np.testing.assert_array_equal(first.table, second.table)
        np.testing.assert_array_equal(first.labels[1:], second.labels[1:])
    assert many._fewer is None
    third = after_a_block(MANY, Budget())
    third.only(queries, Budget(limits=Limits(unions=1, states_for_one=1_000)))
    third.only(queries, Budget(limits=Limits(unions=1, states_for_one=1_000)))
    assert third._fewer is third.machines  # they would have too many states
    assert few._fewer is not None
    assert len(few._fewer) < len(many.machines)
