"""Memories, the token k from the end, circuits and machines: small cases of each."""

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed
from weightsmith.library.papers import facts, outer_product_memory, palindromes_by_machine, symbol_back
from weightsmith.library.papers.memories import signs


def known_answer(known: dict[str, str]) -> Callable[[tuple[str, ...]], str]:
    return lambda x: known[x[0]]


def test_one_fact_more_than_the_capacity_is_forgotten() -> None:
    for number, all_recalled in ((8, True), (9, False)):
        known = facts(number, 16)
        T = outer_product_memory(number, 16, 16)
        verdict = ws.check.agrees_with(T, known_answer(known), up_to=1, workers=1)
        assert verdict.holds is all_recalled


def test_in_a_wide_arithmetic_the_memory_is_the_sum_of_outer_products() -> None:
    T = outer_product_memory(6, 8, 4, Fixed(10, 0))
    known, E, U = facts(6, 4), signs(6, 8, "subjects 0"), signs(4, 8, "answers 0")
    for x, subject in enumerate(known):
        noise = sum(
            Fraction(int(E[y] @ E[x])) * U[int(answer[1:])].astype(int) for y, answer in enumerate(known.values())
        )
        stream = ws.run(T, [subject]).stream[-1][0]
        assert np.array_equal(stream[8:], np.array([float(v) for v in noise]))


@pytest.mark.parametrize("k", [1, 2, 6])
def test_the_automaton_of_the_kth_last_token_has_two_to_the_k_states(k: int) -> None:
    T = symbol_back(k)
    assert len(ws.automaton(T).table) == 2**k
    verdict = ws.check.recognizes(T, ".*1" + "." * (k - 1))
    assert verdict.scope == "all lengths"


def test_an_automaton_that_explodes_makes_the_verdict_unknown() -> None:
    T = symbol_back(24)
    verdict = ws.check.same_decisions(T, ~~T, states=20_000)
    assert verdict.holds is None
    assert "20,000 states" in str(verdict)


def test_palindromes_are_decided_by_the_steps_of_a_machine() -> None:
    C = palindromes_by_machine(4)
    assert ws.check.recognizes(C, lambda x: x == x[::-1], up_to=4, workers=1).holds
    assert C.certificate()  # type: ignore[attr-defined]
