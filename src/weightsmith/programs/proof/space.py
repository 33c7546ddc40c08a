"""Linear forms over token, position and cells, in whole numbers, and all numbers that they can be.

A form is a vector: what it is for each token, then for each position (both with a first entry of 0), then the factor of
each cell, and the constant last. The numbers that a form can be are computed bottom-up, from the vocabulary, the
positions and the definitions of cells. Parts are taken to be independent unless a pair of them is known to be joint.
"""

from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from math import gcd, lcm
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.programs.proof.lemmas import LemmaError

Integers: TypeAlias = npt.NDArray[np.int64]
Booleans: TypeAlias = npt.NDArray[np.bool_]

MOST_CODES = 1 << 20  # that a form is followed through
MOST_AT_ONCE = 1_200_000  # sums that are formed one by one
LARGEST = 1 << 44  # of the numbers that are followed
LARGEST_ENTRY = 1 << 60  # of a form that is stated: what no proof follows may be larger; a few may be added in 64 bits
TOO_LARGE = 1 << 58  # a few of these may be added in 64 bits


class Joint(NamedTuple):
    """Two forms with all that they can be together."""

    span: "Span"
    cells: frozenset[int]
    rows: Integers  # (pairs, 2)
    positions: Integers | None  # the position of every row, where one of the forms tells it


class Span:
    """Forms of which others may be combinations, whatever their constants."""

    def __init__(self, forms: Sequence[Integers], apart: Sequence[slice] = ()) -> None:
        """Choose for each form a coordinate that distinguishes it; those `apart` are not chosen."""
        self.forms = np.array(forms, np.int64)[:, :-1] if len(forms) else np.zeros((0, 0), np.int64)
        self.pivots: list[int] = []
        self.reduced: list[list[int]] = []  # times the divisor
        self.divisor = 1
        columns = _different_columns(self.forms, apart)
        rows = [[Fraction(int(form[place])) for place in columns] for form in self.forms]
        factors = [[Fraction(int(n == m)) for m in range(len(rows))] for n in range(len(rows))]
        self.dependent = False
        for n in range(len(rows)):
            pivot = next((p for p in range(len(columns) - 1, -1, -1) if rows[n][p]), None)
            if pivot is None:
                self.dependent = True
                return
            self.pivots.append(columns[pivot])
            divisor = rows[n][pivot]
            rows[n] = [one / divisor for one in rows[n]]
            factors[n] = [one / divisor for one in factors[n]]
            for m in range(len(rows)):
                times = rows[m][pivot]
                if m != n and times:
                    rows[m] = [a - times * b for a, b in zip(rows[m], rows[n], strict=True)]
                    factors[m] = [a - times * b for a, b in zip(factors[m], factors[n], strict=True)]
        self.divisor = lcm(*(one.denominator for row in factors for one in row)) if factors else 1
        self.reduced = [[int(one * self.divisor) for one in row] for row in factors]

    def solve(self, form: Integers) -> tuple[list[int], int, Integers]:
        """Return whole factors, a divisor, and the rest: divisor · form = Σ factor · form of the span + rest."""
        found = [0] * len(self.pivots)
        for place, row in zip(self.pivots, self.reduced, strict=True):
            value = int(form[place])
            if value:
                found = [a + value * b for a, b in zip(found, row, strict=True)]
        if not any(found):
            return found, 1, form
        common = gcd(self.divisor, *found)
        divisor, factors = self.divisor // common, [one // common for one in found]
        rest = scaled(form, divisor)
        for factor, one in zip(factors, self.forms, strict=True):
            if factor:
                rest = rest - np.append(scaled(one, factor), 0)
        return factors, divisor, rest


def _different_columns(forms: Integers, apart: Sequence[slice]) -> list[int]:
    """Return the coordinates at which some form is not 0, one of those that are alike."""
    met: dict[bytes, int] = {}
    there: Booleans = np.asarray(forms.any(axis=0)) if len(forms) else np.zeros(0, np.bool_)
    for one in apart if len(forms) else ():
        there[one] = False
    for place in np.flatnonzero(there):
        met.setdefault(np.ascontiguousarray(forms[:, place]).tobytes(), int(place))
    return sorted(met.values())


class Space:
    """The coordinates of forms, and the numbers that they can be."""

    def __init__(self, tokens: int, positions: int, cells: int, of_cell: Callable[[int], Integers]) -> None:
        """Take the sizes, and a function that returns the numbers of a cell."""
        self.tokens, self.positions, self.cells = tokens, positions, cells
        self.of_tokens, self.of_index = slice(0, tokens), slice(tokens, tokens + positions)
        self.of_cells = slice(tokens + positions, tokens + positions + cells)
        self.size = tokens + positions + cells + 1
        self.of_cell = of_cell
        self.joint: list[Joint] = []
        self._codes: dict[bytes, Integers] = {}
        self.token = self.form(token=range(tokens))
        self.index = self.form(index=range(positions))

    def form(
        self,
        token: Iterable[int] = (),
        index: Iterable[int] = (),
        cells: Iterable[tuple[int, int]] = (),
        constant: int = 0,
    ) -> Integers:
        """Return a form; features may begin with any number."""
        found = np.zeros(self.size, np.int64)
        found[-1] = constant
        for place, values in ((self.of_tokens, tuple(token)), (self.of_index, tuple(index))):
            if values:
                found[place] = values
                found[-1] += values[0]
                found[place] -= values[0]
        for cell, factor in cells:
            found[self.of_cells.start + cell] += factor
        return found

    def constant(self, form: Integers) -> bool:
        """Return whether a form is one number."""
        return not form[:-1].any()

    def pure_token(self, form: Integers) -> bool:
        """Return whether a form depends on the token alone."""
        return not form[self.tokens : -1].any() and bool(form[self.of_tokens].any())

    def pure_index(self, form: Integers) -> bool:
        """Return whether a form depends on the position alone."""
        return not form[self.of_tokens].any() and not form[self.of_cells].any() and bool(form[self.of_index].any())

    def cells_of(self, form: Integers) -> list[tuple[int, int]]:
        """Return the cells of a form with their factors."""
        part = form[self.of_cells]
        return [(int(cell), int(part[cell])) for cell in np.flatnonzero(part)]

    def codes(self, form: Integers) -> Integers:
        """Return all numbers that a form can be, and perhaps more, in ascending order."""
        key = form.tobytes()
        if key not in self._codes:
            self._codes[key] = self._found(form)
        return self._codes[key]

    def _found(self, form: Integers) -> Integers:
        self._require_small(form, self.cells_of(form))
        found, rest = form[-1:].copy(), form
        for joint in self.joint if form[self.of_cells].any() else ():
            if joint.cells <= {cell for cell, _ in self.cells_of(rest)}:
                known = self.along(joint, rest)
                if known is not None:
                    found, rest = sums(found, distinct(known[0])), known[1]
        for place in (self.of_tokens, self.of_index):
            if rest[place].any():
                found = sums(found, distinct(rest[place]))
        for cell, factor in self.cells_of(rest):
            found = sums(found, np.sort(self.of_cell(cell) * factor))
        return found

    def _require_small(self, form: Integers, cells: Sequence[tuple[int, int]]) -> None:
        """Refuse numbers that would leave 64 bits on the way."""
        largest = 3 * int(np.abs(form).max())
        for cell, factor in cells:
            codes = self.of_cell(cell)
            largest += abs(factor) * max(abs(int(codes[0])), abs(int(codes[-1])))
        if largest > LARGEST << 8:
            raise LemmaError(f"a form has numbers as large as {largest:,}: that is too large")

    def add_joint(self, forms: Sequence[Integers], rows: Integers) -> None:
        """Note all combinations of forms; earlier results stay true."""
        varying = [n for n, form in enumerate(forms) if not self.constant(form)]
        if len(varying) < 2 or Span(forms).dependent:
            return
        cells = frozenset(cell for form in forms for cell, _ in self.cells_of(form))
        rows = rows - np.array([form[-1] for form in forms], np.int64)
        positions = self.positions_of(forms, rows)
        if positions is not None:  # all functions of the position are known then
            varying = [n for n, form in enumerate(forms) if not self.pure_index(form)]
        span = Span([forms[n] for n in varying], [] if positions is None else [self.of_index])
        self.joint.append(Joint(span, cells, rows[:, varying], positions))
        self._codes.clear()

    def along(self, joint: Joint, form: Integers) -> tuple[Integers, Integers] | None:
        """Return what a form is in each row, and what is left of it; None where that is about the cells of the rows."""
        factors, divisor, rest = joint.span.solve(form)
        if divisor != 1 or any(cell in joint.cells for cell, _ in self.cells_of(rest)):
            return None
        numbers = product(joint.rows, factors)
        if joint.positions is not None and rest[self.of_index].any():
            numbers = numbers + rest[self.of_index][joint.positions]
            rest = rest.copy()
            rest[self.of_index] = 0
        return numbers, rest

    def positions_of(self, forms: Sequence[Integers], rows: Integers) -> Integers | None:
        """Return the positions that rows stand for, where one of their forms, without constants, tells positions."""
        for column, form in enumerate(forms):
            entries = form[self.of_index]
            if self.pure_index(form) and len(np.unique(entries)) == len(entries):
                order = np.argsort(entries)
                found = np.minimum(np.searchsorted(entries[order], rows[:, column]), len(order) - 1)
                return order[found]
        return None

    def ends(self, form: Integers) -> tuple[int, int]:
        """Return the smallest and the largest number that a form can be, from those of its parts."""
        low = high = int(form[-1])
        for place in (self.of_tokens, self.of_index):
            low += int(form[place].min(initial=0))
            high += int(form[place].max(initial=0))
        for cell, factor in self.cells_of(form):
            codes = self.of_cell(cell)
            ends = sorted((int(codes[0]) * factor, int(codes[-1]) * factor))
            low, high = low + ends[0], high + ends[1]
        return low, high


def scaled(numbers: Integers, factor: int) -> Integers:
    """Return numbers times a factor, or refuse numbers beyond 64 bits."""
    largest = max(abs(int(numbers.min(initial=0))), int(numbers.max(initial=0)))
    if largest * abs(factor) >= TOO_LARGE:
        raise LemmaError(f"numbers up to {largest:,} times {factor:,} are too large")
    return numbers * factor


def product(rows: Integers, factors: Sequence[int]) -> Integers:
    """Return rows of numbers, each times its factor, added up; refuse numbers beyond 64 bits."""
    total = np.zeros(len(rows), np.int64)
    for column, factor in enumerate(factors):
        if factor:
            total = total + scaled(rows[:, column], factor)
    return total


def alike(one: Integers, factor: int, other: Integers, times: int) -> bool:
    """Return whether two forms are equal, each times its factor."""
    return np.array_equal(scaled(one, factor), scaled(other, times))


def checked(codes: Integers) -> Integers:
    """Return numbers, or refuse more or larger ones than are followed."""
    if len(codes) > MOST_CODES or max(abs(int(codes[0])), abs(int(codes[-1]))) > LARGEST:
        raise LemmaError(f"a form can be {len(codes):,} numbers up to {int(np.abs(codes).max()):,}: that is too many")
    return codes


def distinct(numbers: Integers) -> Integers:
    """Return numbers in ascending order, each once."""
    found = np.sort(numbers, axis=None)
    return found[np.append(True, found[1:] != found[:-1])] if len(found) else found


def step_of(codes: Integers) -> int:
    """Return the greatest number of which all differences are multiples; 0 for one number."""
    return gcd(*(int(one) for one in distinct(np.diff(codes))))


def sums(left: Integers, right: Integers) -> Integers:
    """Return all sums of one of each, and perhaps more."""
    if len(left) == 1 or len(right) == 1:
        return checked(left + right)
    step = int(left[1] - left[0])
    if right[1] - right[0] == step and (np.diff(left) == step).all() and (np.diff(right) == step).all():
        return checked(np.arange(int(left[0] + right[0]), int(left[-1] + right[-1]) + 1, step))
    if len(left) * len(right) > MOST_AT_ONCE:  # then all steps between the ends
        low, high = int(left[0]) + int(right[0]), int(left[-1]) + int(right[-1])
        step = gcd(step_of(left), step_of(right))
        if (high - low) // step >= MOST_CODES:
            raise LemmaError("a sum of two forms can be too many numbers to be followed")
        return checked(np.arange(low, high + 1, step))
    return checked(distinct(np.add.outer(left, right)))
