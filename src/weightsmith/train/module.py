"""The transformer that is trained, as a PyTorch module: the shared network with parameters of its own shape."""

import math
from collections.abc import Sequence
from typing import Any, cast

import torch
from torch import Tensor, nn
from torch.nn import functional

from weightsmith.export.hugging_face.hub.network_weightsmith import Operations, Places, places
from weightsmith.export.hugging_face.hub.steps_weightsmith import (
    BlockSteps,
    FeedForwardSteps,
    HeadSteps,
    NetworkSteps,
    Passed,
    attention,
)
from weightsmith.model import Transformer
from weightsmith.model.block import GATED
from weightsmith.train.convert import EPS, to_transformer
from weightsmith.train.settings import Shape

INITIAL_DEVIATION = 0.55  # so that 768 lanes, as many as GPT-2 has, begin with its 0.02
SOFTMAX = {"kind": "softmax", "shifted": True, "empty": "zero", "low": -math.inf, "high": math.inf}


class Learning(Operations, nn.Module):
    """The operations of training: floats without an end, queries times 1/√size, and dropout."""

    def __init__(self, dropout: float = 0.0) -> None:
        """Take the share of values that are dropped."""
        nn.Module.__init__(self)
        Operations.__init__(self)
        self.dropout = dropout

    def dropped(self, x: Tensor) -> Tensor:
        """Return values of which some are dropped, in training."""
        return functional.dropout(x, self.dropout, self.training)

    def embedded(self, h: Tensor) -> Tensor:
        """Return the stream as it enters the first block."""
        return self.dropped(h)

    def join(self, h: Tensor, added: Tensor) -> Tensor:
        """Return the stream with what a sublayer adds."""
        return self.within(h + self.dropped(added))

    def normalised(self, norm: nn.Module, h: Tensor) -> Tensor:
        """Return the stream after a norm of PyTorch."""
        return cast(Tensor, norm(h))

    def projected(self, heads: "Attention", h: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values, (inputs, heads, positions, size), by one product."""
        return heads.split(self.linear(h, heads.read.weight, heads.read.bias))

    def attend(
        self, heads: "Attention", q: Tensor, k: Tensor, v: Tensor, where: Places, wanted: bool
    ) -> tuple[Tensor, Tensor | None]:
        """Attend causally, by PyTorch's own function unless positions are relative."""
        if heads.key_offsets is not None:
            return super().attend(heads, q, k, v, where, wanted)
        bias, dropout = heads.bias(where), self.dropout if self.training else 0.0
        return functional.scaled_dot_product_attention(q, k, v, bias, dropout, is_causal=bias is None), None

    def scores(self, q: Tensor, k: Tensor, offsets: Tensor | None, where: Places) -> Tensor:
        """Return ⟨q, k + a⟩ / √size."""
        return super().scores(q, k, offsets, where) / math.sqrt(q.shape[-1])

    def softmax(self, *given: Any) -> Tensor:
        """Return the weights of a softmax, of which some are dropped."""
        return self.dropped(super().softmax(*given))


class Attention(HeadSteps, nn.Module):
    """Multi-head attention with its positions; queries, keys and values are read by one matrix."""

    weighting, strict, window, penalties = SOFTMAX, False, None, None

    def __init__(self, shape: Shape, geometry: "Geometry") -> None:
        """Make the weights."""
        super().__init__()
        self.heads, self.size, self.positions = shape.heads, shape.lanes // shape.heads, shape.positions
        self.pairs = slice(0, self.size // 2), slice(self.size // 2, self.size)
        self._geometry = (geometry,)  # in a tuple, because all blocks share it
        self.read = nn.Linear(shape.lanes, 3 * shape.lanes, bias=shape.biases)
        self.write = nn.Linear(shape.lanes, shape.lanes, bias=shape.biases)
        if shape.positions == "relative":
            distances = shape.max_distance + 1
            self.keys = nn.Parameter(torch.randn(shape.heads, distances, self.size) * 0.02)
            self.values = nn.Parameter(torch.randn(shape.heads, distances, self.size) * 0.02)

    def split(self, read: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """Return queries, keys and values from the product of the one matrix."""
        q, k, v = read.reshape(*read.shape[:2], 3, self.heads, self.size).permute(2, 0, 3, 1, 4)
        return q, k, v

    W_O = property(lambda self: self.write.weight)

    @property
    def key_offsets(self) -> Tensor | None:
        """What is added to keys, by distance."""
        return self.keys if self.positions == "relative" else None

    @property
    def value_offsets(self) -> Tensor | None:
        """What is added to values, by distance."""
        return self.values if self.positions == "relative" else None

    @property
    def rotation_cos(self) -> Tensor | None:
        """The cosines of rotary positions."""
        return self._geometry[0].cos if self.positions == "rotary" else None

    @property
    def rotation_sin(self) -> Tensor | None:
        """The sines of rotary positions."""
        return self._geometry[0].sin if self.positions == "rotary" else None

    def bias(self, where: Places) -> Tensor | None:
        """Return what ALiBi adds to the scores, −∞ where nothing is seen."""
        if self.positions != "alibi":
            return None
        slopes = self._geometry[0].slopes
        return (-slopes[:, None, None] * where.distance.to(slopes)).masked_fill(~where.visible, -math.inf)


class Geometry(nn.Module):
    """The tables of rotary positions and ALiBi, computed once, in float64."""

    cos: Tensor
    sin: Tensor
    slopes: Tensor

    def __init__(self, shape: Shape) -> None:
        """Compute angles and slopes."""
        super().__init__()
        half = shape.lanes // shape.heads // 2
        here = torch.arange(shape.context, dtype=torch.float64)
        angle = here[:, None] / 10000.0 ** (torch.arange(half, dtype=torch.float64) / max(half, 1))
        slopes = 2.0 ** (-8 * torch.arange(1, shape.heads + 1, dtype=torch.float64) / shape.heads)
        for name, table in (("cos", angle.cos()), ("sin", angle.sin()), ("slopes", slopes)):
            self.register_buffer(name, table, persistent=False)


class FeedForward(FeedForwardSteps, nn.Module):
    """Keys, activation, values."""

    def __init__(self, shape: Shape) -> None:
        """Make the weights."""
        super().__init__()
        self.activation: Any = shape.activation
        self.function = GATED.get(shape.activation, shape.activation)
        self.keys = nn.Linear(shape.lanes, shape.neurons, bias=shape.biases)
        self.gate = nn.Linear(shape.lanes, shape.neurons, bias=shape.biases) if shape.gated else None
        self.values = nn.Linear(shape.neurons, shape.lanes, bias=shape.biases)

    W_1, b_1 = property(lambda self: self.keys.weight), property(lambda self: self.keys.bias)
    W_2, b_2 = property(lambda self: self.values.weight), property(lambda self: self.values.bias)
    W_3 = property(lambda self: None if self.gate is None else self.gate.weight)
    b_3 = property(lambda self: None if self.gate is None else self.gate.bias)


class Block(BlockSteps, nn.Module):
    """Attention and feed-forward, with norms before or after."""

    parallel, attends = False, True

    def __init__(self, shape: Shape, geometry: Geometry) -> None:
        """Make the parts."""
        super().__init__()
        self.before = shape.placement == "pre"
        self.attention, self.feed_forward = Attention(shape, geometry), FeedForward(shape)
        self.attention_norm, self.feed_forward_norm = norm(shape), norm(shape)

    def attention_steps(self, h: Tensor, ops: Operations, where: Places, passed: Passed | None) -> Any:
        """Return what attention adds to the stream."""
        return attention((self.attention,), self.attention.write.bias, h, ops, where, passed)


class Model(NetworkSteps, nn.Module):
    """A transformer over a vocabulary; `classes` is None for a language model."""

    table: Tensor | None
    codes = None

    def __init__(self, shape: Shape, vocabulary: int, classes: int | None, dropout: float = 0.0) -> None:
        """Make the parts, with small random weights."""
        super().__init__()
        self.shape, self.language, self.operations = shape, classes is None, Learning(dropout)
        self.embedding = nn.Embedding(vocabulary, shape.lanes)
        self.positions = nn.Embedding(shape.context, shape.lanes) if shape.positions == "table" else None
        self.register_buffer("table", sinusoids(shape) if shape.positions == "sinusoidal" else None, persistent=False)
        self.geometry = Geometry(shape)
        self.blocks = nn.ModuleList(Block(shape, self.geometry) for _ in range(shape.blocks))
        self.norm = norm(shape) if shape.placement == "pre" else nn.Identity()
        tied = classes is None and shape.tied
        self.output = None if tied else nn.Linear(shape.lanes, classes or vocabulary, bias=False)
        self._begin(INITIAL_DEVIATION / math.sqrt(shape.lanes))
        self.to(torch.float64 if shape.numbers == "float64" else torch.float32)

    def _begin(self, deviation: float) -> None:
        """Begin with small weights; matrices that write to the stream begin smaller, the more blocks there are."""
        for name, parameter in self.named_parameters():
            if parameter.ndim == 2:
                added = name.endswith(("write.weight", "values.weight"))
                share = math.sqrt(2 * self.shape.blocks) if added else 1.0
                nn.init.normal_(parameter, std=deviation / share)
            elif name.endswith(("read.bias", "write.bias", "keys.bias", "gate.bias", "values.bias")):
                nn.init.zeros_(parameter)

    @property
    def final_norm(self) -> nn.Module:
        """The norm after the last block."""
        return self.norm

    def token_table(self) -> Tensor:
        """Return the embedding, (vocabulary, lanes)."""
        return self.embedding.weight

    def position_table(self) -> Tensor | None:
        """Return the vectors that are added to the embedding, by position."""
        return self.table if self.positions is None else self.positions.weight

    def output_table(self) -> tuple[Tensor, None]:
        """Return the rows of the output, (classes, lanes)."""
        return self.embedding.weight if self.output is None else self.output.weight, None

    def forward(self, ids: Tensor) -> Tensor:
        """Return the logits at every position."""
        h = self.streamed(ids, self.operations, places(ids, None, causal=True), None)
        return cast(Tensor, self.answered(h, self.operations))

    def as_transformer(self, vocabulary: Sequence[str], classes: Sequence[str] | None, made: str) -> Transformer:
        """Return the transformer with these weights; `made` is the first line of its provenance."""
        return to_transformer(self, vocabulary, classes, made)


def norm(shape: Shape) -> nn.Module:
    """Return a norm, or nothing."""
    match shape.norm:
        case "layer":
            return nn.LayerNorm(shape.lanes, eps=EPS)
        case "rms":
            return nn.RMSNorm(shape.lanes, eps=EPS)
        case _:
            return nn.Identity()


def sinusoids(shape: Shape) -> Tensor:
    """Return interleaved sines and cosines."""
    lane = torch.arange(shape.lanes, dtype=torch.float64)
    here = torch.arange(shape.context, dtype=torch.float64)[:, None]
    angle = here / 10000.0 ** (2 * (lane // 2) / shape.lanes)
    return torch.where(lane % 2 == 0, angle.sin(), angle.cos())
