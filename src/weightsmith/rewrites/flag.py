"""A lane that says where it is: 1 at chosen positions, 0 elsewhere."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, ModelError, listed, shown
from weightsmith.model import Block, Neuron, PositionTable, Transformer, feed_forward, lane_index, position_table
from weightsmith.rewrites.laws_needed import require
from weightsmith.rewrites.widen import widen, with_vectors


def flag(T: Transformer, name: str, positions: Iterable[int], max_length: int | None = None) -> Transformer:
    """Add a flag: a new lane, behind the others, that is 1 at these positions and 0 elsewhere.

    Requires: a position table, or `max_length` to make one; positions inside it.
    Ensures: the new lane is 1 at the positions and 0 elsewhere, at every stage; everything else is as before.
    Exact in: every arithmetic with "unit product", since 1 must be a member.
    Because: it is `widen` and a column of the position table, and no block writes to the lane.
    """
    require(T.arithmetic, ("unit product",), "flag", "use an arithmetic with 1, such as Fixed(4, 4)")
    T = with_table(T, T.max_length if max_length is None else max_length)
    length, chosen = len(_table(T)), list(positions)
    for position in chosen:
        if type(position) is not int or not 0 <= position < length:
            raise InputError(
                f"flag {shown(str(name))}: position {position!r} is outside the table, "
                f"whose positions are 0 to {length - 1}"
            )
    wider = widen(T, [name])
    values = _table(wider).copy()
    values[chosen, -1] = 1.0
    made = f"flag({name!r}, positions={chosen})"
    vectors = with_vectors(T, PositionTable(values))
    return replace(wider, positions=vectors, flags=(*T.flags, name), provenance=(*T.provenance, made[:1000]))


def with_table(T: Transformer, length: int | None) -> Transformer:
    """Return an equal transformer whose position table has this length, cut or continued with zeros."""
    if type(length) is not int or length < 1:
        raise InputError("this transformer has no position table: write flag(T, …, max_length=8), for example")
    values = np.zeros((length, len(T.lanes)))
    old = position_table(T.positions, T.arithmetic, len(T.lanes))
    if old is not None:
        values[: len(old)] = old[:length]
    return replace(T, positions=with_vectors(T, PositionTable(values)))


def own_flag(T: Transformer, positions: Sequence[int], name: str) -> tuple[Transformer, str]:
    """Add a flag under a name like the given one, and give its name: a rewrite reads only flags that it owns."""
    name = fresh(T, name)
    return flag(T, name, positions), name


def own_complement(T: Transformer, name: str) -> tuple[Transformer, str]:
    """Add the flag that is up where another one is not."""
    down = np.flatnonzero(_table(T)[:, flag_index(T, name)] == 0).tolist()
    return own_flag(T, down, f"not {name}")


def drop_flags(T: Transformer, names: Sequence[str]) -> Transformer:
    """Append a block that makes these flags 0, by their owner's hand; they are flags no longer."""
    block = Block(feed_forward=feed_forward(T.lanes, [Neuron({f: 1.0}, {f: -1.0}) for f in names]), origin="drop flags")
    return replace(T, blocks=(*T.blocks, block), flags=tuple(f for f in T.flags if f not in names))


def flag_index(T: Transformer, name: str) -> int:
    """Return the lane of a flag, or say which flags there are."""
    if name not in T.flags:
        there = f"the flags are {listed(T.flags)}" if T.flags else "there are none"
        raise ModelError(
            f"there is no flag {shown(str(name))}: {there}; write flag(T, {str(name)!r}, positions=[…]) first"
        )
    return lane_index(T, name)


def refuse_flags(T: Transformer, lanes: Iterable[str]) -> None:
    """Refuse to write to flags, and to lanes that do not exist."""
    for lane in lanes:
        lane_index(T, lane)
        if lane in T.flags:
            raise ModelError(f"the lane {shown(lane)} is a flag, and no rewrite writes to a flag: leave it out")


def fresh(T: Transformer, name: str) -> str:
    """Return a name that no lane has yet."""
    free, number = name, 2
    while free in T.lanes:
        free, number = f"{name} {number}", number + 1
    return free


def plain_lanes(T: Transformer) -> list[str]:
    """Return the lanes that are not flags."""
    return [lane for lane in T.lanes if lane not in T.flags]


def _table(T: Transformer) -> Array:
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    assert table is not None
    return table
