"""From a trained module to a `Transformer` with the same logits."""

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor, nn

from weightsmith import model as ws
from weightsmith.arithmetic import Array, Native
from weightsmith.model import AttentionPositions, Norm, Transformer
from weightsmith.model.positions import Positions

if TYPE_CHECKING:
    from weightsmith.train.module import Attention, Block, Model

EPS = 1e-5


def to_transformer(
    trained: "Model", vocabulary: Sequence[str], classes: Sequence[str] | None, made: str
) -> Transformer:
    """Write the weights of a module into a transformer; 1/√d goes into the queries."""
    shape = trained.shape
    tied = trained.output is None
    return Transformer(
        arithmetic=Native(shape.numbers),
        vocabulary=tuple(vocabulary),
        lanes=tuple(f"x{i}" for i in range(shape.lanes)),
        embedding=_array(trained.embedding.weight),
        positions=_positions(trained),
        blocks=tuple(_block(trained, cast("Block", block)) for block in trained.blocks),
        output=None if tied else _array(cast(nn.Linear, trained.output).weight),  # type: ignore[arg-type]
        classes=tuple(vocabulary if classes is None else classes),
        final_norm=_norm(trained.norm),
        tied=tied,
        provenance=(made,),
    )


def _array(tensor: Tensor) -> Array:
    return cast(Array, tensor.detach().to(torch.float64).cpu().numpy())


def _bias(layer: nn.Linear) -> Array | None:
    return None if layer.bias is None else _array(layer.bias)


def _positions(trained: "Model") -> Positions | None:
    shape = trained.shape
    match shape.positions:
        case "table":
            return ws.PositionTable(_array(cast(nn.Embedding, trained.positions).weight))
        case "sinusoidal":
            return ws.Sinusoidal(shape.context)
        case "rotary":
            return ws.Rotary()
        case "alibi":
            return ws.Alibi()
        case _:
            return None


def _block(trained: "Model", block: "Block") -> ws.Block:
    layer = block.feed_forward
    feed_forward = ws.FeedForward(
        _array(layer.keys.weight), _bias(layer.keys), _array(layer.values.weight), _bias(layer.values),  # type: ignore[arg-type]
        layer.activation,
        None if layer.gate is None else _array(layer.gate.weight),
        None if layer.gate is None else _bias(layer.gate),
    )  # fmt: skip
    return ws.Block(
        _attention(trained, block.attention),
        feed_forward,
        _norm(block.attention_norm),
        _norm(block.feed_forward_norm),
        trained.shape.placement,
        origin="trained",
    )


def _attention(trained: "Model", attention: "Attention") -> ws.Attention:
    heads, size, lanes = attention.heads, attention.size, trained.shape.lanes
    matrices = _array(attention.read.weight).reshape(3, heads, size, lanes)
    biases = _bias(attention.read)
    shifts = None if biases is None else biases.reshape(3, heads, size)
    write = _array(attention.write.weight).reshape(lanes, heads, size)
    A, scale = Native(trained.shape.numbers), 1 / math.sqrt(size)
    return ws.Attention(
        tuple(
            ws.Head(
                A.round(matrices[0, i] * scale), matrices[1, i], matrices[2, i], write[:, i], ws.Softmax(shifted=True),
                b_Q=None if shifts is None else A.round(shifts[0, i] * scale),
                b_K=None if shifts is None else shifts[1, i],
                b_V=None if shifts is None else shifts[2, i],
                positions=_relative(trained, attention, i),
            )
            for i in range(heads)
        ),
        _bias(attention.write),
    )  # fmt: skip


def _relative(trained: "Model", attention: "Attention", head: int) -> AttentionPositions | None:
    if trained.shape.positions != "relative":
        return None
    return ws.Relative(_array(attention.keys[head]), _array(attention.values[head]))


def _norm(norm: nn.Module) -> Norm | None:
    if isinstance(norm, nn.LayerNorm):
        return ws.LayerNorm(EPS, _array(norm.weight), _array(norm.bias))
    return ws.RMSNorm(EPS, _array(norm.weight)) if isinstance(norm, nn.RMSNorm) else None
