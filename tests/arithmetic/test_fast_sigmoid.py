"""The compiled silu and gelu_tanh err by a few units in the last place, as the machine's own do."""

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tests.witness.functions import FUNCTIONS
from weightsmith.arithmetic import native
from weightsmith.arithmetic.native import machine, replaced

NAMES: tuple[Any, ...] = ("silu", "gelu_tanh")
TYPES: tuple[Any, ...] = (np.float32, np.float64)


@pytest.fixture
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(native, "COMPILED_FROM", dict.fromkeys(native.COMPILED_FROM, 0))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_it_errs_by_a_few_units_in_the_last_place(name: Any, dtype: Any, compiled: None) -> None:
    """Far below 0 an error in the argument grows by the argument's size, squared."""
    random = np.random.default_rng(0)
    sizes = 2.0 ** random.uniform(-60, 5, 60) * random.choice([-1, 1], 60)
    x = np.concatenate([np.linspace(-6, 6, 241), random.normal(size=200) * 3, np.abs(sizes), -np.minimum(sizes, 9)])
    x = x.astype(dtype)
    exact = np.array([float(FUNCTIONS[name](Fraction(v))) for v in x.tolist()])
    ulp = np.spacing(np.abs(exact).astype(dtype)).astype(np.float64)
    found = replaced(name, x.copy())
    assert found.dtype == dtype
    assert (np.abs(found - exact) <= (4 + 2 * np.where(x < 0, x * x, 0)) * ulp).all()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", NAMES)
def test_at_the_ends_it_is_what_the_machine_gives(name: Any, dtype: Any, compiled: None) -> None:
    large, steps = np.finfo(dtype).max, np.linspace(-1500, -9, 3000)
    ends = np.array([large, 1e3, 100, 0.0, -0.0, -1e3, -1e20, -large, np.inf, np.nan, 1], dtype)
    with np.errstate(all="ignore"):
        wanted, slopes = machine(name, ends.copy()), machine(name, steps.astype(dtype))
    assert np.array_equal(replaced(name, ends.copy()), wanted, equal_nan=True)
    assert np.abs(replaced(name, steps.astype(dtype)) - slopes).max() < (1e-8 if dtype == np.float32 else 1e-15)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("name", [*NAMES, "gelu"])
def test_an_array_is_overwritten_from_a_size_on_and_below_it_has_the_machines_bits(
    name: Any, dtype: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(native, "COMPILED_FROM", dict.fromkeys(native.COMPILED_FROM, 106))
    x = np.random.default_rng(1).normal(size=(3, 5, 7)).astype(dtype)
    small, large = x.copy(), np.concatenate([x, x])
    assert np.array_equal(replaced(name, small), machine(name, x))
    assert np.array_equal(small, x)
    found = replaced(name, large)
    assert found is large
    assert found.shape == (6, 5, 7)
    assert np.allclose(found[3:], machine(name, x), rtol=64 * np.finfo(dtype).eps, atol=0)
