"""What heads moved: the amounts that each head added to each lane, by source and target position."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import overload

import numpy as np

from weightsmith.arithmetic import Array, as_float64
from weightsmith.errors import existing, position_of, shown
from weightsmith.inspect.arguments import checked_run
from weightsmith.inspect.attribution import values_at
from weightsmith.inspect.patch import last_swap, replaced
from weightsmith.inspect.run import Run
from weightsmith.inspect.trace import position_text
from weightsmith.model import Head, Transformer, lane_index
from weightsmith.model.lookup import attention_at, head_at
from weightsmith.model.sites import Site, attention_stage
from weightsmith.semantics.layers import run_norm
from weightsmith.tables import Table, TabledRows, number

MOST_ROWS, MOST_LANES = 60, 4  # of a table: the first moves, and the lanes with the largest amounts


@dataclass(frozen=True, eq=False)
class Move:
    """The vector that a head read at one position and added to another."""

    block: int
    head: int
    source: int
    target: int
    weight: float
    _names: tuple[str, ...] = field(repr=False)  # of the lanes
    _unweighted: Array = field(repr=False)  # (lanes): the vector for weight 1
    _read: Array = field(repr=False)  # (lanes): the head's input at the source
    _matrices: Head = field(repr=False)

    @cached_property
    def lanes(self) -> dict[str, float]:
        """The amounts added, by lane, in the order of the lanes; zeros are left out."""
        added = (self.weight * self._unweighted).tolist()
        return {lane: amount for lane, amount in zip(self._names, added, strict=True) if amount != 0}

    @property
    def adds(self) -> bool:
        """Whether it added anything."""
        return bool((self.weight * self._unweighted).any())

    def paths(self) -> dict[tuple[str, str], float]:
        """Return the amount from each lane to each lane, the largest first; biases and positions are left out."""
        amounts = self.weight * (as_float64(self._matrices.W_O) @ as_float64(self._matrices.W_V)) * self._read
        to, of = np.nonzero(amounts)
        order = np.argsort(-np.abs(amounts[to, of]), kind="stable")
        return {(self._names[of[n]], self._names[to[n]]): float(amounts[to[n], of[n]]) for n in order}


@dataclass(frozen=True, eq=False, repr=False)
class Moves(TabledRows[Move]):
    """Moves in order, which print as a table."""

    rows: tuple[Move, ...]
    run: Run
    lane: str | None  # the lane that was asked for

    @overload
    def __getitem__(self, place: int) -> Move: ...
    @overload
    def __getitem__(self, place: slice) -> "Moves": ...
    def __getitem__(self, place: int | slice) -> "Move | Moves":
        """Return one move, or some as `Moves`."""
        return replace(self, rows=self.rows[place]) if isinstance(place, slice) else self.rows[place]

    def __repr__(self) -> str:
        """Return the number of moves; `print` shows them."""
        return f"<{len(self)} moves of the run of {shown(' '.join(self.run.tokens)[:80])}>"

    def table(self) -> Table:
        """Return a table of the moves that added something, the first 60."""
        tokens, infinity = self.run.tokens, self.run.transformer.arithmetic.infinity
        result = Table("block", "head", "from", "to", "weight", "what", right=[0, 1, 4])
        adding = [move for move in self.rows if move.adds]
        for move in adding[:MOST_ROWS]:
            ends = (position_text(tokens, position) for position in (move.source, move.target))
            cells = (*ends, number(move.weight, infinity), _amounts(move.lanes, self.lane, infinity))
            result.add(str(move.block), str(move.head), *cells)
        if len(adding) > MOST_ROWS:
            more = f"… {len(adding) - MOST_ROWS:,} more"
            result.notes.append(f"{more}: moved(run, block=…, head=…, lane=…, position=…) chooses")
        if not self:
            result.notes.append("nothing was moved")
        elif idle := len(self) - len(adding):
            result.notes.append(f"left out: {idle:,} with a weight, and nothing there to bring")
        return result


def _amounts(lanes: Mapping[str, float], first: str | None, infinity: float) -> str:
    """Return the lanes with the largest amounts; the wanted lane comes first."""
    order = sorted(lanes, key=lambda lane: (lane != first, -abs(lanes[lane])))
    more = f", … ({len(order)} lanes)" if len(order) > MOST_LANES else ""
    return ", ".join(f"{shown(lane)}={number(lanes[lane], infinity)}" for lane in order[:MOST_LANES]) + more


def moved(
    run: Run, block: int | None = None, head: int | None = None, *, lane: str | None = None, position: int | None = None
) -> Moves:
    """Return a move for each head and pair of positions with a nonzero weight, for all heads or a chosen one.

    They are ordered by block and head, then by target and source. `position` keeps the moves to this target; `lane`
    keeps those that added to this lane, the largest amount first: `moved(run, lane="found", position=3)` shows which
    head wrote the lane there.

    The amounts are weight · W_O · value in float64: their sum over the sources is the head's output, up to the rounding
    of the run. A head whose output was patched or ablated moved nothing.
    """
    T = checked_run(run).transformer
    targets = range(len(run.tokens)) if position is None else [position_of(position, len(run.tokens))]
    column = None if lane is None else lane_index(T, lane)
    moves = [move for b, i in _heads(T, block, head) for move in _moves(run, b, i, targets, column)]
    if lane is not None:
        moves.sort(key=lambda move: -abs(move.lanes[lane]))
    return Moves(tuple(moves), run, lane)


def _heads(T: Transformer, block: int | None, head: int | None) -> list[tuple[int, int]]:
    """Return the chosen heads, as block and head."""
    if block is not None:
        every = range(len(attention_at(T, block).heads))
        return [(int(block), i) for i in (every if head is None else [head_at(T, block, head)])]
    counts = [0 if there.attention is None else len(there.attention.heads) for there in T.blocks]
    if head is not None:
        existing(head, max(counts, default=0), "head", " in any block")
    return [(b, i) for b, count in enumerate(counts) for i in range(count) if head is None or i == head]


def _moves(run: Run, b: int, i: int, targets: Sequence[int], column: int | None) -> Iterator[Move]:
    """Yield the moves of a head to some positions; with a column, only those that added to this lane."""
    T, weights = run.transformer, run.heads[b][i].weights
    matrices, seen, lanes = attention_at(T, b).heads[i], _seen(run, b), tuple(T.lanes)
    values, added = np.zeros(0), np.zeros(0)
    for to in targets:
        put_in, left_out = replaced(run, Site("attention", b), to)
        if last_swap(run, Site("head", b, i), to) or left_out or len(put_in) == len(lanes):
            continue
        if values is not (now := values_at(run, b, i, to)):  # mostly they are the same for every target
            values, added = now, now @ matrices.W_O.T  # (positions, lanes)
        for j in np.flatnonzero(weights[to]).tolist():
            if column is None or weights[to, j] * added[j, column] != 0:
                yield Move(b, i, j, to, float(weights[to, j]), lanes, added[j], seen[j], matrices)


def _seen(run: Run, b: int) -> Array:
    """Return the input of a block's attention, (positions, lanes)."""
    T, block = run.transformer, run.transformer.blocks[b]
    h: Array = run.stream[attention_stage(b) - 1]
    if block.norm_placement != "pre":
        return h
    return run_norm(T.arithmetic.core, block.attention_norm, h, tuple(T.lanes), f"block {b} attention norm")
