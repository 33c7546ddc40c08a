"""From a plan to a transformer: here the weights are read, one tensor after the other."""

from collections.abc import Iterator, Sequence

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import FileError
from weightsmith.export.reading.plan import BlockPlan, Linear, NormPlan, Plan
from weightsmith.export.reading.tensors import Numbers, Tensor
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
from weightsmith.model.frozen import frozen_array

SHIFTED = Softmax(shifted=True)  # as everybody computes it


def assembled(
    plan: Plan, A: Native, vocabulary: Sequence[str], tokenizer: str, provenance: Sequence[str]
) -> Transformer:
    """Read the weights of a plan into a transformer. 1/√d goes into the queries, which are rounded once for it."""
    weights = _Weights(A)
    embedding = weights.frozen(plan.embedding)
    _check_tied(plan, weights, embedding)
    table = plan.positions
    return Transformer(
        arithmetic=A,
        vocabulary=vocabulary,
        lanes=tuple(f"x{lane}" for lane in range(embedding.shape[1])),
        embedding=embedding,
        positions=PositionTable(weights.frozen(table)) if isinstance(table, Tensor) else table,
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

    def of(self, tensor: Tensor | None) -> Numbers | None:
        """Return the numbers of a tensor, rounded where they have more digits than the arithmetic."""
        if tensor is None:
            return None
        numbers = tensor.read()
        return numbers if numbers.dtype.itemsize * 8 <= self.A.bits else self.A.round(numbers)

    def frozen(self, tensor: Tensor) -> Array:
        """Return them as a model keeps them: several parts can then share them."""
        return frozen_array(self.of(tensor), tensor.name, len(tensor.place.shape))  # type: ignore[arg-type]

    def both(self, linear: Linear | None) -> tuple[Numbers | None, Numbers | None]:
        """Return a matrix and its bias."""
        return (None, None) if linear is None else (self.of(linear.weight), self.of(linear.bias))


def _check_tied(plan: Plan, weights: _Weights, embedding: Array) -> None:
    copy = plan.output.weight if plan.output.tied else None
    if copy is not None and not np.array_equal(weights.of(copy), embedding):  # type: ignore[arg-type]
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
    """Cut the matrices into heads. Those of one group have the very same arrays for keys and values."""
    queries, shifts = (_scaled(part, plan, weights) for part in (block.queries.weight, block.queries.bias))
    W_Q, b_Q = _cut(queries, plan.heads, "W_Q"), _cut(shifts, plan.heads, "b_Q")
    (W_K, b_K), (W_V, b_V) = (
        [_cut(weights.of(part), plan.groups, name) for part in (linear.weight, linear.bias)]
        for name, linear in (("W_K", block.keys), ("W_V", block.values))
    )
    mixed = weights.of(block.mixed.weight)
    assert mixed is not None
    W_O = _cut(mixed.T, plan.heads, "W_O", turned=True)
    for i in range(plan.heads):
        g = i * plan.groups // plan.heads
        yield Head(W_Q[i], W_K[g], W_V[g], W_O[i], SHIFTED, b_Q[i], b_K[g], b_V[g])  # type: ignore[arg-type]


def _scaled(tensor: Tensor | None, plan: Plan, weights: _Weights) -> Numbers | None:
    return None if tensor is None else weights.A.round(tensor.read().astype(np.float64) * plan.scale)


def _cut(rows: Numbers | None, count: int, name: str, turned: bool = False) -> list[Array | None]:
    """Return the rows of each of several heads, frozen; with `turned` as columns."""
    if rows is None:
        return [None] * count
    parts = np.split(rows, count)
    return [frozen_array(part.T if turned else part, name, rows.ndim) for part in parts]


def _norm(norm: NormPlan, weights: _Weights) -> Norm:
    gain, bias = weights.of(norm.gain), weights.of(norm.bias)
    return RMSNorm(norm.eps, gain) if bias is None else LayerNorm(norm.eps, gain, bias)
