"""Models made for each shortcut of the extraction, half of them with all its limits tiny: what is said is always true.

The machines say what the witness says on every input up to 7. What is proved is accepted by the checker, and what is
refuted is refuted by the shortest input.
"""

from collections import Counter

import pytest

from tests.automata.proving import examined
from tests.automata.shortcuts import KINDS

BATCH = 50  # models of a test


@pytest.mark.parametrize(
    "begin", [pytest.param(n, marks=[] if n == 0 else pytest.mark.long) for n in range(0, 1000, BATCH)]
)
@pytest.mark.parametrize("kind", KINDS)
def test_what_is_said_of_a_model_made_for_a_shortcut_is_true(kind: str, begin: int) -> None:
    found = Counter(examined(kind, seed) for seed in range(begin, begin + BATCH))
    assert found["proved"] + found["refuted"] >= BATCH // 3, found
    assert found["unknown"] <= BATCH // 3, found
