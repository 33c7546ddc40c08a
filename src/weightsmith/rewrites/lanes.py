"""Rewrites of lanes: widen, flag, ignore; and the position table that holds flags."""

from collections.abc import Iterable, Sequence
from dataclasses import replace
from typing import Literal

import numpy as np

from weightsmith.arithmetic import Array, require
from weightsmith.errors import InputError, ModelError, brief, cut, is_whole, listed, named, whole_number
from weightsmith.model import (
    Block,
    Neuron,
    Norm,
    Positions,
    PositionTable,
    Transformer,
    added,
    feed_forward,
    lane_index,
    position_table,
)
from weightsmith.model.folds import widened, without_lanes
from weightsmith.model.lookup import block_at
from weightsmith.model.positions import MAX_LENGTH, checked_positions
from weightsmith.model.transformer import checked
from weightsmith.rewrites.whole_model import MAX_LINE

COPYING = ("symmetric", "zero product", "unit product")  # the laws that pairs of neurons need to copy a lane


def widen(T: Transformer, names: Sequence[str], where: Literal["front", "back"] = "back") -> Transformer:
    """Add lanes that are 0 everywhere.

    Requires: new names; where is "front" or "back".
    Ensures: every old lane holds what it held, at every stage; the logits are the same; the new lanes hold 0.
    Exact in: every arithmetic.
    Because: the old lanes keep their order, so every fold adds the same numbers in the same order, and 0 besides.
    """
    if where not in ("front", "back"):
        raise InputError(f"where={brief(where)}: write 'front' or 'back'")
    if isinstance(names, str):
        raise InputError(f"names={brief(names)} is one text: write a list of names, [{brief(names)}]")
    return surround(T, tuple(names), ()) if where == "front" else surround(T, (), tuple(names))


def surround(T: Transformer, before: tuple[str, ...], after: tuple[str, ...]) -> Transformer:
    """Add lanes on both sides; norms stay limited to the lanes that they covered."""
    for name in (*before, *after):
        if name in checked(T).lanes:
            raise ModelError(f"there is already a lane {named(name)}: choose another name")
    table = position_table(T.positions, T.arithmetic, len(T.lanes))  # sinusoids depend on the number of lanes
    if table is not None:
        T = replace(T, positions=with_vectors(T, PositionTable(table)))
    return widened(T, T.lanes, len(before), len(after), lanes=(*before, *T.lanes, *after), edits=T.edits)


def with_vectors(T: Transformer, table: PositionTable) -> Positions | None:
    """Return the positions of a transformer with another table, and the same scheme inside attention."""
    scheme = T.attention_positions
    return checked_positions(table if scheme is None else (table, scheme))


def ignore_lanes(T: Transformer, lanes: Sequence[str], blocks: Sequence[int] | None = None) -> Transformer:
    """Make blocks (None: all) neither read nor write these lanes.

    Requires: lanes and blocks that exist; every norm in these blocks limited to other lanes.
    Ensures: these blocks leave the lanes as they are, and do to the others what they would do if the lanes were 0.
    Exact in: every arithmetic with "zero product".
    Because: the lanes' columns of W_Q, W_K, W_V and W_1 are 0, and so are their rows of W_O, b_O, W_2 and b_2.
    """
    if isinstance(lanes, str):
        raise InputError(f"lanes={brief(lanes)} is one text: write a list of names, [{brief(lanes)}]")
    columns = [lane_index(checked(T), lane) for lane in lanes]
    chosen = range(len(T.blocks)) if blocks is None else list(blocks)
    for b in chosen:
        block = block_at(T, b)
        for norm in (block.attention_norm, block.feed_forward_norm):
            _check_norm(T, norm, lanes, b)
    changed = tuple(without_lanes(block, columns) if b in chosen else block for b, block in enumerate(T.blocks))
    made = f"ignore_lanes({list(lanes)}, blocks={blocks})"
    return replace(T, blocks=changed, provenance=(*T.provenance, cut(made, MAX_LINE)))


def _check_norm(T: Transformer, norm: Norm | None, lanes: Sequence[str], b: int) -> None:
    if norm is None:
        return
    for lane in lanes:
        if norm.lanes is None or lane in norm.lanes:
            rest = [other for other in (norm.lanes or T.lanes) if other not in lanes]
            raise ModelError(
                f"a norm of block {b} covers the lane {named(lane)}, so the block would still read it: "
                f"limit the norm first, with lanes=[{listed(rest)}]"
            )


def flag(T: Transformer, name: str, positions: Iterable[int], max_length: int | None = None) -> Transformer:
    """Add a flag: a new lane, behind the others, that is 1 at these positions and 0 elsewhere.

    Requires: a position table, or `max_length` to make one; positions inside it.
    Ensures: the new lane is 1 at the positions and 0 elsewhere, at every stage; everything else is as before.
    Exact in: every arithmetic with "unit product", since 1 must be a member.
    Because: it is `widen` and a column of the position table, and no block writes to the lane.
    """
    require(checked(T).arithmetic, ("unit product",), "flag", "use an arithmetic with 1, such as Fixed(4, 4)")
    T = with_table(T, T.max_length if max_length is None else max_length)
    length, chosen = len(_table(T)), list(positions)
    for position in chosen:
        if not is_whole(position) or not 0 <= position < length:
            raise InputError(
                f"flag {named(name)}: position {brief(position)} is outside the table, "
                f"whose positions are 0 to {length - 1}"
            )
    wider = widen(T, [name])
    values = _table(wider).copy()
    values[chosen, -1] = 1.0
    made = f"flag({brief(name)}, positions={list(map(int, chosen))})"
    vectors = with_vectors(T, PositionTable(values))
    return replace(wider, positions=vectors, flags=(*T.flags, name), provenance=(*T.provenance, cut(made, MAX_LINE)))


def with_table(T: Transformer, length: int | None) -> Transformer:
    """Return an equal transformer whose position table has this length, cut or continued with zeros."""
    if length is None:
        raise InputError("this transformer has no position table: write flag(T, …, max_length=8), for example")
    whole_number(length, "max_length", 1, MAX_LENGTH, f"how many positions the table has, 1 to {MAX_LENGTH:,}")
    values = np.zeros((length, len(T.lanes)))
    old = position_table(T.positions, T.arithmetic, len(T.lanes))
    if old is not None:
        values[: len(old)] = old[:length]
    return replace(T, positions=with_vectors(T, PositionTable(values)))


def own_flag(T: Transformer, positions: Sequence[int], name: str) -> tuple[Transformer, str]:
    """Add a flag under a fresh name, and return the name: a rewrite reads only its own flags."""
    name = fresh(T, name)
    return flag(T, name, positions), name


def own_complement(T: Transformer, name: str) -> tuple[Transformer, str]:
    """Add the flag that is up where another one is not."""
    down = np.flatnonzero(_table(T)[:, flag_index(T, name)] == 0).tolist()
    return own_flag(T, down, f"not {name}")


def drop_flags(T: Transformer, names: Sequence[str]) -> Transformer:
    """Append a block that sets these flags to 0; they are no flags any more."""
    block = Block(feed_forward=feed_forward(T.lanes, [Neuron({f: 1.0}, {f: -1.0}) for f in names]), origin="drop flags")
    return replace(T, blocks=(*T.blocks, block), flags=tuple(f for f in T.flags if f not in names))


def flag_index(T: Transformer, name: str) -> int:
    """Return the lane of a flag, or say which flags there are."""
    if name not in checked(T).flags:
        there = f"the flags are {listed(T.flags)}" if T.flags else "there are none"
        raise ModelError(f"there is no flag {named(name)}: {there}; write flag(T, {brief(name)}, positions=[…]) first")
    return lane_index(T, name)


def refuse_flags(T: Transformer, lanes: Iterable[str]) -> None:
    """Refuse to write to flags, and to lanes that do not exist."""
    for lane in lanes:
        lane_index(T, lane)
        if lane in T.flags:
            raise ModelError(f"the lane {named(lane)} is a flag, and no rewrite writes to a flag: leave it out")


def fresh(T: Transformer, name: str) -> str:
    """Return a name that no lane has yet."""
    free, number = name, 2
    while free in T.lanes:
        free, number = f"{name} {number}", number + 1
    return free


def plain_lanes(T: Transformer) -> list[str]:
    """Return the lanes that are not flags."""
    flags = set(checked(T).flags)
    return [lane for lane in T.lanes if lane not in flags]


def _table(T: Transformer) -> Array:
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    assert table is not None
    return table


def own_positions(T: Transformer) -> Transformer:
    """Move the shared positional scheme of attention into each head; the run is the same."""
    if T.attention_positions is None:
        return T
    return replace(T, positions=added(T.positions), blocks=tuple(_block(T, block) for block in T.blocks))


def _block(T: Transformer, block: Block) -> Block:
    attention, scheme = block.attention, T.attention_positions
    if attention is None:
        return block
    heads = [replace(head, positions=attention.positions_of(i, scheme)) for i, head in enumerate(attention.heads)]
    return replace(block, attention=replace(attention, heads=tuple(heads)))
