"""Every operation on millions of random pairs of large systems, against whole numbers."""

import numpy as np
import pytest

from tests.arithmetic.exactness import LARGE, OPERATIONS, WIDEST, assert_exact
from tests.arithmetic.systems import TIES, saturating, tied
from tests.witness.integers import grid
from weightsmith import Fixed
from weightsmith.arithmetic import Array, Saturating


@pytest.mark.parametrize("count", [25_000, pytest.param(250_000, marks=pytest.mark.long)])
@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", [*LARGE, *WIDEST])
def test_random_pairs_of_each_large_system_are_rounded_correctly(
    form: str, ties: str, operation: str, count: int
) -> None:
    """Four operations of 250,000 pairs make a million cases for each system and tie rule."""
    A, exact = saturating(tied(form, ties)), grid(form, ties)
    random = np.random.default_rng(OPERATIONS.index(operation))
    x, y = _members(A, random, count), _members(A, random, count)
    close = random.random(x.size) < 0.5  # neighbours in size, where sums round and cancel
    if form != "fixed(8,8)":
        y[close] = A.round(x[close] * random.uniform(-2, 2, int(close.sum())))
    y[y == 0] = A.smallest
    assert_exact(A, exact, x, y, operation)


def _members(A: Saturating, random: np.random.Generator, count: int) -> Array:
    if A.bits <= 16:
        return random.choice(A.values(), count)
    significands = random.integers(-(2**A.precision) + 1, 2**A.precision, count).astype(np.float64)
    if isinstance(A, Fixed):
        return significands * A.smallest
    spread = random.integers(0, 256, count)
    return np.clip(significands * A.smallest * 2.0**spread, -A.infinity, A.infinity)
