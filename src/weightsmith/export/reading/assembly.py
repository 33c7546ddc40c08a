"""From a plan to a transformer: here the weights are read, one tensor after the other."""

from collections.abc import Iterator, Sequence
from functools import partial

import numpy as np

from weightsmith.arithmetic import Native, Weights, immutable
from weightsmith.arithmetic.immutable import filled
from weightsmith.errors import FileError
from weightsmith.export.reading.plan import BlockPlan, Linear, NormPlan, Plan
from weightsmith.export.reading.tensors import Tensor
from weightsmith.model import (
    Attention,
    Block,
    FeedForward,
    Head,
    LayerNorm,
    Norm,
    PositionTable,
    RMSNorm,
    Softmax,
    Transformer,
)

SHIFTED = Softmax(shifted=True)  # as everybody computes it


def assembled(
    plan: Plan, A: Native, vocabulary: Sequence[str], tokenizer: str, provenance: Sequence[str]
) -> Transformer:
    """Read the weights of a plan into a transformer. 1/√d goes into the queries, which are rounded once for it."""
    weights, table = _Weights(A), plan.positions
    embedding = weights.given(plan.embedding)
    if plan.output.tied and plan.output.weight is not None:
        _check_same(plan.output.weight, weights, embedding)
    return Transformer(
        arithmetic=A,
        vocabulary=vocabulary,
        lanes=tuple(f"x{lane}" for lane in range(embedding.shape[1])),
        embedding=embedding,
        positions=PositionTable(weights.given(table)) if isinstance(table, Tensor) else table,
        blocks=tuple(_block(plan, block, weights) for block in plan.blocks),
        output=None if plan.output.tied else weights.of(plan.output.weight),  # type: ignore[arg-type]
        classes=vocabulary,
        output_bias=weights.of(plan.output_bias),
        final_norm=_norm(plan.final_norm, weights),
        tied=plan.output.tied,
        provenance=provenance,
        tokenizer=tokenizer,
    )


class _Weights:
    """Reads tensors as members of an arithmetic."""

    def __init__(self, A: Native) -> None:
        self.A = A

    def of(self, tensor: Tensor | None) -> Weights | None:
        """Return the numbers of a tensor."""
        return None if tensor is None else tensor.read(self.A)

    def given(self, tensor: Tensor) -> Weights:
        """Return those of a tensor that must be there."""
        return tensor.read(self.A)

    def both(self, linear: Linear | None) -> tuple[Weights | None, Weights | None]:
        """Return a matrix and its bias."""
        return (None, None) if linear is None else (self.of(linear.weight), self.of(linear.bias))


def _check_same(copy: Tensor, weights: _Weights, embedding: Weights) -> None:
    """Refuse an output that is another than the embedding it is tied to."""
    if not np.array_equal(weights.given(copy), embedding):
        raise FileError(
            f"config.json has tie_word_embeddings=true, and the tensor {copy.name!r} differs from the embedding: "
            "write false for the output to be that tensor"
        )


def _block(plan: Plan, block: BlockPlan, weights: _Weights) -> Block:
    heads, b_O = tuple(_heads(plan, block, weights)), weights.of(block.mixed.bias)
    (W_1, b_1), (W_2, b_2), (W_3, b_3) = (weights.both(part) for part in (block.into, block.out, block.gate))
    return Block(
        Attention(heads, b_O),
        FeedForward(W_1, b_1, W_2, b_2, plan.activation, W_3, b_3),  # type: ignore[arg-type]
        _norm(block.attention_norm, weights),
        _norm(block.feed_forward_norm, weights),
        parallel=plan.parallel,
    )


def _heads(plan: Plan, block: BlockPlan, weights: _Weights) -> Iterator[Head]:
    """Cut the matrices into heads. Those of one group share the memory of their keys and values."""
    W_Q, b_Q = (
        _cut(_scaled(part, plan, weights), plan.heads, axes)
        for part, axes in ((block.queries.weight, 2), (block.queries.bias, 1))
    )
    (W_K, b_K), (W_V, b_V) = (
        [_cut(numbers, plan.groups, axes) for numbers, axes in zip(weights.both(part), (2, 1), strict=True)]
        for part in (block.keys, block.values)
    )
    W_O = np.split(weights.given(block.mixed.weight), plan.heads, axis=1)
    for i in range(plan.heads):
        g = i * plan.groups // plan.heads
        biases = b_Q[i], b_K[g], b_V[g]
        yield Head(W_Q[i], W_K[g], W_V[g], W_O[i], SHIFTED, *biases, window=block.window)  # type: ignore[arg-type]


def _scaled(tensor: Tensor | None, plan: Plan, weights: _Weights) -> Weights | None:
    """Return queries times the scale, rounded once: a machine's product is that too, if its type has the scale."""
    if tensor is None:
        return None
    A, scale = weights.A, plan.scale
    product = partial(np.multiply, dtype=A.stored if A.contains(scale) else np.float64, casting="same_kind")
    return filled(weights.given(tensor), A.stored, lambda out, queries: product(queries, scale, out=out))


def _cut(rows: Weights | None, count: int, axes: int) -> Sequence[Weights | None]:
    """Return the rows of each head, or group of heads; `axes` is how many axes these have."""
    if rows is None:
        return [None] * count
    parts = rows.reshape(count, -1, rows.shape[-1]) if axes == 2 else rows.reshape(count, -1)
    return [immutable(part) for part in parts]


def _norm(norm: NormPlan, weights: _Weights) -> Norm:
    gain, bias = weights.of(norm.gain), weights.of(norm.bias)
    return RMSNorm(norm.eps, gain) if bias is None else LayerNorm(norm.eps, gain, bias)
