"""The machine's floats: no rounding of ours, no saturation, and PyTorch's own functions."""

import math
from typing import TYPE_CHECKING, cast

import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.arithmetic import Activation, Arithmetic
from weightsmith.export.pytorch.geometry import Geometry
from weightsmith.export.pytorch.machine import Machine
from weightsmith.model import AverageHard, LeftmostHard, Softmax

if TYPE_CHECKING:
    from weightsmith.export.pytorch.parts import Heads, Norm


class Plain(Machine):
    """Sums in whatever order the machine likes.

    One rule of the arithmetic stays, because it is a rule of the head: an unshifted softmax is empty where every
    exp(score) would round to 0, and then `Softmax.empty` says what happens.
    """

    def __init__(self, arithmetic: Arithmetic) -> None:
        """Compute below which score exp gives 0."""
        super().__init__()
        self.arithmetic = arithmetic
        self.vanishes_below = _vanishes_below(arithmetic)

    def add(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x + y."""
        return x + y

    def subtract(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x − y."""
        return x - y

    def multiply(self, x: Tensor, y: Tensor) -> Tensor:
        """Return x · y."""
        return x * y

    def linear(self, x: Tensor, W: Tensor, b: Tensor | None) -> Tensor:
        """Return W x + b."""
        return functional.linear(x, W, b)

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
        if norm.centred:
            return functional.layer_norm(x, x.shape[-1:], norm.gain, norm.bias, norm.eps)
        return functional.rms_norm(x, list(x.shape[-1:]), norm.gain, norm.eps)

    def gathered(self, total: Tensor | None, mixed: Tensor, W_O: Tensor) -> Tensor:
        """Return the total with W_O times what all heads of a kind mixed."""
        flat = mixed.transpose(-2, -3).flatten(-2)
        return functional.linear(flat, W_O) if total is None else total + functional.linear(flat, W_O)

    def attend(
        self, heads: "Heads", q: Tensor, k: Tensor, v: Tensor, geometry: Geometry
    ) -> tuple[Tensor, Tensor | None]:
        """Attend by PyTorch's own function where weights are not asked for, and nothing is added by distance."""
        key_offsets, value_offsets = heads.key_offsets(geometry), heads.value_offsets(geometry)
        penalty = heads.penalty(geometry)
        simple = geometry.trace is None and key_offsets is None and value_offsets is None
        if simple and isinstance(heads.weighting, Softmax) and q.shape[-1] and v.shape[-1]:
            if not self._may_be_empty(heads.weighting, q, k):
                return _at_once(q, k, v, penalty, geometry), None
        scores = q @ k.transpose(-1, -2)
        if key_offsets is not None:
            by_distance = q @ key_offsets.transpose(-1, -2)
            rows = geometry.distance.clamp(0, key_offsets.shape[-2] - 1).expand(scores.shape)
            scores = scores + by_distance.gather(-1, rows)
        if penalty is not None:
            scores = scores + penalty
        weights = self._weights(heads, scores.masked_fill(~geometry.visible, -math.inf), geometry)
        mixed = weights @ v
        if value_offsets is not None:
            values = geometry.by_distance(value_offsets).expand(heads.count, -1, -1, -1)
            mixed = mixed + torch.einsum("bhij,hijd->bhid", weights, values)
        return mixed, weights

    def _may_be_empty(self, weighting: Softmax, q: Tensor, k: Tensor) -> bool:
        """Say whether a row could be empty: a position sees itself, so its score with itself is a bound."""
        if weighting.shifted or self.vanishes_below is None:
            return False
        if torch.compiler.is_compiling():
            return True  # which it may be is not known then
        return bool(((q * k).sum(-1) < self.vanishes_below).any())

    def _weights(self, heads: "Heads", scores: Tensor, geometry: Geometry) -> Tensor:
        """Turn scores, −inf where nothing is seen, into weights."""
        weighting, largest = heads.weighting, scores.amax(-1, keepdim=True)
        if isinstance(weighting, Softmax):
            weights = scores.softmax(-1)
            if weighting.shifted or self.vanishes_below is None:
                return weights
            empty = largest < self.vanishes_below
            if weighting.empty == "error" and not torch.compiler.is_compiling():
                self.refuse_empty(heads, empty, largest)
            visible = geometry.visible.to(weights)
            instead = visible / visible.sum(-1, keepdim=True) if weighting.empty == "uniform" else 0 * visible
            return torch.where(empty, instead, weights)
        best = scores == largest
        if isinstance(weighting, AverageHard):
            return best.to(scores) / best.sum(-1, keepdim=True)
        return chosen(best, leftmost=isinstance(weighting, LeftmostHard)).to(scores)


def chosen(best: Tensor, leftmost: bool) -> Tensor:
    """Keep the first or the last True of each row."""
    if leftmost:
        return best & (best.cumsum(-1) == 1)
    return best & (best.flip(-1).cumsum(-1).flip(-1) == 1)


def _at_once(q: Tensor, k: Tensor, v: Tensor, penalty: Tensor | None, geometry: Geometry) -> Tensor:
    if penalty is None:
        return functional.scaled_dot_product_attention(q, k, v, is_causal=geometry.causal, scale=1.0)
    bias = penalty.masked_fill(~geometry.visible, -math.inf)
    return functional.scaled_dot_product_attention(q, k, v, bias, scale=1.0)


def _vanishes_below(A: Arithmetic) -> float | None:
    """Return the score below which exp rounds to 0; None where no score is that low."""
    lowest = float(cast(float, A.exp(A.lowest)))
    return None if lowest > 0 else math.log(A.smallest) - math.log(2)
