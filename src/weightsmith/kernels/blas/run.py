"""The forward pass in the machine's own arithmetic, for many inputs and heads at once.

BLAS and numpy choose the order of sums, so the last bits may differ from a left fold, and between machines.
"""

from typing import cast

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Activation, Array, Core, Native, Weights
from weightsmith.arithmetic.native import replaced
from weightsmith.kernels.blas.attention import run_heads
from weightsmith.kernels.blas.prepared import Floats, prepared, times
from weightsmith.model import Attention, LayerNorm, Norm, Transformer
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import Change, HeadRun, Past, may_change
from weightsmith.semantics.reference import Reference


class BlasCore(Core):
    """The operations of `Native`, computed in its own type; a few of them overwrite their argument."""

    def __init__(self, arithmetic: Native) -> None:
        """Take the type of an arithmetic."""
        super().__init__(arithmetic)
        self.dtype = arithmetic.stored

    def encoded(self, x: Weights) -> Floats:
        """Return values in the machine's type."""
        return x.astype(self.dtype, copy=False)

    def checked(self, x: npt.ArrayLike) -> Floats:
        """Return values in the machine's type, whatever they are."""
        return self.encoded(np.asarray(x))

    def add(self, x: Floats, y: Weights) -> Floats:
        """Return x + y."""
        return x + self.encoded(y)

    def subtract(self, x: Floats, y: Weights) -> Floats:
        """Return x − y."""
        return x - self.encoded(y)

    def multiply(self, x: Floats, y: Weights) -> Floats:
        """Return x · y."""
        return x * self.encoded(y)

    def divide(self, x: Floats, y: Floats) -> Floats:
        """Return x / y."""
        return cast(Floats, x / self.encoded(y))

    def sqrt(self, x: Floats) -> Floats:
        """Return the square root of x."""
        return np.sqrt(x)

    def activate(self, name: Activation, x: Floats) -> Floats:
        """Return an activation of x, which is overwritten."""
        return np.maximum(x, 0, out=x) if name == "relu" else replaced(name, x)

    def sum(self, x: Floats, axis: int = -1) -> Floats:
        """Return the sum along an axis."""
        return cast(Floats, x.sum(axis=axis))

    def dot(self, x: Floats, y: Floats) -> Floats:
        """Return the dot product along the last axis."""
        return cast(Floats, np.einsum("...j,...j->...", x, y))

    def matvec(self, M: Floats, x: Floats) -> Floats:
        """Return M x for vectors (…, columns)."""
        return times(x, M)

    def affine(self, M: Floats, x: Floats, b: Weights | None) -> Floats:
        """Return M x + b."""
        product = times(x, M)
        if b is not None:
            product += self.encoded(b)
        return product


class BlasRun(Reference):
    """Runs one transformer in `Native` with the sums of BLAS."""

    name = "BLAS"

    def _core(self, T: Transformer) -> Core:
        return BlasCore(cast(Native, T.arithmetic))

    @classmethod
    def supports(cls, T: Transformer) -> bool:
        """Return whether the arithmetic is the machine's, and every part is known."""
        return isinstance(T.arithmetic, Native) and super().supports(T)

    def _norm(self, norm: Norm | None, h: Floats, name: str, before: int = 0) -> Floats:
        """Normalise in one new array; a norm over some lanes, or one that is refused, goes by the definition."""
        if norm is not None and norm.lanes is None:
            found = _normalised(norm, h)
            if found is not None:
                return found
        return super()._norm(norm, h, name, before)

    def _heads(
        self, b: int, attention: Attention, h: Floats, past: Past, change: Change
    ) -> tuple[Floats, list[HeadRun]]:
        total, runs = np.zeros_like(h), list[HeadRun]()
        for heads in prepared(self.T)[b]:
            before = past.blocks[b][heads.first : heads.first + heads.count] if past.length else None
            some, added = run_heads(self.T, heads, h, before, past.length, f"block {b}")
            if may_change(change, (Site("head", b, heads.first + i) for i in range(heads.count))):
                some, added = _changed(b, heads.first, some, added, change)
            total += added
            runs += some
        return total, runs


def _normalised(norm: Norm, h: Floats) -> Floats | None:
    """Return what `run_norm` returns, by the same operations; None where that refuses."""
    real = h.dtype.type
    m, eps = real(h.shape[-1]), real(norm.eps)
    x: Floats = h - (h.sum(axis=-1, keepdims=True) / m) if isinstance(norm, LayerNorm) else h.copy()
    root = np.sqrt(np.einsum("...j,...j->...", x, x) / m + eps)
    if not (np.isfinite(root) & (root > 0)).all():
        return None
    x /= root[..., np.newaxis]
    if norm.gain is not None:
        x *= norm.gain.astype(h.dtype, copy=False)
    if isinstance(norm, LayerNorm) and norm.bias is not None:
        x += norm.bias.astype(h.dtype, copy=False)
    return x


def _changed(b: int, first: int, runs: list[HeadRun], added: Floats, change: Change) -> tuple[list[HeadRun], Floats]:
    """Return changed heads and the sum of their outputs; rows in which no head changed keep every bit."""
    outputs = [change(Site("head", b, first + i), head.output) for i, head in enumerate(runs)]
    rows = np.any([(new != head.output).any(axis=-1) for new, head in zip(outputs, runs, strict=True)], axis=0)
    total: Array = cast(Floats, sum(outputs)).astype(added.dtype)
    heads = [head if new is head.output else head.with_output(new) for new, head in zip(outputs, runs, strict=True)]
    return heads, np.where(rows[..., np.newaxis], total, added)
