"""How far a GPT-2 whose norms do next to nothing can be from the same weights without norms.

The bound follows the values through the model. Beside the largest size m of each lane on the inputs that were run goes
an error e: of what is read, written and added up, in a type of floats with unit roundoff u.

- A norm gives h·(1 − t) with t at most Σh²/(2·K·C²), and 1, for K pairs of constants. Its own rounding is at most
  (D + 8)·u of h; the error of the mean, u·Σ|h|, cancels between x and −x up to its rounding.
- W h errs by |W|·e, and by (2·D + 2)·u·|W|·m for the rounding of weights, products and sums.
- Scores that err by s change odds by a factor of at most exp(2·s), so the weights of a row by 2·tanh(s/2) in all.
- An activation stretches an error by its steepest slope.

What the transformer's own arithmetic rounds or saturates is no part of it: that the report measures.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Array, Weights, as_float64
from weightsmith.export.hugging_face.gpt2_weights import Sizes
from weightsmith.model import Attention, FeedForward, Head, Transformer

SLOPES = {"relu": 1.0, "gelu": 1.13, "gelu_tanh": 1.13, "silu": 1.1}
ROUNDOFF = {"float64": 2.0**-53, "float32": 2.0**-24, "float16": 2.0**-11, "bfloat16": 2.0**-8}
EXPONENTS = range(-8, 61)  # of the powers of 2 that are tried for C


@dataclass(frozen=True)
class Seen:
    """The largest values of a run of the same weights without norms."""

    lanes: Sequence[Array]  # the largest size of each lane at each stage
    squares: Sequence[float]  # the largest Σ h² at each stage
    logit: float  # the largest size of a logit
    longest: int  # input


def best_constant(T: Transformer, sizes: Sizes, seen: Seen, dtype: str) -> tuple[float, float]:
    """Return the C with the smallest bound, and that bound."""
    largest = 2.0**14 if dtype == "float16" else 2.0**60
    tried = [2.0**k for k in EXPONENTS if 2.0**k <= largest]
    bounds = [Bound(T, sizes, seen, C, ROUNDOFF[dtype]).logits() for C in tried]
    best = int(np.argmin(bounds))
    return tried[best], bounds[best]


class Bound:
    """The bound for one C, in floats with the unit roundoff u."""

    def __init__(self, T: Transformer, sizes: Sizes, seen: Seen, C: float, u: float) -> None:
        """Take the model, its sizes, the values of a run, C and u."""
        self.T, self.sizes, self.seen, self.C, self.u = T, sizes, seen, C, u

    def logits(self) -> float:
        """Return how far a logit can be off."""
        T, seen, u = self.T, self.seen, self.u
        e = 4 * u * (as_float64(np.abs(T.embedding).max(axis=0)) + seen.lanes[0])
        for b, block in enumerate(T.blocks):
            if block.attention is not None:
                e = e + self._attention(block.attention, *self._normed(2 * b, e))
            e = e + u * (seen.lanes[2 * b + 1] + e)
            if block.feed_forward is not None:
                e = e + self._feed_forward(block.feed_forward, *self._normed(2 * b + 1, e))
            e = e + u * (seen.lanes[2 * b + 2] + e)
        last = len(seen.lanes) - 1
        bias = np.zeros(len(T.classes)) if T.output_bias is None else np.abs(as_float64(T.output_bias))
        error = self._linear(T.output, bias, *self._normed(last, e))[1]
        return float((error + bias * self._relative(last, e)).max())  # the bias is read from a constant lane

    def _relative(self, stage: int, e: Array) -> float:
        """Return how much of itself a value can lose or gain in a norm."""
        off = float(np.sqrt(self.seen.squares[stage]) + np.linalg.norm(e))
        return min(off**2 / (2 * self.sizes.constants * self.C**2), 1.0) + (self.sizes.width + 8) * self.u

    def _normed(self, stage: int, e: Array) -> tuple[Array, Array]:
        """Return the sizes of lanes that come out of a norm, and how far they are from what went in."""
        m = self.seen.lanes[stage]
        total = 2 * self.sizes.constants * self.C + 2 * float((m + e).sum())
        return m, e + self._relative(stage, e) * (m + e) + 4 * self.u * self.u * total

    def _linear(self, W: Weights, b: Weights | None, m: Array, e: Array) -> tuple[Array, Array]:
        """Return the largest sizes of W h + b, and how far they can be off."""
        shift = 0.0 if b is None else np.abs(as_float64(b))
        size = np.abs(W) @ m + shift
        many = 2 * max(self.sizes.width, self.sizes.neurons) + 2
        return size, np.abs(W) @ e + many * self.u * (np.abs(W) @ (m + e) + shift)

    def _attention(self, attention: Attention, m: Array, e: Array) -> Array:
        total = np.zeros(len(m))
        for head in attention.heads:
            total = total + self._head(head, m, e)
        return total if attention.b_O is None else total + 4 * self.u * np.abs(as_float64(attention.b_O))

    def _head(self, head: Head, m: Array, e: Array) -> Array:
        (q, at_q), (k, at_k), (v, at_v) = (
            self._linear(W, b, m, e) for W, b in ((head.W_Q, head.b_Q), (head.W_K, head.b_K), (head.W_V, head.b_V))
        )
        rounding = (self.sizes.head_size + 4) * self.u
        score = float((q * at_k + at_q * k + at_q * at_k + rounding * (q + at_q) * (k + at_k)).sum())
        weight = 2 * np.tanh(score / 2) + (2 * self.seen.longest + 12) * self.u
        return self._linear(head.W_O, None, v, at_v + weight * (v + at_v))[1]

    def _feed_forward(self, layer: FeedForward, m: Array, e: Array) -> Array:
        z, at_z = self._linear(layer.W_1, layer.b_1, m, e)
        active = SLOPES[layer.function] * at_z + 8 * self.u * (z + at_z)
        return self._linear(layer.W_2, layer.b_2, z, active)[1]
