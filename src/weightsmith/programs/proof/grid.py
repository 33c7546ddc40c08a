"""Forms and tables, evaluated over all numbers that some forms can be together.

An axis is a form with all its numbers, or two forms that are known together. Linear combinations of them, and what
neurons compute from these, are functions on the grid. Numbers of an axis are one class if no form distinguishes them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from math import prod

import numpy as np

from weightsmith.programs.proof.axes import FEW_SUMS, Axes, representatives
from weightsmith.programs.proof.holding import Affine, Holding, Mean, Values, Variable
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.neurons import Kinks, Part, fired
from weightsmith.programs.proof.space import Booleans, Integers, Space, distinct, product, scaled, sums

MOST_CASES = 4_000_000  # combinations that are gone through
MOST_SUMS = 20_000  # combinations of classes whose sums are found


@dataclass
class Evaluated:
    """A form on the grid: a sum of functions of single axes, and of neurons that read several."""

    form: Integers
    on_axis: dict[int, Integers]
    constant: int
    layers: list[tuple[int, Kinks, "Evaluated"]] = field(default_factory=list)
    divisor: int = 1


class Grid(Axes):
    """All combinations of the numbers on some axes."""

    def __init__(
        self, space: Space, layered: Callable[[int], Sequence[Part] | None], values: Values, holdings: Sequence[Holding]
    ) -> None:
        """Take axes for the forms of holdings."""
        super().__init__(space, holdings)
        self.layered, self.values = layered, values
        self._seen: dict[bytes, Evaluated] = {}
        self._chosen: list[Integers] | None = None
        self.kinds: list[Integers] = []  # for every axis, which of the chosen rows stands for each
        self.rank = max(1, len(self.axes))
        self.occurs: Booleans = np.ones((1,) * self.rank, np.bool_)

    def evaluated(self, form: Integers) -> Evaluated:
        """Return a form on the grid, or refuse one that is not made of its axes."""
        key = form.tobytes()
        if key not in self._seen:
            self._seen[key] = self._evaluated(form)
        return self._seen[key]

    def _evaluated(self, form: Integers) -> Evaluated:
        factors, divisor, rest = self._span.solve(form)
        found = Evaluated(form, {}, int(rest[-1]), divisor=divisor)
        place = 0
        for n, axis in enumerate(self.axes):
            if axis.feature:
                part = rest[self.space.of_tokens if axis.feature == "token" else self.space.of_index]
                if part.any():
                    found.on_axis[n] = part.copy()
                continue
            mine = factors[place : place + len(axis.forms)]
            place += len(axis.forms)
            if any(mine):
                found.on_axis[n] = product(axis.rows, mine)
        features = {axis.feature for axis in self.axes}
        known = next((n for n, axis in enumerate(self.axes) if axis.positions is not None), None)
        if "index" not in features and known is not None and rest[self.space.of_index].any():
            numbers = rest[self.space.of_index][self.axes[known].positions]
            found.on_axis[known] = found.on_axis[known] + numbers if known in found.on_axis else numbers
            features.add("index")
        for feature, of in (("token", self.space.of_tokens), ("index", self.space.of_index)):
            if feature not in features and rest[of].any():
                raise LemmaError(f"a value is not a function of its arguments: it depends on the {feature}")
        for cell, factor in self.space.cells_of(rest):
            parts = self.layered(cell)
            if parts is None:
                raise LemmaError("a value is not a function of its arguments: it depends on another sum")
            for one in parts:
                self._neurons(found, factor, one)
        return found

    def _neurons(self, found: Evaluated, factor: int, part: Part) -> None:
        """Add the sum of neurons, times a factor."""
        read = self.evaluated(part.form)
        if read.layers or len(read.on_axis) > 1 or read.divisor != 1:
            found.layers.append((factor, part.kinks, read))
            return
        if not read.on_axis:
            found.constant += factor * int(fired(part.kinks, np.array([read.constant]))[0])
            return
        ((axis, numbers),) = read.on_axis.items()
        added = scaled(fired(part.kinks, numbers + read.constant), factor)
        found.on_axis[axis] = found.on_axis[axis] + added if axis in found.on_axis else added

    # Once everything is known that is to be evaluated, rows that nothing tells apart are made one

    def ask(self, holding: Holding) -> "Asked":
        """Register a holding whose value will be computed on the grid."""
        asked = Asked(self, holding)
        self._chosen = None
        return asked

    def ask_form(self, form: Integers) -> Evaluated:
        """Register a form that will be computed on the grid."""
        found = self.evaluated(form)
        self.note(found)
        return found

    def note(self, found: Evaluated) -> None:
        """Refine the classes of rows by the values of a form."""
        self._chosen = None
        for axis, numbers in found.on_axis.items():
            self.axes[axis].columns.append(numbers)
        for _, _, read in found.layers:
            self.note(read)

    @property
    def chosen(self) -> list[Integers]:
        """For every axis, a representative row of each class."""
        if self._chosen is None:
            found = [representatives(axis.columns, len(axis.rows)) for axis in self.axes]
            self._chosen, self.kinds = [first for first, _ in found], [kinds for _, kinds in found]
            if prod(map(len, self._chosen)) > MOST_CASES:
                sizes = " × ".join(f"{len(one):,}" for one in self._chosen)
                raise LemmaError(f"{sizes} combinations are too many to be gone through")
        return self._chosen

    @property
    def shape(self) -> tuple[int, ...]:
        """How many rows each axis has."""
        return tuple(map(len, self.chosen))

    @property
    def cases(self) -> int:
        """How many combinations there are."""
        return prod(self.shape)

    def along(self, axis: int, numbers: Integers) -> Integers:
        """Return a function of one axis as an array over the grid."""
        shape = [1] * self.rank
        shape[axis] = -1
        return numbers[self.chosen[axis]].reshape(shape)

    def array(self, found: Evaluated) -> Integers:
        """Return a form for all combinations; it may have axes of length 1."""
        total = np.full((1,) * self.rank, found.constant, np.int64)
        for axis, numbers in found.on_axis.items():
            total = total + self.along(axis, numbers)
        for factor, kinks, read in found.layers:
            total = total + scaled(fired(kinks, self.array(read)), factor)
        if found.divisor == 1 and len(found.on_axis) < 2 and not found.layers:
            return total
        occurs = total % found.divisor == 0  # a form is a whole number
        total = total // found.divisor
        possible = self.space.codes(found.form)
        occurs = occurs & np.isin(total, possible)
        if occurs.all():
            return total
        self.occurs = self.occurs & occurs  # with a number that it can be instead of those that it cannot
        return np.where(occurs, total, possible[0])

    def summed(self, found: Evaluated, variable: Variable) -> Integers:
        """Return the classes of a sum over several axes: one for all rows that a chosen one stands for."""
        possible = self.space.codes(found.form)
        shape = [len(self.chosen[axis]) if axis in found.on_axis else 1 for axis in range(self.rank)]
        if prod(shape) > MOST_SUMS:
            raise LemmaError(f"{prod(shape):,} combinations of classes are too many to be added up")
        sets: list[list[Integers]] = [[np.array([found.constant])]] * self.rank
        for axis, numbers in found.on_axis.items():
            kinds = self.kinds[axis]
            sets[axis] = [distinct(numbers[kinds == kind]) for kind in range(len(self.chosen[axis]))]
        first, *others = [n for n in range(self.rank) if n in found.on_axis]
        classes, occurs = np.zeros(shape, np.int64), np.ones(shape, np.bool_)
        for place in np.ndindex(*shape):
            codes = sets[first][place[first]] + found.constant
            for axis in others:
                codes = sums(codes, sets[axis][place[axis]])
            codes = codes[np.isin(codes, possible)]
            if not len(codes):
                occurs[place] = False
                continue
            known = variable.classed(codes)
            if (known != known[0]).any():
                raise LemmaError("a sum does not tell apart what it must")
            classes[place] = known[0]
        self.occurs = self.occurs & occurs
        return classes

    def rows(self, *columns: Integers) -> Integers:
        """Return arrays over the grid as columns, one row for each combination that occurs."""
        occurs, *arrays = np.broadcast_arrays(self.occurs, *columns)
        return np.stack([one[occurs] for one in arrays], axis=1)


def _adds_up(found: Evaluated) -> bool:
    """Return whether a form is a sum over several axes with too many numbers to distinguish one by one."""
    if found.layers or found.divisor != 1 or len(found.on_axis) < 2:
        return False
    return prod(len(distinct(numbers)) for numbers in found.on_axis.values()) > FEW_SUMS


class Asked:
    """A holding's value on the grid."""

    def __init__(self, grid: Grid, holding: Holding) -> None:
        """Find the forms that it is made of."""
        self.grid, self.holding = grid, holding
        self._classes: list[tuple[int, Integers] | Evaluated] = []
        self._form: Evaluated | None = None
        self._pair: tuple[Evaluated, Evaluated] | None = None
        if isinstance(holding, Affine):
            self._form = grid.ask_form(holding.form)
        elif isinstance(holding, Mean):
            self._pair = grid.ask_form(holding.top), grid.ask_form(holding.count)
        else:
            for variable in holding.variables:
                found = grid.evaluated(variable.form)
                if found.layers or len(found.on_axis) != 1 or found.divisor != 1:
                    if not _adds_up(found):
                        grid.note(found)
                    self._classes.append(found)
                    continue
                ((axis, numbers),) = found.on_axis.items()
                classes = variable.classed(numbers + found.constant)
                grid.axes[axis].columns.append(classes)
                self._classes.append((axis, classes))

    def numbers(self) -> Integers:
        """Return the number of its value for all combinations."""
        grid, holding, values = self.grid, self.holding, self.grid.values
        if isinstance(holding, Affine):
            assert self._form is not None
            return values.fractions(grid.array(self._form), holding.scale)
        if isinstance(holding, Mean):
            assert self._pair is not None
            tops, counts = np.broadcast_arrays(*map(grid.array, self._pair))
            found = values.fractions(tops * (counts != 0), np.where(counts == 0, 1, scaled(counts, holding.scale)))
            return np.where(counts == 0, values.number(holding.default), found)
        classes = []
        for variable, one in zip(holding.variables, self._classes, strict=True):
            if isinstance(one, tuple):
                classes.append(grid.along(*one))
            elif _adds_up(one):
                classes.append(grid.summed(one, variable))
            else:
                classes.append(variable.classed(grid.array(one)))
        numbers = values.numbers(holding.values)
        which = holding.which[tuple(classes)] if classes else holding.which.reshape((1,) * grid.rank)
        return numbers[which]
