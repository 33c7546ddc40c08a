"""A run in the machine's own arithmetic: the same steps as in `reference`, for many inputs and heads at once.

Sums are whatever BLAS and numpy make of them, so the last bits may differ from a left fold, and from one machine to
another.
"""

from typing import cast

import numpy as np

from weightsmith.arithmetic import AT_ONCE, Activation, Array
from weightsmith.arithmetic.native import machine as elementary
from weightsmith.errors import ModelError
from weightsmith.kernels.blas.attention import run_heads
from weightsmith.kernels.blas.prepared import Floats, Layer, prepared, times
from weightsmith.model import LayerNorm, Norm, Transformer, position_table
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import (
    NOTHING,
    Change,
    Evaluation,
    HeadRun,
    Ids,
    Past,
    Places,
    numbers_held,
    unchanged,
)
from weightsmith.semantics.layers import ROOT_ERROR
from weightsmith.semantics.overflow import finite


class BlasRun:
    """Runs of one transformer in `Native`, with the sums that BLAS makes: see `kernels.interface.FastRun`."""

    def __init__(self, T: Transformer) -> None:
        """Prepare a transformer, unless that was done before."""
        self.T, self.weights = T, prepared(T)

    def evaluate(self, ids: Ids, past: Past = NOTHING, change: Change = unchanged) -> Evaluation:
        """Run on places in the vocabulary, (…, positions): see `reference.evaluate`."""
        T, A, before = self.T, self.T.arithmetic, past.length
        h = self.weights.embedding[ids]
        table = position_table(T.positions, A, len(T.lanes), before + ids.shape[-1])
        with np.errstate(all="ignore"):
            if table is not None:
                h = h + table[before:].astype(h.dtype)
            h = change(Site("embedding"), h).astype(h.dtype, copy=False)
            stream, heads, activations = [finite(A, h, "embedding")], [], []
            for b, block in enumerate(T.blocks):
                entry = h
                h, runs = self._attention(b, h, past, change)
                h = change(Site("attention", b), h).astype(h.dtype, copy=False)
                stream.append(finite(A, h, f"block {b} attention"))
                h, active = self._feed_forward(b, h, entry if block.parallel else h, before, change)
                h = change(Site("feed-forward", b), h).astype(h.dtype, copy=False)
                stream.append(finite(A, h, f"block {b} feed-forward"))
                heads.append(runs)
                activations.append(active)
            return Evaluation(stream, heads, activations, self.read_off(h[..., -1, :]), past)

    def bytes_needed(self, positions: int, columns: int) -> int:
        """Return the memory that inputs of so many positions take, which have so many columns in all."""
        size = self.weights.embedding.dtype.itemsize
        return -(-columns // positions) * numbers_held(self.T, positions) * size

    def read_off(self, h: Floats) -> Array:
        """Return the logits of vectors of the stream (…, lanes)."""
        return self._logits(_norm(self.T, self.T.final_norm, self._own(h), "final norm"))

    def read_answers(self, h: Floats) -> Places:
        """Return what is said at each position of a stream (…, positions, lanes): see `reference.read_answers`."""
        if self.T.readout is not None:
            return self.T.readout.places(self.read_codes(h))
        with np.errstate(all="ignore"):
            last = _norm(self.T, self.T.final_norm, self._own(h), "final norm")
            rows, some = last.reshape(-1, last.shape[-1]), max(1, AT_ONCE // len(self.T.classes))  # logits held at once
            parts = [np.argmax(self._logits(rows[i : i + some]), axis=-1) for i in range(0, len(rows), some)]
            return np.concatenate(parts).reshape(last.shape[:-1])

    def read_codes(self, h: Floats) -> Array:
        """Return what the lanes of a readout hold at each position: see `reference.read_codes`."""
        T = self.T
        assert T.readout is not None
        with np.errstate(all="ignore"):
            last = _norm(T, T.final_norm, self._own(h), "final norm")
        codes: Array = last[..., [T.lanes.index(lane) for lane in T.readout.lanes]].astype(np.float64)
        return codes

    def _own(self, h: Floats) -> Floats:
        return h.astype(self.weights.output.dtype, copy=False)

    def _logits(self, last: Floats) -> Array:
        logits = times(last, self.weights.output)
        if self.T.output_bias is not None:
            logits = logits + self.T.output_bias.astype(logits.dtype)
        return finite(self.T.arithmetic, logits, "output")

    def _attention(self, b: int, h: Floats, past: Past, change: Change) -> tuple[Floats, tuple[HeadRun, ...]]:
        T, block, name = self.T, self.T.blocks[b], f"block {b} attention norm"
        if block.attention is None:
            return h, ()
        seen = _norm(T, block.attention_norm, h, name, past.length) if block.norm_placement == "pre" else h
        total, runs = np.zeros_like(h), list[HeadRun]()
        for heads in self.weights.heads[b]:
            there = past.blocks[b][heads.first : heads.first + heads.count] if past.length else None
            found, added = run_heads(T, heads, seen, there, past.length, f"block {b}")
            if change is not unchanged:
                found, added = _changed(b, heads.first, found, added, change)
            total += added
            runs += found
        shift = self.weights.b_O[b]
        h = h + (total if shift is None else total + shift)
        after = block.norm_placement == "post"
        return _norm(T, block.attention_norm, h, name, past.length) if after else h, tuple(runs)

    def _feed_forward(self, b: int, h: Floats, source: Floats, before: int, change: Change) -> tuple[Floats, Floats]:
        T, block, layer, name = self.T, self.T.blocks[b], self.weights.layers[b], f"block {b} feed-forward norm"
        if block.feed_forward is None or layer is None:
            return h, np.zeros((*h.shape[:-1], 0), h.dtype)
        seen = _norm(T, block.feed_forward_norm, source, name, before) if block.norm_placement == "pre" else source
        activations = change(Site("activations", b), _neurons(layer, block.feed_forward.function, seen))
        activations = activations.astype(h.dtype, copy=False)
        h = h + (times(activations, layer.W_2) + layer.b_2)
        return _norm(T, block.feed_forward_norm, h, name, before) if block.norm_placement == "post" else h, activations


def _changed(b: int, first: int, found: list[HeadRun], added: Floats, change: Change) -> tuple[list[HeadRun], Floats]:
    """Return heads and what they add after a change; where none of them changes, what they add keeps every bit."""
    outputs = [change(Site("head", b, first + i), head.output) for i, head in enumerate(found)]
    other = [new is not head.output for new, head in zip(outputs, found, strict=True)]
    rows = np.any([(new != head.output).any(axis=-1) for new, head in zip(outputs, found, strict=True)], axis=0)
    total = cast(Floats, sum(outputs)).astype(added.dtype)
    heads = [
        head.with_output(new) if changed else head for new, head, changed in zip(outputs, found, other, strict=True)
    ]
    return heads, np.where(rows[..., np.newaxis], total, added)


def _neurons(layer: Layer, function: Activation, h: Floats) -> Floats:
    z = times(h, layer.W_1)
    z += layer.b_1
    z = np.maximum(z, 0, out=z) if function == "relu" else elementary(function, z)
    return z if layer.W_3 is None else z * (times(h, layer.W_3) + layer.b_3)


def _norm(T: Transformer, norm: Norm | None, h: Floats, name: str, before: int = 0) -> Floats:
    """Normalise a stream (…, lanes), which goes on after `before` positions."""
    if norm is None:
        return h
    places = None if norm.lanes is None else [T.lanes.index(lane) for lane in norm.lanes]
    x = h if places is None else h[..., places]
    if isinstance(norm, LayerNorm):
        x = x - x.mean(axis=-1, keepdims=True)
    spread = np.einsum("...j,...j->...", x, x)[..., np.newaxis] / h.dtype.type(x.shape[-1])
    root = np.sqrt(finite(T.arithmetic, spread, name) + h.dtype.type(norm.eps))
    if (root == 0).any():
        position = before + np.argwhere(root == 0)[0][-2] if root.ndim > 1 else 0
        raise ModelError(ROOT_ERROR.format(name, position, norm.eps, T.arithmetic, T.arithmetic.smallest))
    y: Floats = x / root
    if norm.gain is not None:
        y *= norm.gain.astype(h.dtype)
    if isinstance(norm, LayerNorm) and norm.bias is not None:
        y += norm.bias.astype(h.dtype)
    if places is None:
        return y
    result = h.copy()
    result[..., places] = y
    return result
