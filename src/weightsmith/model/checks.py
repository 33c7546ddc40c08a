"""The checks of a transformer: shapes, names and values against each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import AT_ONCE, TwosComplement
from weightsmith.errors import MAX_ECHO, ModelError, brief, listed, named, nearest_names
from weightsmith.model.block import Attention
from weightsmith.model.folds import check_shapes, named_arrays, writers
from weightsmith.model.frozen import first_place
from weightsmith.model.norms import Norm
from weightsmith.model.positions import PositionTable, added

if TYPE_CHECKING:
    from weightsmith.model.transformer import Transformer

MAX_SMALL = 1 << 10  # numbers of an array below which the call takes longer than the numbers


def check(T: "Transformer") -> None:
    """Refuse a transformer whose parts do not fit, naming the part."""
    if isinstance(T.arithmetic, TwosComplement):
        raise ModelError(f"{T.arithmetic} is not symmetric about 0, so no transformer runs in it: write Fixed(…)")
    vectors, shared = added(T.positions), T.attention_positions
    if vectors is not None:
        vectors.check_lanes(len(T.lanes))
    if shared is not None:
        shared.check_mask(T.mask)
    check_shapes(T, "", {})
    for b, block in enumerate(T.blocks):
        if block.attention is not None:
            _check_positions(T, f"blocks.{b}.attention", block.attention)
        _check_norm(f"blocks.{b}.attention_norm", block.attention_norm, T.lanes)
        _check_norm(f"blocks.{b}.feed_forward_norm", block.feed_forward_norm, T.lanes)
    _check_norm("final_norm", T.final_norm, T.lanes)
    _check_flags(T)
    _check_members(T)
    _check_readout(T)


def _check_positions(T: "Transformer", name: str, attention: Attention) -> None:
    """Check that the scheme inside attention fits every head."""
    shared = T.attention_positions
    if shared is not None:
        shared.check_shared(name, len(attention.heads))
    for i, head in enumerate(attention.heads):
        scheme = attention.positions_of(i, shared)
        if scheme is not None:
            scheme.check_mask(T.mask)
            scheme.check_head(f"{name}.heads.{i}", len(head.W_K), len(head.W_V))


def _check_norm(name: str, norm: Norm | None, lanes: Sequence[str]) -> None:
    if norm is None or norm.lanes is None:
        return
    covered, known = set(norm.lanes), set(lanes)
    for lane in norm.lanes:
        if lane not in known:
            raise ModelError(f"{name} is limited to the lane {named(lane)}, which is not one of {listed(lanes)}")
    in_order = [lane for lane in lanes if lane in covered]
    if list(norm.lanes) != in_order:
        instead = brief(in_order, MAX_ECHO)
        raise ModelError(f"{name} has its lanes out of order, and their order is the order of sums: write {instead}")


def _check_flags(T: "Transformer") -> None:
    """Check that each flag lane is 0 or 1 in the position table and never written by a block."""
    index = {lane: n for n, lane in enumerate(T.lanes)}
    lanes = np.array([index[flag] if flag in index else lane_index(T, flag) for flag in T.flags], np.intp)
    if not lanes.size:
        return
    wrong = _not_zero_or_one(T, lanes) | np.any(T.embedding, axis=0)[lanes]
    if wrong.any():
        flag = T.flags[int(wrong.argmax())]
        raise ModelError(
            f"the lane {named(flag)} is no flag: it must be 0 or 1 in a position table, 0 in the embedding"
        )
    for b, block in enumerate(T.blocks):
        written = np.zeros(len(T.lanes), bool)
        for array in writers(block):
            written |= array.any(axis=tuple(range(1, array.ndim)))
        for norm in (block.attention_norm, block.feed_forward_norm):
            if norm is not None and block.norm_placement == "post":
                written[slice(None) if norm.lanes is None else [index[lane] for lane in norm.lanes]] = True
        if written[lanes].any():
            flag = T.flags[int(written[lanes].argmax())]
            raise ModelError(f"the lane {named(flag)} is no flag: block {b} writes to it")


def _not_zero_or_one(T: "Transformer", lanes: npt.NDArray[np.intp]) -> npt.NDArray[np.bool_]:
    """Return which lanes hold other values than 0 and 1 at some position; all of them without a `PositionTable`."""
    table, wrong = added(T.positions), np.ones(len(T.lanes), bool)
    if isinstance(table, PositionTable):
        wrong[:] = False
        rows = max(1, AT_ONCE // len(T.lanes))
        for begin in range(0, len(table.values), rows):
            some = table.values[begin : begin + rows]
            wrong |= ((some != 0.0) & (some != 1.0)).any(axis=0)
    return wrong[lanes]


def _check_members(T: "Transformer") -> None:
    """Refuse weights that are no members. Every array is finite, so a type whose numbers are all members is skipped.

    Small arrays are checked at once; each by itself only to name the one that fails.
    """
    A = T.arithmetic
    arrays = named_arrays(T, history=True)
    whole = {dtype for dtype in {array.dtype for _, array in arrays} if A.has_all(dtype)}
    arrays = [(name, array) for name, array in arrays if array.dtype not in whole]
    small = [array.reshape(-1) for _, array in arrays if array.size < MAX_SMALL]
    if small and A.contains(np.concatenate(small)).all():
        arrays = [(name, array) for name, array in arrays if array.size >= MAX_SMALL]
    for name, array in arrays:
        where = first_place(array, lambda some: ~A.contains(some))
        if where is not None:
            value = float(array[where])
            raise ModelError(
                f"{name}{list(where)} = {brief(value)} is not a member of {A}; the nearest member is "
                f"{brief(float(A.round(value)))}: write arithmetic.round(…) around the array"
            )


def _check_readout(T: "Transformer") -> None:
    """Check that a readout reads existing lanes, and that every code can occur."""
    if T.readout is None:
        return
    for lane in T.readout.lanes:
        lane_index(T, lane)
    codes = np.array([code for code, _ in T.readout.entries])
    where = first_place(codes, lambda some: ~T.arithmetic.contains(some))
    if where is not None:
        raise ModelError(
            f"the code {brief(T.readout.entries[where[0]][0])} of the readout is not a member of {T.arithmetic}, "
            f"so no lane can hold it; the nearest member is {brief(float(T.arithmetic.round(codes[where])))}"
        )


def lane_index(T: "Transformer", name: str) -> int:
    """Return the index of a lane; an unknown name is refused with the lanes that there are."""
    try:
        return T.lanes.index(name)
    except ValueError:
        hint = nearest_names(name, T.lanes) if isinstance(name, str) else ""
        raise ModelError(f"there is no lane {named(name)}: {hint}the lanes are {listed(T.lanes)}") from None
