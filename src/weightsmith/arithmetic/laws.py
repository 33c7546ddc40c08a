"""Laws: what holds in an arithmetic, how that was decided, and a counterexample where it does not hold.

Systems of up to 16 bits are enumerated. Wider ones are decided by an argument for their whole family, most often that
rounding is monotone, so that one extreme value decides for all.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic.base import Arithmetic, checked_arithmetic
from weightsmith.arithmetic.core import Array
from weightsmith.arithmetic.saturating import TABLE_BITS
from weightsmith.errors import LawError
from weightsmith.tables import Cell, Table, TabledRows

_ALL_PAIRS = 1 << 22


@dataclass(frozen=True)
class Law:
    """One row: a statement about an arithmetic, and whether it holds there."""

    name: str
    statement: str
    holds: bool
    decided: str
    counterexample: str | None = None


@dataclass(frozen=True)
class Laws(TabledRows[Law]):
    """The laws of an arithmetic, in a fixed order: a sequence that prints as a table."""

    arithmetic: Arithmetic
    rows: tuple[Law, ...]

    def table(self) -> Table:
        """Return a row for each law: whether it holds, and how that was decided or what breaks it."""
        A = self.arithmetic
        title = f"{A}: ∞ = {A.infinity!r}, smallest x > 0 = {A.smallest!r}"
        result = Table("", "law", "decided by, or counterexample", title=title)
        for law in self.rows:
            if law.holds:
                result.add(Cell("holds", "good"), law.statement, law.decided)
            else:
                result.add(Cell("fails", "bad"), law.statement, Cell(law.counterexample or law.decided, "bad"))
        return result


@lru_cache(maxsize=256)
def laws(arithmetic: Arithmetic) -> Laws:
    """Decide every law that a rewrite may rely on; `print` shows them as a table.

    >>> from weightsmith import Float
    >>> [law.counterexample for law in laws(Float(2, 4)) if not law.holds]
    ['exp(−∞) = exp(-3.75) = 0.03125']
    """
    return Laws(checked_arithmetic(arithmetic), _decided(arithmetic))


def require(arithmetic: Arithmetic, names: tuple[str, ...], needed_by: str, instead: str) -> None:
    """Refuse an arithmetic that lacks one of the laws, with the counterexample and what to use instead."""
    for law in laws(arithmetic):
        if law.name in names and not law.holds:
            raise LawError(
                f"{needed_by} needs the law '{law.statement}' ({law.name}), which fails in {arithmetic}: "
                f"{law.counterexample}; {instead}"
            )


def _decided(A: Arithmetic) -> tuple[Law, ...]:
    infinity = A.infinity
    return (
        _for_all(
            A,
            "symmetric",
            "−x is a member for every member x",
            lambda x: A.contains(-x),
            lambda x: f"{-x!r} is not a member, and {x!r} is",
            "the members are ±S·2^k; the extreme ones were looked at",
        ),
        _for_all(
            A,
            "saturation",
            "(x ⊕ ∞) ⊕ ∞ = ∞",
            lambda x: A.add(A.add(x, infinity), infinity) == infinity,
            lambda x: f"x = {x!r}: (x ⊕ ∞) ⊕ ∞ = {float(A.add(A.add(x, infinity), infinity))!r}, and ∞ = {infinity!r}",
            "it is monotone in x; both ends were evaluated",
        ),
        _equal(A, "cancellation", "∞ ⊖ ∞", A.subtract(infinity, infinity), 0.0),
        _for_all(
            A,
            "zero product",
            "0 ⊗ x = 0",
            lambda x: A.multiply(0.0, x) == 0,
            lambda x: f"x = {x!r}",
            "the exact product 0 is a member",
        ),
        _unit_product(A),
        _distinct_difference(A),
        _equal(A, "exp of −∞", f"exp(−∞) = exp({-infinity!r})", A.exp(-infinity), 0.0, "exp(−∞)"),
        _equal(A, "exp of 0", "exp(0)", A.exp(0.0), 1.0),
        _one_below_infinity(A),
        _growth(A),
    )


def multiplications_to_infinity(arithmetic: Arithmetic) -> int | None:
    """Count how many multiplications by ∞ take every positive value to ∞; None if no number does.

    x ⊗ ∞ is monotone in x, so the smallest positive value is the last to arrive.
    """
    x, count = arithmetic.smallest, 0
    while x != arithmetic.infinity:
        product = float(arithmetic.multiply(x, arithmetic.infinity))
        if product <= x or not arithmetic.contains(product):
            return None
        x, count = product, count + 1
    return count if arithmetic.multiply(x, x) == x else None


def _unit_product(A: Arithmetic) -> Law:
    name, statement = "unit product", "1 ⊗ x = x"
    if not A.contains(1.0):
        return Law(name, statement, False, "evaluated", f"1 is not a member: ∞ = {A.infinity!r}")
    return _for_all(
        A,
        name,
        statement,
        lambda x: A.multiply(1.0, x) == x,
        lambda x: f"x = {x!r}",
        "the exact product x is a member",
    )


def _one_below_infinity(A: Arithmetic) -> Law:
    wrong = None if A.contains(1.0) and A.infinity > 1 else f"∞ = {A.infinity!r}"
    return Law("1 below ∞", "1 is a member, and 1 < ∞", wrong is None, "evaluated", wrong)


def _distinct_difference(A: Arithmetic) -> Law:
    name, statement = "distinct difference", "x ⊖ y = 0 only if x = y"
    if A.bits > TABLE_BITS:
        reason = "argued: members are multiples of the smallest one, so a difference is 0 or at least that"
        return Law(name, statement, True, reason)
    x = A.values()
    if x.size**2 <= _ALL_PAIRS:
        left, right, decided = x[:, np.newaxis], x[np.newaxis, :], f"all {x.size**2:,} pairs"
    else:
        left, right = x[1:], x[:-1]
        decided = f"all {x.size - 1:,} pairs of neighbours: rounding is monotone, so they decide for all pairs"
    wrong = (A.subtract(left, right) == 0) & (left != right)
    if not wrong.any():
        return Law(name, statement, True, decided)
    left, right = np.broadcast_arrays(left, right)
    return Law(name, statement, False, decided, f"x = {left[wrong][0]!r}, y = {right[wrong][0]!r}")


def _growth(A: Arithmetic) -> Law:
    count = multiplications_to_infinity(A)
    decided = "smallest x > 0; ⊗ is monotone"
    if count is not None:
        times = "1 multiplication by ∞ takes" if count == 1 else f"{count} multiplications by ∞ take"
        return Law("growth", f"{times} every x > 0 to ∞", True, decided)
    if not A.contains(A.multiply(A.infinity, A.infinity)):
        wrong = "∞ ⊗ ∞ overflows to an IEEE infinity"
    else:
        wrong = f"{A.smallest!r} ⊗ ∞ = {float(A.multiply(A.smallest, A.infinity))!r} never grows to ∞ = {A.infinity!r}"
    return Law("growth", "some number of multiplications by ∞ takes every x > 0 to ∞", False, decided, wrong)


def _equal(A: Arithmetic, name: str, left: str, value: Array, wanted: float, short: str | None = None) -> Law:
    """Decide an equation between two numbers."""
    wrong = None if value == wanted else f"{left} = {float(value)!r}"
    return Law(name, f"{short or left} = {wanted:g}", wrong is None, "evaluated", wrong)


def _for_all(
    A: Arithmetic,
    name: str,
    statement: str,
    holds: Callable[[Array], npt.NDArray[Any]],
    describe: Callable[[float], str],
    argument: str,
) -> Law:
    """Decide a statement about one variable, over all members where they can be listed."""
    if A.bits <= TABLE_BITS:
        x = A.values()
        decided = f"all {x.size:,} values"
    else:
        x = np.array([A.lowest, -A.infinity, -A.smallest, 0.0, A.smallest, A.infinity])
        decided = f"argued: {argument}"
    wrong = ~holds(x)
    if wrong.any():
        extreme = max(map(float, x[wrong]), key=abs)
        return Law(name, statement, False, "evaluated", describe(extreme))
    return Law(name, statement, True, decided)
