"""The debug mode: every load and store of the loops is checked, and an access out of bounds is an error."""

import os
import subprocess
import sys

import pytest

ACCESS = """
import numba as nb, numpy as np
from weightsmith.kernels.packed.access import address, entry, load, load_at, store
from weightsmith.kernels.packed.instructions import SIMD_BYTES

@nb.njit
def loaded(x, row, column): store(x, 0, 0, load(x, row, column))
@nb.njit
def stored(x, row, column): store(x, row, column, load(x, 0, 0))
@nb.njit
def taken(x, y, other, offset): store(x, 0, 0, load_at(y, other, address(y, 0, 0) + offset))
@nb.njit
def found(x, i): return entry(x, i)

simd = SIMD_BYTES // 2
x, y, z = (np.zeros((3, 2 * simd), np.int16) for _ in range(3))
row = np.zeros(5)
def tried(access, *given):
    try:
        access(*given)
        print("fine", end=" ")
    except IndexError:
        print("caught", end=" ")
for access in (loaded, stored):
    for place in ((0, 0), (2, simd), (2, simd + 1), (3, 0), (-1, 0), (0, -1)):
        tried(access, x, *place)
    print()
for offset in (0, 5 * SIMD_BYTES, 5 * SIMD_BYTES + 2, -2):
    tried(taken, x, y, y, offset)
print()
for i in (0, 4, 5, -1):
    tried(found, row, i)
"""
FAR = """
import numpy as np
from weightsmith import Fixed
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.compiled import compiled
from weightsmith.kernels.packed.matrices import sparse
c = carrier(Fixed(4, 4))
M, none, x = sparse(c, np.eye(3)), sparse(c, np.zeros((0, 0))), np.zeros((3, 256), np.int16)
sizes = np.zeros(4, np.int16)
for lane, columns in ((2, 256), (3, 256), (2, 257)):
    try:
        M.lanes[2] = lane
        compiled(c).apply(M, none, x, 0, x, x.copy(), 0, columns, False, sizes, c.constants)
        print("fine")
    except IndexError as error:
        print(error)
"""
FLOATS = """
from collections import Counter
from tests.kernels.comparison import assert_equal_runs
from tests.kernels.kinds import kind_of_model
from tests.kernels.models import WEIGHTINGS
from weightsmith import parse_arithmetic
from weightsmith.kernels.packed import tree
counts = Counter()
T = kind_of_model(parse_arithmetic("float32"), 1, "relative values", heads=2, loudness=0.0, weighting=WEIGHTINGS[1])
assert_equal_runs(T, tree(2, [1], 3), counts)
print(counts["runs"])
"""
RUNS = """
from collections import Counter
import numpy as np
from tests.kernels.comparison import assert_equal_runs
from tests.kernels.kinds import ACTIVATIONS, RULES, kind_of_model
from tests.kernels.models import LENGTH, WEIGHTINGS
from weightsmith import parse_arithmetic
from weightsmith.kernels.packed import batch, instructions, tree
assert instructions.CHECKED
counts = Counter()
for n, rule in enumerate(RULES):
    A = parse_arithmetic("fixed(4,4)")
    T = kind_of_model(A, n, rule, ACTIVATIONS[n % 6], heads=1 + n % 3, weighting=WEIGHTINGS[n % 7], norms=n % 2 == 1)
    for layout in (tree(2, [1], 3), tree(2, [], 9), batch(np.arange(600)[:, np.newaxis] >> np.arange(3) & 1)):
        assert_equal_runs(T, layout, counts)
print(counts["runs"] + counts["refused"])
"""


def said(script: str, checked: str = "1") -> str:
    """Run a script in the debug mode, in a process of its own."""
    environment = {**os.environ, "WEIGHTSMITH_CHECKED_KERNELS": checked}
    result = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True)
    assert result.returncode == 0, result.stderr
    return result.stdout


def test_every_access_out_of_bounds_is_caught_and_no_other() -> None:
    rows = "fine fine caught caught caught caught"
    assert [line.strip() for line in said(ACCESS).splitlines()] == [
        rows, rows, "fine fine caught caught", "fine fine caught caught"
    ]  # fmt: skip


def test_a_loop_stops_at_a_lane_or_a_column_that_is_not_there() -> None:
    beyond = "128 entries of a row lie beyond the array"
    assert said(FAR).splitlines() == ["fine", beyond, beyond]


@pytest.mark.long
def test_models_of_every_kind_run_in_it_as_in_the_reference() -> None:
    assert int(said(RUNS)) == 27


@pytest.mark.long
def test_floats_run_in_it_as_in_the_reference() -> None:
    assert int(said(FLOATS)) == 1


@pytest.mark.parametrize("value", ["", "0"])
def test_it_is_off_unless_it_is_asked_for(value: str) -> None:
    script = "from weightsmith.kernels.packed import instructions; print(instructions.CHECKED)"
    assert said(script, value) == "False\n"
