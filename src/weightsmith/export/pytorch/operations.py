"""The operations of the modules of `to_torch`: plain, in the machine's floats, or exact, in a finite arithmetic."""

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from weightsmith.arithmetic import Arithmetic, Native, Saturating
from weightsmith.arithmetic.core import Elementary
from weightsmith.arithmetic.elementary import table
from weightsmith.arithmetic.saturating import TABLE_BITS
from weightsmith.errors import ModelError
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations, Places
from weightsmith.export.hugging_face.hub.steps_weightsmith import Description, Steps
from weightsmith.export.pytorch.rounding import Rounding
from weightsmith.model import Softmax, Transformer
from weightsmith.semantics.attention import EMPTY_ERROR, UNSEEN_ERROR
from weightsmith.semantics.layers import ROOT_ERROR

NEAR = 1 << 14  # numbers that stay in a near cache of a CPU while they are worked on


def operations_of(T: Transformer, exact: bool, saturate: bool) -> "Plain":
    """Return the operations that a module computes with."""
    if not exact:
        return Plain(T.arithmetic, saturate)
    assert isinstance(T.arithmetic, Saturating)
    functions: set[Elementary] = set()
    for block in T.blocks:
        if block.feed_forward is not None and block.feed_forward.function != "relu":
            functions.add(block.feed_forward.function)
        heads = block.attention.heads if block.attention is not None else ()
        if any(isinstance(head.weighting, Softmax) for head in heads):
            functions.add("exp")
    return Exact(T.arithmetic, functions)


class Plain(Operations):
    """Sums in whatever order the machine likes; with `saturate` they end where those of the arithmetic do.

    exp(score) is 0 where it would round to 0, so that a head looks nowhere else, and maybe nowhere at all; and neither
    exp(score) nor the sum of them goes beyond ∞, which is how a head adds up instead of taking the mean.
    """

    def __init__(self, arithmetic: Arithmetic, saturate: bool) -> None:
        """Take the ends of an arithmetic."""
        super().__init__(arithmetic.infinity if saturate and not isinstance(arithmetic, Native) else None)
        self.arithmetic = arithmetic

    def attend(
        self, heads: Any, q: Tensor, k: Tensor, v: Tensor, where: Places, wanted: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Attend by PyTorch's own function where weights are not wanted, and nothing is added by distance."""
        weighting = heads.weighting
        softmax = weighting["kind"] == "softmax"
        if softmax and heads.strict and weighting["empty"] == "error":
            raise ModelError(UNSEEN_ERROR.format(f"block {heads.block}, head {heads.first}", 0))
        every = not heads.strict and heads.window is None  # of the positions that the mask leaves
        simple = softmax and not wanted and every and heads.key_offsets is None and heads.value_offsets is None
        if not simple or not q.shape[-1] or not v.shape[-1] or self._may_end(heads, q, k):
            return super().attend(heads, q, k, v, where, wanted)
        if heads.penalties is None:
            causal = bool(heads.causal)
            return functional.scaled_dot_product_attention(q, k, v, is_causal=causal, scale=1.0), None
        bias = self.by_distance(heads.penalties, where).masked_fill(~where.visible, -math.inf)
        return functional.scaled_dot_product_attention(q, k, v, bias, scale=1.0), None

    def _may_end(self, heads: Any, q: Tensor, k: Tensor) -> bool:
        """Return whether an exponential, or their sum, could reach an end: no score is beyond |q|·|k|."""
        shifted, low = heads.weighting["shifted"], heads.weighting["low"]
        if self.infinity is None and (shifted or low == -math.inf):
            return False  # what vanishes, vanishes by itself
        if heads.penalties is not None or torch.compiler.is_compiling() or (self.infinity or 1) < 1:
            return True  # a weight of 1 may be beyond ∞
        largest = float(q.detach().norm(dim=-1).max() * k.detach().norm(dim=-1).max())
        lowest, highest = (-2 * largest, 0.0) if shifted else (-largest, largest)
        if not lowest > low:
            return True
        return self.infinity is not None and (
            highest + math.log(q.shape[-2]) > math.log(self.infinity) or largest > self.infinity
        )

    def refuse_empty(self, empty: Tensor, real: Tensor, largest: Tensor, visible: Tensor, heads: Any) -> None:
        """Raise an error for a softmax (inputs, heads, positions, 1) whose exponentials are all 0."""
        if not torch.compiler.is_compiling() and bool(empty.any()):
            where = empty.nonzero()[0]
            name = f"block {heads.block}, head {heads.first + int(where[-3])}"
            top = float(largest.detach()[tuple(where)])
            raise ModelError(EMPTY_ERROR.format(name, int(where[-2]), self.arithmetic, top))


class Exact(Plain, nn.Module):
    """A finite arithmetic: every operation is rounded, every sum is a left fold in index order.

    Equal to the reference run bit for bit. Functions such as exp are looked up among all members, on any device, where
    the arithmetic has at most 16 bits; in wider ones the arithmetic's own function computes them, on the CPU.
    """

    arithmetic: Saturating
    members: Tensor

    def __init__(self, arithmetic: Saturating, functions: set[Elementary]) -> None:
        """Make the tables of these functions."""
        nn.Module.__init__(self)
        Plain.__init__(self, arithmetic, True)
        self.rounding = Rounding(arithmetic)
        self.tabled = arithmetic.bits <= TABLE_BITS and bool(functions)
        if self.tabled:
            for name in sorted(functions):
                members, values = table(name, arithmetic)
                self.register_buffer("members", torch.from_numpy(np.array(members)), persistent=False)
                self.register_buffer(f"{name}_of_members", torch.from_numpy(np.array(values)), persistent=False)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊕ y."""
        return self.rounding.nearest_sum(x + y)

    def subtract(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊖ y."""
        return self.rounding.nearest_sum(x - y)

    def multiply(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊗ y."""
        return self.rounding.nearest_product(x * y)

    def divide(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x ⊘ y for y other than 0."""
        return self.rounding.nearest(x / y)

    def rounded(self, x: Tensor) -> Tensor:
        """Return the nearest members."""
        return self.rounding.nearest(x.clone())

    def sum(self, x: Tensor) -> Tensor:
        """Return the left fold along the last axis, (…, 1)."""
        total = torch.zeros_like(x[..., :1]) if x.shape[-1] == 0 else x[..., :1]
        for j in range(1, x.shape[-1]):
            total = self.rounding.nearest_sum(total + x[..., j : j + 1])
        return total

    def linear(self, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return W x ⊕ b: a fold over the columns, of which those that are 0 change nothing."""
        columns, used = W.T.contiguous(), W.any(0).nonzero()[:, 0].tolist()
        rows = x.flatten(0, -2)
        at_once = max(1, NEAR // max(len(W), 1)) if x.device.type == "cpu" else len(rows)
        parts = [self._fold(some, columns, used, b) for some in torch.split(rows, at_once)]
        return torch.cat(parts).reshape(*x.shape[:-1], len(W))

    def _fold(self, x: Tensor, columns: Tensor, used: list[int], b: Tensor | None) -> Tensor:
        rounding, total = self.rounding, x.new_zeros(len(x), columns.shape[1])
        for j in used:
            total = rounding.nearest_sum(total.add_(rounding.nearest_product(x[:, j : j + 1] * columns[j])))
        return total if b is None else rounding.nearest_sum(total.add_(b))

    def activate(self, name: str, x: Tensor) -> Tensor:
        """Return an activation of x."""
        return x.clamp_min(0.0) if name == "relu" else self.elementary(name, x)

    def elementary(self, name: Any, x: Tensor) -> Tensor:
        """Return a function of members."""
        if self.tabled:
            values: Tensor = getattr(self, f"{name}_of_members")
            return values[torch.searchsorted(self.members, x.contiguous())]
        computed = self.arithmetic._elementary(name, x.detach().cpu().numpy())
        return torch.from_numpy(computed).to(x.device)

    norm = Steps.norm

    def root(self, norm: Any, x: Tensor) -> Tensor:
        """Return the square root (inputs, positions, 1) that a norm divides by; refuse 0."""
        root, A = self.rounding.nearest(x.sqrt()), self.arithmetic
        wrong = (root == 0).nonzero()
        if len(wrong):
            raise ModelError(ROOT_ERROR.format(norm.name, int(wrong[0][-2]), norm.written_eps, A, A.smallest))
        return root

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None, where: Places) -> Tensor:
        """Return ⟨q, k ⊕ a⟩: a fold over the coordinates of keys."""
        spread = None if offsets is None else self.by_distance(offsets, where)
        total = q.new_zeros(*q.shape[:-1], k.shape[-2])
        for c in range(q.shape[-1]):
            key = k[..., None, :, c] if spread is None else self.add(k[..., None, :, c], spread[..., c])
            total = self.add(total, self.multiply(q[..., :, None, c], key))
        return total

    def mix(self, weights: Tensor, v: Tensor, offsets: Tensor | None, where: Places) -> Tensor:
        """Return Σ weight ⊗ (v ⊕ a): a fold over positions."""
        spread = None if offsets is None else self.by_distance(offsets, where)
        mixed = v.new_zeros(*weights.shape[:-1], v.shape[-1])
        for j in range(v.shape[-2]):
            value = v[..., j : j + 1, :]
            value = value if spread is None else self.add(value, spread[..., :, j, :])
            mixed = self.add(mixed, self.multiply(weights[..., :, j, None], value))
        return mixed

    def outputs(self, mixed: Tensor, W_O: Tensor) -> list[Tensor]:
        """Return what each head adds."""
        own = W_O.chunk(mixed.shape[1], dim=1)
        return [self.linear(head, W, None) for head, W in zip(mixed.unbind(1), own, strict=True)]

    def attend(
        self, heads: Any, q: Tensor, k: Tensor, v: Tensor, where: Places, wanted: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Attend step by step, whether weights are wanted or not."""
        return super().attend(heads, q, k, v, where, True)

    def exponentials(
        self, weighting: Description, scores: Tensor, visible: Tensor, largest: Tensor
    ) -> tuple[Tensor, Tensor]:
        """Return exp(score), 0 where nothing is visible, and their sum."""
        e = self.elementary("exp", scores.masked_fill(~visible, 0.0)).masked_fill(~visible, 0.0)
        return e, self.sum(e)
