"""How many positions a selector selects, where that follows from what a position decides, or from a rank.

At most one, where the number that is looked for tells the position, or the rank of it; or where each position of a
query leaves one key at most. At least one, where a query of each position must select one, or looks for a rank that
some position has.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.programs.circuit.forms import Cell, Form, cell_form
from weightsmith.programs.circuit.selections import Booleans, Condition, Either, Selection
from weightsmith.programs.compiler.numbering import Numbering, Outside
from weightsmith.programs.compiler.placing import MOST_PLACES, Groups, Placing, Rows


@dataclass(eq=False, repr=False)
class Alone:
    """Knows which numbers tell positions apart."""

    placing: Placing
    ranks: set[Cell]
    numberings: dict[Cell, Numbering]
    outside: dict[Cell, Outside]

    # At most one

    def by_number(self, parts: Sequence[Condition]) -> bool:
        """Return whether the number that one of some conditions looks for determines the position."""
        classes = {part.difference.key for part in parts if part.only is not None}
        return any(self._determines(part, classes, parts) for part in parts)

    def _determines(self, part: Condition, classes: set[Form], parts: Sequence[Condition]) -> bool:
        difference, only = part.difference, part.only
        rows = self.placing.rows(difference.key) if only is not None or difference.query.is_constant else None
        if rows is None:
            return False
        counted = [one for one in rows.columns if one in self.ranks or one in self.numberings]
        if "index" not in rows.columns and not counted:
            return False
        numbers = rows.of(difference.key)
        wanted = meets(part, rows) if only is None else np.isin(numbers, difference.query.codes - only)
        if not wanted.any():
            return True
        rows, groups = rows.where(wanted), Groups(numbers[wanted] * (only is not None))
        determined = np.zeros(len(groups.numbers), np.bool_)
        if "index" in rows.columns:
            determined |= groups.same(rows.columns["index"])
        for cell in counted:
            assert isinstance(cell, Cell)
            determined |= groups.same(rows.columns[cell]) & self._one_of(cell, rows, groups, classes, parts)
        return bool(determined.all())

    def _one_of(
        self, cell: Cell, rows: Rows, groups: Groups, classes: set[Form], parts: Sequence[Condition]
    ) -> Booleans:
        """Return in which groups one number of a cell is one position."""
        found = np.ones(len(groups.numbers), np.bool_)
        if cell in self.ranks:
            return found
        for form in self.numberings[cell].classes - classes:
            found &= self._one_class(form, rows, groups)
        for one in self.numberings[cell].filters:
            if not any(implies(part, one) for part in parts):
                found &= groups.all(meets(one, rows)) if rows.has(one.difference.key) else False
        return found

    def _one_class(self, form: Form, rows: Rows, groups: Groups) -> Booleans:
        """Return in which groups a form is one number, but for what is the same everywhere."""
        if not rows.has(form):
            return np.zeros(len(groups.numbers), np.bool_)
        everywhere = [cell_form(cell) for cell in rows.columns if isinstance(cell, Cell) and cell.everywhere]
        shifts = [Form(), *everywhere, *(-one for one in everywhere)]
        return np.asarray(np.logical_or.reduce([groups.same(rows.of(form + shift)) for shift in shifts]))

    def by_place(self, pairs: Selection) -> bool:
        """Return whether each position of a query leaves one key at most."""
        if self.placing.positions > MOST_PLACES or not self.placing.by_place(pairs):
            return False
        if (np.tril(self.placing.sample(pairs)).sum(axis=1) > 1).any():
            return False
        return bool((self.placing.seen(pairs).sum(axis=1) <= 1).all())

    def apart(self, parts: Sequence[Selection]) -> bool:
        """Return whether no query can select different keys by two of some parts."""
        if self.placing.positions > MOST_PLACES:
            return False
        may = np.array([self.placing.seen(part) for part in parts])
        return bool(((may.any(axis=2).sum(axis=0) <= 1) | (may.any(axis=0).sum(axis=1) <= 1)).all())

    # At least one

    def covered(self, pairs: Selection) -> Booleans:
        """Return for every position whether a query there selects something, whatever the input."""
        placing = self.placing
        if placing.positions > MOST_PLACES:
            return np.zeros(placing.positions, np.bool_)
        if not self.outside and not np.tril(placing.sample(pairs)).any(axis=1).all():
            return np.zeros(placing.positions, np.bool_)  # some is not, and no rank can help
        found = np.tril(placing.between(pairs).must).any(axis=1)  # an earlier position is there at every length
        if isinstance(pairs, Condition):
            found = found | self._has_rank(pairs)
        for part in pairs.parts if isinstance(pairs, Either) else ():
            found = found | self.covered(part)
        return np.asarray(found)

    def _has_rank(self, part: Condition) -> Booleans:
        """Return for which queries the rank that they look for is always there."""
        found, difference = np.zeros(self.placing.positions, np.bool_), part.difference
        if part.only is None or not (difference.query.of_index or difference.query.is_constant):
            return found
        rows = self.placing.rows(difference.key)
        wanted = np.full(len(found), difference.query.constant - part.only)
        wanted = wanted + np.array(difference.query.index, np.int64) if difference.query.index else wanted
        for cell, outside in self.outside.items():
            if rows is None or cell not in rows.columns:
                continue
            inside = rows.columns["index"] >= outside.first if "index" in rows.columns else rows.of(Form()) == 0
            groups = Groups(rows.columns[cell][inside])
            one = groups.same(rows.of(difference.key)[inside])
            numbers = rows.of(difference.key)[inside][groups.order][groups.starts]
            for rank, number in zip(groups.numbers[one].tolist(), numbers[one].tolist(), strict=True):
                there = np.arange(len(found)) >= rank
                found |= (wanted == number) & there & (rank >= outside.first)
        return found


def meets(part: Condition, rows: Rows) -> Booleans:
    """Return in which rows the key meets a condition that is on it alone."""
    codes, found = part.difference.codes, -rows.of(part.difference.key)
    place = np.minimum(np.searchsorted(codes, found), len(codes) - 1)
    return np.asarray(part.holds[place] & (codes[place] == found))


def implies(one: Condition, other: Condition) -> bool:
    """Return whether every pair that meets one condition meets the other, where both are on the key alone."""
    if one.difference.same == other.difference.same:
        return bool((~one.holds | other.holds).all())
    keys = one.difference.key, other.difference.key
    alone = one.difference.query.is_constant and other.difference.query.is_constant
    if not alone or not all(key.of_token for key in keys):
        return False
    return all(
        not meets_code(one, a) or meets_code(other, b) for a, b in zip(keys[0].token, keys[1].token, strict=True)
    )


def meets_code(one: Condition, key: int) -> bool:
    """Return whether a code of the key meets a condition that is on it alone."""
    return bool(one.holds[np.searchsorted(one.difference.codes, -key)])
