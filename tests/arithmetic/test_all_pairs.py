"""Every operation on all pairs of small systems, against whole numbers."""

import numpy as np
import pytest

from tests.arithmetic.exactness import OPERATIONS, SMALL, assert_exact
from tests.arithmetic.systems import TIES, saturating, tied
from tests.witness import numbers
from tests.witness.integers import grid


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("form", SMALL)
@pytest.mark.one_in(3)
def test_all_pairs_are_rounded_correctly(form: str, ties: str, operation: str) -> None:
    A = saturating(tied(form, ties))
    x, y = (side.ravel() for side in np.meshgrid(A.values(), A.values()))
    if operation == "divide":
        x, y = x[y != 0], y[y != 0]
    assert_exact(A, grid(form, ties), x, y, operation)


def test_the_integer_witness_agrees_with_the_definition() -> None:
    for form in SMALL[:6]:
        for ties in TIES:
            exact, quick = numbers.system(tied(form, ties)), grid(form, ties)
            assert quick.value(quick.largest) == exact.infinity
            for x in exact.members[:: max(1, len(exact.members) // 40)]:
                for y in exact.members[:: max(1, len(exact.members) // 40)]:
                    a, b = quick.units(float(x)), quick.units(float(y))
                    assert quick.value(quick.add(a, b)) == exact.round(x + y)
                    assert quick.value(quick.multiply(a, b)) == exact.round(x * y)
                    if y:
                        assert quick.value(quick.divide(a, b)) == exact.round(x / y)
