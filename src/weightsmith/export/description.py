"""A transformer as plain JSON, which lists its parts, and as arrays by name."""

import math
from collections.abc import Callable
from typing import Any

from weightsmith.arithmetic import Arithmetic, Native, Weights
from weightsmith.errors import ExportError
from weightsmith.export.outputs import readout_lanes
from weightsmith.model import Block, FeedForward, Head, LayerNorm, Norm, Softmax, Transformer, Weighting, position_table
from weightsmith.model.block import GATED
from weightsmith.model.head_groups import BIASES, HeadGroup, has_tables, head_groups
from weightsmith.model.weightings import AverageHard, LeftmostHard, RightmostHard

TABLE_LENGTH = 2048  # positions for which rotations and penalties are written out, where the model has no limit
HARD = {AverageHard: "average", LeftmostHard: "leftmost", RightmostHard: "rightmost"}
LAYER = ("W_1", "b_1", "W_2", "b_2", "W_3", "b_3")
Description = dict[str, Any]
Split = Callable[[Head], object]


def described(T: Transformer) -> tuple[Description, dict[str, Weights]]:
    """Return the description of a transformer, and its arrays by their names in `network_weightsmith.Network`."""
    return description(T), network_arrays(T)


def description(
    T: Transformer, *, saturate: bool = True, vanish: bool = True, split: Split | None = None
) -> Description:
    """Return the parts of a transformer, with their sizes and kinds.

    Without `saturate` nothing ends at ±∞; without `vanish` no exponential is 0. `split` is that of `head_groups`; with
    it, groups have names.
    """
    A, codes = T.arithmetic, readout_lanes(T)

    def heads(group: HeadGroup) -> Description:
        named = {} if split is None else {"name": group.name}
        return _heads(A, group, weighting(A, group.weighting, saturate, vanish)) | named

    return {
        "vocabulary": len(T.vocabulary),
        "lanes": len(T.lanes),
        "classes": len(T.classes),
        "mask": T.mask,
        "infinity": None if isinstance(A, Native) or not saturate else A.infinity,
        "max_length": longest_input(T),
        "positions": position_table(T.positions, A, len(T.lanes)) is not None,
        "blocks": [
            _block(T, block, [heads(group) for group in head_groups(T, block.attention, split)]) for block in T.blocks
        ],
        "final_norm": _norm(T, T.final_norm),
        "tied": T.tied,
        "output_bias": T.output_bias is not None,
        **({} if codes is None else {"codes": codes}),
    }


def longest_input(T: Transformer) -> int | None:
    """Return the longest input: of the model, or of the tables that are written out for it; None for any length."""
    return T.max_length or (TABLE_LENGTH if has_tables(T) else None)


def _block(T: Transformer, block: Block, groups: list[Description]) -> Description:
    attention = block.attention
    return {
        "attention": attention is not None,
        "groups": groups,
        "b_O": attention is not None and attention.b_O is not None,
        "feed_forward": _feed_forward(block.feed_forward),
        "attention_norm": _norm(T, block.attention_norm),
        "feed_forward_norm": _norm(T, block.feed_forward_norm),
        "norm_placement": block.norm_placement,
        "parallel": block.parallel,
    }


def _heads(A: Arithmetic, group: HeadGroup, how: Description) -> Description:
    tables, turns = group.tables(A, 1), group.rotation(A, 1)
    return {
        "heads": len(group.heads),
        "key_size": group.key_size,
        "value_size": group.value_size,
        "weighting": how,
        "biases": [name for name in BIASES if any(getattr(head, name) is not None for head in group.heads)],
        "rotation": None if turns is None else [turns.first.tolist(), turns.second.tolist()],
        "tables": list(tables),
        "distances": tables["key_offsets"].shape[1] if "key_offsets" in tables else 0,
        **({"strict": True} if group.strict else {}),
        **({} if group.window is None else {"window": group.window}),
    }


def weighting(A: Arithmetic, how: Weighting, saturate: bool = True, vanish: bool = True) -> Description:
    """Return how scores become weights; of a softmax also where the exponential is 0 and where it is ∞."""
    if not isinstance(how, Softmax):
        if type(how) not in HARD:
            raise ExportError(f"no target has the weighting {type(how).__name__}()")
        return {"kind": HARD[type(how)]}
    low = math.log(A.smallest) - math.log(2) if vanish else -math.inf
    high = math.log(A.infinity) if saturate else math.inf
    return {"kind": "softmax", "shifted": how.shifted, "empty": how.empty, "low": low, "high": high}


def _feed_forward(layer: FeedForward | None) -> Description | None:
    if layer is None:
        return None
    return {"neurons": len(layer.W_1), "function": layer.function, "gated": layer.activation in GATED}


def _norm(T: Transformer, norm: Norm | None) -> Description | None:
    if norm is None:
        return None
    return {
        "kind": "layer" if isinstance(norm, LayerNorm) else "rms",
        "eps": float(T.arithmetic.round(norm.eps)),
        "count": float(T.arithmetic.round(len(T.lanes if norm.lanes is None else norm.lanes))),
        "lanes": None if norm.lanes is None else [T.lanes.index(lane) for lane in norm.lanes],
        "gain": norm.gain is not None,
        "bias": isinstance(norm, LayerNorm) and norm.bias is not None,
    }


def network_arrays(T: Transformer) -> dict[str, Weights]:
    """Return the arrays of a transformer by their names in `network_weightsmith.Network`."""
    found: dict[str, Weights | None] = {"embedding.weight": T.embedding}
    found["positions"] = position_table(T.positions, T.arithmetic, len(T.lanes))
    length = longest_input(T) or 0
    for b, block in enumerate(T.blocks):
        name = f"blocks.{b}"
        for g, group in enumerate(head_groups(T, block.attention)):
            found |= {f"{name}.groups.{g}.{key}": array for key, array in group_arrays(T, group, length).items()}
        found[f"{name}.b_O"] = None if block.attention is None else block.attention.b_O
        found |= {f"{name}.feed_forward.{key}": getattr(block.feed_forward, key, None) for key in LAYER}
        for norm in ("attention_norm", "feed_forward_norm"):
            found |= {f"{name}.{norm}.{key}": getattr(getattr(block, norm), key, None) for key in ("gain", "bias")}
    found |= {f"final_norm.{key}": getattr(T.final_norm, key, None) for key in ("gain", "bias")}
    found["output"] = None if T.tied or T.readout is not None else T.output
    found["output_bias"] = T.output_bias
    return {name: array for name, array in found.items() if array is not None}


def group_arrays(T: Transformer, group: HeadGroup, length: int) -> dict[str, Weights]:
    """Return the weights of a group of heads and the tables of their positions, up to a length."""
    turns = group.rotation(T.arithmetic, length)
    tables: dict[str, Weights] = dict(group.tables(T.arithmetic, length))
    return group.arrays() | tables | ({} if turns is None else {"rotation_cos": turns.cos, "rotation_sin": turns.sin})
