"""A transformer in another basis of its stream: every array that reads or writes lanes, and the norms."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array, Native, Weights, as_float64
from weightsmith.errors import ModelError
from weightsmith.model import Attention, Block, LayerNorm, Norm, PositionTable, Transformer, position_table
from weightsmith.model.block import new_arrays
from weightsmith.model.folds import map_declared
from weightsmith.model.frozen import LANES, Axes, Declared, LaneNames
from weightsmith.rewrites.lanes import with_vectors

WRITTEN_ROWS = ("vocabulary", "max_length")  # tables whose rows are written to the stream


def norms_of(T: Transformer) -> list[Norm]:
    """Return every norm of a transformer."""
    found = [norm for block in T.blocks for norm in (block.attention_norm, block.feed_forward_norm)]
    return [norm for norm in (*found, T.final_norm) if norm is not None]


def covered(T: Transformer, norm: Norm) -> list[int]:
    """Return the lanes that a norm is over."""
    return [T.lanes.index(lane) for lane in (T.lanes if norm.lanes is None else norm.lanes)]


def in_basis(T: Transformer, M: Array, inverse: Array, made: str) -> Transformer:
    """Return the transformer whose stream is M h where that of T is h; gains must commute with M.

    The arithmetic must hold every new weight; in `Native` they are rounded.
    """
    for block in T.blocks:
        if unknown := new_arrays(block):
            raise ModelError(f"rotate does not know the array {unknown[0]}: write a transformer without it")
    A = T.arithmetic
    names = tuple(f"direction {i}" for i in range(len(T.lanes)))
    table = position_table(T.positions, A, len(T.lanes))
    if table is not None:
        T = replace(T, positions=with_vectors(T, PositionTable(table)))
    T = _map_norms(T, M)

    def moved(value: Any, what: Declared) -> Any:
        if isinstance(what, LaneNames):
            return None if value is None else tuple(names[T.lanes.index(lane)] for lane in value)
        if not isinstance(what, Axes) or LANES not in what:
            return value
        old = as_float64(value)
        new = M @ old if what[0] == LANES else old @ (M.T if what[0] in WRITTEN_ROWS else inverse)
        return (A.round(new) if isinstance(A, Native) else new) + 0.0  # without −0

    untied = replace(T, tied=False, flags=(), edits=())
    return map_declared(untied, moved, provenance=(*T.provenance, made))


def _map_norms(T: Transformer, M: Array) -> Transformer:
    def changed(norm: Norm | None) -> Norm | None:
        if norm is None:
            return None
        part = M[np.ix_(covered(T, norm), covered(T, norm))]
        new: dict[str, Any] = {} if norm.gain is None else {"gain": np.abs(part) @ as_float64(norm.gain)}
        if isinstance(norm, LayerNorm) and norm.bias is not None:
            bias = part @ as_float64(norm.bias)
            new["bias"] = T.arithmetic.round(bias) if isinstance(T.arithmetic, Native) else bias
        return replace(norm, **new) if new else norm  # type: ignore[type-var]

    blocks = tuple(
        replace(b, attention_norm=changed(b.attention_norm), feed_forward_norm=changed(b.feed_forward_norm))
        for b in T.blocks
    )
    return replace(T, blocks=blocks, final_norm=changed(T.final_norm))


def without_gains(T: Transformer) -> Transformer:
    """Return a transformer, equal in the reals, whose norms have neither gain nor bias: what reads them has both.

    A norm after a sublayer writes to the stream itself; its gain is refused.
    """
    for b, block in enumerate(T.blocks):
        for name in ("attention_norm", "feed_forward_norm"):
            norm = getattr(block, name)
            gained = norm is not None and norm.gain is not None and not (norm.gain == 1).all()
            if gained and block.norm_placement == "post":
                raise ModelError(
                    f"blocks.{b}.{name} stands after its sublayer and has a gain, with which no rotation commutes: "
                    "write kind='permutation'"
                )
    blocks = tuple(_ungained(T, block) for block in T.blocks)
    norm, new = T.final_norm, dict[str, Any]()
    if norm is not None and T.readout is None:
        W, bias = _folded(T, norm, T.output, T.output_bias)
        new = {"output": W, "output_bias": bias, "final_norm": _bare(norm), "tied": False}
    elif norm is not None and not _is_bare(norm):
        raise ModelError("final_norm has a gain before a readout: write rotate(…, kind='permutation')")
    return replace(T, blocks=blocks, **new)


def _is_bare(norm: Norm) -> bool:
    return norm.gain is None and getattr(norm, "bias", None) is None


def _bare(norm: Norm) -> Norm:
    return replace(norm, gain=None, **({"bias": None} if isinstance(norm, LayerNorm) else {}))  # type: ignore[type-var]


def _folded(T: Transformer, norm: Norm, W: Weights, b: Weights | None) -> tuple[Array, Array | None]:
    """Return what reads a norm without gain and bias as W and b read it with them."""
    A, where = T.arithmetic, covered(T, norm)
    gain, shift = np.ones(len(T.lanes)), np.zeros(len(T.lanes))
    if norm.gain is not None:
        gain[where] = as_float64(norm.gain)
    bias = getattr(norm, "bias", None)
    if bias is None:
        return A.round(as_float64(W) * gain), None if b is None else as_float64(b)
    shift[where] = as_float64(bias)
    return A.round(as_float64(W) * gain), A.round(as_float64(W) @ shift + (0.0 if b is None else as_float64(b)))


def _ungained(T: Transformer, block: Block) -> Block:
    if block.norm_placement == "post":
        return block
    if block.attention_norm is not None and block.attention is not None and not _is_bare(block.attention_norm):
        norm, heads = block.attention_norm, []
        for head in block.attention.heads:
            new: dict[str, Any] = {}
            for matrix, bias in (("W_Q", "b_Q"), ("W_K", "b_K"), ("W_V", "b_V")):
                new[matrix], new[bias] = _folded(T, norm, getattr(head, matrix), getattr(head, bias))
            heads.append(replace(head, **new))
        block = replace(block, attention=Attention(tuple(heads), block.attention.b_O), attention_norm=_bare(norm))
    if block.feed_forward_norm is not None and block.feed_forward is not None and not _is_bare(block.feed_forward_norm):
        layer, norm = block.feed_forward, block.feed_forward_norm
        W_1, b_1 = _folded(T, norm, layer.W_1, layer.b_1)
        new = {"W_1": W_1, "b_1": b_1, "keys": None}
        if layer.W_3 is not None:
            new["W_3"], new["b_3"] = _folded(T, norm, layer.W_3, layer.b_3)
        block = replace(block, feed_forward=replace(layer, **new), feed_forward_norm=_bare(norm))
    return block


def mixable_lanes(T: Transformer, fixed: Sequence[int] = ()) -> list[tuple[list[int], bool]]:
    """Return the sets of lanes that may be mixed with each other, and whether a `LayerNorm` is over them.

    Lanes that some norm is over and others that it is not over are in different sets. The `fixed` lanes are in none.
    """
    norms, kinds = norms_of(T), dict[tuple[bool, ...], list[int]]()
    inside = [set(covered(T, norm)) for norm in norms]
    for lane in range(len(T.lanes)):
        if lane not in fixed:
            kinds.setdefault(tuple(lane in each for each in inside), []).append(lane)
    centred = [isinstance(norm, LayerNorm) for norm in norms]
    return [
        (lanes, any(is_in and mean for is_in, mean in zip(key, centred, strict=True))) for key, lanes in kinds.items()
    ]
