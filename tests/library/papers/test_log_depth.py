"""Automata in log depth: right up to n with ⌈log₂ n⌉ blocks, and wrong just beyond the power of two."""

from random import Random

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float
from weightsmith.check import Automaton
from weightsmith.library.papers import automaton_in_log_depth, permutations

S5 = permutations([(1, 0, 2, 3, 4), (1, 2, 3, 4, 0)])


@pytest.mark.parametrize("n", [1, 2, 3, 5, 9])
def test_the_number_of_blocks_is_the_logarithm_rounded_up(n: int) -> None:
    T = automaton_in_log_depth(S5, n)
    assert len(T.blocks) == max(k for k in range(8) if n > 2 ** (k - 1) or k == 0)
    assert ws.check.recognizes(T, S5, up_to=n, workers=1).holds


def test_it_fails_where_the_functions_no_longer_reach_the_first_token() -> None:
    verdict = ws.check.recognizes(automaton_in_log_depth(S5, 8), S5, up_to=9, workers=1)
    assert verdict.counterexample == "a" * 9


@pytest.mark.parametrize("seed", range(4))
@pytest.mark.parametrize("A", [Fixed(2, 0), Fixed(4, 4), Float(4, 3)], ids=str)
def test_random_automata_are_followed(seed: int, A: ws.Arithmetic) -> None:
    draw = Random(seed)
    size = 2 + seed
    table = np.array([[draw.randrange(size) for _ in range(3)] for _ in range(size)], dtype=np.int32)
    accepting = np.array([draw.random() < 0.5 for _ in range(size)])
    automaton = Automaton(table, accepting, draw.randrange(size), "xyz")
    assert ws.check.recognizes(automaton_in_log_depth(automaton, 6, A), automaton, up_to=6, workers=1).holds


def test_bad_arguments_are_refused_by_name() -> None:
    with pytest.raises(ws.InputError, match="automaton=3: write Automaton"):
        automaton_in_log_depth(3, 4)  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="n=0|n is 0|n "):
        automaton_in_log_depth(S5, 0)
    with pytest.raises(ws.InputError, match="is no permutation"):
        permutations([(0, 0)])
