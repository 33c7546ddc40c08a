"""How many positions a selector selects: at least one, at most one, or only positions of one kind.

What is said here follows from the conditions of the selector, which were compared with what the program means over all
pairs of values, and from what is known of the cells that they compare:

- a *rank* counts how many positions come before in an order without ties: it is a permutation of the positions;
- an *order* counts so in an order that may have ties: positions with equal counts are equal in the order;
- a *numbering* counts the positions up to the query's own that are in its class and pass filters: two positions of one
  class that pass them have different numbers;
- what is the same *everywhere* at all positions of an input.
"""

from dataclasses import dataclass, field

import numpy as np

from weightsmith.programs.proof.places import Numbering, Places
from weightsmith.programs.proof.selectors import FAR, All, Boundary, If, Selection, Some, conditions
from weightsmith.programs.proof.space import Integers, Space, distinct, scaled


@dataclass(eq=False, repr=False)
class Counting(Places):
    """Properties of cells, and their consequences for selectors."""

    orders: dict[int, Integers] = field(init=False, default_factory=dict)
    lengths: set[int] = field(init=False, default_factory=set)
    _bounds: dict[int, tuple[Selection, tuple[int, int]]] = field(init=False, default_factory=dict)

    # Properties of cells

    def note_count(self, cell: int, pairs: Selection, heads: list[tuple[Boundary, int]]) -> None:
        """Note the properties of a cell that counts the positions that its heads select."""
        if pairs is True and not self.causal:
            self.lengths.add(cell)
        if len(heads) == 1 and heads[0][1] == 1 and heads[0][0].of and not self.causal:
            key, query, boundary = *sides(self.space, heads[0][0]), heads[0][0]
            if np.array_equal(key, query) and boundary.refused == 0:  # those of which the query has more than the key
                self.orders[cell] = key
                if self.differ(key):
                    self.ranks.add(cell)
        numbering = self._numbering(pairs)
        if numbering is not None:
            self.numberings[cell] = numbering
        elif (besides := self.besides(pairs)) is not None and self.differ(besides.order):
            self.note_besides(cell, besides)

    def note_everywhere(self, cell: int, pairs: Selection) -> None:
        """Note that a sum is the same everywhere if all queries select the same positions."""
        if not self.causal and all(self.everywhere(one.query) for one in conditions(pairs)):
            self.same_everywhere.add(cell)

    def everywhere(self, form: Integers) -> bool:
        """Return whether a form is the same number at all positions of an input."""
        space = self.space
        features = form[space.of_tokens].any() or form[space.of_index].any()
        return not features and all(cell in self.same_everywhere for cell, _ in space.cells_of(form))

    def differ(self, form: Integers) -> bool:
        """Return whether a form is different at any two positions, whatever they hold."""
        if self._lone(form) in self.ranks:
            return True
        space = self.space
        entries = form[space.of_index]
        if space.positions > 1 and not entries.any():
            return False
        rest = form.copy()
        rest[space.of_index] = 0
        for cell, _ in space.cells_of(form):
            if cell in self.same_everywhere:
                rest[space.of_cells.start + cell] = 0
        codes = space.codes(rest)
        least = int(np.diff(np.sort(entries)).min(initial=FAR))
        if len(codes) > 4000 or len(entries) > 2000 or least > int(codes[-1] - codes[0]):
            return least > int(codes[-1] - codes[0])
        gaps = np.abs(np.subtract.outer(entries, entries))[~np.eye(len(entries), dtype=bool)]
        return not np.isin(gaps, distinct(np.abs(np.subtract.outer(codes, codes)))).any()

    def _numbering(self, pairs: Selection) -> Numbering | None:
        parts = conjuncts(pairs)
        if pairs is not True and (not parts or (isinstance(pairs, All) and len(parts) < len(pairs.parts))):
            return None
        classes, filters, ordered = set[bytes](), list[If](), self.causal
        for part in parts:
            if np.array_equal(part.key, part.query) and self.space.pure_index(part.key) and self._before(part):
                ordered = True
            elif np.array_equal(part.key, part.query) and self.differences.only(part) == 0:
                classes.add(part.key.tobytes())
            elif self.space.constant(part.query):
                filters.append(part)
            else:
                return None
        return Numbering(frozenset(classes), tuple(filters)) if ordered else None

    def _before(self, part: If) -> bool:
        """Return whether a condition on positions holds for all that come before in an order of them, for none after.

        With a causal mask that must be the order of the positions themselves: later ones are not seen.
        """
        entries = part.key[self.space.of_index]
        codes, holds = self.differences.of(part)
        apart = bool((np.diff(entries) > 0).all()) if self.causal else len(np.unique(entries)) == len(entries)
        return apart and bool(holds[codes > 0].all() and not holds[codes < 0].any())

    # Consequences for selectors

    def bounds(self, pairs: Selection) -> tuple[int, int]:
        """Return how many positions a query selects, at least and at most."""
        if pairs is False:
            return 0, 0
        if id(pairs) not in self._bounds:
            self._bounds[id(pairs)] = pairs, (self._low(pairs), self._high(pairs))
        return self._bounds[id(pairs)][1]

    def _low(self, pairs: Selection) -> int:
        """Return 1 if every query selects something, and otherwise 0."""
        if self.first(pairs):
            return 1
        parts = conjuncts(pairs)
        whole = bool(parts) and not (isinstance(pairs, All) and len(parts) < len(pairs.parts))
        if whole and (all(map(self._itself, parts)) or (len(parts) == 1 and self._exists(parts[0]))):
            return 1
        return int(self.covered(pairs).all())

    def _high(self, pairs: Selection) -> int:
        """Return 1 if no query selects two positions, and otherwise as many as there are."""
        parts = conjuncts(pairs)
        equal = {part.key.tobytes(): part.key for part in parts if self.differences.only(part) is not None}
        if any(self.differ(key) for key in equal.values()):
            return 1
        for key in equal.values():
            numbering = self.numberings.get(self._lone(key))
            if numbering is None or not numbering.classes <= equal.keys():
                continue
            if all(any(self.implies(part, one) for part in parts) for one in numbering.filters):
                return 1
        if isinstance(pairs, Some):
            alone = all(self.bounds(part)[1] <= 1 for part in pairs.parts) and self.apart(pairs.parts)
        else:
            alone = self.tells(parts) or self.alone_by_place(pairs)
        return 1 if alone else self.space.positions

    def first(self, pairs: Selection) -> bool:
        """Return whether every query selects the first position, whatever it holds."""
        match pairs:
            case All(parts):
                return all(map(self.first, parts))
            case Some(parts):
                return any(map(self.first, parts))
            case If(key, query):
                alone = self.space.constant(query) and self.space.pure_index(key)
                return alone and bool(pairs.holds(query[-1:] - key[-1:]).all())
        return pairs is True

    def alike(self, pairs: Selection, value: Integers) -> bool:
        """Return whether a form is the same at all positions that one query selects: those of one place in an order."""
        for part in conjuncts(pairs):
            order = self.orders.get(self._lone(part.key))
            if order is not None and self.differences.only(part) is not None and self._follows(value, order):
                return True
        return False

    def _itself(self, part: If) -> bool:
        """Return whether every position meets a condition with itself."""
        return np.array_equal(part.key, part.query) and bool(part.holds(np.zeros(1, np.int64)).all())

    def _exists(self, part: If) -> bool:
        """Return whether the position, or the rank, that is looked for is always there."""
        only = self.differences.only(part)
        if only is None:
            return False
        wanted = part.query.copy()  # equal to the key
        wanted[-1] -= only
        if self._lone(part.key) in self.ranks and part.key[-1] == 0 and part.key.max() == 1:
            return np.array_equal(wanted, self.space.index)
        rest = part.key + self.space.index  # of a key that is a number minus the position
        if not rest[self.space.of_index].any() and not np.array_equal(part.key, self.space.index):
            return self._a_position(rest - wanted)
        return np.array_equal(part.key, self.space.index) and self._a_position(wanted)

    def _a_position(self, form: Integers) -> bool:
        """Return whether a form of position and length is always a visible position: checked at the corners.

        Positions i and lengths n lie in a triangle, 0 ≤ i < n ≤ max_length, and the form is linear there.
        """
        space = self.space
        entries, last = form[space.of_index], space.positions
        cells = space.cells_of(form)
        if form[space.of_tokens].any() or any(cell not in self.lengths for cell, _ in cells):
            return False
        step = int(entries[1]) if last > 1 else 0
        if not np.array_equal(entries, step * np.arange(last)):
            return False
        of_length, constant = sum(factor for _, factor in cells), int(form[-1])
        for i, n in ((0, 1), (0, last), (last - 1, last)):
            found = step * i + of_length * n + constant
            if not 0 <= found <= (i if self.causal else n - 1):
                return False
        return True

    def _follows(self, value: Integers, order: Integers) -> bool:
        """Return whether a form is the same wherever another is."""
        space = self.space
        if space.pure_token(value) and space.pure_token(order):
            pairs = set(zip(order[space.of_tokens].tolist(), value[space.of_tokens].tolist(), strict=True))
            return len(pairs) == len({one for one, _ in pairs})
        return np.array_equal(value[:-1], order[:-1]) or np.array_equal(value[:-1], -order[:-1])

    def _lone(self, form: Integers) -> int:
        """Return the cell that a form is, up to sign and a constant; −1 where it is none."""
        at, start = np.flatnonzero(form[:-1]), self.space.of_cells.start
        lone = len(at) == 1 and abs(int(form[at[0]])) == 1 and at[0] >= start
        return int(at[0]) - start if lone else -1


def conjuncts(pairs: Selection) -> list[If]:
    """Return the conditions that all selected pairs meet."""
    if isinstance(pairs, If):
        return [pairs]
    return [part for part in pairs.parts if isinstance(part, If)] if isinstance(pairs, All) else []


def sides(space: Space, boundary: Boundary) -> tuple[Integers, Integers]:
    """Return the forms of key and query that a boundary compares."""
    key, query = space.form(), space.form()
    for of_key, of_query, weight in boundary.of:
        key, query = key + scaled(of_key, weight), query + scaled(of_query, weight)
    return key, query
