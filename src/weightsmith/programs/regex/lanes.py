"""Lanes for a language's circuit: as few as each variable, each table and the token need for what is read of them.

The cells of one variable, or of one table, are a *group*: at most one of them is 1. What is read of a group are sums of
some of its cells. Either every such sum gets a lane, or every set of cells that no reader tells apart, whichever needs
fewer. Every lane holds 0 or 1, up to its sign. Groups have numbers: each is read only by groups with larger ones. The
largest comes first, because its lanes decide what is read of the others. Lanes of counts hold larger numbers.
"""

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from math import gcd
from typing import Any, TypeAlias

from weightsmith.programs.circuit.assembly import Lanes
from weightsmith.programs.circuit.circuit import Circuit, OneKeyHead
from weightsmith.programs.circuit.forms import Cell, Form
from weightsmith.programs.listing import NOTHING, OF_LANES, joined

LONGEST_LANE = 60
TOKEN_GROUP = -1
Place: TypeAlias = Hashable  # a cell, or the number of a token
Sum: TypeAlias = tuple[tuple[Any, int], ...]  # places with factors, not 0
OPPOSITE = "1 minus"  # before the sum of an opposite lane


@dataclass(frozen=True)
class GroupedLanes(Lanes):
    """Lanes that each hold a part of one group."""

    groups: dict[Place, int] = field(default_factory=dict)  # of every cell
    known: dict[Sum, tuple[tuple[int, int], ...]] = field(default_factory=dict)  # lanes with factors
    opposites: dict[Sum, int] = field(default_factory=dict)  # lanes that hold 1 minus a sum

    def read(self, form: Form) -> tuple[int, ...]:
        """Return the factor of each lane in a form, whatever its constant."""
        found = [0] * len(self.lanes)
        for part in parts_of(form, self.groups).values():
            simple, times = primitive(part)
            for lane, factor in self.known[simple]:
                found[lane] += times * factor
        return tuple(found)

    def below(self, form: Form, bias: int) -> tuple[list[float], float]:
        """Return weights and a bias for a neuron's form that only subtract, by opposite lanes, if there are any."""
        if not self.opposites:
            return self.row(form), float(bias)
        found = [0.0] * len(self.lanes)
        for part in parts_of(form, self.groups).values():
            simple, times = primitive(part)
            if times == 1:
                found[self.opposites[simple]] -= 1.0
                bias += 1
            else:
                for lane, factor in self.known[simple]:
                    found[lane] += times * factor
        return found, float(bias)


def parts_of(form: Form, groups: dict[Place, int]) -> dict[int, Sum]:
    """Return what is read of each group."""
    found: dict[int, list[tuple[Place, int]]] = {}
    for cell, factor in form.cells:
        found.setdefault(groups[cell], []).append((cell, factor))
    if form.token:
        found[TOKEN_GROUP] = [(token, factor) for token, factor in enumerate(form.token) if factor]
    return {group: tuple(part) for group, part in found.items()}


def lanes_of(circuit: Circuit, groups: dict[Place, int], opposite: bool = False) -> GroupedLanes:
    """Return the lanes of a circuit whose cells are in these groups; with opposite lanes for neurons, if wanted."""
    return _Placer(circuit, groups, opposite).lanes()


@dataclass(eq=False)
class _Placer:
    circuit: Circuit
    groups: dict[Place, int]
    opposite: bool
    wanted: dict[int, dict[Sum, None]] = field(default_factory=dict)
    against: dict[int, dict[Sum, None]] = field(default_factory=dict)  # of which opposites are wanted

    def lanes(self) -> GroupedLanes:
        """Go through the groups, the latest first."""
        members: dict[int, list[Cell]] = {}
        for cell in self.circuit.cells:
            members.setdefault(self.groups[cell], []).append(cell)
        self._want(self.circuit.outputs)
        chosen: list[tuple[int, list[Any]]] = []
        known: dict[Sum, list[tuple[Sum, int]]] = {}
        for group in sorted(members, reverse=True):
            lanes = self._chosen(group, known)
            chosen.append((group, lanes))
            self._want_writers(members[group], lanes)
        chosen.append((TOKEN_GROUP, self._chosen(TOKEN_GROUP, known)))
        every = [lane for _, lanes in reversed(chosen) for lane in lanes]
        numbers = {lane: n for n, lane in enumerate(every)}
        forms = [self._form(lane) for lane in every] or [Form()]
        by_number = {part: tuple((numbers[lane], factor) for lane, factor in of) for part, of in known.items()}
        opposites = {lane[1]: n for n, lane in enumerate(every) if lane[0] == OPPOSITE}
        return GroupedLanes(tuple(forms), _names(forms), None, {}, self.groups, by_number, opposites)

    def _want(self, forms: Iterable[Form], neurons: bool = False) -> None:
        for form in forms:
            for group, part in parts_of(form, self.groups).items():
                simple, times = primitive(part)
                which = self.against if self.opposite and neurons and times == 1 else self.wanted
                which.setdefault(group, {}).setdefault(simple)

    def _want_writers(self, cells: Sequence[Cell], lanes: Sequence[Any]) -> None:
        """Want what the writers of a group's lanes read."""
        for head in self.circuit.heads:
            if head.cell in cells and isinstance(head, OneKeyHead):
                self._want(head.keys)
        values = {head.cell: head.value for head in self.circuit.heads}
        for lane in lanes:
            places = lane[1] if lane[0] == OPPOSITE else lane
            self._want([sum((values[cell] * factor for cell, factor in places if cell in values), Form())])
        for layer in self.circuit.layers:
            if layer.cell in cells:
                self._want(layer.reads, neurons=True)

    def _chosen(self, group: int, known: dict[Sum, list[tuple[Sum, int]]]) -> list[Any]:
        """Choose the lanes of a group, and note how they give what is wanted."""
        wanted, against = list(self.wanted.get(group, ())), [(OPPOSITE, part) for part in self.against.get(group, ())]
        columns: dict[tuple[int, ...], list[tuple[Place, int]]] = {}
        for place in dict.fromkeys(place for part in wanted for place, _ in part):
            columns.setdefault(tuple(dict(part).get(place, 0) for part in wanted), []).append((place, 1))
        if len(wanted) <= len(columns):
            known |= {part: [(part, 1)] for part in wanted}
            return [*wanted, *against]
        atoms = {column: tuple(places) for column, places in columns.items()}
        for n, part in enumerate(wanted):
            known[part] = [(atom, column[n]) for column, atom in atoms.items() if column[n]]
        return [*atoms.values(), *against]

    def _form(self, lane: Any) -> Form:
        places, sign = (lane[1], -1) if lane[0] == OPPOSITE else (lane, 1)
        cells = tuple((place, sign * factor) for place, factor in places if isinstance(place, Cell))
        tokens = [int(sign < 0)] * self.circuit.sizes.tokens
        for place, factor in places:
            if isinstance(place, int):
                tokens[place] += sign * factor
        return Form(token=tuple(tokens) if any(tokens) else (), cells=cells)


def primitive(part: Sum) -> tuple[Sum, int]:
    """Return a sum without a common factor of its places, whose first factor is positive; and that factor."""
    common = gcd(*(factor for _, factor in part)) * (1 if part[0][1] > 0 else -1)
    return tuple((place, factor // common) for place, factor in part), common


def _names(lanes: Sequence[Form]) -> tuple[str, ...]:
    names: list[str] = []
    for lane in lanes:
        words = ["token"] * (lane.token != () and len(set(lane.token)) > 1) + [cell.name for cell, _ in lane.cells]
        name = joined(words, OF_LANES, LONGEST_LANE) or NOTHING
        count = sum(one == name or one.startswith(f"{name} ") for one in names)
        names.append(name if name not in names else f"{name} {count + 1}")
        while names.count(names[-1]) > 1:
            names[-1] += "'"
    return tuple(names)
