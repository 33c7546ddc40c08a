"""The arithmetic of the checker is that of Weightsmith, though it shares no code with it."""

from collections.abc import Sequence
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import verify
from weightsmith.arithmetic import Array

SMALL = [
    f"{name},ties={ties})"
    for name in ("fixed(1,0", "fixed(0,3", "fixed(2,2", "fixed(3,1", "float(2,2", "float(3,3", "float(2,4")
    for ties in ("zero", "even", "away")
] + ["e4m3", "e5m2(ties=even)"]
WIDE = (
    "bfloat16",
    "float16(ties=even)",
    "float(10,25)",
    "fixed(0,25)",
    "fixed(12,13,ties=away)",
    "fixed(25,0)",
    "float(1,2)",
)
ACTIVATIONS = ("relu", "silu", "gelu", "gelu_tanh")


def both(text: str) -> tuple[Any, verify.Arithmetic]:
    return ws.parse_arithmetic(text), verify.Arithmetic(text)


def units(V: verify.Arithmetic, x: Array) -> list[int]:
    """Return members as the checker has them."""
    return [int(Fraction(float(value)) * (1 << V.unit)) for value in x]


def differing(found: Sequence[Any], wanted: Sequence[Any]) -> list[tuple[Any, Any]]:
    """Return the first pairs that differ."""
    return [pair for pair in zip(found, wanted, strict=True) if pair[0] != pair[1]][:3]


def compare(A: Any, V: verify.Arithmetic, x: Array, y: Array) -> None:
    """Compare every operation on pairs of members, and every function of the first."""
    a, b = units(V, x), units(V, y)
    assert differing(units(V, A.add(x, y)), [*map(V.add, a, b)]) == []
    assert differing(units(V, A.multiply(x, y)), [*map(V.multiply, a, b)]) == []
    some = y != 0
    divided = [V.divide(n, d) for n, d in zip(a, b, strict=True) if d]
    assert differing(units(V, A.divide(x[some], y[some])), divided) == []
    assert (
        differing([(c,) for c in units(V, A.add(x, y))], [V.plus((n,), (m,)) for n, m in zip(a, b, strict=True)]) == []
    )
    each = np.unique(x)
    roots = each[each >= 0]
    assert differing(units(V, A.sqrt(roots)), [*map(V.sqrt, units(V, roots))]) == []
    assert differing(units(V, A.exp(each)), [V.function("exp", k) for k in units(V, each)]) == []
    for name in ACTIVATIONS:
        assert differing(units(V, A.activate(name, each)), [V.function(name, k) for k in units(V, each)]) == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", SMALL)
def test_all_members_of_small_systems(text: str) -> None:
    A, V = both(text)
    values = A.values()
    assert (str(A), A.infinity, A.smallest) == (V.text, V.largest / (1 << V.unit), 1 / (1 << V.unit))
    random = np.random.default_rng(1)
    x, y = (grid.ravel() for grid in np.meshgrid(values, values))
    chosen = random.permutation(len(x))[:1500]
    compare(A, V, x[chosen], y[chosen])
    halves = np.concatenate([(values[1:] + values[:-1]) / 2, values * 1.25, values * 1e-3, [1e30, -1e30]])
    assert differing(units(V, A.round(halves)), [V.of(float(z)) for z in halves]) == []


@pytest.mark.one_in(2)
@pytest.mark.parametrize("text", WIDE)
def test_members_of_wide_systems(text: str) -> None:
    A, V = both(text)
    assert (str(A), A.infinity, A.smallest) == (V.text, V.largest / (1 << V.unit), 1 / (1 << V.unit))
    random = np.random.default_rng(2)
    sizes = np.exp2(random.uniform(-30, 12, 300)) * random.choice([-1.0, 1.0], 300)
    far = np.exp2(random.uniform(np.log2(A.smallest), np.log2(A.infinity), 100)) * random.choice([-1.0, 1.0], 100)
    edges = np.array(
        [0.0, A.smallest, -A.smallest, A.infinity, -A.infinity, 1.0, -1.0, 40.0, -40.0, -39.5, 88.5, -104.0]
    )
    given = np.concatenate([sizes, far, edges])
    assert differing(units(V, A.round(given)), [V.of(float(z)) for z in given]) == []
    x = A.round(given)
    compare(A, V, x, random.permutation(x))


def test_arbitrary_rationals_are_rounded_to_the_nearest_member() -> None:
    random = Random(3)
    for text in ("fixed(2,2,ties=even)", "float(3,3,ties=away)", "float(3,3)", "fixed(3,1)"):
        A, V = both(text)
        members = sorted(units(V, A.values()))
        for _ in range(300):
            x = Fraction(random.randrange(-3000, 3000), random.choice([1, 2, 4, 8, 64, 3, 7, 1000]))
            exact = x * (1 << V.unit)
            nearest = min(abs(exact - member) for member in members)
            assert abs(exact - V.of(x)) == nearest
            assert V.of(-x) == -V.of(x)


TEXTS: tuple[Any, ...] = (
    *("fixed(4,4)", " Fixed( 4 , 4 ) ", "FLOAT(4,3)", "fixed(4,4,ties=even)", "fixed(4,4, ties = away)", "float16"),
    *("E4M3", "float16(ties=even)", "float16()", "fixed()", "fixed", "fixed(4)", "fixed(4,4,4)", "fixed(04,4)"),
    *("fixed(4,4,)", "fixed(,)", "fixed(\u0664,4)", "fixed(\uff14,4)", "fixed(-1,4)", "fixed(+4,4)", "fixed(4.0,4)"),
    *("fixed(4,4", "fixed 4,4", "fixed(4 4)", "f ixed(4,4)", "fixed(0,0)", "fixed(25,0)", "fixed(26,0)", "fixed(0,25)"),
    *("fixed(13,13)", "float(10,25)", "float(11,3)", "float(0,3)", "float(3,1)", "float(1,2)", "float(3,26)"),
    *("float(40,3)", "fixed(4000000000,0)", "fixed(4,4,ties=up)", "fixed(4,4,even)", "float32", "float64", "int8"),
    *("", " ", "e5m2(4,3)", "bfloat16(ties=zero)", "fixed(4,4,ties=zero)", "fixed(4,4)x", "\ufb01xed(4,4)"),
    *("fixed(ties=even)", "fixed(4,4 ties=even)", "fixed(4,4,ties=EVEN)", "fixed(4,4,ties=even,)", "fixed\t(4,\n4)"),
)  # fmt: skip


@pytest.mark.parametrize("text", TEXTS, ids=repr)
def test_texts_of_arithmetics_are_read_alike_or_refused(text: Any) -> None:
    try:
        wanted = str(ws.parse_arithmetic(text))
    except ws.WeightsmithError:
        wanted = None
    try:
        found = verify.Arithmetic(text).text
    except verify.Refused:
        found = None
    assert found == wanted or (found is None and wanted in ("float32", "float64"))
