"""How a value is held: as a form divided by a scale, as a sum with its count, or as a table of forms.

`ABOUT` says how much of the value it is: all of it ("value"), whether it is positive ("truth": of numbers from 0 on, 1
stands for all positive ones), or on which side of whole numbers it lies ("half": the half stands for all numbers
between two whole ones).
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Literal, NamedTuple, TypeAlias

import numpy as np

from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.values import Value, exact

About: TypeAlias = Literal["value", "truth", "half"]


class Values:
    """Values by number: equal ones have one."""

    def __init__(self) -> None:
        """Begin with none."""
        self.known: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def number(self, value: Value) -> int:
        """Return the number of a value."""
        found = self._numbers.setdefault(value, len(self.known))
        if found == len(self.known):
            self.known.append(value)
        return found

    def numbers(self, values: Sequence[Value]) -> Integers:
        """Return the number of each value."""
        return np.array([self.number(value) for value in values], np.int64)

    def fractions(self, tops: Integers, bottoms: Integers | int) -> Integers:
        """Return the numbers of quotients; each different one is made once."""
        common = np.gcd(tops, bottoms)
        common[common == 0] = 1
        above, below = tops // common, np.broadcast_to(np.asarray(bottoms, np.int64), tops.shape) // common
        found = np.empty(tops.size, np.int64)
        made: dict[tuple[int, int], int] = {}
        for n, pair in enumerate(zip(above.ravel().tolist(), below.ravel().tolist(), strict=True)):
            if pair not in made:
                made[pair] = self.number(pair[0] if pair[1] == 1 else exact(Fraction(*pair)))
            found[n] = made[pair]
        return found.reshape(tops.shape)


@dataclass(frozen=True, eq=False)
class Affine:
    """A form divided by a scale."""

    form: Integers
    scale: int = 1
    about: About = "value"


@dataclass(frozen=True, eq=False)
class Mean:
    """A sum divided by scale and count, or the default where the count is 0."""

    top: Integers
    scale: int
    count: Integers
    default: Value
    pairs: Integers = field(default_factory=lambda: np.zeros((0, 2), np.int64))  # found by the proof
    about: About = "value"

    @property
    def always(self) -> bool:
        """Whether the count is never 0."""
        return bool(self.pairs[:, 1].min() > 0)


class Variable(NamedTuple):
    """A form that a table is about, and the class of each of its numbers."""

    form: Integers
    codes: Integers
    classes: Integers

    def classed(self, codes: Integers) -> Integers:
        """Return the classes of some numbers; one that the table lacks is refused."""
        indices = np.minimum(np.searchsorted(self.codes, codes), len(self.codes) - 1)
        lacking = self.codes[indices] != codes
        if lacking.any():
            raise LemmaError(
                f"a table lacks {len(np.unique(codes[lacking])):,} of the {len(np.unique(codes)):,} numbers that occur"
            )
        return np.asarray(self.classes[indices])


@dataclass(frozen=True, eq=False)
class Table:
    """A value for every combination of classes."""

    variables: tuple[Variable, ...]
    which: Integers
    values: tuple[Value, ...]
    about: About = "value"


Holding: TypeAlias = Affine | Mean | Table


def constant_of(holding: Holding) -> tuple[Value] | None:
    """Return the one value that a holding always has, in a tuple; None where it may have others."""
    if isinstance(holding, Affine) and not holding.form[:-1].any():
        return (exact(Fraction(int(holding.form[-1]), holding.scale)),)
    if isinstance(holding, Table) and not holding.variables:
        return (holding.values[int(holding.which)],)
    return None


def forms_of(holding: Holding) -> Sequence[Integers]:
    """Return the forms that hold a value."""
    if isinstance(holding, Affine):
        return [holding.form]
    if isinstance(holding, Mean):
        return [holding.top, holding.count]
    return [one.form for one in holding.variables]
