"""More lanes, in front of the old ones or behind them, with nothing in them."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, ModelError, shown
from weightsmith.model import Block, FeedForward, Head, Norm, Positions, PositionTable, Transformer, position_table
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
    wider = _Wider(len(before), len(after), tuple(T.lanes))
    return replace(
        T,
        lanes=(*before, *T.lanes, *after),
        embedding=wider.columns(T.embedding),
        positions=_wider_positions(T, wider),
        blocks=tuple(wider.block(block) for block in T.blocks),
        output=wider.columns(T.output),
        final_norm=wider.norm(T.final_norm),
    )


def _wider_positions(T: Transformer, wider: "_Wider") -> Positions | None:
    table = position_table(T.positions, T.arithmetic, len(T.lanes))  # sinusoids depend on the number of lanes
    return T.positions if table is None else with_vectors(T, PositionTable(wider.columns(table)))


def with_vectors(T: Transformer, table: PositionTable) -> Positions | None:
    """Return the positions of a transformer with another table, and the same rule inside attention."""
    rule = T.attention_positions
    return checked_positions(table if rule is None else (table, rule))


class _Wider:
    """Put zeros beside the lanes of every part."""

    def __init__(self, before: int, after: int, lanes: tuple[str, ...]) -> None:
        self.before, self.after, self.lanes = before, after, lanes

    def columns(self, M: Array) -> Array:
        return np.pad(M, ((0, 0), (self.before, self.after)))

    def rows(self, M: Array) -> Array:
        return np.pad(M, ((self.before, self.after), (0, 0)))

    def norm(self, norm: Norm | None) -> Norm | None:
        return norm if norm is None or norm.lanes is not None else replace(norm, lanes=self.lanes)

    def head(self, head: Head) -> Head:
        return replace(
            head,
            W_Q=self.columns(head.W_Q),
            W_K=self.columns(head.W_K),
            W_V=self.columns(head.W_V),
            W_O=self.rows(head.W_O),
        )

    def feed_forward(self, layer: FeedForward) -> FeedForward:
        return replace(
            layer,
            W_1=self.columns(layer.W_1),
            W_3=None if layer.W_3 is None else self.columns(layer.W_3),
            W_2=self.rows(layer.W_2),
            b_2=np.pad(layer.b_2, (self.before, self.after)),
            keys=None if layer.keys is None else self.columns(layer.keys),
        )

    def block(self, block: Block) -> Block:
        attention, feed_forward = block.attention, block.feed_forward
        return replace(
            block,
            attention=attention
            and replace(
                attention,
                heads=tuple(self.head(head) for head in attention.heads),
                b_O=None if attention.b_O is None else np.pad(attention.b_O, (self.before, self.after)),
            ),
            feed_forward=feed_forward and self.feed_forward(feed_forward),
            attention_norm=self.norm(block.attention_norm),
            feed_forward_norm=self.norm(block.feed_forward_norm),
        )
