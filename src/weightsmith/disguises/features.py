"""A transformer with one lane for each feature: each token, each position, and each lane that some block writes."""

from dataclasses import replace
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array, Native, as_float64
from weightsmith.disguises.basis import norms_of
from weightsmith.errors import ModelError, brief
from weightsmith.model import Attention, FeedForward, Head, PositionTable, Softmax, Transformer, position_table
from weightsmith.model.folds import writers


def as_features(T: Transformer, numbers: str = "float32") -> Transformer:
    """Return a transformer in `Native`, equal in the reals, with a lane for each feature.

    Lanes that no block writes hold numbers that follow from the token and the position. They become a lane for each
    token and one for each position, which hold 1 or 0; what read a number reads it from these. Other lanes stay.
    """
    refuse_untrainable(T)
    A, size = Native(numbers), len(T.lanes)  # type: ignore[arg-type]
    written = np.zeros(size, np.bool_)
    for array in writers(T.blocks):
        written |= np.asarray(array).reshape(size, -1).any(axis=1)
    given, kept = np.flatnonzero(~written), np.flatnonzero(written)
    embedding = as_float64(T.embedding)
    table = position_table(T.positions, T.arithmetic, size)
    assert table is not None
    sources = [embedding[:, given], table[:, given]]  # of tokens, of positions
    has = [bool(source.any()) for source in sources]
    to_lane = np.vstack(
        [source for source, there in zip(sources, has, strict=True) if there] or [np.zeros((0, len(given)))]
    )
    names = [f"token {token}" for token in T.vocabulary] * has[0]
    names += [f"position {i}" for i in range(len(table))] * has[1]
    lanes = _distinct([*names, *(T.lanes[j] for j in kept.tolist())])
    if len(lanes) < 2:
        raise ModelError(
            f"its stream has {len(lanes)} features, and superposition needs two: write a program whose answer depends "
            "on its input"
        )

    def read(W: Any) -> Array:
        """Return a matrix that reads the features as W read the lanes."""
        values = as_float64(W)
        return A.round(np.hstack([values[:, given] @ to_lane.T, values[:, kept]]))

    def write(W: Any) -> Array:
        """Return an array that writes to the features as W wrote to the lanes."""
        values = as_float64(W)
        return A.round(np.concatenate([np.zeros((len(names), *values.shape[1:])), values[kept]]))

    tokens, places = len(T.vocabulary) * has[0], len(table) * has[1]
    E = np.hstack([np.eye(len(T.vocabulary))[:, :tokens], np.zeros((len(T.vocabulary), places)), embedding[:, kept]])
    P = np.hstack([np.zeros((len(table), tokens)), np.eye(len(table))[:, :places], table[:, kept]])
    blocks = tuple(
        replace(
            block,
            attention=None if block.attention is None else _attention(block.attention, A, read, write),
            feed_forward=None if block.feed_forward is None else _layer(block.feed_forward, A, read, write),
        )
        for block in T.blocks
    )
    return Transformer(
        A, T.vocabulary, lanes, A.round(E), PositionTable(A.round(P)), blocks, read(T.output), T.classes, T.mask,
        None if T.output_bias is None else A.round(as_float64(T.output_bias)),
        provenance=(*T.provenance, "a lane for each feature"), description=T.description,
    )  # fmt: skip


def _attention(attention: Attention, A: Native, read: Any, write: Any) -> Attention:
    heads: list[Head] = []
    for head in attention.heads:
        new: dict[str, Any] = {name: read(getattr(head, name)) for name in ("W_Q", "W_K", "W_V")}
        for name in ("b_Q", "b_K", "b_V"):
            bias = getattr(head, name)
            new[name] = None if bias is None else A.round(as_float64(bias))
        heads.append(replace(head, W_O=write(head.W_O), **new))
    return Attention(tuple(heads), None if attention.b_O is None else write(attention.b_O))


def _layer(layer: FeedForward, A: Native, read: Any, write: Any) -> FeedForward:
    b_1 = A.round(as_float64(layer.b_1))
    return replace(layer, W_1=read(layer.W_1), b_1=b_1, W_2=write(layer.W_2), b_2=write(layer.b_2), keys=None)


def _distinct(names: list[str]) -> tuple[str, ...]:
    found: list[str] = []
    for name in names:
        free, number = name, 2
        while free in found:
            free, number = f"{name} ({number})", number + 1
        found.append(free)
    return tuple(found)


def refuse_untrainable(T: Transformer) -> None:
    """Refuse a transformer whose parts cannot be trained as they are."""
    if T.readout is not None:
        raise ModelError("compress trains classes, and this model has a readout: write compile(…, backend='softmax')")
    if T.max_length is None:
        raise ModelError("compress needs a position table: write compile(…, max_length=5, backend='softmax')")
    if T.attention_positions is not None or norms_of(T):
        what = "a norm" if norms_of(T) else f"positions {brief(T.attention_positions)}"
        raise ModelError(f"compress does not train {what}: write a model with a position table and no norms")
    for b, block in enumerate(T.blocks):
        for i, head in enumerate(block.attention.heads if block.attention else ()):
            if not _soft(head):
                raise ModelError(
                    f"block {b}, head {i} has {head.weighting}, which cannot be trained: write "
                    "compile(…, backend='softmax')"
                )
        layer = block.feed_forward
        if layer is not None and layer.activation != "relu":
            raise ModelError(f"block {b} has activation {layer.activation!r}, and compress trains 'relu' alone")
        if block.parallel:
            raise ModelError(f"block {b} is parallel, and compress trains sublayers that follow each other")


def _soft(head: Head) -> bool:
    return isinstance(head.weighting, Softmax) and head.weighting.shifted and head.positions is None
