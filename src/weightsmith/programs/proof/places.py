"""How many positions a selector selects, where a position or a rank decides it.

At most one: every number that is looked for tells the position; or it tells the number of a cell that numbers the
positions, which no two of them share; or each query position leaves one key position at most. At least one: at each
position a query must select an earlier position or its own, or it looks for a rank that some position has.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import permutations, product
from math import prod
from typing import NamedTuple

import numpy as np

from weightsmith.programs.proof.between import MOST_PLACES, Between
from weightsmith.programs.proof.selectors import If, Selection, Some, conditions, other, truth
from weightsmith.programs.proof.space import Booleans, Integers
from weightsmith.programs.proof.together import INDEX, Together, alike_by, failing, sources

MOST_ORDERED = 1 << 18  # combinations of differences of an order


class Numbering(NamedTuple):
    """A cell that counts positions up to the query's own: equal in `classes`, and passing `filters`."""

    classes: frozenset[bytes]
    filters: tuple[If, ...]


class Besides(NamedTuple):
    """A selector in two: an order that has no ties but those of its form, and keys that every query selects."""

    order: Integers
    aside: tuple[If, ...]


@dataclass(eq=False, repr=False)
class Places(Between):
    """What follows from positions, for selectors; nothing is known of cells at first."""

    ranks: set[int] = field(init=False, default_factory=set)
    numberings: dict[int, Numbering] = field(init=False, default_factory=dict)
    ranks_after: dict[int, int] = field(init=False, default_factory=dict)  # rank all but the first positions, from here
    same_everywhere: set[int] = field(init=False, default_factory=set)

    # Orders

    def besides(self, pairs: Selection) -> Besides | None:
        """Return a selector as an order and keys that are always selected."""
        parts = pairs.parts if isinstance(pairs, Some) else ()
        aside = tuple(part for part in parts if isinstance(part, If) and self.space.constant(part.query))
        rest = [part for part in parts if not any(part is one for one in aside)]
        order = self._order(Some(tuple(rest))) if aside and rest and not self.causal else None
        return None if order is None else Besides(order, aside)

    def _order(self, pairs: Selection) -> Integers | None:
        """Return a form of which a query has more than just the keys that it selects: over all differences."""
        found = list({one.same: one for one in conditions(pairs)}.values())
        codes = [self.differences.codes(one.key, one.query) for one in found]
        sizes = [int(one[-1] - one[0]) + 1 for one in codes]
        if len(found) > 3 or prod(map(len, codes)) > MOST_ORDERED or prod(sizes) > 1 << 40:
            return None
        if any(not np.array_equal(one.key, one.query) for one in found):
            return None
        place = {one.same: n for n, one in enumerate(found)}
        grid = np.meshgrid(*codes, indexing="ij")
        wanted = truth(pairs, lambda one: one.holds(grid[place[one.same]]), grid[0].shape)
        for ways in product(permutations(range(len(found))), product((1, -1), repeat=len(found))):
            weights, radix = [0] * len(found), 1
            for n, sign in zip(*ways, strict=True):
                weights[n], radix = sign * radix, radix * (2 * sizes[n])
            if np.array_equal(sum(weight * one for weight, one in zip(weights, grid, strict=True)) > 0, wanted):
                order = self.space.form()
                for weight, one in zip(weights, found, strict=True):
                    order = order + one.key * weight
                return order
        return None

    def note_besides(self, cell: int, besides: Besides) -> None:
        """Note a cell that counts by an order in which no two positions are equal, and keys that always count."""
        filters = [part for part in map(other, besides.aside) if isinstance(part, If)]
        self.numberings[cell] = Numbering(frozenset(), tuple(filters))
        always = np.zeros(self.space.positions, np.bool_)
        for part in besides.aside:
            if not self.space.pure_index(part.key):
                return
            always |= part.holds(part.query[-1] - part.key[self.space.of_index] - part.key[-1])
        first = int(np.count_nonzero(always))
        if always[:first].all() and first < len(always):
            self.ranks_after[cell] = first

    # At most one

    def tells(self, parts: Sequence[If]) -> bool:
        """Return whether the number that one of some conditions looks for tells the position."""
        classes = {part.key.tobytes() for part in parts if self.differences.only(part) is not None}
        return any(self._tells(part, classes, parts) for part in parts)

    def _tells(self, part: If, classes: set[bytes], parts: Sequence[If]) -> bool:
        only, made = self.differences.only(part), sources(self.space, self.layered, part.key)
        counted = [cell for cell in made if cell in self.ranks or cell in self.numberings]
        one_group = only is None and self.space.constant(part.query)
        if (only is None and not one_group) or (INDEX not in made and not counted):
            return False
        together = Together(self.space, self.layered, part.key)
        if not together.fits:
            return False
        numbers = together.numbers(part.key)
        if only is None:  # whatever is selected, every query selects the same
            looked_for = part.holds(part.query[-1] - numbers)
            groups = np.zeros(np.count_nonzero(looked_for), np.int64)
        else:
            looked_for = np.isin(numbers, self.space.codes(part.query) - only)
            groups = numbers[looked_for]
        left = set(groups.tolist())
        if INDEX in made:
            left -= alike_by(groups, together.columns[INDEX][looked_for]).keys()
        for cell in counted:
            one = alike_by(groups, together.columns[cell][looked_for]).keys()
            left -= one - self._shared(cell, together, looked_for, groups, classes, parts)
        return not left

    def _shared(
        self,
        cell: int,
        together: Together,
        rows: Booleans,
        groups: Integers,
        classes: set[bytes],
        parts: Sequence[If],
    ) -> set[int]:
        """Return the groups in which two positions may share a number of a cell."""
        shared = set[int]()
        if cell in self.ranks:
            return shared
        numbering = self.numberings[cell]
        for name in numbering.classes - classes:
            shared |= set(groups.tolist()) - self._of_one_class(np.frombuffer(name, np.int64), together, rows, groups)
        for one in numbering.filters:
            if any(self.implies(part, one) for part in parts):
                continue
            if not together.has(one.key):
                return set(groups.tolist())
            shared |= failing(groups, one.holds(one.query[-1] - together.numbers(one.key)[rows]))
        return shared

    def _of_one_class(self, form: Integers, together: Together, rows: Booleans, groups: Integers) -> set[int]:
        """Return the groups in which a form is one number, but for what is the same everywhere."""
        if not together.has(form):
            return set()
        numbers = together.numbers(form)[rows]
        shifts = [np.zeros_like(numbers)]
        for cell in self.same_everywhere & together.columns.keys():
            shifts += [together.columns[cell][rows], -together.columns[cell][rows]]
        return set().union(*(alike_by(groups, numbers + shift).keys() for shift in shifts))

    def alone_by_place(self, pairs: Selection) -> bool:
        """Return whether each position of a query leaves one key at most."""
        places = self.space.positions <= MOST_PLACES and any(
            INDEX in sources(self.space, self.layered, one.key) for one in conditions(pairs)
        )
        if not places or (np.tril(self._sampled(pairs)).sum(axis=1) > 1).any():
            return False
        return bool((self._seen(pairs).sum(axis=1) <= 1).all())

    def apart(self, parts: Sequence[Selection]) -> bool:
        """Return whether no query can select different keys by two of some parts, if it selects one by each."""
        if self.space.positions > MOST_PLACES:
            return False
        may = [self._seen(part) for part in parts]
        selecting = sum(one.any(axis=1).astype(np.int64) for one in may)
        return bool(((selecting <= 1) | (np.logical_or.reduce(may).sum(axis=1) <= 1)).all())

    # At least one

    def covered(self, pairs: Selection) -> Booleans:
        """Return for every position whether a query there selects something, whatever the input."""
        found = np.zeros(self.space.positions, np.bool_)
        if len(found) > MOST_PLACES:
            return found
        if not self.ranks_after and not np.tril(self._sampled(pairs)).any(axis=1).all():
            return found  # some query may select nothing, and no rank can help
        must, _ = self.between(pairs)
        found |= (must & np.tri(len(found), dtype=bool)).any(axis=1)  # an earlier key is there at every length
        if isinstance(pairs, Some):
            found |= np.logical_or.reduce([self.covered(part) for part in pairs.parts])
        return found | self._has_rank(pairs) if isinstance(pairs, If) else found

    def _has_rank(self, part: If) -> Booleans:
        """Return at which positions a query looks for a rank that is there at every length."""
        space, only = self.space, self.differences.only(part)
        found = np.zeros(space.positions, np.bool_)
        made = sources(space, self.layered, part.key) & self.ranks_after.keys()
        if only is None or not made or not (space.pure_index(part.query) or space.constant(part.query)):
            return found
        together = Together(space, self.layered, part.key)
        if not together.fits:
            return found
        wanted = part.query[space.of_index] + part.query[-1] - only
        for cell in made:
            first, inside = self.ranks_after[cell], np.ones(together.rows, np.bool_)
            if INDEX in together.columns:
                inside = together.columns[INDEX] >= first
            held = alike_by(together.columns[cell][inside], together.numbers(part.key)[inside])
            for place in range(first, len(found)):  # at every length there are ranks from `first` to the query's place
                found[place] |= any(held.get(rank) == wanted[place] for rank in range(first, place + 1))
        return found

    def implies(self, one: If, filter: If) -> bool:
        """Return whether every key that meets a condition meets a filter, which is on the key alone."""
        if one.same == filter.same:
            codes, holds = self.differences.of(one)
            return bool((~holds | filter.holds(codes)).all())
        space = self.space
        alone = space.constant(one.query) and space.constant(filter.query)
        if not alone or not space.pure_token(one.key) or not space.pure_token(filter.key):
            return False
        met = [part.holds(part.query[-1] - part.key[space.of_tokens] - part.key[-1]) for part in (one, filter)]
        return bool((~met[0] | met[1]).all())
