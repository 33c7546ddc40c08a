"""More lanes, in front of the old ones or behind them, with nothing in them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

from weightsmith.errors import InputError, ModelError, shown
from weightsmith.model import Positions, PositionTable, Transformer, position_table
from weightsmith.model.folds import widened
from weightsmith.model.positions import checked_positions


def widen(T: Transformer, names: Sequence[str], where: Literal["front", "back"] = "back") -> Transformer:
    """Add lanes that are 0 everywhere.

    Requires: new names; where is "front" or "back".
    Ensures: every old lane holds what it held, at every stage; the logits are the same; the new lanes hold 0.
    Exact in: every arithmetic.
    Because: the old lanes keep their order, so every fold adds the same numbers in the same order, and 0 besides.
    """
    if where not in ("front", "back"):
        raise InputError(f"where={where!r}: write 'front' or 'back'")
    if isinstance(names, str):
        raise InputError(f"names={names!r} is one text: write a list of names, [{names!r}]")
    return surround(T, tuple(names), ()) if where == "front" else surround(T, (), tuple(names))


def surround(T: Transformer, before: tuple[str, ...], after: tuple[str, ...]) -> Transformer:
    """Add lanes on both sides; norms stay limited to the lanes that they covered."""
    for name in (*before, *after):
        if name in T.lanes:
            raise ModelError(f"there is already a lane {shown(str(name))}: choose another name")
    table = position_table(T.positions, T.arithmetic, len(T.lanes))  # sinusoids depend on the number of lanes
    if table is not None:
        T = replace(T, positions=with_vectors(T, PositionTable(table)))
    return widened(T, T.lanes, len(before), len(after), lanes=(*before, *T.lanes, *after), edits=T.edits)


def with_vectors(T: Transformer, table: PositionTable) -> Positions | None:
    """Return the positions of a transformer with another table, and the same scheme inside attention."""
    scheme = T.attention_positions
    return checked_positions(table if scheme is None else (table, scheme))
