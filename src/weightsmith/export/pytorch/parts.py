"""The parts of a transformer as PyTorch modules; a machine, plain or exact, does the arithmetic."""

from collections.abc import Sequence
from functools import partial
from itertools import groupby
from typing import cast

import numpy as np
import torch
from torch import Tensor, nn

from weightsmith import model as ws
from weightsmith.arithmetic import Arithmetic, Array, Weights
from weightsmith.export.pytorch.geometry import Geometry
from weightsmith.export.pytorch.held import FIRST_ROWS, GrowingTable, Kind, Part
from weightsmith.export.pytorch.machine import Machine
from weightsmith.model import AttentionPositions, Transformer
from weightsmith.model.positions import NO_POSITIONS, Indices


class Heads(Part):
    """Heads of one kind, which follow each other in a block: their matrices stand below each other."""

    W_Q: Tensor  # (heads · key size, lanes)
    W_K: Tensor
    W_V: Tensor  # (heads · value size, lanes)
    W_O: Tensor  # (lanes, heads · value size)
    b_Q: Tensor | None
    b_K: Tensor | None
    b_V: Tensor | None
    keys: Tensor | None  # (heads, distances, key size): those that the heads have of their own
    values: Tensor | None
    pairs: tuple[slice, slice]  # the first and the second coordinates of pairs that turn

    def __init__(
        self, kind: Kind, heads: Sequence[ws.Head], schemes: Sequence[AttentionPositions], first: int, block: int
    ) -> None:
        """Stack the weights."""
        super().__init__()
        self.first, self.count = first, len(heads)
        self.weighting, self.strict = heads[0].weighting, heads[0].strict
        self.block, self.schemes = block, tuple(schemes)
        self.key_size, self.value_size = len(heads[0].W_Q), len(heads[0].W_V)
        self.hold(
            kind,
            f"blocks.{block}.attention.heads.{group_name(first, len(heads))}.",
            W_Q=np.concatenate([head.W_Q for head in heads]),
            W_K=np.concatenate([head.W_K for head in heads]),
            W_V=np.concatenate([head.W_V for head in heads]),
            W_O=np.concatenate([head.W_O for head in heads], axis=1),
            b_Q=_biases([head.b_Q for head in heads], self.key_size),
            b_K=_biases([head.b_K for head in heads], self.key_size),
            b_V=_biases([head.b_V for head in heads], self.value_size),
            keys=_stacked([head.positions.key_offsets() for head in heads if head.positions is not None]),
            values=_stacked([head.positions.value_offsets() for head in heads if head.positions is not None]),
        )
        self._hold_tables(kind)

    def _hold_tables(self, kind: Kind) -> None:
        A, turning, size = kind.arithmetic, self.schemes[0], self.key_size
        turns = turning.rotation(A, size, 1)
        penalised = self.schemes[0].penalties(A, 1) is not None
        self.cos = self.sin = self.penalties = None
        if turns is not None:
            self.pairs = _as_slice(turns.first), _as_slice(turns.second)
            self.cos = GrowingTable(kind, partial(_turns, turning, A, size, "cos"), FIRST_ROWS)
            self.sin = GrowingTable(kind, partial(_turns, turning, A, size, "sin"), FIRST_ROWS)
        if penalised:
            self.penalties = GrowingTable(kind, partial(_penalties, self.schemes, A), FIRST_ROWS)

    def projected(self, machine: Machine, h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values, (batch, heads, positions, size)."""
        made = ((self.W_Q, self.b_Q), (self.W_K, self.b_K), (self.W_V, self.b_V))
        q, k, v = (
            machine.linear(h, W, b).reshape(*h.shape[:-1], self.count, -1 if len(W) else 0).transpose(-2, -3)
            for W, b in made
        )
        return self._turned(machine, q), self._turned(machine, k), v

    def _turned(self, machine: Machine, x: Tensor) -> Tensor:
        if self.cos is None or self.sin is None:
            return x
        m, cos, sin = machine, self.cos(x.shape[-2]), self.sin(x.shape[-2])
        a, b, rest = x[..., self.pairs[0]], x[..., self.pairs[1]], x[..., 2 * cos.shape[-1] :]
        turned = m.subtract(m.multiply(a, cos), m.multiply(b, sin)), m.add(m.multiply(b, cos), m.multiply(a, sin))
        if self.pairs[0].step == 2:
            return torch.cat([torch.stack(turned, dim=-1).flatten(-2), rest], dim=-1)
        return torch.cat([*turned, rest], dim=-1)

    def key_offsets(self, geometry: Geometry) -> Tensor | None:
        """Return what is added to keys, (heads or none, distances, key size)."""
        shared = geometry.shared[0] if self.schemes[0].key_offsets() is not None else None
        return shared if self.keys is None else self.keys

    def value_offsets(self, geometry: Geometry) -> Tensor | None:
        """Return what is added to values, in the same way."""
        shared = geometry.shared[1] if self.schemes[0].value_offsets() is not None else None
        return shared if self.values is None else self.values

    def penalty(self, geometry: Geometry) -> Tensor | None:
        """Return what is added to scores, (heads, positions, positions)."""
        if self.penalties is None:
            return None
        table: Tensor = self.penalties(geometry.length)
        return table[geometry.distance.abs()].permute(2, 0, 1)


class Attention(Part):
    """Heads, by their kinds, and what is added to their total."""

    b_O: Tensor | None

    def __init__(self, kind: Kind, T: Transformer, block: int) -> None:
        """Group the heads: neighbours with the same sizes, weighting, sight and kind of positions are together."""
        super().__init__()
        attention = cast(ws.Attention, T.blocks[block].attention)
        schemes = [
            attention.positions_of(i, T.attention_positions) or NO_POSITIONS for i in range(len(attention.heads))
        ]
        self.heads = nn.ModuleDict()
        for places in grouped(T, block):
            own = Heads(kind, [attention.heads[i] for i in places], [schemes[i] for i in places], places[0], block)
            self.heads[group_name(places[0], len(places))] = own
        self.hold(kind, f"blocks.{block}.attention.", b_O=attention.b_O)

    def forward(self, h: Tensor, machine: Machine, geometry: Geometry) -> Tensor:
        """Return what attention adds to the stream."""
        total: Tensor | None = None
        for part in self.heads.values():
            heads = cast(Heads, part)
            q, k, v = heads.projected(machine, h)
            mixed, weights = machine.attend(heads, q, k, v, geometry)
            total = machine.gathered(total, mixed, heads.W_O)
            if geometry.trace is not None and weights is not None:
                geometry.trace.attention[-1] += list(weights.unbind(-3))
        total = torch.zeros_like(h) if total is None else total
        return total if self.b_O is None else machine.add(total, self.b_O)


class FeedForward(Part):
    """Keys, activation, values."""

    W_1: Tensor
    b_1: Tensor
    W_2: Tensor
    b_2: Tensor
    W_3: Tensor | None
    b_3: Tensor | None

    def __init__(self, kind: Kind, layer: ws.FeedForward, block: int) -> None:
        """Take the weights over."""
        super().__init__()
        self.function = layer.function
        names = ("W_1", "b_1", "W_2", "b_2", "W_3", "b_3")
        self.hold(kind, f"blocks.{block}.feed_forward.", **{name: getattr(layer, name) for name in names})

    def forward(self, h: Tensor, machine: Machine, geometry: Geometry) -> Tensor:
        """Return what the layer adds to the stream."""
        z = machine.activate(self.function, machine.linear(h, self.W_1, self.b_1))
        if self.W_3 is not None:
            z = machine.multiply(z, machine.linear(h, self.W_3, self.b_3))
        if geometry.trace is not None:
            geometry.trace.activations[-1] = z
        return machine.linear(z, self.W_2, self.b_2)


class Norm(Part):
    """A norm over all lanes or some."""

    gain: Tensor | None
    bias: Tensor | None
    places: Tensor | None

    def __init__(self, kind: Kind, norm: ws.Norm, lanes: Sequence[str], where: str, name: str) -> None:
        """Take the weights over."""
        super().__init__()
        self.centred, self.eps, self.name = isinstance(norm, ws.LayerNorm), norm.eps, name
        self.hold(kind, f"{where}.", gain=norm.gain, bias=norm.bias if isinstance(norm, ws.LayerNorm) else None)
        places = None if norm.lanes is None else torch.tensor([list(lanes).index(lane) for lane in norm.lanes])
        self.register_buffer("places", places, persistent=False)

    def forward(self, h: Tensor, machine: Machine) -> Tensor:
        """Normalise a stream; the other lanes pass unchanged."""
        if self.places is None:
            return machine.norm(self, h)
        return h.index_copy(-1, self.places, machine.norm(self, h[..., self.places]))


class Block(Part):
    """Attention, then feed-forward; either may be absent."""

    def __init__(self, kind: Kind, T: Transformer, block: int) -> None:
        """Make the parts."""
        super().__init__()
        whole = T.blocks[block]
        self.before, self.parallel = whole.norm_placement == "pre", whole.parallel
        self.attention = None if whole.attention is None else Attention(kind, T, block)
        self.feed_forward = None if whole.feed_forward is None else FeedForward(kind, whole.feed_forward, block)
        for sublayer in ("attention", "feed_forward"):
            norm, name = getattr(whole, f"{sublayer}_norm"), f"block {block} {sublayer.replace('_', '-')} norm"
            where = f"blocks.{block}.{sublayer}_norm"
            setattr(self, f"{sublayer}_norm", None if norm is None else Norm(kind, norm, T.lanes, where, name))

    def forward(self, h: Tensor, machine: Machine, geometry: Geometry) -> Tensor:
        """Add to the stream, twice."""
        entry, trace = h, geometry.trace
        if trace is not None:
            trace.attention.append([])
            trace.activations.append(h.new_zeros(*h.shape[:-1], 0))
        for sublayer in ("attention", "feed_forward"):
            part, norm = getattr(self, sublayer), getattr(self, f"{sublayer}_norm")
            if part is not None:
                seen = entry if self.parallel else h
                if norm is not None and self.before:
                    seen = norm(seen, machine)
                h = machine.add(h, part(seen, machine, geometry))
                if norm is not None and not self.before:
                    h = norm(h, machine)
            if trace is not None:
                trace.stream.append(h)
        return h


def grouped(T: Transformer, block: int) -> list[list[int]]:
    """Return the heads of a block by kinds: neighbours that are computed together."""
    attention = T.blocks[block].attention
    if attention is None:
        return []
    shared = T.attention_positions

    def kind(i: int) -> tuple[object, ...]:
        head, scheme = attention.heads[i], attention.positions_of(i, shared) or NO_POSITIONS
        return len(head.W_Q), len(head.W_V), head.weighting, head.strict, scheme.alike(), head.positions is None

    return [list(places) for _, places in groupby(range(len(attention.heads)), key=kind)]


def group_name(first: int, count: int) -> str:
    """Return the name of heads that are computed together: "2", or "0-3"."""
    return str(first) if count == 1 else f"{first}-{first + count - 1}"


def _biases(biases: Sequence[Weights | None], size: int) -> Weights | None:
    if all(bias is None for bias in biases):
        return None
    return np.concatenate([np.zeros(size) if bias is None else bias for bias in biases])


def _stacked(tables: Sequence[Array | None]) -> Array | None:
    present = [table for table in tables if table is not None]
    return np.stack(present) if present else None


def _as_slice(places: Indices) -> slice:
    """Return places that follow each other, or every second one, as a slice."""
    return slice(int(places[0]), int(places[-1]) + 1, int(places[1] - places[0]) if len(places) > 1 else 1)


def _turns(scheme: AttentionPositions, A: Arithmetic, key_size: int, name: str, length: int) -> Array:
    table: Array = getattr(scheme.rotation(A, key_size, length), name)
    return table


def _penalties(schemes: Sequence[AttentionPositions], A: Arithmetic, length: int) -> Array:
    """Return what each of some heads adds to the score at each distance, (length, heads)."""
    return np.stack([cast(Array, scheme.penalties(A, length)) for scheme in schemes], axis=-1)
