"""The weights of a transformer as a TransformerLens model has them, padded with zeros to common sizes."""

import math
from typing import Any, TypeAlias

import numpy as np

from weightsmith.arithmetic import Weights, as_float64
from weightsmith.export.lens.shape import Shape, coordinates, heads_of, turning
from weightsmith.export.outputs import readout_lanes
from weightsmith.model import LayerNorm, Norm, Transformer, position_table

Named: TypeAlias = dict[str, Weights]  # by the names of TransformerLens's own model


def lens_weights(T: Transformer, shape: Shape) -> Named:
    """Return every weight by its name; missing heads, neurons and biases are 0."""
    d, codes = len(T.lanes), readout_lanes(T)
    output = T.output if codes is None else np.eye(d)[codes]  # which gives the lanes of a readout as they are
    weights: Named = {
        "tok_embed.weight": T.embedding,
        "head.weight": output,
        "head.bias": _or_zeros(T.output_bias, output),
    }
    if shape.turns:
        weights |= _turning_tables(shape)
    else:
        table = position_table(T.positions, T.arithmetic, d)
        weights["pos.weight"] = np.zeros((shape.context, d)) if table is None else table
    for b in range(shape.blocks):
        weights |= _empty_block(b, shape, d)
    for b, i, head, scheme in heads_of(T):
        keys = [i * shape.head_size + place for place in coordinates(shape.turns, head, scheme)]
        values = [i * shape.head_size + place for place in range(len(head.W_V))]
        scale = math.sqrt(shape.head_size)  # attention divides by this, a power of 2
        b_Q = None if head.b_Q is None else as_float64(head.b_Q) * scale
        _put(weights, f"layers.{b}.attn.q", keys, as_float64(head.W_Q) * scale, b_Q)
        _put(weights, f"layers.{b}.attn.k", keys, head.W_K, head.b_K)
        _put(weights, f"layers.{b}.attn.v", values, head.W_V, head.b_V)
        weights[f"layers.{b}.attn.o.weight"][:, values] = head.W_O
    for b, block in enumerate(T.blocks):
        if block.attention is not None and block.attention.b_O is not None:
            weights[f"layers.{b}.attn.o.bias"] = block.attention.b_O
        if block.feed_forward is not None:
            _put_layer(weights, f"layers.{b}.mlp", block.feed_forward)
        weights |= _norm(f"layers.{b}.ln1", block.attention_norm) | _norm(f"layers.{b}.ln2", block.feed_forward_norm)
    return weights | _norm("ln_out", T.final_norm)


def _or_zeros(bias: Weights | None, W: Weights) -> Weights:
    return np.zeros(len(W)) if bias is None else bias


def _turning_tables(shape: Shape) -> Named:
    """Return cosines and sines as rotary positions have them: each twice, for both coordinates of its pair."""
    tables = {}
    for name in ("cos", "sin"):
        columns = [getattr(turn.rotation, name) for turn in shape.turns]
        tables[f"rotary.{name}_cached"] = np.repeat(np.concatenate(columns, axis=1), 2, axis=1)
    assert tables["rotary.cos_cached"].shape == (shape.context, turning(shape.turns))
    return tables


def _empty_block(b: int, shape: Shape, d: int) -> Named:
    inner, n, attn, mlp = shape.heads * shape.head_size, shape.neurons, f"layers.{b}.attn", f"layers.{b}.mlp"
    weights: Named = {f"{attn}.{part}.weight": np.zeros((inner, d)) for part in "qkv"}
    weights |= {f"{attn}.{part}.bias": np.zeros(inner) for part in "qkv"}
    weights |= {f"{attn}.o.weight": np.zeros((d, inner)), f"{attn}.o.bias": np.zeros(d)}
    if shape.gated:
        return weights | {f"{mlp}.gate.weight": np.zeros((n, d)), f"{mlp}.in.weight": np.zeros((n, d)),
                          f"{mlp}.out.weight": np.zeros((d, n))}  # fmt: skip
    weights |= {f"{mlp}.fc_in.weight": np.zeros((n, d)), f"{mlp}.fc_in.bias": np.zeros(n)}
    return weights | {f"{mlp}.fc_out.weight": np.zeros((d, n)), f"{mlp}.fc_out.bias": np.zeros(d)}


def _put(weights: Named, name: str, rows: list[int], W: Weights, b: Weights | None) -> None:
    weights[f"{name}.weight"][rows] = W
    if b is not None:
        weights[f"{name}.bias"][rows] = b


def _put_layer(weights: Named, name: str, layer: Any) -> None:
    n = len(layer.W_1)
    if layer.W_3 is None:
        _put(weights, f"{name}.fc_in", list(range(n)), layer.W_1, layer.b_1)
        weights[f"{name}.fc_out.weight"][:, :n] = layer.W_2
        weights[f"{name}.fc_out.bias"] = layer.b_2
    else:
        weights[f"{name}.gate.weight"][:n] = layer.W_1
        weights[f"{name}.in.weight"][:n] = layer.W_3
        weights[f"{name}.out.weight"][:, :n] = layer.W_2


def _norm(name: str, norm: Norm | None) -> Named:
    """Return gain and bias where they are given; TransformerLens begins with 1 and 0."""
    found = {} if norm is None or norm.gain is None else {f"{name}.weight": norm.gain}
    return found if not isinstance(norm, LayerNorm) or norm.bias is None else found | {f"{name}.bias": norm.bias}
