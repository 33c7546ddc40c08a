"""What must hold of a transformer: the one place that compares shapes, names and values with each other."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic import TwosComplement
from weightsmith.errors import ModelError, listed, nearest_names, shown
from weightsmith.model.block import Attention
from weightsmith.model.folds import check_shapes, named_arrays, writers
from weightsmith.model.norms import Norm
from weightsmith.model.positions import added, position_table

if TYPE_CHECKING:
    from weightsmith.model.transformer import Transformer


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
    for flag in T.flags:
        _check_flag(T, flag)
    _check_members(T)


def _check_positions(T: "Transformer", name: str, attention: Attention) -> None:
    """See that the scheme inside attention fits every head."""
    shared = T.attention_positions
    if shared is not None:
        shared.check_shared(name, len(attention.heads))
    for i, head in enumerate(attention.heads):
        scheme = attention.positions_of(i, shared)
        if scheme is not None:
            scheme.check_mask(T.mask)
            scheme.check_head(f"{name}.heads.{i}", len(head.W_K), len(head.W_V))


def _check_norm(name: str, norm: Norm | None, lanes: Sequence[str]) -> None:
    if norm is None:
        return
    for lane in set(norm.lanes or ()) - set(lanes):
        raise ModelError(f"{name} is limited to the lane {shown(lane)}, which is not one of {listed(lanes)}")
    in_order = [lane for lane in lanes if lane in set(norm.lanes or ())]
    if norm.lanes is not None and list(norm.lanes) != in_order:
        raise ModelError(f"{name} has its lanes out of order, and their order is the order of sums: write {in_order}")


def _check_flag(T: "Transformer", flag: str) -> None:
    """See that a flag is one: 0 or 1 from the position table, and written by nothing."""
    lane = lane_index(T, flag)
    vectors = position_table(T.positions, T.arithmetic, len(T.lanes))
    table = np.array([]) if vectors is None else vectors[:, lane]
    if table.size == 0 or not np.isin(table, (0.0, 1.0)).all() or T.embedding[:, lane].any():
        raise ModelError(
            f"the lane {shown(flag)} is no flag: it must be 0 or 1 in a position table, 0 in the embedding"
        )
    for b, block in enumerate(T.blocks):
        written = any(array[lane].any() for array in writers(block))
        for norm in (block.attention_norm, block.feed_forward_norm):
            covers = norm is not None and (norm.lanes is None or flag in norm.lanes)
            written = written or (covers and block.norm_placement == "post")
        if written:
            raise ModelError(f"the lane {shown(flag)} is no flag: block {b} writes to it")


def _check_members(T: "Transformer") -> None:
    for name, array in named_arrays(T, history=True):
        wrong = ~T.arithmetic.contains(array)
        if wrong.any():
            where = tuple(int(i) for i in np.argwhere(wrong)[0])
            value = float(array[where])
            raise ModelError(
                f"{name}{list(where)} = {value!r} is not a member of {T.arithmetic}; the nearest member is "
                f"{float(T.arithmetic.round(value))!r}: write arithmetic.round(…) around the array"
            )


def lane_index(T: "Transformer", name: str) -> int:
    """Return the place of a lane, or say which lanes there are."""
    try:
        return T.lanes.index(name)
    except ValueError:
        raise ModelError(
            f"there is no lane {shown(str(name))}: {nearest_names(str(name), T.lanes)}the lanes are {listed(T.lanes)}"
        ) from None
