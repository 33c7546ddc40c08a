"""Compare an operation with whole numbers, and name the first pair that differs."""

import numpy as np

from tests.witness.integers import Grid
from weightsmith.arithmetic import Array, Saturating

SMALL = ("fixed(2,2)", "fixed(2,3)", "float(2,4)", "float(3,3)", "float(4,3)", "e4m3", "e5m2", "fixed(4,4)")
LARGE = ("float16", "bfloat16", "fixed(8,8)")
WIDEST = ("fixed(12,13)", "float(8,25)")
OPERATIONS = ("add", "subtract", "multiply", "divide")


def assert_exact(A: Saturating, exact: Grid, x: Array, y: Array, operation: str) -> None:
    found = getattr(A, operation)(x, y)
    step = getattr(exact, operation)
    pairs = zip(map(exact.units, x.tolist()), map(exact.units, y.tolist()), strict=True)
    wanted = np.array([exact.value(step(a, b)) for a, b in pairs])
    wrong = found != wanted
    assert not wrong.any(), (x[wrong][0], operation, y[wrong][0], found[wrong][0], wanted[wrong][0])
