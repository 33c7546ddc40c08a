"""What a position decides about a selector: which positions a query at each position must or may select.

A form is evaluated for all combinations of what it is made of: token, position, and sums over positions. So it is known
at which positions a flag can be up, and which rank a number stands for.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from functools import reduce
from math import prod
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from weightsmith.programs.circuit.circuit import Layer
from weightsmith.programs.circuit.forms import Cell, Form, Integers
from weightsmith.programs.circuit.selections import Booleans, Both, Condition, Either, Opposite, Selection

MOST_ROWS = 1 << 19  # combinations
MOST_PLACES = 256  # positions that are looked at one by one
MOST_PAIRS = 1 << 20  # of codes that are compared

Atom: TypeAlias = "str | Cell"  # "token", "index", or a sum over positions


class Between(NamedTuple):
    """For queries (rows) and keys (columns): those that are selected whatever they hold, and those that can be."""

    must: Booleans
    may: Booleans


@dataclass(frozen=True, eq=False)
class Rows:
    """All combinations of some atoms: a column for each."""

    columns: dict[Atom, Integers]
    layers: dict[Cell, Layer]

    def has(self, form: Form) -> bool:
        """Return whether a form is made of these atoms."""
        return set(atoms_of(form, self.layers)) <= self.columns.keys()

    def where(self, holds: Booleans) -> "Rows":
        """Return some of the rows."""
        return Rows({atom: column[holds] for atom, column in self.columns.items()}, self.layers)

    def of(self, form: Form) -> Integers:
        """Return the number of a form in every row."""
        total = np.full(len(next(iter(self.columns.values()), np.zeros(1))), form.constant, np.int64)
        for atom, entries in (("token", form.token), ("index", form.index)):
            if entries:
                total += np.array(entries, np.int64)[self.columns[atom]]
        for cell, factor in form.cells:
            total += factor * (self.columns[cell] if cell in self.columns else self._written(self.layers[cell]))
        return total

    def _written(self, layer: Layer) -> Integers:
        """Return what a layer writes; in a row that cannot occur, any number."""
        total = np.zeros(1, np.int64)
        for part in layer.parts:
            place = np.searchsorted(part.codes, self.of(part.form))
            total = total + part.wanted[np.minimum(place, len(part.codes) - 1)]
        return total


def atoms_of(form: Form, layers: dict[Cell, Layer]) -> dict[Atom, Integers]:
    """Return the atoms that a form is made of, through all layers, with the codes of each."""
    found: dict[Atom, Integers] = {}
    for atom, entries in (("token", form.token), ("index", form.index)):
        if entries:
            found[atom] = np.arange(len(entries))
    for cell, _ in form.cells:
        if cell in layers:
            for part in layers[cell].parts:
                found |= atoms_of(part.form, layers)
        else:
            found[cell] = cell.codes
    return found


@dataclass(eq=False, repr=False)
class Placing:
    """Evaluates forms and selectors by position."""

    causal: bool
    positions: int
    written: Callable[[], Sequence[Layer]] = tuple  # the layers that there are so far
    counted: Collection[Cell] = ()  # cells that count positions: they are looked at as they are
    _between: dict[int, tuple[Selection, Between]] = field(default_factory=dict)

    @property
    def layers(self) -> dict[Cell, Layer]:
        """The layer that writes each cell."""
        return {layer.cell: layer for layer in self.written() if layer.cell not in self.counted}

    def rows(self, *forms: Form) -> Rows | None:
        """Return all combinations of what forms are made of; None where they are too many."""
        layers = self.layers
        atoms = reduce(lambda a, b: a | b, (atoms_of(form, layers) for form in forms))
        if prod(map(len, atoms.values())) > MOST_ROWS:
            return None
        grid = np.meshgrid(*atoms.values(), indexing="ij")
        return Rows({atom: column.ravel() for atom, column in zip(atoms, grid, strict=True)}, layers)

    def by_place(self, pairs: Selection) -> bool:
        """Return whether the position decides something about the keys of a selector."""
        match pairs:
            case Condition(difference):
                return "index" in atoms_of(difference.key, self.layers)
            case Both(parts) | Either(parts):
                return any(map(self.by_place, parts))
            case Opposite(inner):
                return self.by_place(inner)
        return False

    def between(self, pairs: Selection) -> Between:
        """Return what must and what may be selected."""
        if id(pairs) not in self._between:
            self._between[id(pairs)] = pairs, self._found(pairs)
        return self._between[id(pairs)][1]

    def seen(self, pairs: Selection) -> Booleans:
        """Return which keys may be selected, of those that the mask shows."""
        may = self.between(pairs).may
        return np.tril(may) if self.causal else may

    def _found(self, pairs: Selection) -> Between:
        shape = self.positions, self.positions
        match pairs:
            case Condition():
                return self._condition(pairs)
            case Both(parts):
                known = [self.between(part) for part in parts]
                return Between(*(np.logical_and.reduce(one) for one in zip(*known, strict=True)))
            case Either(parts):
                known = [self.between(part) for part in parts]
                return Between(*(np.logical_or.reduce(one) for one in zip(*known, strict=True)))
            case Opposite(inner):
                must, may = self._found(inner)
                return Between(~may, ~must)
        return Between(np.full(shape, bool(pairs)), np.full(shape, bool(pairs)))

    def _condition(self, part: Condition) -> Between:
        shape, difference = (self.positions, self.positions), part.difference
        sides = [self._occurring(difference.query), self._occurring(difference.key)]
        (queries, at_query), (keys, at_key) = sides
        if len(queries) * len(keys) > MOST_PAIRS:
            return Between(np.zeros(shape, np.bool_), np.ones(shape, np.bool_))
        between = np.subtract.outer(queries, keys)
        place = np.minimum(np.searchsorted(difference.codes, between), len(difference.codes) - 1)
        holds = part.holds[place] & (difference.codes[place] == between)  # others are behind the mask
        some, other = (_reached(at_query, one, at_key) for one in (holds, ~holds))
        return Between(np.broadcast_to(~other, shape), np.broadcast_to(some, shape))

    def _occurring(self, form: Form) -> tuple[Integers, Any]:
        """Return the codes of a form, and for every position which of them can occur there."""
        rows = self.rows(form) if "index" in atoms_of(form, self.layers) else None
        if rows is None:
            return form.codes, np.ones((1, len(form.codes)), np.float32)
        codes, which = np.unique(rows.of(form), return_inverse=True)
        found = np.zeros((self.positions, len(codes)), np.float32)
        found[rows.columns["index"], which.ravel()] = 1
        return codes, found


def _reached(queries: Any, holds: Booleans, keys: Any) -> Booleans:
    """Return for which positions of query and key some codes that can occur meet."""
    return np.asarray(queries @ holds.astype(np.float32) @ keys.T > 0)


class Groups:
    """Rows with the same number in a column, as groups in ascending order."""

    def __init__(self, column: Integers) -> None:
        """Sort the rows."""
        self.order = np.argsort(column, kind="stable")
        ordered = column[self.order]
        self.starts = np.flatnonzero(np.append(True, ordered[1:] != ordered[:-1])[: len(ordered)])
        self.numbers: Integers = ordered[self.starts]

    def all(self, holds: Booleans) -> Booleans:
        """Return for every group whether all its rows hold."""
        return np.asarray(np.logical_and.reduceat(holds[self.order], self.starts))

    def same(self, column: Integers) -> Booleans:
        """Return for every group whether a column has one number in it."""
        first = np.zeros(len(column), np.int64)
        ordered = column[self.order]
        first[self.order] = np.repeat(ordered[self.starts], np.diff(np.append(self.starts, len(column))))
        return self.all(column == first)
