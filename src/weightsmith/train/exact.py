"""Training in a finite arithmetic with hard attention, for transformers that can be analysed exactly.

Forward, the weights and the result of every single operation are rounded as the arithmetic rounds them; the backward
pass ignores rounding (straight-through). Attention is soft at first, and becomes sharper. From half of the steps
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

from weightsmith import model as ws
from weightsmith.arithmetic import Arithmetic, Array, Saturating
from weightsmith.errors import InputError, brief
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations, Places
from weightsmith.model import RightmostHard, Transformer
from weightsmith.rewrites import to_arithmetic
from weightsmith.train.module import Attention, Block, Learning, Model
from weightsmith.train.settings import Shape

POSITIONS = ("relative", "table", "none")
MOST_BITS = 16  # so that float32 holds every member and every sum of two
LARGER = 1.8  # than in other trainings, of the weights at the beginning
RELATIVE_DEVIATION = 0.5  # of what belongs to distances
SHARPEST = 64.0  # what scores are multiplied by before attention becomes hard
NEAREST = 0.5  # subtracted from scores with each step to the left, because ties go to the rightmost


class _Straight(torch.autograd.Function):
    """A value in place of another, which gets its gradient."""

    @staticmethod
    def forward(ctx: Any, differentiable: Tensor, value: Tensor) -> Tensor:
        return value.clone()

    @staticmethod
    def backward(ctx: Any, *gradients: Any) -> Any:
        return gradients[0], None


def straight(differentiable: Tensor, value: Array) -> Tensor:
    """Return a value that passes gradients to a differentiable one (straight-through)."""
    result: Tensor = _Straight.apply(differentiable, torch.from_numpy(value).to(differentiable))  # type: ignore[no-untyped-call]
    return result


def _array(x: Tensor) -> Array:
    return cast(Array, x.detach().double().numpy())


class StraightThrough(Learning):
    """The operations of a finite arithmetic, whose gradients are those of the floats nearby.

    Soft attention has scores times `sharpness`, and `nearness` more with each step to the right. Hard attention takes
    the rightmost best position, with the softmax's gradient.
    """

    def __init__(self, arithmetic: Arithmetic) -> None:
        """Begin with soft attention."""
        super().__init__()
        self.arithmetic, self.hard, self.sharpness, self.nearness = arithmetic, False, 1.0, 0.0

    def within(self, x: Tensor) -> Tensor:
        """Return the nearest members."""
        return straight(x, self.arithmetic.round(_array(x)))

    def linear(self, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return W x ⊕ b with rounded weights."""
        A, W = self.arithmetic.core, self.within(W)
        b = None if b is None else self.within(b)
        exact = A.matvec(_array(W), _array(x))
        return straight(functional.linear(x, W, b), exact if b is None else A.add(exact, _array(b)))

    def embed(self, table: Tensor, ids: Tensor) -> Tensor:
        """Return the rows of a rounded table."""
        return self.within(table)[ids]

    def at_positions(self, table: Tensor, where: Places, by_head: bool = False) -> Tensor:
        """Return the first rows of a rounded table."""
        return self.within(table)[: where.length]

    def projected(self, heads: Attention, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values; 1/√size stands in the queries, as in the transformer."""
        scale = 1 / math.sqrt(heads.size)
        weight, bias = (_with_scale(each, scale) for each in (heads.read.weight, heads.read.bias))
        assert weight is not None
        return heads.split(self.linear(h, weight, bias))

    def attend(
        self, heads: Attention, q: Tensor, k: Tensor, v: Tensor, where: Places, wanted: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Attend step by step."""
        return Operations.attend(self, heads, q, k, v, where, wanted)

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None, where: Places) -> Tensor:
        """Return ⟨q, k ⊕ a⟩, (inputs, heads, positions, positions)."""
        close, A, keys = q @ k.transpose(-1, -2), self.arithmetic.core, _array(k)[..., np.newaxis, :, :]
        if offsets is not None:
            spread = self.by_distance(self.within(offsets), where)
            close, keys = close + torch.einsum("bhid,hijd->bhij", q, spread), A.add(keys, _array(spread))
        return straight(close, A.dot(_array(q)[..., :, np.newaxis, :], keys))

    def mix(self, weights: Tensor, v: Tensor, offsets: Tensor | None, where: Places) -> Tensor:
        """Return Σ weight ⊗ (v ⊕ a); where weights are hard, that is one of the values."""
        close = weights @ v
        if offsets is not None:
            spread = self.by_distance(self.within(offsets), where)
            close = close + torch.einsum("bhij,hijd->bhid", weights, spread)
        return self.within(close)

    def gather(self, mixed: list[tuple[Tensor, Tensor]], b_O: Tensor | None, h: Tensor) -> Tensor:
        """Return W_O times what each head mixed, folded in their order, plus b_O."""
        ((heads, W_O),) = mixed
        A, W, b = self.arithmetic.core, self.within(W_O), None if b_O is None else self.within(b_O)
        total = np.zeros(1)
        for own, part in zip(W.chunk(heads.shape[1], dim=1), heads.unbind(1), strict=True):
            total = A.add(total, A.matvec(_array(own), _array(part)))
        close = functional.linear(heads.transpose(1, 2).flatten(2), W, b)
        return straight(close, total if b is None else A.add(total, _array(b)))

    def weigh(self, weighting: Any, scores: Tensor, visible: Tensor, real: Tensor, heads: Any = None) -> Tensor:
        """Return the weights of a softmax, or of the rightmost best position with the softmax's gradient."""
        length = scores.shape[-1]
        scores, here = scores.masked_fill(~visible, -math.inf), torch.arange(length)
        soft = (self.sharpness * scores + self.nearness * here).softmax(-1)
        if not self.hard:
            return soft
        place = length - 1 - scores.flip(-1).argmax(-1)  # argmax gives the first of equals
        return straight(soft, functional.one_hot(place, length).double().numpy())


class ExactModel(Model):
    """A model that computes in a finite arithmetic."""

    operations: StraightThrough

    def __init__(self, shape: Shape, vocabulary: int, classes: int | None, dropout: float, A: Arithmetic) -> None:
        """Make the parts; refuse what has no exact counterpart."""
        _check(shape, dropout, A)
        super().__init__(shape, vocabulary, classes)
        self.operations = StraightThrough(A)

    def _begin(self, deviation: float) -> None:
        """Begin with larger weights, which rounding does not make 0."""
        super()._begin(LARGER * deviation)
        for block in self.blocks if self.shape.positions == "relative" else ():
            attention = cast(Block, block).attention
            for table in (attention.keys, attention.values):
                nn.init.normal_(table, std=RELATIVE_DEVIATION)

    def before_step(self, step: int, steps: int) -> None:
        """Attend hard from half of the steps on; until then ever more sharply, and ever more to the right of equals."""
        ops = self.operations
        ops.hard = 2 * step >= steps
        share = 0.0 if ops.hard else 2 * step / steps
        ops.sharpness, ops.nearness = SHARPEST**share, NEAREST * share


def _with_scale(read: Tensor | None, scale: float) -> Tensor | None:
    """Return what reads queries, keys and values, the first times a scale: computed in float64, as in `convert`."""
    if read is None:
        return None
    queries, others = read.tensor_split([len(read) // 3])
    return torch.cat([(queries.double() * scale).to(read), others])


def exactly(T: Transformer, trained: ExactModel) -> Transformer:
    """Return a transformer in the arithmetic that it was trained in, with hard attention if it was trained with it."""
    S = to_arithmetic(T, trained.operations.arithmetic)
    return replace(S, blocks=tuple(_hard(block) for block in S.blocks)) if trained.operations.hard else S


def _hard(block: ws.Block) -> ws.Block:
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
