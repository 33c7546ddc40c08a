"""The machine's floats: no rounding of ours, no saturation, and PyTorch's own functions."""

import math
from typing import TYPE_CHECKING

import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.arithmetic import Activation, Arithmetic, Native
from weightsmith.export.pytorch.geometry import Geometry
from weightsmith.export.pytorch.machine import Machine
from weightsmith.model import AverageHard, LeftmostHard, Softmax

if TYPE_CHECKING:
    from weightsmith.export.pytorch.parts import Heads, Norm


class Plain(Machine):
    """Sums in whatever order the machine likes.

    The ends of a finite arithmetic are kept, with `saturate`: a sum stays within ±∞, where it ends. exp(score) is 0
    where it would round to 0, so that a head looks nowhere else, and maybe nowhere at all; and neither exp(score) nor
    the sum of them goes beyond ∞, which is how a head adds up instead of taking the mean.
    """

    def __init__(self, arithmetic: Arithmetic, saturate: bool) -> None:
        """Compute where the exponential ends."""
        super().__init__()
        self.arithmetic = arithmetic
        self.lowest_score, self.highest = _ends(arithmetic, saturate)

    def within(self, x: Tensor) -> Tensor:
        """Return values within ±∞, if there is one."""
        if self.highest is None:
            return x
        end = _in_type(self.highest, x)
        return x.clamp(-end, end)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x + y."""
        return self.within(x + y)

    def subtract(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x − y."""
        return self.within(x - y)

    def multiply(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x · y."""
        return self.within(x * y)

    def linear(self, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return W x + b."""
        if self.highest is None:
            return functional.linear(x, W, b)
        product = self.within(functional.linear(x, W))
        return product if b is None else self.within(product + b)

    def activate(self, function: Activation, x: Tensor) -> Tensor:
        """Return an activation of x."""
        match function:
            case "relu":
                return functional.relu(x)
            case "gelu":
                return functional.gelu(x)
            case "gelu_tanh":
                return functional.gelu(x, approximate="tanh")
            case _:
                return functional.silu(x)

    def norm(self, norm: "Norm", x: Tensor) -> Tensor:
        """Return vectors, normalised; where the square root is 0, with eps=0, that is nan."""
        if not isinstance(self.arithmetic, Native):
            return self._stepwise(norm, x)
        if norm.centred:
            return functional.layer_norm(x, x.shape[-1:], norm.gain, norm.bias, norm.eps)
        return functional.rms_norm(x, list(x.shape[-1:]), norm.gain, norm.eps)

    def _stepwise(self, norm: "Norm", x: Tensor) -> Tensor:
        """Normalise as the reference does: each step ends at ±∞, and eps and the number of lanes are members."""
        size, eps = (float(self.arithmetic.round(number)) for number in (x.shape[-1], norm.eps))
        dtype, x = x.dtype, x if x.dtype in (torch.float32, torch.float64) else x.float()  # as PyTorch's own norms do
        if norm.centred:
            x = self.subtract(x, self.within(self.within(x.sum(-1, keepdim=True)) / size))
        spread = self.within(self.within(self.multiply(x, x).sum(-1, keepdim=True)) / size)
        y = self.within(x / self.within(self.within(spread + eps).sqrt()))
        if norm.gain is not None:
            y = self.multiply(y, norm.gain)
        y = y if norm.bias is None else self.add(y, norm.bias)
        return self.within(y.to(dtype))

    def gathered(self, total: Tensor | None, mixed: Tensor, W_O: Tensor) -> Tensor:
        """Return the total with W_O times what each head mixed; where sums have ends, folded in their order."""
        if self.highest is None:
            added = functional.linear(mixed.transpose(-2, -3).flatten(-2), W_O)
            return added if total is None else total + added
        matrices = W_O.reshape(len(W_O), mixed.shape[-3], mixed.shape[-1]).permute(1, 2, 0)
        for output in self.within(mixed @ matrices).unbind(-3):
            total = output if total is None else self.add(total, output)
        assert total is not None
        return total

    def attend(
        self, heads: "Heads", q: Tensor, k: Tensor, v: Tensor, geometry: Geometry
    ) -> tuple[Tensor, Tensor | None]:
        """Attend by PyTorch's own function where weights are not asked for, and nothing is added by distance."""
        key_offsets, value_offsets = heads.key_offsets(geometry), heads.value_offsets(geometry)
        penalty = heads.penalty(geometry)
        simple = geometry.trace is None and key_offsets is None and value_offsets is None
        simple = simple and q.shape[-1] > 0 and v.shape[-1] > 0 and not heads.strict
        self.refuse_unseen(heads)
        if simple and isinstance(heads.weighting, Softmax) and not self._may_end(heads.weighting, q, k, penalty):
            return _at_once(q, k, v, penalty, geometry), None
        scores = self.within(self._scores(q, k, key_offsets, geometry))
        if penalty is not None:
            scores = self.add(scores, penalty)
        visible = geometry.visible(heads.strict)
        weights = self._weights(heads, scores, visible)
        return self.within(self._mixed(heads, weights, v, value_offsets, geometry)), weights

    def _scores(self, q: Tensor, k: Tensor, offsets: Tensor | None, geometry: Geometry) -> Tensor:
        """Return ⟨q, k ⊕ a⟩, where a key with its offset is within ±∞ before the product."""
        if offsets is None:
            return q @ k.transpose(-1, -2)
        if self.highest is None:
            by_distance = q @ offsets.transpose(-1, -2)
            scores = q @ k.transpose(-1, -2)
            rows = geometry.distance.clamp(0, offsets.shape[-2] - 1).expand(scores.shape)
            return scores + by_distance.gather(-1, rows)
        spread, scores = geometry.by_distance(offsets), q.new_zeros(*q.shape[:-1], k.shape[-2])
        for c in range(q.shape[-1]):  # one coordinate at a time: a key for each pair of positions is large
            scores = scores + q[..., :, None, c] * self.add(k[..., None, :, c], spread[..., c])
        return scores

    def _mixed(self, heads: "Heads", weights: Tensor, v: Tensor, offsets: Tensor | None, geometry: Geometry) -> Tensor:
        """Return Σ weight · (v ⊕ a), in the same way."""
        if offsets is None:
            return weights @ v
        spread = geometry.by_distance(offsets)
        if self.highest is None:
            return weights @ v + torch.einsum("bhij,hijd->bhid", weights, spread.expand(heads.count, -1, -1, -1))
        if v.shape[-1] == 0:
            return weights @ v
        values = [self.add(v[..., None, :, c], spread[..., c]) for c in range(v.shape[-1])]
        return torch.stack([(weights * value).sum(-1) for value in values], dim=-1)

    def _may_end(self, weighting: Softmax, q: Tensor, k: Tensor, penalty: Tensor | None) -> bool:
        """Say whether an exponential, or their sum, could reach an end: no score is beyond |q|·|k|."""
        if self.highest is None and (weighting.shifted or self.lowest_score == -math.inf):
            return False  # what vanishes, vanishes by itself
        if penalty is not None or torch.compiler.is_compiling() or (self.highest is not None and self.highest < 1):
            return True  # a weight of 1 may be beyond ∞
        largest = float(q.detach().norm(dim=-1).max() * k.detach().norm(dim=-1).max())
        lowest, highest = (-2 * largest, 0.0) if weighting.shifted else (-largest, largest)
        sums = self.highest is not None and highest + math.log(q.shape[-2]) > math.log(self.highest)
        return not lowest > self.lowest_score or sums or (self.highest is not None and largest > self.highest)

    def _weights(self, heads: "Heads", scores: Tensor, visible: Tensor) -> Tensor:
        """Turn scores into weights on what is visible.

        Where a strict head sees nothing, weights are made as if it saw everything, and taken away afterwards: so no
        gradient is nan.
        """
        hidden = ~visible & visible.any(-1, keepdim=True)
        weights = self._shared_out(heads, scores.masked_fill(hidden, -math.inf), visible)
        return self.within(weights.masked_fill(~visible, 0.0) if heads.strict else weights)

    def _shared_out(self, heads: "Heads", scores: Tensor, visible: Tensor) -> Tensor:
        """Turn scores, −inf where nothing is seen, into weights."""
        weighting, largest = heads.weighting, scores.amax(-1, keepdim=True)
        if isinstance(weighting, Softmax):
            return self._softmax(heads, weighting, scores, largest, visible)
        best = scores == largest
        if isinstance(weighting, AverageHard):
            return best.to(scores) / best.sum(-1, keepdim=True)
        return chosen(best, leftmost=isinstance(weighting, LeftmostHard)).to(scores)

    def _softmax(self, heads: "Heads", weighting: Softmax, scores: Tensor, largest: Tensor, visible: Tensor) -> Tensor:
        if self.highest is None and (weighting.shifted or self.lowest_score == -math.inf):
            return scores.softmax(-1)
        if weighting.shifted:
            scores = self.subtract(scores, largest).masked_fill(scores == -math.inf, -math.inf)
        scores = scores.masked_fill(scores < self.lowest_score, -math.inf)
        weights = scores.softmax(-1)  # nan where all of them vanish
        if self.highest is not None:
            weights = _with_end(scores, weights, self.highest)
        empty = (scores == -math.inf).all(-1, keepdim=True)
        if weighting.empty == "error" and not torch.compiler.is_compiling():
            self.refuse_empty(heads, empty, largest)
        shared = visible.to(weights)
        instead = shared / shared.sum(-1, keepdim=True).clamp(min=1) if weighting.empty == "uniform" else 0 * shared
        return torch.where(empty, instead, weights)


def _with_end(scores: Tensor, weights: Tensor, highest: float) -> Tensor:
    """Return min(e, ∞) / min(Σ e, ∞) where that is not e / Σ e, which `weights` are."""
    highest = _in_type(highest, scores)
    e = scores.clamp(max=math.log(highest) + 1).exp().clamp(max=highest)  # 1 more: ∞ is ∞, whatever exp rounds to
    z = e.sum(-1, keepdim=True)
    return torch.where(z < highest, weights, e / z.clamp(max=highest))


def _in_type(highest: float, x: Tensor) -> float:
    """Return ∞, or the largest number of a machine type that does not reach so far."""
    return min(highest, torch.finfo(x.dtype).max)


def chosen(best: Tensor, leftmost: bool) -> Tensor:
    """Keep the first or the last True of each row."""
    if leftmost:
        return best & (best.cumsum(-1) == 1)
    return best & (best.flip(-1).cumsum(-1).flip(-1) == 1)


def _at_once(q: Tensor, k: Tensor, v: Tensor, penalty: Tensor | None, geometry: Geometry) -> Tensor:
    if penalty is None:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=geometry.causal, scale=1.0)
    bias = penalty.masked_fill(~geometry.visible(strict=False), -math.inf)
    return functional.scaled_dot_product_attention(q, k, v, bias, scale=1.0)


def _ends(A: Arithmetic, saturate: bool) -> tuple[float, float | None]:
    """Return the score below which exp rounds to 0, −inf where no score is that low; and ∞, if there is one."""
    if not saturate:
        return -math.inf, None
    vanishes = float(A.exp(A.lowest)) == 0
    lowest = math.log(A.smallest) - math.log(2) if vanishes else -math.inf
    return lowest, None if isinstance(A, Native) else A.infinity
