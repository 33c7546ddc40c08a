"""Placement: as few lanes as there are independent forms that are read.

A lane holds a form without its constant. Every form that is read is a whole-numbered combination of lanes plus a
constant. Lanes are chosen among the forms that are read: cells that are only read together share a lane.
"""

from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import Circuit
from weightsmith.programs.circuit.forms import Cell, Form
from weightsmith.programs.naming import NOTHING, OF_LANES, POSITION, TOKEN, joined

LONGEST_LANE = 60  # characters of a name


class Span:
    """The forms that whole-numbered combinations of some lanes can give."""

    def __init__(self) -> None:
        """Begin with no lanes."""
        self.forms: list[Form] = []
        self.rows: list[tuple[dict[object, Fraction], list[Fraction]]] = []  # reduced, and as combinations of forms

    def add(self, form: Form) -> None:
        """Take one more lane."""
        self.forms.append(form)
        for _, of in self.rows:
            of.append(Fraction(0))
        rest, factors = self._rest(form)
        if rest:
            self.rows.append((rest, [*(-f for f in factors[: len(self.forms) - 1]), Fraction(1)]))

    def combines(self, form: Form) -> bool:
        """Return whether lanes combine to a form with whole factors."""
        rest, factors = self._rest(form)
        return not rest and all(factor.denominator == 1 for factor in factors)

    def combination(self, form: Form) -> tuple[int, ...]:
        """Return the factor of each lane."""
        rest, factors = self._rest(form)
        assert not rest, "a form that is not among the read ones"
        assert all(factor.denominator == 1 for factor in factors)
        return tuple(int(factor) for factor in factors)

    def _rest(self, form: Form) -> tuple[dict[object, Fraction], list[Fraction]]:
        """Return the remainder of a form, and the factors with which lanes give the rest."""
        rest = _coordinates(form)
        factors = [Fraction(0)] * len(self.forms)
        for row, of in self.rows:
            pivot = next(iter(row))
            if pivot in rest:
                times = rest[pivot] / row[pivot]
                for place, value in row.items():
                    rest[place] = rest.get(place, Fraction(0)) - times * value
                rest = {place: value for place, value in rest.items() if value}
                factors = [a + times * b for a, b in zip(factors, of, strict=True)]
        return rest, factors


@dataclass(frozen=True)
class Lanes:
    """The lanes, and the factors with which they give a form; without a span, every cell has a lane of its own."""

    lanes: tuple[Form, ...]
    names: tuple[str, ...]
    span: Span | None = None
    _read: dict[Form, tuple[int, ...]] = field(default_factory=dict)

    def read(self, form: Form) -> tuple[int, ...]:
        """Return the factor of each lane in a form, whatever its constant."""
        if self.span is None:
            found = [0] * len(self.lanes)
            for cell, factor in form.cells:
                found[self._holders[cell][0][0]] += factor
            return tuple(found)
        form = form.varying
        if form not in self._read:
            itself = form.is_constant or form in self.lanes
            own = tuple(int(lane == form) for lane in self.lanes) if itself else None
            self._read[form] = own or self.span.combination(form)
        return self._read[form]

    def row(self, form: Form, factor: Fraction | int = 1) -> list[float]:
        """Return the weights with which lanes give a form, times a factor, whatever its constant."""
        if form.is_constant:
            return [0.0] * len(self.lanes)
        return [float(factor * one) for one in self.read(form)]

    def writes(self, cell: Cell) -> tuple[int, ...]:
        """Return how often each lane gets a cell."""
        found = [0] * len(self.lanes)
        for lane, factor in self._holders.get(cell, ()):
            found[lane] = factor
        return tuple(found)

    @cached_property
    def _holders(self) -> dict[Cell, list[tuple[int, int]]]:
        """The lanes that hold each cell, with their factors."""
        found: dict[Cell, list[tuple[int, int]]] = {}
        for n, lane in enumerate(self.lanes):
            for cell, factor in lane.cells:
                found.setdefault(cell, []).append((n, factor))
        return found


def place(circuit: Circuit) -> Lanes:
    """Return lanes for every form that is read, one for each output; a constant output gets a lane that holds 0."""
    outputs = [form.varying for form in circuit.outputs]
    span = Span()
    lanes: list[Form] = []
    for form in [*dict.fromkeys(outputs), *sorted(circuit.reads, key=_size)]:
        in_force().check()
        if form not in lanes and (form in outputs or not span.combines(form)):
            span.add(form)
            lanes.append(form)
    return Lanes(tuple(lanes), _names(lanes), span)


def _size(form: Form) -> tuple[int, int]:
    return len(form.cells) + bool(form.token) + bool(form.index), form.time


def _names(lanes: list[Form]) -> tuple[str, ...]:
    names: list[str] = []
    for lane in lanes:
        words = [TOKEN] * bool(lane.token) + [POSITION] * bool(lane.index)
        words += [cell.name for cell, _ in lane.cells]
        name = joined(words, OF_LANES, LONGEST_LANE) or NOTHING
        count = sum(one == name or one.startswith(f"{name} ") for one in names)
        names.append(name if name not in names else f"{name} {count + 1}")
        while names.count(names[-1]) > 1:
            names[-1] += "'"
    return tuple(names)


def _coordinates(form: Form) -> dict[object, Fraction]:
    found: dict[object, Fraction] = {}
    for of, values in (("token", form.token), ("index", form.index)):
        found |= {(of, n): Fraction(value) for n, value in enumerate(values) if value}
    return found | {cell: Fraction(factor) for cell, factor in form.cells}
