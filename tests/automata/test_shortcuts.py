"""Models made for each shortcut of the extraction, half of them with all its limits tiny: what is said is always true.

The machines say what the witness says on every input up to 7. What is proved is accepted by the checker, and what is
refuted is refuted by the shortest input.
"""

from collections import Counter
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.proving import in_steps, proved_and_checked
from tests.automata.shortcuts import KINDS, MANY, made_for, numbers_of_sums
from tests.automata.test_extraction import said
from tests.automata.tiny import limits_of
from tests.witness.trees import decided, every_input
from weightsmith.automata import Automaton
from weightsmith.automata.extraction import UnknownError, extract
from weightsmith.automata.extraction.limits import Limits
from weightsmith.automata.extraction.whole import joined

SHORT, STEPS, STATES = 7, 20_000, 150
BATCH = 100  # models of a test


def examined(kind: str, seed: int) -> str:
    """Compare all that is said of a model; return what it came to."""
    T, limits, random = made_for(kind, seed), limits_of(seed), Random(seed)
    if (
        kind == "one sum"
        and seed % 8 != 0
        and limits == Limits()
        and (few := [n for n in numbers_of_sums(T, SHORT) if n < MANY])
    ):
        limits = Limits(sums=random.choice(few))  # just as many as are looked at
    try:
        budget = in_steps(STEPS, STATES, limits)
        D = extract(T, budget)
        A = joined(D, "YES", budget)
    except UnknownError:
        return "unknown"
    except ws.ModelError:  # a norm of 0 has no root, or a softmax is empty
        return "an error"
    every = every_input(len(T.vocabulary), min(SHORT, T.max_length or SHORT))
    right = decided(T, every)
    np.testing.assert_array_equal(said(D, every), right)
    language, first = Automaton(A.table, A.accepting, A.start, T.vocabulary), None
    if random.random() < 0.25:
        accepting = A.accepting.copy()
        accepting[random.randrange(len(accepting))] ^= True
        language = Automaton(A.table, accepting, A.start, T.vocabulary)
        first = A.difference(language)
    verdict = proved_and_checked(T, language, limits)
    assert verdict.counterexample == first
    assert verdict.holds is (first is None)
    if first is not None:
        return "refuted"
    return "proved" if len(set(right.tolist())) > 1 else "proved of one decision"


@pytest.mark.parametrize(
    "begin", [pytest.param(n, marks=[] if n == 0 else pytest.mark.long) for n in range(0, 1000, BATCH)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_a_model_made_for_a_shortcut_is_true(kind: str, begin: int) -> None:
    found = Counter(examined(kind, seed) for seed in range(begin, begin + BATCH))
    assert found["proved"] + found["refuted"] >= BATCH // 3, found
    assert found["unknown"] <= BATCH // 3, found
