"""Cells that count positions in an order: what their numbers tell apart."""

from typing import NamedTuple

import numpy as np

from weightsmith.programs.circuit.forms import Form, TooLargeError
from weightsmith.programs.circuit.selections import Condition, Either, Selection, either, opposite
from weightsmith.programs.compiler.boundaries import boundaries_of


class Numbering(NamedTuple):
    """Says that a cell counts positions up to the query's own: equal in `classes`, and passing `filters`.

    Two positions of one class that pass the filters have different numbers.
    """

    classes: frozenset[Form]
    filters: tuple[Condition, ...]


class Outside(NamedTuple):
    """Says that a cell is the rank among all positions but the first few, from that number on."""

    first: int


def order_of(pairs: Selection) -> Form | None:
    """Return the form of which a query has more than the keys that it selects."""
    try:
        heads = boundaries_of(pairs)
    except TooLargeError:
        return None
    if len(heads) != 1:
        return None
    ((boundary, sign),) = heads.items()
    ordered = sign == 1 and boundary.key == boundary.query and boundary.refused == 0
    return boundary.key if ordered else None


def besides(pairs: Selection) -> tuple[Selection, tuple[Condition, ...]] | None:
    """Return a selection in two: the pairs that are compared, and the keys that every query selects."""
    parts = pairs.parts if isinstance(pairs, Either) else ()
    aside = tuple(part for part in parts if isinstance(part, Condition) and part.difference.query.is_constant)
    rest = either(*(part for part in parts if part not in aside))
    return (rest, aside) if aside and not isinstance(rest, bool) else None


def numbered_besides(aside: tuple[Condition, ...], positions: int) -> tuple[Numbering, Outside | None]:
    """Return what a cell numbers that counts some keys always, and others where they come before in an order."""
    filters = tuple(part for part in map(opposite, aside) if isinstance(part, Condition))
    numbering = Numbering(frozenset(), filters)
    if not all(part.difference.key.of_index for part in aside):
        return numbering, None
    always = np.zeros(positions, np.bool_)
    for part in aside:
        keys = np.array(part.difference.key.index, np.int64)
        always |= part.holds[np.searchsorted(part.difference.codes, -keys)]
    first = int(always.sum())
    return numbering, Outside(first) if always[:first].all() and first < positions else None
