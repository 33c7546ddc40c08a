"""Matrices whose lanes are used so often that the loops look at the values first: where nothing can saturate, they take
a shorter way, which must give the same. Products of every size, subnormal ones too, are rounded in one way."""

from collections import Counter

import numpy as np
import pytest

from tests.arithmetic.systems import TIES, saturating, tied
from weightsmith.arithmetic import Array, Fixed, Saturating
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.compiled import compiled
from weightsmith.kernels.packed.instructions import SIMD_BYTES
from weightsmith.kernels.packed.linear import COLUMN_PADDING, TILE_BYTES, Matrix
from weightsmith.kernels.packed.matrices import MIN_REUSE, sparse

FORMS = ("fixed(4,4)", "fixed(0,7)", "fixed(14,0)", "fixed(1,3)", "fixed(8,8)", "fixed(12,12)", "float(1,2)",
         "float(3,3)", "float(4,3)", "float16", "e4m3", "e5m2", "float(7,11)", "float(5,12)", "float(10,25)",
         "bfloat16")  # fmt: skip
LANES, ROWS = 12, 2 * MIN_REUSE
COLUMNS = 5 * TILE_BYTES // 2  # several tiles, in 16 bits too


def columns(A: Saturating, size: float, random: np.random.Generator) -> Array:
    """Give values of about a size, some of them 0, some far smaller; one lane is silent."""
    x = random.normal(size=(LANES, COLUMNS)) * size
    x *= 2.0 ** -random.integers(0, 12, x.shape) * (random.random(x.shape) < 0.8)
    x[3] = 0
    x[4] = np.abs(x[4]) + size
    return A.round(x)


def matrix(A: Saturating, random: np.random.Generator) -> Array:
    """Give weights of every kind, small ones in the first rows."""
    M = random.normal(size=(ROWS, LANES)) * np.geomspace(1e-3, 2, ROWS)[:, np.newaxis]
    M[random.random(M.shape) < 0.1] = 1
    M[random.random(M.shape) < 0.1] = -1
    M = np.copysign(np.maximum(np.abs(M), A.smallest), M)
    M[5] = 0
    return A.round(M)


def product(A: Saturating, M: Matrix, x: Array) -> Array:
    c = carrier(A)
    wide = np.zeros((LANES, COLUMNS + COLUMN_PADDING), c.dtype)
    wide[:, :COLUMNS] = c.encode(x)
    out = np.zeros((ROWS, COLUMNS + COLUMN_PADDING), c.dtype)
    sizes, none = np.zeros(TILE_BYTES // SIMD_BYTES, c.dtype), sparse(c, np.zeros((0, 0)))
    compiled(c).apply(M, none, wide, 0, out, out, 0, COLUMNS, False, sizes, c.constants)
    return c.decode(out[:, :COLUMNS])


@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("form", FORMS)
def test_values_of_every_size_give_what_the_arithmetic_gives(form: str, ties: str) -> None:
    A, random, counts = saturating(tied(form, ties)), np.random.default_rng(7), Counter[str]()
    for size in np.geomspace(A.smallest, A.infinity, 7):
        M, x, b = matrix(A, random), columns(A, size, random), A.round(random.normal(size=ROWS))
        made = sparse(carrier(A), M, b)
        assert made.calm.size == ROWS
        counts["calm"] += int((np.abs(x).max() * carrier(A).scale <= made.calm).sum())
        counts["loud"] += int((np.abs(x).max() * carrier(A).scale > made.calm).sum())
        wanted = A.add(A.matvec(M, x.T), b).T
        assert np.array_equal(product(A, made, x), wanted), (A, size)
    assert counts["calm"] >= ROWS or A.infinity < 100 * A.smallest, counts
    assert counts["loud"] >= ROWS // 2, counts


def test_a_matrix_with_few_entries_is_used_without_a_look_at_the_values() -> None:
    A = Fixed(4, 4)
    M = np.eye(ROWS, LANES)
    made = sparse(carrier(A), M)
    assert made.calm.size == 0
    x = columns(A, 3.0, np.random.default_rng(1))
    assert np.array_equal(product(A, made, x)[:LANES], x)


@pytest.mark.parametrize("ties", ["zero", "away"])
@pytest.mark.parametrize("form", ["float16", "float(5,12)"])
def test_at_the_edge_of_the_normal_numbers_every_product_is_exact(form: str, ties: str) -> None:
    """SIMD vectors whose smallest product is the smallest normal number, a little more, and a little less."""
    A, random = saturating(tied(form, ties)), np.random.default_rng(8)
    for depth in np.linspace(-2, 2, 41):
        x = A.round(2.0 ** (random.random((LANES, COLUMNS)) + A.least_exponent + 6 + depth))
        M = A.round(2.0**-6 * (1 + random.random((ROWS, LANES))) * random.choice([-1, 1], (ROWS, LANES)))
        assert np.array_equal(product(A, sparse(carrier(A), M), x), A.matvec(M, x.T).T), depth


@pytest.mark.parametrize("form", ["fixed(4,4)", "fixed(8,8)", "float16", "float(3,3)", "float(10,25)"])
def test_at_the_edge_of_saturation_every_sum_is_exact(form: str) -> None:
    """Rows that sum up to just below and just above ∞ before they come back."""
    A, random = saturating(form), np.random.default_rng(9)
    M = A.round(0.5 * np.ones((ROWS, LANES)))
    M[:, -1] = -0.5
    for share in np.linspace(0.9, 1.1, 21):
        x = A.round(random.choice([1, 1, 0.99], (LANES, COLUMNS)) * share * A.infinity * 2 / (LANES - 1))
        assert np.array_equal(product(A, sparse(carrier(A), M), x), A.matvec(M, x.T).T), share
