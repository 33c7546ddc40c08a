"""Training in a finite arithmetic with hard attention, so that what comes out can be taken apart exactly.

Forward, the weights and the result of every single operation are rounded as the arithmetic rounds them; backward,
rounding counts for nothing (straight through). Attention is soft at first, and becomes sharper. From half of the steps
on every head takes the rightmost best position forward, and the softmax's gradient backward: what is computed then is,
bit for bit, what the transformer computes that leaves training. That is in the arithmetic, with `RightmostHard`.
"""

import math
from dataclasses import replace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from weightsmith.arithmetic import Arithmetic, Array, Saturating
from weightsmith.errors import InputError, brief
from weightsmith.model import Block, RightmostHard, Transformer
from weightsmith.rewrites import to_arithmetic
from weightsmith.train import module
from weightsmith.train.module import Model
from weightsmith.train.settings import Shape

POSITIONS = ("relative", "table", "none")
MOST_BITS = 16  # so that float32 holds every member and every sum of two
LARGER = 1.8  # than in other trainings, of the weights at the beginning
RELATIVE_DEVIATION = 0.5  # of what belongs to distances
SHARPEST = 64.0  # what scores are multiplied by before attention becomes hard
NEAREST = 0.5  # what they then lose with each step to the left, since of equals the rightmost counts


class _Straight(torch.autograd.Function):
    """A value instead of another, whose gradient it gets."""

    @staticmethod
    def forward(ctx: Any, differentiable: Tensor, value: Tensor) -> Tensor:
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], None


def straight(differentiable: Tensor, value: Array) -> Tensor:
    """Return a value, and let gradients go to what it stands for."""
    result: Tensor = _Straight.apply(differentiable, torch.from_numpy(value).to(differentiable))  # type: ignore[no-untyped-call]
    return result


def _array(x: Tensor) -> Array:
    return cast(Array, x.detach().double().numpy())


class ExactModel(Model):
    """A model that computes in a finite arithmetic."""

    def __init__(self, shape: Shape, vocabulary: int, classes: int | None, dropout: float, A: Arithmetic) -> None:
        """Make the parts; refuse what has no exact counterpart."""
        _check(shape, dropout, A)
        super().__init__(shape, vocabulary, classes)
        self.arithmetic, self.hard, self.sharpness, self.nearness = A, False, 1.0, 0.0

    def _begin(self, deviation: float) -> None:
        """Begin with larger weights, which rounding does not make 0."""
        super()._begin(LARGER * deviation)
        for block in self.blocks if self.shape.positions == "relative" else ():
            attention = cast(module.Block, block).attention
            for table in (attention.keys, attention.values):
                nn.init.normal_(table, std=RELATIVE_DEVIATION)

    def before_step(self, step: int, steps: int) -> None:
        """Attend hard from half of the steps on; until then ever more sharply, and ever more to the right of equals."""
        self.hard = 2 * step >= steps
        share = 0.0 if self.hard else 2 * step / steps
        self.sharpness, self.nearness = SHARPEST**share, NEAREST * share

    def rounded(self, x: Tensor) -> Tensor:
        """Return the nearest members."""
        return straight(x, self.arithmetic.round(_array(x)))

    def added(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊕ y."""
        return self.rounded(x + y)

    def linear(self, x: Tensor, weight: Tensor, bias: Tensor | None) -> Tensor:
        """Return W x ⊕ b with rounded weights."""
        A, W = self.arithmetic.core, self.rounded(weight)
        b = None if bias is None else self.rounded(bias)
        close = functional.linear(x, W, b)
        exact = A.matvec(_array(W), _array(x))
        return straight(close, exact if b is None else A.add(exact, _array(b)))

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits at every position."""
        h = self.rounded(self.embedding.weight)[ids]
        if self.positions is not None:
            h = self.added(h, self.rounded(self.positions.weight)[: ids.shape[-1]])
        for block in self.blocks:
            h = self._block(cast(module.Block, block), h)
        return self.linear(h, self.embedding.weight if self.output is None else self.output.weight, None)

    def _block(self, block: module.Block, h: Tensor) -> Tensor:
        h = self.added(h, self._attention(block.attention, h))
        layer = block.feed_forward
        z = functional.relu(self.linear(h, layer.keys.weight, layer.keys.bias))
        if layer.gate is not None:
            z = self.rounded(z * self.linear(h, layer.gate.weight, layer.gate.bias))
        return self.added(h, self.linear(z, layer.values.weight, layer.values.bias))

    def _attention(self, attention: module.Attention, h: Tensor) -> Tensor:
        batch, length, _ = h.shape
        scale = 1 / math.sqrt(attention.size)  # it stands in the queries, as in the transformer
        weight, bias = (_with_scale(each, scale) for each in (attention.read.weight, attention.read.bias))
        assert weight is not None
        read = self.linear(h, weight, bias)
        q, k, v = read.view(batch, length, 3, attention.heads, attention.size).permute(2, 0, 3, 1, 4)
        distance = self.geometry.distances(length)
        relative = attention.positions == "relative"
        offsets = [self.rounded(table)[:, distance] for table in (attention.keys, attention.values)] if relative else []
        looked = self._weights(self._scores(q, k, offsets[0] if relative else None))
        return self._gathered(attention, self._mixed(looked, v, offsets[1] if relative else None))

    def _gathered(self, attention: module.Attention, mixed: Tensor) -> Tensor:
        """Return what the heads add together: W_O of each, folded in their order, and the bias."""
        A, W = self.arithmetic.core, self.rounded(attention.write.weight)
        b = None if attention.write.bias is None else self.rounded(attention.write.bias)
        close = functional.linear(mixed.transpose(1, 2).flatten(2), W, b)
        total = np.zeros(1)
        for own, part in zip(W.chunk(attention.heads, dim=1), mixed.unbind(1), strict=True):
            total = A.add(total, A.matvec(_array(own), _array(part)))
        return straight(close, total if b is None else A.add(total, _array(b)))

    def _scores(self, q: Tensor, k: Tensor, offsets: Tensor | None) -> Tensor:
        """Return ⟨q_i, k_j⟩, or ⟨q_i, k_j ⊕ the key of the distance⟩, (batch, heads, positions, positions)."""
        close = q @ k.transpose(-1, -2)
        if offsets is not None:
            close = close + torch.einsum("bhid,hijd->bhij", q, offsets)
        A, keys = self.arithmetic.core, _array(k)[..., np.newaxis, :, :]
        keys = keys if offsets is None else A.add(keys, _array(offsets))
        return straight(close, A.dot(_array(q)[..., :, np.newaxis, :], keys))

    def _mixed(self, weights: Tensor, v: Tensor, offsets: Tensor | None) -> Tensor:
        """Return Σ weight ⊗ value; where weights are hard, that is one of the values."""
        close = weights @ v
        if offsets is not None:
            close = close + torch.einsum("bhij,hijd->bhid", weights, offsets)
        return self.rounded(close)

    def _weights(self, scores: Tensor) -> Tensor:
        """Return the weights of a softmax, or of the rightmost best position with the softmax's gradient."""
        length = scores.shape[-1]
        hidden = torch.ones(length, length, dtype=torch.bool).triu(1)
        scores, places = scores.masked_fill(hidden, -math.inf), torch.arange(length)
        soft = (self.sharpness * scores + self.nearness * places).softmax(-1)
        if not self.hard:
            return soft
        place = length - 1 - scores.flip(-1).argmax(-1)  # argmax gives the first of equals
        return straight(soft, functional.one_hot(place, length).double().numpy())


def _with_scale(read: Tensor | None, scale: float) -> Tensor | None:
    """Return what reads queries, keys and values, the first times a scale: computed in float64, as in `convert`."""
    if read is None:
        return None
    queries, others = read.tensor_split([len(read) // 3])
    return torch.cat([(queries.double() * scale).to(read), others])


def exactly(T: Transformer, trained: ExactModel) -> Transformer:
    """Return a transformer in the arithmetic that it was trained in, with hard attention if it was trained with it."""
    S = to_arithmetic(T, trained.arithmetic)
    return replace(S, blocks=tuple(_hard(block) for block in S.blocks)) if trained.hard else S


def _hard(block: Block) -> Block:
    assert block.attention is not None
    heads = tuple(replace(head, weighting=RightmostHard()) for head in block.attention.heads)
    return replace(block, attention=replace(block.attention, heads=heads))


def _check(shape: Shape, dropout: float, A: Any) -> None:
    if not isinstance(A, Saturating):
        raise InputError(f"exact={brief(A)}: write a finite arithmetic, such as Fixed(3, 3)")
    if A.bits > MOST_BITS:
        raise InputError(f"exact={brief(A)} has {A.bits} bits, more than a training carries: write Fixed(3, 3)")
    if not A.contains(1.0):
        raise InputError(f"exact={brief(A)}: hard attention has weights of 1, which is no member: write Fixed(3, 3)")
    if shape.norm != "none":
        raise InputError(f"exact training has no norms, and this shape has norm={shape.norm!r}: write norm='none'")
    if shape.activation not in ("relu", "reglu"):
        raise InputError(f"exact training has no {shape.activation}: write activation='relu' or 'reglu'")
    if shape.positions not in POSITIONS:
        raise InputError(
            f"exact training has no {shape.positions} positions: write positions='relative', 'table' or 'none'"
        )
    if dropout:
        raise InputError(f"exact training leaves nothing out, and dropout={dropout:g}: write dropout=0")
