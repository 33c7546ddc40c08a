"""The compiled gelu errs by a few units in the last place wherever it is asked, also where it is tiny."""

from typing import Any

import mpmath as mp
import numpy as np
import pytest

from weightsmith.arithmetic.fast_gelu import gelu

FEW = 6  # units in the last place; about 5 are seen


def exact(x: float) -> Any:
    with mp.workdps(50):
        return mp.mpf(x) * mp.erfc(-mp.mpf(x) / mp.sqrt(2)) / 2


def arguments(dtype: Any) -> Any:
    """Give numbers of every size, most where gelu curves, and many in the tail up to where it is 0."""
    random, least = np.random.default_rng(0), float(np.log2(np.finfo(dtype).tiny))
    tail = -float(np.sqrt(-2.8 * least * np.log(2)))
    sizes = 2.0 ** random.uniform(least + 1, 6, 200) * random.choice([-1, 1], 200)
    return np.concatenate([random.normal(size=600) * 2, np.linspace(tail, 8, 700), sizes]).astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu_errs_by_a_few_units_in_the_last_place(dtype: Any) -> None:
    x = arguments(dtype)
    found, tiny = gelu(x), 0
    for value, result in zip(x.tolist(), found.tolist(), strict=True):
        wanted = exact(value)
        unit = float(np.spacing(dtype(abs(wanted))))
        assert abs(mp.mpf(result) - wanted) <= FEW * unit, (value, result)
        tiny += 0 < abs(wanted) < np.finfo(dtype).tiny
    assert found.dtype == dtype
    assert tiny > 3, "also results that are subnormal"
    assert (found == 0).sum() > 3, "and those that are 0"


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu_at_the_ends_is_itself_or_0_and_keeps_what_is_not_a_number(dtype: Any) -> None:
    large = np.finfo(dtype).max
    found = gelu(np.array([np.inf, large, 100, 0.0, -0.0, -100, -large, -np.inf], dtype))
    assert found.tolist() == [np.inf, large, 100, 0, 0, 0, 0, 0]
    assert np.isnan(gelu(np.array([np.nan, 1], dtype))).tolist() == [True, False]


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_gelu_of_any_shape_and_order_is_gelu_of_each_number(dtype: Any) -> None:
    x = np.random.default_rng(1).normal(size=(3, 5, 7)).astype(dtype)
    read_only = x.copy()
    read_only.flags.writeable = False
    one_by_one = np.array([gelu(np.array([value], dtype))[0] for value in x.reshape(-1)]).reshape(x.shape)
    for given in (x, read_only, np.asfortranarray(x), np.repeat(x, 2, axis=-1)[..., ::2]):
        assert np.allclose(gelu(given), one_by_one, rtol=8 * np.finfo(dtype).eps, atol=0)  # SIMD may fuse, a rest not
    assert x.flags.writeable
    assert gelu(x[:0]).shape == (0, 5, 7)
    assert gelu(x[0, 0, 0:1].reshape(())).shape == ()
