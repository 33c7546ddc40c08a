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
    weights, table = _Weights(A), plan.positions
    embedding = frozen_array(weights.given(plan.embedding), "embedding", 2)  # now, so that what was read can go
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

    def of(self, tensor: Tensor | None) -> Numbers | None:
        """Return the numbers of a tensor, rounded where they have more digits than the arithmetic."""
        if tensor is None:
            return None
        numbers = tensor.read()
        return numbers if numbers.dtype.itemsize * 8 <= self.A.bits else self.A.round(numbers)

    def given(self, tensor: Tensor) -> Numbers:
        """Return those of a tensor that must be there."""
        numbers = self.of(tensor)
        assert numbers is not None
        return numbers

    def both(self, linear: Linear | None) -> tuple[Numbers | None, Numbers | None]:
        """Return a matrix and its bias."""
        return (None, None) if linear is None else (self.of(linear.weight), self.of(linear.bias))


def _check_same(copy: Tensor, weights: _Weights, embedding: Array) -> None:
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
    W_Q, b_Q = (_cut(_scaled(part, plan, weights), plan.heads) for part in (block.queries.weight, block.queries.bias))
    (W_K, b_K), (W_V, b_V) = (
        [_cut(numbers, plan.groups, shared=plan.groups < plan.heads) for numbers in weights.both(part)]
        for part in (block.keys, block.values)
    )
    W_O = np.split(weights.given(block.mixed.weight), plan.heads, axis=1)
    for i in range(plan.heads):
        g, out = i * plan.groups // plan.heads, np.ascontiguousarray(W_O[i])
        yield Head(W_Q[i], W_K[g], W_V[g], out, SHIFTED, b_Q[i], b_K[g], b_V[g])  # type: ignore[arg-type]


def _scaled(tensor: Tensor | None, plan: Plan, weights: _Weights) -> Numbers | None:
    return None if tensor is None else weights.A.round(tensor.read().astype(np.float64) * plan.scale)


def _cut(rows: Numbers | None, count: int, shared: bool = False) -> list[Numbers | None]:
    """Return the rows of each of several heads, or groups of them; those that are shared as a model keeps them."""
    if rows is None:
        return [None] * count
    parts = np.split(rows, count)
    return [frozen_array(part, "keys and values", rows.ndim) for part in parts] if shared else list(parts)


def _norm(norm: NormPlan, weights: _Weights) -> Norm:
    gain, bias = weights.of(norm.gain), weights.of(norm.bias)
    return RMSNorm(norm.eps, gain) if bias is None else LayerNorm(norm.eps, gain, bias)
