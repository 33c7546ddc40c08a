"""What must hold of a transformer: the one place that compares shapes, names and values with each other."""

from collections.abc import Sequence
from itertools import chain
from typing import TYPE_CHECKING

import numpy as np

from weightsmith.arithmetic import Array, TwosComplement
from weightsmith.errors import ModelError, listed, nearest_names, shown
from weightsmith.model.block import Attention, FeedForward
from weightsmith.model.distances import Alibi, Distances, Relative, Rotary
from weightsmith.model.norms import LayerNorm, Norm
from weightsmith.model.positions import PositionTable, added
from weightsmith.model.walk import named_arrays

if TYPE_CHECKING:
    from weightsmith.model.transformer import Transformer


RELATIVE_ERROR = "relative positions need mask='causal': only there is every distance i − j at least 0"


def check(T: "Transformer") -> None:
    """Refuse a transformer whose parts do not fit, naming the part."""
    if isinstance(T.arithmetic, TwosComplement):
        raise ModelError(f"{T.arithmetic} is not symmetric about 0, so no transformer runs in it: write Fixed(…)")
    lanes = len(T.lanes)
    _shape("embedding", T.embedding, (len(T.vocabulary), lanes), "(vocabulary, lanes)")
    _shape("output", T.output, (len(T.classes), lanes), "(classes, lanes)")
    if T.output_bias is not None:
        _shape("output_bias", T.output_bias, (len(T.classes),), "(classes)")
    if isinstance(T.attention_positions, Relative) and T.mask != "causal":
        raise ModelError(RELATIVE_ERROR)
    vectors = added(T.positions)
    if isinstance(vectors, PositionTable):
        _shape("positions", vectors.values, (None, lanes), "(max_length, lanes)")
        if len(vectors.values) == 0:
            raise ModelError("positions is a table without rows: at least one position is needed")
    for b, block in enumerate(T.blocks):
        if block.attention is not None:
            _check_attention(f"blocks.{b}.attention", block.attention, lanes)
            _check_distances(T, f"blocks.{b}.attention", block.attention)
        if block.feed_forward is not None:
            _check_feed_forward(f"blocks.{b}.feed_forward", block.feed_forward, lanes)
        _check_norm(f"blocks.{b}.attention_norm", block.attention_norm, T.lanes)
        _check_norm(f"blocks.{b}.feed_forward_norm", block.feed_forward_norm, T.lanes)
    _check_norm("final_norm", T.final_norm, T.lanes)
    for flag in T.flags:
        _check_flag(T, flag)
    _check_members(T)


def _check_attention(name: str, attention: Attention, lanes: int) -> None:
    for i, head in enumerate(attention.heads):
        keys, values = len(head.W_Q), len(head.W_V)
        _shape(f"{name}.heads.{i}.W_Q", head.W_Q, (None, lanes), "(key size, lanes)")
        _shape(f"{name}.heads.{i}.W_K", head.W_K, (keys, lanes), "(key size, lanes), with the key size of W_Q")
        _shape(f"{name}.heads.{i}.W_V", head.W_V, (None, lanes), "(value size, lanes)")
        _shape(f"{name}.heads.{i}.W_O", head.W_O, (lanes, values), "(lanes, value size), with the value size of W_V")
        for bias, size, meaning in (("b_Q", keys, "key"), ("b_K", keys, "key"), ("b_V", values, "value")):
            if getattr(head, bias) is not None:
                _shape(f"{name}.heads.{i}.{bias}", getattr(head, bias), (size,), f"({meaning} size)")
    if attention.b_O is not None:
        _shape(f"{name}.b_O", attention.b_O, (lanes,), "(lanes)")


def _check_distances(T: "Transformer", name: str, attention: Attention) -> None:
    """See that the rule inside attention fits every head."""
    shared = T.attention_positions
    if isinstance(shared, Alibi) and shared.slopes is not None and len(shared.slopes) != len(attention.heads):
        raise ModelError(
            f"positions has {len(shared.slopes)} slopes, and {name} has {len(attention.heads)} heads: "
            "write a slope for each head, or Alibi()"
        )
    for i, head in enumerate(attention.heads):
        rule = attention.positions_of(i, shared)
        if isinstance(rule, Relative) and T.mask != "causal":
            raise ModelError(RELATIVE_ERROR)
        _check_sizes(f"{name}.heads.{i}", rule, len(head.W_K), len(head.W_V))


def _check_sizes(name: str, rule: Distances | None, keys: int, values: int) -> None:
    if isinstance(rule, Relative):
        if rule.keys.shape[1] != keys:
            raise ModelError(f"{name}.W_K gives keys of size {keys}, positions.keys has {rule.keys.shape[1]}")
        if rule.values is not None and rule.values.shape[1] != values:
            raise ModelError(f"{name}.W_V gives values of size {values}, positions.values has {rule.values.shape[1]}")
    if isinstance(rule, Rotary):
        if rule.size is None and keys % 2:
            some = f", or Rotary(size={keys - 1})" if keys > 1 else ""
            raise ModelError(
                f"{name}.W_K gives keys of size {keys}, and rotary positions turn pairs: write an even key size{some}"
            )
        if rule.size is not None and rule.size > keys:
            raise ModelError(f"{name}.W_K gives keys of size {keys}, and Rotary(size={rule.size}) turns more than that")


def _check_feed_forward(name: str, layer: FeedForward, lanes: int) -> None:
    neurons = len(layer.W_1)
    _shape(f"{name}.W_1", layer.W_1, (None, lanes), "(neurons, lanes)")
    _shape(f"{name}.b_1", layer.b_1, (neurons,), "(neurons), with the neurons of W_1")
    _shape(f"{name}.W_2", layer.W_2, (lanes, neurons), "(lanes, neurons), with the neurons of W_1")
    _shape(f"{name}.b_2", layer.b_2, (lanes,), "(lanes)")
    if layer.W_3 is not None and layer.b_3 is not None:
        _shape(f"{name}.W_3", layer.W_3, (neurons, lanes), "(neurons, lanes), with the neurons of W_1")
        _shape(f"{name}.b_3", layer.b_3, (neurons,), "(neurons), with the neurons of W_1")


def _check_norm(name: str, norm: Norm | None, lanes: Sequence[str]) -> None:
    if norm is None:
        return
    for lane in set(norm.lanes or ()) - set(lanes):
        raise ModelError(f"{name} is limited to the lane {shown(lane)}, which is not one of {listed(lanes)}")
    in_order = [lane for lane in lanes if lane in set(norm.lanes or ())]
    if norm.lanes is not None and list(norm.lanes) != in_order:
        raise ModelError(f"{name} has its lanes out of order, and their order is the order of sums: write {in_order}")
    width = len(lanes if norm.lanes is None else norm.lanes)
    bias = norm.bias if isinstance(norm, LayerNorm) else None
    for part, array in (("gain", norm.gain), ("bias", bias)):
        if array is not None:
            _shape(f"{name}.{part}", array, (width,), "(lanes of the norm)")


def _check_flag(T: "Transformer", flag: str) -> None:
    """See that a flag is one: 0 or 1 from the position table, and written by nothing."""
    lane = lane_index(T, flag)
    vectors = added(T.positions)
    table = vectors.values[:, lane] if isinstance(vectors, PositionTable) else np.array([])
    if table.size == 0 or not np.isin(table, (0.0, 1.0)).all() or T.embedding[:, lane].any():
        raise ModelError(
            f"the lane {shown(flag)} is no flag: it must be 0 or 1 in a position table, 0 in the embedding"
        )
    for b, block in enumerate(T.blocks):
        heads = block.attention.heads if block.attention is not None else ()
        written = any(head.W_O[lane].any() for head in heads)
        if block.attention is not None and block.attention.b_O is not None:
            written = written or block.attention.b_O[lane] != 0
        if block.feed_forward is not None:
            written = written or block.feed_forward.W_2[lane].any() or block.feed_forward.b_2[lane] != 0
        for norm in (block.attention_norm, block.feed_forward_norm):
            covers = norm is not None and (norm.lanes is None or flag in norm.lanes)
            written = written or (covers and block.norm_placement == "post")
        if written:
            raise ModelError(f"the lane {shown(flag)} is no flag: block {b} writes to it")


def _shape(name: str, array: Array, wanted: tuple[int | None, ...], meaning: str) -> None:
    if len(wanted) != array.ndim or any(w is not None and w != n for w, n in zip(wanted, array.shape, strict=True)):
        size = ", ".join("any" if w is None else str(w) for w in wanted)
        raise ModelError(f"{name} has shape {array.shape}, and it must be ({size}): {meaning}")


def _check_members(T: "Transformer") -> None:
    layers = [(b, block.feed_forward) for b, block in enumerate(T.blocks) if block.feed_forward is not None]
    keys = ((f"blocks.{b}.feed_forward.keys", layer.keys) for b, layer in layers if layer.keys is not None)
    for name, array in chain(named_arrays(T), keys):
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
