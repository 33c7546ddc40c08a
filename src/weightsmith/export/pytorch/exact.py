"""A finite arithmetic on tensors: every operation is rounded, every sum is a left fold in index order."""

from typing import TYPE_CHECKING

import numpy as np
import torch
from torch import Tensor

from weightsmith.arithmetic import Activation, Saturating
from weightsmith.arithmetic.core import Elementary
from weightsmith.arithmetic.elementary import table
from weightsmith.arithmetic.saturating import TABLE_BITS
from weightsmith.export.pytorch.geometry import Geometry
from weightsmith.export.pytorch.machine import Machine
from weightsmith.export.pytorch.plain import chosen
from weightsmith.export.pytorch.rounding import Rounding
from weightsmith.model import AverageHard, LeftmostHard, Softmax

if TYPE_CHECKING:
    from weightsmith.export.pytorch.parts import Heads, Norm

NEAR = 1 << 14  # numbers that stay in a near cache of a CPU while they are worked on


class Exact(Machine):
    """Equal to the reference run bit for bit.

    Functions such as exp are looked up among all members, on any device, where the arithmetic has at most 16 bits; in
    wider ones the arithmetic's own function computes them, on the CPU.
    """

    arithmetic: Saturating
    members: Tensor

    def __init__(self, arithmetic: Saturating, functions: set[Elementary]) -> None:
        """Make the tables of these functions."""
        super().__init__()
        self.arithmetic, self.rounding = arithmetic, Rounding(arithmetic)
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

    def sum(self, x: Tensor) -> Tensor:
        """Return the left fold along the last axis, (…, 1)."""
        total = torch.zeros_like(x[..., :1]) if x.shape[-1] == 0 else x[..., :1]
        for j in range(1, x.shape[-1]):
            total = self.rounding.nearest_sum(total + x[..., j : j + 1])
        return total

    def linear(self, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return W x ⊕ b: a fold over the columns, of which those that are 0 change nothing."""
        columns, places = W.T.contiguous(), W.any(0).nonzero()[:, 0].tolist()
        rows = x.flatten(0, -2)
        at_once = max(1, NEAR // max(len(W), 1)) if x.device.type == "cpu" else len(rows)
        parts = [self._fold(some, columns, places, b) for some in torch.split(rows, at_once)]
        return torch.cat(parts).reshape(*x.shape[:-1], len(W))

    def _fold(self, x: Tensor, columns: Tensor, places: list[int], b: Tensor | None) -> Tensor:
        rounding, total = self.rounding, x.new_zeros(len(x), columns.shape[1])
        for j in places:
            total = rounding.nearest_sum(total.add_(rounding.nearest_product(x[:, j : j + 1] * columns[j])))
        return total if b is None else rounding.nearest_sum(total.add_(b))

    def activate(self, function: Activation, x: Tensor) -> Tensor:
        """Return an activation of x."""
        return x.clamp_min(0.0) if function == "relu" else self.elementary(function, x)

    def elementary(self, name: Elementary, x: Tensor) -> Tensor:
        """Return a function of members."""
        if self.tabled:
            values: Tensor = getattr(self, f"{name}_of_members")
            return values[torch.searchsorted(self.members, x.contiguous())]
        computed = self.arithmetic._elementary(name, x.detach().cpu().numpy())
        return torch.from_numpy(computed).to(x.device)

    def norm(self, norm: "Norm", x: Tensor) -> Tensor:
        """Return vectors, normalised step by step."""
        A = self.arithmetic
        size, eps = (x.new_tensor(float(A.round(number))) for number in (x.shape[-1], norm.eps))
        if norm.centred:
            x = self.subtract(x, self.divide(self.sum(x), size))
        spread = self.divide(self.sum(self.multiply(x, x)), size)
        root = self.rounding.nearest(self.add(spread, eps).sqrt())
        self.refuse_zero_root(norm, root)
        y = self.divide(x, root)
        if norm.gain is not None:
            y = self.multiply(y, norm.gain)
        return y if norm.bias is None else self.add(y, norm.bias)

    def gathered(self, total: Tensor | None, mixed: Tensor, W_O: Tensor) -> Tensor:
        """Return the total with what each head adds, in their order."""
        for head, own in zip(mixed.unbind(-3), W_O.chunk(mixed.shape[-3], dim=1), strict=True):
            output = self.linear(head, own, None)
            total = output if total is None else self.add(total, output)
        assert total is not None
        return total

    def attend(
        self, heads: "Heads", q: Tensor, k: Tensor, v: Tensor, geometry: Geometry
    ) -> tuple[Tensor, Tensor | None]:
        """Attend: scores fold over the coordinates of keys, what is mixed folds over positions."""
        self.refuse_unseen(heads)
        scores = q.new_zeros(*q.shape[:-1], k.shape[-2])
        offsets = _spread(heads.key_offsets(geometry), geometry)
        for c in range(q.shape[-1]):
            key = k[..., None, :, c]
            if offsets is not None:
                key = self.add(key, offsets[..., c])
            scores = self.add(scores, self.multiply(q[..., :, None, c], key))
        penalty = heads.penalty(geometry)
        if penalty is not None:
            scores = self.add(scores, penalty)
        weights = self._weights(heads, scores, geometry.visible(heads.strict))
        mixed = v.new_zeros(*q.shape[:-1], v.shape[-1])
        offsets = _spread(heads.value_offsets(geometry), geometry)
        for j in range(v.shape[-2]):
            value = v[..., j : j + 1, :]
            if offsets is not None:
                value = self.add(value, offsets[..., :, j, :])
            mixed = self.add(mixed, self.multiply(weights[..., :, j, None], value))
        return mixed, weights

    def _weights(self, heads: "Heads", scores: Tensor, visible: Tensor) -> Tensor:
        weighting, A = heads.weighting, self.arithmetic
        largest = scores.masked_fill(~visible, -torch.inf).amax(-1, keepdim=True)
        largest = largest.masked_fill(~visible.any(-1, keepdim=True), 0.0)  # whoever sees nothing has no largest score
        if not isinstance(weighting, Softmax):
            best = visible & (scores == largest)
            if isinstance(weighting, AverageHard):
                return best * self._equal_part(best)
            return chosen(best, leftmost=isinstance(weighting, LeftmostHard)) * float(A.round(1.0))
        shown = scores.masked_fill(~visible, 0.0)
        e = self.elementary("exp", self.subtract(shown, largest) if weighting.shifted else shown)
        e = e.masked_fill(~visible, 0.0)
        z = self.sum(e)
        empty = z == 0
        weights = self.divide(e, z.masked_fill(empty, A.infinity))
        if weighting.empty == "error":
            self.refuse_empty(heads, empty, largest)
        if weighting.empty == "uniform":
            weights = torch.where(empty & visible, self._equal_part(visible), weights)
        return weights

    def _equal_part(self, picked: Tensor) -> Tensor:
        """Return 1/m for the m picked of each row, rounded once; 1 where none is."""
        return self.rounding.nearest(1 / picked.sum(-1, keepdim=True, dtype=torch.float64).clamp(min=1))


def _spread(offsets: Tensor | None, geometry: Geometry) -> Tensor | None:
    return None if offsets is None else geometry.by_distance(offsets)
