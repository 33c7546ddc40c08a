"""The transformer as a PyTorch module: the shape that `convert` writes out as a `Transformer`, weight by weight."""

import math
from typing import cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from weightsmith.train.settings import Shape


class Attention(nn.Module):
    """Multi-head attention with its positions."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        """Make the weights."""
        super().__init__()
        self.heads, self.size, self.dropout = shape.heads, shape.lanes // shape.heads, dropout
        self.positions = shape.positions
        self.read = nn.Linear(shape.lanes, 3 * shape.lanes, bias=shape.biases)
        self.write = nn.Linear(shape.lanes, shape.lanes, bias=shape.biases)
        if shape.positions == "relative":
            distances = shape.max_distance + 1
            self.keys = nn.Parameter(torch.randn(shape.heads, distances, self.size) * 0.02)
            self.values = nn.Parameter(torch.randn(shape.heads, distances, self.size) * 0.02)

    def forward(self, h: Tensor, geometry: "Geometry") -> Tensor:
        """Attend causally."""
        batch, length, lanes = h.shape
        q, k, v = self.read(h).view(batch, length, 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        if self.positions == "rotary":
            q, k = geometry.turned(q), geometry.turned(k)
        if self.positions == "relative":
            mixed = self._relative(q, k, v, geometry)
        else:
            bias = geometry.penalties(length) if self.positions == "alibi" else None
            dropout = self.dropout if self.training else 0.0
            mixed = functional.scaled_dot_product_attention(q, k, v, bias, dropout, is_causal=bias is None)
        return cast(Tensor, self.write(mixed.transpose(1, 2).reshape(batch, length, lanes)))

    def _relative(self, q: Tensor, k: Tensor, v: Tensor, geometry: "Geometry") -> Tensor:
        length = q.shape[-2]
        distance = geometry.distances(length)
        by_distance = q @ self.keys.transpose(-1, -2)
        places = distance.expand(*q.shape[:2], length, length)
        scores = (q @ k.transpose(-1, -2) + by_distance.gather(-1, places)) / math.sqrt(self.size)
        hidden = torch.ones(length, length, dtype=torch.bool, device=q.device).triu(1)
        weights = functional.dropout(scores.masked_fill(hidden, -math.inf).softmax(-1), self.dropout, self.training)
        return weights @ v + torch.einsum("bhij,hijd->bhid", weights, self.values[:, distance])


class FeedForward(nn.Module):
    """Keys, activation, values."""

    def __init__(self, shape: Shape) -> None:
        """Make the weights."""
        super().__init__()
        self.activation = shape.activation
        self.keys = nn.Linear(shape.lanes, shape.neurons, bias=shape.biases)
        self.gate = nn.Linear(shape.lanes, shape.neurons, bias=shape.biases) if shape.gated else None
        self.values = nn.Linear(shape.neurons, shape.lanes, bias=shape.biases)

    def forward(self, h: Tensor) -> Tensor:
        """Look up."""
        z = self.keys(h)
        match self.activation:
            case "relu" | "reglu":
                z = functional.relu(z)
            case "gelu":
                z = functional.gelu(z)
            case "gelu_tanh":
                z = functional.gelu(z, approximate="tanh")
            case _:
                z = functional.silu(z)
        return cast(Tensor, self.values(z if self.gate is None else z * self.gate(h)))


class Block(nn.Module):
    """Attention and feed-forward, with norms before or after."""

    def __init__(self, shape: Shape, dropout: float) -> None:
        """Make the parts."""
        super().__init__()
        self.before = shape.placement == "pre"
        self.attention, self.feed_forward = Attention(shape, dropout), FeedForward(shape)
        self.attention_norm, self.feed_forward_norm = norm(shape), norm(shape)
        self.dropout = nn.Dropout(dropout)

    def forward(self, h: Tensor, geometry: "Geometry") -> Tensor:
        """Add to the stream, twice."""
        if self.before:
            h = h + self.dropout(self.attention(self.attention_norm(h), geometry))
            return cast(Tensor, h + self.dropout(self.feed_forward(self.feed_forward_norm(h))))
        h = self.attention_norm(h + self.dropout(self.attention(h, geometry)))
        return cast(Tensor, self.feed_forward_norm(h + self.dropout(self.feed_forward(h))))


class Geometry(nn.Module):
    """What the positions inside attention need, computed once."""

    cos: Tensor
    sin: Tensor
    slopes: Tensor

    def __init__(self, shape: Shape) -> None:
        """Compute angles, slopes and distances in float64."""
        super().__init__()
        half = shape.lanes // shape.heads // 2
        places = torch.arange(shape.context, dtype=torch.float64)
        angle = places[:, None] / 10000.0 ** (torch.arange(half, dtype=torch.float64) / max(half, 1))
        slopes = 2.0 ** (-8 * torch.arange(1, shape.heads + 1, dtype=torch.float64) / shape.heads)
        self.max_distance = shape.max_distance
        for name, table in (("cos", angle.cos()), ("sin", angle.sin()), ("slopes", slopes)):
            self.register_buffer(name, table, persistent=False)

    def turned(self, x: Tensor) -> Tensor:
        """Turn pairs of halves."""
        cos, sin = self.cos[: x.shape[-2]].to(x), self.sin[: x.shape[-2]].to(x)
        a, b = x.chunk(2, dim=-1)
        return torch.cat([a * cos - b * sin, b * cos + a * sin], dim=-1)

    def distances(self, length: int) -> Tensor:
        """Return i − j, from 0 to the largest."""
        places = torch.arange(length, device=self.cos.device)
        return (places[:, None] - places).clamp(0, self.max_distance)

    def penalties(self, length: int) -> Tensor:
        """Return what ALiBi adds to the scores, −∞ where nothing is seen."""
        places = torch.arange(length, device=self.cos.device)
        distance = (places[:, None] - places).to(self.slopes)
        bias = -self.slopes[:, None, None] * distance
        return bias.masked_fill(distance < 0, -math.inf)


class Model(nn.Module):
    """A transformer over a vocabulary; `classes` is None for a language model."""

    table: Tensor | None

    def __init__(self, shape: Shape, vocabulary: int, classes: int | None, dropout: float = 0.0) -> None:
        """Make the parts, with small random weights."""
        super().__init__()
        self.shape, self.language = shape, classes is None
        self.embedding = nn.Embedding(vocabulary, shape.lanes)
        self.positions = nn.Embedding(shape.context, shape.lanes) if shape.positions == "table" else None
        self.register_buffer("table", sinusoids(shape) if shape.positions == "sinusoidal" else None, persistent=False)
        self.geometry = Geometry(shape)
        self.dropout = nn.Dropout(dropout)
        self.blocks = nn.ModuleList(Block(shape, dropout) for _ in range(shape.blocks))
        self.norm = norm(shape) if shape.placement == "pre" else nn.Identity()
        tied = classes is None and shape.tied
        self.output = None if tied else nn.Linear(shape.lanes, classes or vocabulary, bias=False)
        self._begin(INITIAL_DEVIATION / math.sqrt(shape.lanes))
        self.to(torch.float64 if shape.numbers == "float64" else torch.float32)

    def _begin(self, deviation: float) -> None:
        """Begin with small weights; what is added to the stream begins smaller, the more blocks add to it."""
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                added = name.endswith(("write.weight", "values.weight"))
                share = math.sqrt(2 * self.shape.blocks) if added else 1.0
                nn.init.normal_(parameter, std=deviation / share)
            elif name.endswith(("read.bias", "write.bias", "keys.bias", "gate.bias", "values.bias")):
                nn.init.zeros_(parameter)

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits at every position."""
        h = self.embedding(ids)
        if self.positions is not None:
            h = h + self.positions.weight[: ids.shape[-1]]
        if self.table is not None:
            h = h + self.table[: ids.shape[-1]]
        h = self.dropout(h)
        for block in self.blocks:
            h = block(h, self.geometry)
        h = self.norm(h)
        return cast(Tensor, functional.linear(h, self.embedding.weight) if self.output is None else self.output(h))


def norm(shape: Shape) -> nn.Module:
    """Return a norm, or nothing."""
    match shape.norm:
        case "layer":
            return nn.LayerNorm(shape.lanes, eps=EPS)
        case "rms":
            return nn.RMSNorm(shape.lanes, eps=EPS)
        case _:
            return nn.Identity()


EPS = 1e-5
INITIAL_DEVIATION = 0.55  # so that 768 lanes, as many as GPT-2 has, begin with its 0.02


def sinusoids(shape: Shape) -> Tensor:
    """Return interleaved sines and cosines."""
    lane = torch.arange(shape.lanes, dtype=torch.float64)
    places = torch.arange(shape.context, dtype=torch.float64)[:, None]
    angle = places / 10000.0 ** (2 * (lane // 2) / shape.lanes)
    return torch.where(lane % 2 == 0, angle.sin(), angle.cos())
