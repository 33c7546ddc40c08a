"""The number of positions that a selector selects, at least and at most: a mean over one position is its value.

At most one, where keys that differ at all positions are compared with one number: the position itself, a number made
of it and of what is the same everywhere, the rank in an order without ties, or the number of a position among those of
its kind.
At least one, where every position selects itself, or where the position that is looked for always exists.
All alike, where positions of one rank are selected: then a mean is the value of each of them.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import Boundaries, Layer
from weightsmith.programs.circuit.forms import Cell, Form, distinct
from weightsmith.programs.circuit.selections import Both, Condition, Either, Selection
from weightsmith.programs.compiler.alone import Alone, implies, meets_code
from weightsmith.programs.compiler.numbering import Numbering, Outside, besides, numbered_besides, order_of
from weightsmith.programs.compiler.placing import Placing


@dataclass(eq=False, repr=False)
class Counting:
    """Knows which cells are ranks and numberings."""

    causal: bool
    positions: int
    ranks: set[Cell] = field(default_factory=set)
    orders: dict[Cell, Form] = field(default_factory=dict)  # how many are less, in an order that may have ties
    numberings: dict[Cell, Numbering] = field(default_factory=dict)
    outside: dict[Cell, Outside] = field(default_factory=dict)  # ranks among all but the first positions
    counted: set[Cell] = field(default_factory=set)
    written: Callable[[], Sequence[Layer]] = tuple  # the layers that there are so far

    def __post_init__(self) -> None:
        """Take what is known of positions."""
        placing = Placing(self.causal, self.positions, self.written, self.counted)
        self.alone = Alone(placing, self.ranks, self.numberings, self.outside)

    def note_width(self, cell: Cell, pairs: Selection, heads: Boundaries) -> None:
        """Remember the properties of a cell that counts the selected positions."""
        if len(heads) == 1:
            (boundary, sign), *_ = heads.items()
            ordered = sign == 1 and boundary.key == boundary.query and boundary.refused == 0
            if ordered and not self.causal:
                self.orders[cell] = boundary.key
                self.ranks |= {cell} if self.differ(boundary.key) else set()
        self.counted.add(cell)
        numbering = self._numbering(pairs)
        if numbering is not None:
            self.numberings[cell] = numbering
        elif not self.causal and (found := besides(pairs)) is not None:
            order = order_of(found[0])
            if order is not None and self.differ(order):
                self.numberings[cell], rank = numbered_besides(found[1], self.positions)
                self.outside |= {} if rank is None else {cell: rank}

    def at_most_one(self, pairs: Selection) -> bool:
        """Return whether no query selects two positions."""
        parts = conjuncts(pairs)
        equal = {part.difference.key for part in parts if part.only is not None}
        if any(self.differ(key) for key in equal):
            return True
        for key in equal:
            numbering = self.numberings.get(_lone_cell(key))  # type: ignore[arg-type]
            if numbering is None or not numbering.classes <= equal:
                continue
            if all(any(implies(part, one) for part in parts) for one in numbering.filters):
                return True
        if isinstance(pairs, Either):
            return all(map(self.at_most_one, pairs.parts)) and self.alone.apart(pairs.parts)
        return self.alone.by_number(parts) or self.alone.by_place(pairs)

    def all_alike(self, pairs: Selection, value: Form) -> bool:
        """Return whether a form is the same at all positions that one query selects."""
        for part in conjuncts(pairs):
            order = self.orders.get(_lone_cell(part.difference.key))  # type: ignore[arg-type]
            if order is not None and part.only is not None and _follows(value, order):
                return True
        return False

    def at_least_one(self, pairs: Selection) -> bool:
        """Return whether every query selects something."""
        if selects_first(pairs):
            return True
        parts = conjuncts(pairs)
        whole = bool(parts) and not (isinstance(pairs, Both) and len(parts) < len(pairs.parts))
        if whole and (all(map(_reflexive, parts)) or (len(parts) == 1 and self._exists(parts[0]))):
            return True
        return bool(self.alone.covered(pairs).all())

    def differ(self, form: Form) -> bool:
        """Return whether a form is different at any two positions, whatever they hold."""
        if _lone_cell(form) in self.ranks:
            return True
        if not form.index:
            return False
        entries = np.sort(np.array(form.index, np.int64))
        rest = Form(token=form.token, cells=tuple(one for one in form.cells if not one[0].everywhere)).codes
        reach = int(rest[-1] - rest[0])
        if int(np.diff(entries).min(initial=reach + 1)) > reach:
            return True
        if len(rest) > 4000:
            return False
        in_force().room(3 * len(rest) ** 2, f"the differences between {len(rest):,} numbers")
        between = distinct(np.abs(np.subtract.outer(rest, rest)))
        for apart in range(1, len(entries)):  # neighbours, and those with some between them, as far as the rest reaches
            in_force().check()
            gaps = entries[apart:] - entries[:-apart]
            if (between[np.searchsorted(between, np.minimum(gaps, reach))] == gaps).any():
                return False
            if int(gaps.min()) > reach:
                break
        return True

    def _numbering(self, pairs: Selection) -> Numbering | None:
        parts = conjuncts(pairs)
        if pairs is not True and (not parts or (isinstance(pairs, Both) and len(parts) < len(pairs.parts))):
            return None
        classes, filters, ordered = set[Form](), list[Condition](), self.causal
        for part in parts:
            difference = part.difference
            if difference.key == difference.query and difference.key.of_index and _prefix(part, self.causal):
                ordered = True
            elif difference.key == difference.query and part.only == 0:
                classes.add(difference.key)
            elif difference.query.is_constant:
                filters.append(part)
            else:
                return None
        return Numbering(frozenset(classes), tuple(filters)) if ordered else None

    def _exists(self, part: Condition) -> bool:
        """Return whether the position, or the rank, that is looked for always exists."""
        difference, only = part.difference, part.only
        if only is None:
            return False
        wanted = difference.query.plus(-only)  # equal to the key
        if _lone_cell(difference.key) in self.ranks:
            return (
                difference.key.cells[0][1] == 1
                and wanted.of_index
                and wanted == Form(index=tuple(range(self.positions)))
            )
        indices = Form(index=tuple(range(self.positions)))
        rest = Form(cells=difference.key.cells)  # of a key that is a number minus the position
        if difference.key == rest - indices and difference.key.cells:
            return _within(rest - wanted, self.causal)
        return difference.key == indices and _within(wanted, self.causal)


def conjuncts(pairs: Selection) -> list[Condition]:
    """Return the conditions that all selected pairs meet."""
    if isinstance(pairs, Condition):
        return [pairs]
    return [part for part in pairs.parts if isinstance(part, Condition)] if isinstance(pairs, Both) else []


def selects_first(pairs: Selection) -> bool:
    """Return whether every query selects the first position, whatever it holds."""
    match pairs:
        case Both(parts):
            return all(map(selects_first, parts))
        case Either(parts):
            return any(map(selects_first, parts))
        case Condition(difference):
            alone = difference.query.is_constant and difference.key.of_index
            return alone and meets_code(pairs, difference.key.index[0])
    return pairs is True


def _lone_cell(form: Form) -> Cell | None:
    lone = len(form.cells) == 1 and abs(form.cells[0][1]) == 1 and not form.token and not form.index
    return form.cells[0][0] if lone else None


def _follows(value: Form, other: Form) -> bool:
    """Return whether a form is the same wherever another is."""
    if value.of_token and other.of_token:
        return len(set(zip(other.token, value.token, strict=True))) == len(set(other.token))
    return value.varying in (other.varying, -other.varying)


def _reflexive(part: Condition) -> bool:
    """Return whether every position meets a condition with itself."""
    codes = part.difference.codes
    return part.difference.key == part.difference.query and bool(part.holds[np.searchsorted(codes, 0)])


def _prefix(part: Condition, causal: bool) -> bool:
    """Return whether a condition on positions holds for all that come before in an order of them, and for none after.

    Positions that are equal in the order would get one number. A causal mask hides later positions: then it must be
    their own order.
    """
    codes, entries = part.difference.codes, part.difference.key.index
    apart = list(entries) == sorted(set(entries)) if causal else len(set(entries)) == len(entries)
    return apart and bool(part.holds[codes > 0].all() and not part.holds[codes < 0].any())


def _within(form: Form, causal: bool) -> bool:
    """Return whether a form of length and position is a visible position, whatever they are."""
    steps = np.diff(form.index) if form.index else np.zeros(1, np.int64)
    if form.token or len(distinct(steps)) > 1 or any(not cell.is_length for cell, _ in form.cells):
        return False
    i, n, c = int(steps[0]), sum(factor for _, factor in form.cells), form.constant
    # linear in i and n over n ≥ 1, 0 ≤ i ≤ n − 1: not negative at the corner and along both edges
    last = (1 - i, -n, -c) if causal else (-i, 1 - n, -1 - c)  # the last visible position minus the form
    return all(b + rest >= 0 and b >= 0 and a + b >= 0 for a, b, rest in ((i, n, c), last))
