"""A carrier of w bits is exact for p-bit systems when w ≥ 2p + 2, and not one bit further."""

import operator

import numpy as np
import pytest

from tests.arithmetic.systems import TIES
from tests.witness.integers import Grid
from weightsmith.arithmetic import Array, Ties, rounding
from weightsmith.arithmetic.rounding import Rounding

OPERATIONS = {
    "add": operator.add,
    "subtract": operator.sub,
    "multiply": operator.mul,
    "divide": operator.truediv,
}


def wrong_results(p: int, ties: Ties, operation: str, carrier: type[np.floating], spread: int) -> int:
    """Count pairs of random p-bit numbers whose result, rounded by the carrier and then to p bits, is wrong."""
    exact = Grid(unit=2 * spread + p, p=p, largest=(2**p - 1) << (6 * spread), ties=ties)
    random = np.random.default_rng(p)

    def members() -> Array:
        scale = 2.0 ** random.integers(-spread, spread + 1, 100_000)
        return random.integers(2 ** (p - 1), 2**p, 100_000) * scale * 2.0**-p

    x, y = members(), members()
    close = OPERATIONS[operation](x.astype(carrier), y.astype(carrier)).astype(np.float64)
    infinity = exact.value(exact.largest)
    found = rounding.nearest(close, Rounding(-infinity, infinity, -2 * spread - 1, p, TIES.index(ties)))
    step = getattr(exact, operation)
    wanted = [exact.value(step(exact.units(a), exact.units(b))) for a, b in zip(x.tolist(), y.tolist(), strict=True)]
    return int((found != wanted).sum())


@pytest.mark.parametrize("operation", OPERATIONS)
@pytest.mark.one_in(2)
@pytest.mark.parametrize("ties", TIES)
def test_a_float32_carrier_is_exact_for_11_bits_and_a_float64_carrier_for_25(ties: Ties, operation: str) -> None:
    assert wrong_results(11, ties, operation, np.float32, spread=8) == 0
    assert wrong_results(25, ties, operation, np.float64, spread=20) == 0


@pytest.mark.parametrize(("ties", "sign", "wanted", "given"), [("away", 1, 4095, 4096), ("zero", -1, 4095, 4094)])
def test_one_bit_more_is_not_exact(ties: Ties, sign: int, wanted: float, given: float) -> None:
    """Both numbers have 12 bits; the carrier drops the last bit of the smaller one and makes a tie that is none."""
    x, y = 4095.0, sign * (0.5 - 2.0**-13)
    exact, close = x + y, float(np.float32(x) + np.float32(y))
    assert close == x + sign * 0.5 != exact

    def rounded(value: float) -> Array:
        return rounding.nearest(np.array(value), Rounding(-8190.0, 8190.0, 0, 12, TIES.index(ties)))

    assert rounded(exact) == wanted
    assert rounded(close) == given
