"""Linear forms, in whole numbers, over the stream: features of the token, of the position, and cells."""

from dataclasses import dataclass, field
from functools import cached_property, reduce
from math import gcd, prod
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError
from weightsmith.programs.budget import in_force

Integers: TypeAlias = npt.NDArray[np.int64]
Codes: TypeAlias = Integers  # sorted, each once

MOST_CODES = 60_000  # that one lane may take
LARGEST_CODE = 1 << 40  # far beyond every arithmetic that is offered
MANY = 1000  # numbers
FAR = np.array([-(1 << 62), 1 << 62])


class TooLargeError(InputError):
    """A set of values is too large for every offered arithmetic."""


class Sizes(NamedTuple):
    """The number of tokens, and the largest number of positions."""

    tokens: int
    positions: int


@dataclass(frozen=True, eq=False)
class Cell:
    """A number that a sublayer writes at every position: its codes, the sublayer after which it is readable, its name.

    Times: 0 is the embedding, 2b + 1 the attention of block b, 2b + 2 its feed-forward layer.
    """

    codes: Codes
    time: int
    name: str
    number: int
    is_length: bool = False
    everywhere: bool = False  # the same number at all positions of an input

    @cached_property
    def ends(self) -> tuple[int, int]:
        """The smallest and the largest code."""
        return int(self.codes[0]), int(self.codes[-1])


@dataclass(frozen=True)
class Form:
    """A whole-numbered combination: a feature of the token, one of the position, cells times factors, a constant.

    Features are kept with a first entry of 0 (the rest is in the constant), so that equal forms compare equal.
    """

    token: tuple[int, ...] = ()
    index: tuple[int, ...] = ()
    cells: tuple[tuple[Cell, int], ...] = ()
    constant: int = 0

    def __add__(self, other: "Form") -> "Form":
        """Return the sum."""
        if other.is_constant:
            return self.plus(other.constant) if other.constant else self
        factors = dict(self.cells)
        for cell, factor in other.cells:
            factors[cell] = factors.get(cell, 0) + factor
        return Form(
            _added(self.token, other.token),
            _added(self.index, other.index),
            _kept(factors),
            self.constant + other.constant,
        )

    def __mul__(self, factor: int) -> "Form":
        """Return the form times a whole number."""
        if factor == 1:
            return self
        if factor == 0:
            return NOTHING
        return Form(
            tuple(factor * one for one in self.token),
            tuple(factor * one for one in self.index),
            tuple((cell, factor * one) for cell, one in self.cells),
            factor * self.constant,
        )

    def __neg__(self) -> "Form":
        """Return the form with the other sign."""
        return self * -1

    def __sub__(self, other: "Form") -> "Form":
        """Return the difference."""
        return self + -other

    def plus(self, number: int) -> "Form":
        """Return the form plus a constant."""
        return Form(self.token, self.index, self.cells, self.constant + number)

    @property
    def varying(self) -> "Form":
        """The form without its constant."""
        return Form(self.token, self.index, self.cells)

    @property
    def is_constant(self) -> bool:
        """Whether it is one number."""
        return not (self.token or self.index or self.cells)

    @property
    def of_token(self) -> bool:
        """Whether it depends on the token alone."""
        return bool(self.token) and not self.index and not self.cells

    @property
    def of_index(self) -> bool:
        """Whether it depends on the position alone."""
        return bool(self.index) and not self.token and not self.cells

    @property
    def everywhere(self) -> bool:
        """Whether it is the same number at all positions of an input."""
        return not self.token and not self.index and all(cell.everywhere for cell, _ in self.cells)

    @property
    def time(self) -> int:
        """The sublayer after which it is readable."""
        return max((cell.time for cell, _ in self.cells), default=0)

    @cached_property
    def factor(self) -> int:
        """The greatest common divisor of all varying parts, with the sign of the first."""
        parts = [*self.token, *self.index, *(factor for _, factor in self.cells)]
        first = next((one for one in parts if one), 1)
        return reduce(gcd, parts, 0) * (1 if first > 0 else -1)

    @cached_property
    def codes(self) -> Codes:
        """All its possible numbers, and perhaps more: parts are taken to be independent."""
        checked(np.array([min(0, self.least), max(0, self.most)]) if self.most - self.least < 1 << 60 else FAR)
        found = np.array([self.constant], np.int64)
        for part in (self.token, self.index):
            if part:
                found = sums(found, distinct(np.array(part, np.int64)))
        for cell, factor in self.cells:
            found = sums(found, np.sort(cell.codes * factor))
        in_force().hold(len(found), "the codes of a number")
        return found

    @property
    def size(self) -> int:
        """The largest number of codes, counted without making them."""
        parts = [len(set(part)) for part in (self.token, self.index) if part]
        parts += [len(cell.codes) for cell, _ in self.cells]
        return min(prod(parts), (self.most - self.least) // (abs(self.factor) or 1) + 1)

    @cached_property
    def least(self) -> int:
        """The smallest number that it can be."""
        return self.constant + sum(min(part) for part in self._parts())

    @cached_property
    def most(self) -> int:
        """The largest."""
        return self.constant + sum(max(part) for part in self._parts())

    @property
    def reach(self) -> int:
        """The largest absolute value that it can have; it is not remembered, because most are asked once."""
        low = high = self.constant
        for part in self._parts():
            low += min(part)
            high += max(part)
        return max(-low, high)

    def _parts(self) -> list[tuple[int, ...]]:
        ends = [(cell.ends[0] * factor, cell.ends[1] * factor) for cell, factor in self.cells]
        return [part for part in (self.token, self.index) if part] + ends

    def by(self, time: int) -> "Form":
        """Return the part of it that is readable after a sublayer."""
        return Form(self.token, self.index, tuple(one for one in self.cells if one[0].time <= time), self.constant)


NOTHING = Form()


@dataclass(eq=False, repr=False)
class Cells:
    """Makes cells, numbered in the order in which they are made."""

    made: list[Cell] = field(default_factory=list)

    def new(self, codes: Codes, time: int, name: str, *, is_length: bool = False, everywhere: bool = False) -> Cell:
        """Return a new cell; refuse codes that are too many or too large."""
        codes = checked(codes)
        in_force().hold(len(codes), "the codes of a lane")
        cell = Cell(codes, time, name, len(self.made), is_length, everywhere)
        self.made.append(cell)
        return cell


def feature(values: list[int], of: str) -> Form:
    """Return a feature of the "token" or the "index": one number for each."""
    rest = tuple(value - values[0] for value in values)
    rest = rest if any(rest) else ()
    return Form(token=rest if of == "token" else (), index=rest if of == "index" else (), constant=values[0])


def cell_form(cell: Cell) -> Form:
    """Return a cell as a form."""
    return Form(cells=((cell, 1),)) if len(cell.codes) > 1 else Form(constant=int(cell.codes[0]))


def checked(codes: Codes) -> Codes:
    """Return codes, or say that they are too many or too large."""
    if len(codes) > MOST_CODES:
        raise TooLargeError(
            f"a lane would hold {len(codes):,} different numbers: at most {MOST_CODES:,} can be proved; write a "
            "smaller max_length, or a program with fewer values"
        )
    largest = max(abs(int(codes[0])), abs(int(codes[-1])))
    if largest > LARGEST_CODE:
        raise TooLargeError(
            f"a lane would hold numbers as large as {largest:,}, which no offered arithmetic holds: write a smaller "
            "max_length, or a program with smaller numbers"
        )
    return codes


def distinct(numbers: Codes) -> Codes:
    """Return numbers in ascending order, each once: as np.unique, which is slower for few and loads masked arrays."""
    if numbers.size > MANY:  # where they lie close together, marks on a ruler are faster than sorting
        low, high = int(numbers.min()), int(numbers.max())
        if high - low < 4 * numbers.size:
            marks = np.zeros(high - low + 1, np.bool_)
            marks[numbers - low] = True
            return np.flatnonzero(marks) + low
    found = np.sort(numbers, axis=None)
    return found[np.append(True, found[1:] != found[:-1])] if len(found) else found


def sums(left: Codes, right: Codes) -> Codes:
    """Return all sums of one of each, and perhaps more."""
    if len(left) * len(right) > 20 * MOST_CODES:  # then all steps between the ends
        ends = int(left[0]) + int(right[0]), int(left[-1]) + int(right[-1])
        step = gcd(*(int(one) for one in distinct(np.concatenate([np.diff(left), np.diff(right)]))))
        checked(np.array(ends))
        if (ends[1] - ends[0]) // step >= MOST_CODES:
            raise TooLargeError(
                f"a sum of {len(left):,} and {len(right):,} different numbers has too many values to be proved: write "
                "a smaller max_length, or a program with fewer values"
            )
        return np.arange(ends[0], ends[1] + 1, step)
    return checked(distinct(np.add.outer(left, right)))


def _added(left: tuple[int, ...], right: tuple[int, ...]) -> tuple[int, ...]:
    if not left or not right:
        return left or right
    total = tuple(a + b for a, b in zip(left, right, strict=True))
    return total if any(total) else ()


def _kept(factors: dict[Cell, int]) -> tuple[tuple[Cell, int], ...]:
    return tuple(sorted(((c, f) for c, f in factors.items() if f), key=lambda item: item[0].number))
