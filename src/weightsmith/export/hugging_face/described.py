"""A transformer as plain JSON and arrays: what `hub.network_weightsmith.Network` is made from, and filled with."""

import math
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic, Native, Weights
from weightsmith.export.answers import code_places
from weightsmith.kernels.blas.attention import stacked
from weightsmith.kernels.blas.prepared import Heads
from weightsmith.kernels.blas.prepared import groups as stacked_heads
from weightsmith.model import FeedForward, LayerNorm, Norm, Softmax, Transformer, Weighting, position_table
from weightsmith.model.block import GATED
from weightsmith.model.frozen import Frozen
from weightsmith.model.weightings import AverageHard, LeftmostHard, RightmostHard

FLOAT64 = np.dtype(np.float64)
TABLE_LENGTH = 2048  # positions for which rotary positions and ALiBi are written out, where the model has no limit
HARD = {AverageHard: "average", LeftmostHard: "leftmost", RightmostHard: "rightmost"}
TABLES = ("key_offsets", "value_offsets", "penalties")
Description = dict[str, Any]


def described(T: Transformer) -> tuple[Description, dict[str, Weights]]:
    """Return what a transformer consists of, and its arrays by their names in the network."""
    arrays: dict[str, Weights] = {"embedding.weight": T.embedding}
    attentions = [block.attention for block in T.blocks]
    groups = [stacked_heads(T, some, FLOAT64, shared_once=False) if some else () for some in attentions]
    length = longest_input(T, [group for some in groups for group in some])
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    if table is not None:
        arrays["positions"] = table
    blocks = [_block(T, b, some, length or 0, arrays) for b, some in enumerate(groups)]
    codes = code_places(T)
    if not T.tied and codes is None:
        arrays["output"] = T.output
    if T.output_bias is not None:
        arrays["output_bias"] = T.output_bias
    return {
        "vocabulary": len(T.vocabulary),
        "lanes": len(T.lanes),
        "classes": len(T.classes),
        "mask": T.mask,
        "infinity": None if isinstance(T.arithmetic, Native) else T.arithmetic.infinity,
        "max_length": length,
        "positions": table is not None,
        "blocks": blocks,
        "final_norm": _norm(T, T.final_norm, "final_norm", arrays),
        "tied": T.tied,
        "output_bias": T.output_bias is not None,
        **({} if codes is None else {"codes": codes}),
    }, arrays


def longest_input(T: Transformer, groups: list[Heads]) -> int | None:
    """Return the longest input: that of the model, or that for which its positions are written out; None for any."""
    endless = any(
        scheme.rotation(T.arithmetic, len(group.W_K) // group.count, 1) is not None
        or scheme.penalties(T.arithmetic, 1) is not None
        for group in groups
        for scheme in group.schemes
    )
    return T.max_length or (TABLE_LENGTH if endless else None)


def _block(T: Transformer, b: int, groups: tuple[Heads, ...], length: int, arrays: dict[str, Weights]) -> Description:
    block, name = T.blocks[b], f"blocks.{b}"
    attention = block.attention
    if attention is not None and attention.b_O is not None:
        arrays[f"{name}.b_O"] = attention.b_O
    return {
        "attention": attention is not None,
        "groups": [_heads(T, group, length, f"{name}.groups.{g}", arrays) for g, group in enumerate(groups)],
        "b_O": attention is not None and attention.b_O is not None,
        "feed_forward": _feed_forward(block.feed_forward, f"{name}.feed_forward", arrays),
        "attention_norm": _norm(T, block.attention_norm, f"{name}.attention_norm", arrays),
        "feed_forward_norm": _norm(T, block.feed_forward_norm, f"{name}.feed_forward_norm", arrays),
        "norm_placement": block.norm_placement,
        "parallel": block.parallel,
    }


def _heads(T: Transformer, group: Heads, length: int, name: str, arrays: dict[str, Weights]) -> Description:
    A, keys, values = T.arithmetic, len(group.W_K) // group.count, len(group.W_V) // group.count
    some = _arrays(group, ("W_Q", "W_K", "W_V", "W_O", "b_Q", "b_K", "b_V"))
    tables = {
        "key_offsets": stacked([scheme.key_offsets() for scheme in group.schemes], FLOAT64),
        "value_offsets": stacked([scheme.value_offsets() for scheme in group.schemes], FLOAT64),
        "penalties": stacked([scheme.penalties(A, length) for scheme in group.schemes], FLOAT64),
    }
    some |= {table: array for table, array in tables.items() if array is not None}
    turns = group.schemes[0].rotation(A, keys, length)
    if turns is not None:
        some |= {"rotation_cos": turns.cos, "rotation_sin": turns.sin}
    arrays |= {f"{name}.{key}": array for key, array in some.items()}
    offsets = tables["key_offsets"]
    sight = {"strict": True} if group.strict else {}
    return {
        "heads": group.count,
        "key_size": keys,
        "value_size": values,
        "weighting": weighting(A, group.weighting),
        "biases": [bias for bias in ("b_Q", "b_K", "b_V") if bias in some],
        "rotation": None if turns is None else [turns.first.tolist(), turns.second.tolist()],
        "tables": [table for table in TABLES if table in some],
        "distances": 0 if offsets is None else offsets.shape[1],
        **sight,
    }


def weighting(A: Arithmetic, how: Weighting) -> Description:
    """Return how scores become weights; of a softmax also where the exponential is 0 and where it is ∞."""
    if not isinstance(how, Softmax):
        return {"kind": HARD[type(how)]}
    low, high = math.log(A.smallest) - math.log(2), math.log(A.infinity)
    return {"kind": "softmax", "shifted": how.shifted, "empty": how.empty, "low": low, "high": high}


def _feed_forward(layer: FeedForward | None, name: str, arrays: dict[str, Weights]) -> Description | None:
    if layer is None:
        return None
    some = _arrays(layer, ("W_1", "b_1", "W_2", "b_2", "W_3", "b_3"))
    arrays |= {f"{name}.{key}": array for key, array in some.items()}
    return {"neurons": len(layer.W_1), "function": layer.function, "gated": layer.activation in GATED}


def _norm(T: Transformer, norm: Norm | None, name: str, arrays: dict[str, Weights]) -> Description | None:
    if norm is None:
        return None
    some = _arrays(norm, ("gain", "bias"))
    arrays |= {f"{name}.{key}": array for key, array in some.items()}
    lanes = len(T.lanes) if norm.lanes is None else len(norm.lanes)
    return {
        "kind": "layer" if isinstance(norm, LayerNorm) else "rms",
        "eps": float(T.arithmetic.round(norm.eps)),
        "count": float(T.arithmetic.round(lanes)),
        "lanes": None if norm.lanes is None else [T.lanes.index(lane) for lane in norm.lanes],
        "gain": "gain" in some,
        "bias": "bias" in some,
    }


def _arrays(part: Frozen | Heads, names: tuple[str, ...]) -> dict[str, Weights]:
    """Return the arrays that a part has of these."""
    return {name: array for name in names if (array := getattr(part, name, None)) is not None}
