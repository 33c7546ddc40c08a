"""Random Turing machines, those that do not halt included, step by step against a plain simulator."""

import random
from itertools import product

import pytest

from tests.programs.machines.test_examples import compare
from weightsmith.programs import TuringMachine, compile_machine


def drawn(seed: int, tapes: int = 1) -> TuringMachine:
    """Return a machine with 3 states and 2 symbols that can halt; some have cases without a rule."""
    chance = random.Random(seed)
    cases = [(state, shows) for state in "ABC" for shows in product("01", repeat=tapes)]
    while True:
        rules = {
            case: (
                chance.choice("ABCABCH"),
                tuple(chance.choice("01") for _ in range(tapes)),
                tuple(chance.choice((-1, -1, 1, 1, 0)) for _ in range(tapes)),
            )
            for case in cases
            if chance.random() < 0.9
        }
        try:
            halts = "H" if any(right[0] == "H" for right in rules.values()) else ()
            return TuringMachine(rules, start="A", blank="0", halt=halts, inputs="01")
        except ValueError:
            continue


@pytest.mark.parametrize("seed", [*range(20), *(pytest.param(n, marks=pytest.mark.long) for n in range(20, 200))])
def test_random_machines_are_simulated_step_by_step(seed: int) -> None:
    compare(compile_machine(drawn(seed), max_length=3, max_steps=20), 3)


@pytest.mark.parametrize("seed", range(5))
def test_random_machines_with_two_tapes_are_simulated_step_by_step(seed: int) -> None:
    compare(compile_machine(drawn(seed, tapes=2), max_length=2, max_steps=12), 2)
