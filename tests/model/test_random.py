"""Random transformers: they run in every arithmetic, and a seed means one model."""

import hashlib
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Native, Softmax
from weightsmith.model import named_arrays


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("size", [(4, 2, 1, 4), (16, 3, 2, 16), (64, 4, 1, 64), (64, 4, 4, 64)])
def test_a_random_model_runs_in_the_machines_arithmetic(dtype: Any, size: tuple[int, int, int, int]) -> None:
    for seed in range(4):
        T = ws.random_transformer("01", *size, 16, Native(dtype), seed)
        for sums in (None, "left") if size[0] < 64 else (None,):
            assert np.isfinite(ws.run(T, "0110" * 4, sums=sums).stream).all()


@pytest.mark.parametrize("A", [Fixed(4, 4), Float(4, 3), Fixed(2, 2), Native("float32")], ids=str)
def test_the_weighting_is_shifted_only_where_exp_would_overflow(A: Any) -> None:
    T = ws.random_transformer(arithmetic=A)
    found = {head.weighting for block in T.blocks if block.attention for head in block.attention.heads}
    assert found == {Softmax(shifted=isinstance(A, Native))}
    given = ws.random_transformer(arithmetic=A, weighting=Softmax(shifted=False))
    assert given.blocks[0].attention is not None
    assert given.blocks[0].attention.heads[0].weighting == Softmax(shifted=False)


def test_a_seed_gives_the_weights_that_it_always_gave() -> None:
    """The digests were made before `Native` got a weighting of its own."""
    small, other = ws.random_transformer(seed=3), ws.random_transformer("abc", 6, 1, 2, 5, 7, Float(4, 3), 11)
    for T, wanted in ((small, "ba1b47978856f8a2"), (other, "5987559f51f4ee41")):
        found = hashlib.sha256(b"".join(array.tobytes() for _, array in named_arrays(T))).hexdigest()
        assert found.startswith(wanted)
