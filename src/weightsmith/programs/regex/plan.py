"""A cascade as a circuit: a head for each value of a variable, a neuron for each product that reads several sets.

Cells hold 0 or 1. A variable has one for each of its values but the first, with which it begins: all 0 stands for that.

A variable with turns has, instead, the number of turns since it was last set, as a difference of two counts:

- the *total*: a strict head adds up the turns of all earlier tokens;
- the *turns before*: a strict head reads the total at the last token where a number was set, minus the place of that
  number in its orbit; and, where there are several, the orbit.

The difference, modulo the length of the orbit, is the place of the value. Neurons turn it into cells. No sum is larger
than the largest total and 1.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from weightsmith.programs.circuit.circuit import Circuit, Head, Layer, OneKeyHead, Part
from weightsmith.programs.circuit.forms import Cell, Cells, Codes, Form, Sizes, cell_form, feature
from weightsmith.programs.circuit.neurons import Kink
from weightsmith.programs.regex.cascade import Cascade, Rules, Variable
from weightsmith.programs.regex.covers import Product, full, read_coordinates
from weightsmith.programs.regex.lanes import Place, parts_of
from weightsmith.programs.regex.turns import Turns

TRUTHS = np.array([0, 1])
ALWAYS = Form(constant=1)


@dataclass(frozen=True, eq=False)
class TotalHead(Head):
    """The sum of a value over all earlier positions."""

    @property
    def compared(self) -> list[Form]:
        """Nothing: every key has the same score."""
        return []


@dataclass(frozen=True, eq=False)
class LanguagePlan:
    """The circuit of a cascade, the groups of its cells, and the largest number that its sums must hold."""

    circuit: Circuit
    groups: dict[Place, int]  # of cells of which at most one is not 0
    largest: int


def plan_cascade(cascade: Cascade, vocabulary: Sequence[str], up_to: int = 0, every: bool = False) -> LanguagePlan:
    """Return the circuit of a cascade, without the variables on which no decision depends.

    Counts go up to the length `up_to`. With `every`, products that read a single variable are neurons too.
    """
    return _Planner(cascade, tuple(vocabulary), up_to, every).plan()


@dataclass(eq=False)
class _Planner:
    cascade: Cascade
    vocabulary: tuple[str, ...]
    up_to: int
    every: bool
    cells: Cells = field(default_factory=Cells)
    values: list[dict[int, Cell]] = field(default_factory=list)  # of each variable
    heads: list[Head] = field(default_factory=list)
    layers: list[Layer] = field(default_factory=list)
    groups: dict[Place, int] = field(default_factory=dict)
    group: int = 0
    largest: int = 1

    def plan(self) -> LanguagePlan:
        """Return the circuit of everything."""
        for i, variable in enumerate(self.cascade.variables):
            self._variable(i, variable)
        result = self._forms(self.cascade.decision, [1], "the answer")[1]
        result = result if self.cascade.positive else ALWAYS - result
        sizes, made = Sizes(len(self.vocabulary), 0), tuple(self.cells.made)
        circuit = Circuit(sizes, True, made, tuple(self.heads), tuple(self.layers), (result,)).live()
        return LanguagePlan(circuit, self.groups, self.largest)

    def _variable(self, i: int, variable: Variable) -> None:
        """Plan the heads that read the last number that was set."""
        wanted = sorted({product.number for product in variable.rules.products} | {variable.initial})
        forms = self._forms(variable.rules, wanted, f"level {i}")
        if variable.turns is not None and any(number >= variable.size for number in wanted):
            self._counted(i, variable, variable.turns, forms)
            return
        key = _total(forms.values())
        time = max(form.time for form in (key, *forms.values()))
        self.values.append({})
        self.group += 1
        for number in wanted:
            if number != variable.initial:
                cell = self._cell(TRUTHS, _next_heads(time), f"level {i} is {number}")
                self.values[i][number] = cell
                self._head(cell, forms[number], key)

    def _counted(self, i: int, variable: Variable, turns: Turns, forms: dict[int, Form]) -> None:
        """Plan a variable with turns."""
        size, orbits = variable.size, _from(turns, variable)
        most = max(1, self.up_to - 1) * (turns.order - 1)  # of all turns
        self.largest = max(self.largest, most + 1)
        exponent = _total(form * (number - size + 1) for number, form in forms.items() if number >= size)
        self.largest = max(self.largest, _bound(exponent))
        sets = {number: form for number, form in forms.items() if number < size and form != Form()}
        self.group += 1
        total = self._cell(np.arange(most + 1), _next_heads(exponent.time), f"level {i} turns")
        self.heads.append(TotalHead(total, exponent, total.name, None))
        turned, inside = cell_form(total), [Form() for _ in orbits]
        if sets:
            turned += self._turns_before(i, total, sets, orbits, inside)
        inside[0] = ALWAYS - _total(inside[1:])
        self.values.append({})
        self.group += 1
        for orbit, here in zip(orbits, inside, strict=True):
            for index, number in enumerate(orbit):
                if len(orbit) == 1 and here.cells and not here.constant:
                    self.values[i][number] = here.cells[0][0]
                elif number != variable.initial and here != Form():  # else it never has that value
                    self.values[i][number] = self._at_place(i, number, len(orbit), index, turned, here, most)

    def _turns_before(
        self, i: int, total: Cell, sets: dict[int, Form], orbits: list[list[int]], inside: list[Form]
    ) -> Form:
        """Return the place of the number that was last set minus the total there; note the orbit of that number.

        A neuron is most − total where a number is set, and 0 elsewhere, so that 0 is read where none was set.
        """
        key, most = _total(sets.values()), int(total.codes[-1]) + 1
        read = key * most - cell_form(total)
        self.group += 1
        rest = self._cell(np.arange(most + 1), _next_neurons(read.time), f"level {i} turns left where it is set")
        codes = np.arange(-most, most + 1)
        kink = Kink(1, -read.constant, 1)
        self.layers.append(Layer(rest, (Part(read.varying, codes, np.maximum(codes, 0), (kink,)),), rest.name, None))
        places = {number: index for orbit in orbits for index, number in enumerate(orbit)}
        value = cell_form(rest) + _total(form * (places[number] - most) for number, form in sets.items())
        if len({group for form in sets.values() for group in parts_of(form, self.groups)}) > 1:
            self.largest = max(self.largest, _bound(read), _bound(value))  # parts of several groups can saturate midway
        time = _next_heads(value.time)
        self.group += 1
        last = self._cell(np.arange(-most, most + 1), time, f"level {i} turns before, negative")
        self._head(last, value, key)
        self.group += 1
        for n, orbit in enumerate(orbits[1:], 1):
            there = _total(sets[number] for number in orbit if number in sets)
            if there != Form():
                cell = self._cell(TRUTHS, time, f"level {i} is among {' '.join(map(str, orbit))}")
                self._head(cell, there, key)
                inside[n] = cell_form(cell)
        return cell_form(last)

    def _at_place(self, i: int, number: int, length: int, index: int, turned: Form, here: Form, most: int) -> Cell:
        """Return the cell that is 1 if the turns, modulo the length of an orbit, are an index, in that orbit."""
        read = turned + here * (most + 1) - ALWAYS * (most + 1)  # below 0 in other orbits
        codes = np.arange(-1, most + 2)
        at = ((codes >= 0) & (codes % length == index) & (codes <= most)).astype(np.int64)
        changes = np.diff(np.diff(at, prepend=0), append=0)[:-2]  # of the slope, at each code below the largest
        some = [
            Kink(1, int(code) - read.constant, int(np.sign(change)))  # slopes of ±1, so that products stay small
            for code, change in zip(codes, changes, strict=False)
            for _ in range(abs(int(change)))
        ]
        self.largest = max(self.largest, *(abs(one.offset) for one in some))
        cell = self._cell(TRUTHS, _next_neurons(read.time), f"level {i} is {number}")
        self.layers.append(Layer(cell, (Part(read.varying, codes, at, tuple(some)),), cell.name, None))
        return cell

    def _cell(self, codes: Codes, time: int, name: str) -> Cell:
        cell = self.cells.new(codes, time, name)
        self.groups[cell] = self.group
        return cell

    def _head(self, cell: Cell, value: Form, key: Form) -> None:
        keys = () if key.is_constant else (key,)
        self.heads.append(OneKeyHead(cell, value, cell.name, None, keys, False, False, strict=True))

    def _forms(self, rules: Rules, numbers: Sequence[int], name: str) -> dict[int, Form]:
        """Return for each number the form that is 1 where it is set."""
        self.group += 1
        found = {number: Form() for number in numbers}
        neurons: dict[int, list[tuple[Form, ...]]] = {}
        for product in rules.products:
            literals = self._literals(product, rules)
            if len(literals) > 1 or (self.every and literals and literals[0].cells):
                neurons.setdefault(product.number, []).append(literals)
            else:
                found[product.number] += literals[0] if literals else ALWAYS
        for number, several in neurons.items():
            time = max(literal.time for literals in several for literal in literals)
            said = f"{name} becomes {number}" if len(numbers) > 1 else name
            cell = self._cell(TRUTHS, _next_neurons(time), said)
            self.layers.append(Layer(cell, tuple(map(_neuron, several)), said, None))
            self.largest = max(self.largest, *map(_most, several))
            found[number] += cell_form(cell)
        return found

    def _literals(self, product: Product, rules: Rules) -> tuple[Form, ...]:
        """Return the sets of a product as forms."""
        found = []
        for i in read_coordinates(product, rules.sizes):
            some = product.sets[i]
            if i == 0:
                found.append(feature([some >> token & 1 for token in range(len(self.vocabulary))], "token"))
            else:
                found.append(self._value_in(rules.reads[i - 1], some))
        return tuple(found)

    def _value_in(self, variable: int, some: int) -> Form:
        """Return the form that is 1 where a variable has one of some values."""
        initial = self.cascade.variables[variable].initial
        negative = bool(some >> initial & 1)
        chosen = full(self.cascade.variables[variable].size) & ~some if negative else some
        form = _total(cell_form(cell) for value, cell in self.values[variable].items() if chosen >> value & 1)
        return ALWAYS - form if negative else form


def _next_heads(time: int) -> int:
    """Return the next attention after a sublayer."""
    return time + 1 + time % 2


def _next_neurons(time: int) -> int:
    """Return the next feed-forward layer after a sublayer."""
    return time + 2 - time % 2


def _bound(form: Form) -> int:
    """Return a number that no partial sum of a form exceeds, in any order."""
    return form.reach + abs(form.constant)


def _total(forms: Iterable[Form]) -> Form:
    return sum(forms, Form())


def _from(turns: Turns, variable: Variable) -> list[list[int]]:
    """Return the orbits, that of the first value first and beginning with it; numbers without turns are alone."""
    alone = [[number] for number in range(len(turns.once), variable.size)]
    orbits = sorted([*turns.orbits, *alone], key=lambda orbit: variable.initial not in orbit)
    at = orbits[0].index(variable.initial)
    return [orbits[0][at:] + orbits[0][:at], *orbits[1:]]


def _neuron(literals: Sequence[Form]) -> Part:
    """Return the neuron that is 1 where all literals hold: relu(their sum − (their number − 1))."""
    form = _total(literals)
    offset = len(literals) - 1 - form.constant
    codes = np.arange(min(form.varying.least, offset + 1), offset + 2)
    return Part(form.varying, codes, np.array(codes == offset + 1, np.int64), (Kink(1, offset, 1),))


def _most(literals: Sequence[Form]) -> int:
    """Return the largest number in the sum of a neuron: its literals that add 1, or its bias."""
    positive = sum(literal.constant == 0 for literal in literals)
    return max(positive, 1)
