"""The rows of docs/claims.md that hold, on 100 random transformers: exhaustively, or for all lengths."""

from collections.abc import Callable, Iterator
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.rewrites import claimed
from tests.rewrites.claimed import LENGTH, random_model
from weightsmith.check import Verdict

ROWS: dict[int, tuple[Callable[[ws.Transformer, Any], Iterator[Verdict]], ...]] = {
    1: (claimed.flagging, claimed.widening),
    2: (claimed.adding,),
    3: (claimed.zeroing,),
    4: (claimed.ignoring,),
    5: (claimed.mapping, claimed.mapping_as_in_the_notes),
    6: (claimed.zero_one,),
    7: (claimed.infinite,),
    9: (claimed.signed,),
}
MANY = [range(100, 103), *(pytest.param(range(n, n + 48), marks=pytest.mark.long) for n in (103, 151, 199))]


@pytest.mark.parametrize("seeds", MANY, ids=str)
@pytest.mark.parametrize("row", ROWS)
def test_a_row_that_holds_holds_for_random_transformers(row: int, seeds: range) -> None:
    decided = 0
    for seed in seeds:
        T, rng = random_model(seed)
        try:
            for contract in ROWS[row]:
                for verdict in contract(T, rng):
                    assert verdict.holds, (seed, str(verdict))
        except ws.LawError:
            continue
        decided += 1
    assert decided >= len(seeds) * 2 // 3
    if len(seeds) > 10:
        assert decided >= 34, "three times this are 100"


@pytest.mark.parametrize("seeds", MANY, ids=str)
def test_rows_11_and_14_no_vector_depends_on_a_later_token(seeds: range) -> None:
    for seed in seeds:
        T, _ = random_model(seed)
        found: dict[tuple[str, ...], np.ndarray] = {}
        for tokens in product("ab", repeat=LENGTH):
            stream = ws.run(T, list(tokens)).stream
            for n in range(1, LENGTH + 1):
                known = found.setdefault(tokens[:n], stream[:, n - 1])
                assert np.array_equal(known, stream[:, n - 1]), (seed, tokens, n)


def test_row_3_holds_for_every_member_of_every_small_arithmetic() -> None:
    systems = [ws.Fixed(i, f) for i in range(6) for f in range(6) if i + f]
    systems += [ws.Float(e, p) for e in range(1, 5) for p in range(2, 5)]  # type: ignore[misc]
    for A in systems:
        x, infinity = A.values(), A.infinity
        assert not A.subtract(A.add(A.add(x, infinity), infinity), infinity).any(), str(A)


def test_row_8_every_positive_member_reaches_infinity_in_two_steps_in_the_constant_precision_systems() -> None:
    for s in range(2, 8):
        A = ws.Fixed(s, s)
        x = A.values()[A.values() > 0]
        assert (A.multiply(A.multiply(x, A.infinity), A.infinity) == A.infinity).all()
    A = ws.Fixed(1, 1)
    x = A.values()[A.values() > 0]
    assert not (A.multiply(A.multiply(x, A.infinity), A.infinity) == A.infinity).all()
