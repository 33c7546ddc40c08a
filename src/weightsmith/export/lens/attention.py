"""Attention as the modules of a bridge compute it, in steps, so that a hook can stand between any two of them."""

from dataclasses import dataclass
from functools import reduce
from operator import and_
from typing import Any, NamedTuple

import numpy as np
import torch
from torch import Tensor
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge.sources.native import NativeAttention

from weightsmith.arithmetic import Array
from weightsmith.export.description import Description, weighting
from weightsmith.export.hugging_face.hub.network_weightsmith import (
    Operations,
    Places,
    near_enough,
    places,
    split_heads,
)
from weightsmith.export.lens.shape import Shape, coordinates, heads_of
from weightsmith.model import Softmax, Transformer


class Linear(torch.nn.Linear):
    """W x ⊕ b: the product saturates, then the sum. The outputs of several heads are folded in their order."""

    def __init__(self, columns: int, rows: int, ops: Operations, heads: int = 1, bias: bool = True) -> None:
        """Make room for W."""
        super().__init__(columns, rows, bias=bias)
        self.ops, self.heads = ops, heads

    def forward(self, x: Tensor) -> Tensor:
        """Return the product with the bias."""
        if self.heads == 1:
            return self.ops.linear(x, self.weight, self.bias)
        return self.ops.gather([(split_heads(x, self.heads), self.weight)], self.bias, x)


class PlainAttention(NativeAttention):  # type: ignore[misc]
    """TransformerLens's attention: the same operations in the same order, as steps."""

    def turned(self, q: Tensor, k: Tensor, position_ids: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return queries and keys, (batch, heads, positions, size), with rotary positions where there are some."""
        if self.rotary is not None:
            q, k = self.rotary.apply_rope(q, k, position_ids=position_ids)
        return q, k

    def places(self, x: Tensor, attention_mask: Tensor | None) -> Places:
        """Return the positions of a batch; hidden ones are not visible."""
        where = places(x, None, self.causal)
        if attention_mask is None:
            return where
        hidden = self._combine_attention_mask(~where.visible, attention_mask, batch=len(x))
        return where._replace(visible=~hidden)

    def visible(self, where: Places) -> Tensor:
        """Return what each head sees, to be broadcast to (batch, heads, positions, positions)."""
        return where.visible

    def scores(self, q: Tensor, k: Tensor, where: Places) -> Tensor:
        """Return the scores of all heads, (batch, heads, positions, positions)."""
        scores: Tensor = torch.matmul(q, k.transpose(-2, -1)) / self.scale
        return scores

    def weigh(self, scores: Tensor, visible: Tensor, where: Places) -> Tensor:
        """Return the weights of all heads on what is visible."""
        return scores.masked_fill(~visible, float("-inf")).softmax(dim=-1).masked_fill(~visible, 0.0)

    def mix(self, pattern: Tensor, v: Tensor, where: Places) -> Tensor:
        """Return the weighted sums of values, (batch, heads, positions, size)."""
        return torch.matmul(pattern, v)


class Attention(PlainAttention):
    """Attention in which every head follows its own weighting and positions."""

    def __init__(self, config: TransformerBridgeConfig, rotary: Any, rules: "Rules", ops: Operations) -> None:
        """Keep the tables as buffers; queries are stored times a scale, and so is their ∞."""
        super().__init__(config, rotary=rotary)
        self.rules, self.ops = rules, ops
        self.scaled = Operations(None if ops.infinity is None else self.scale * ops.infinity)
        lanes, inner = config.d_model, self.n_heads * self.d_head
        self.q, self.k, self.v = (Linear(lanes, inner, own) for own in (self.scaled, ops, ops))
        self.o = Linear(inner, lanes, ops, heads=self.n_heads)
        for name in ("key_offsets", "value_offsets", "penalties"):
            table = getattr(rules, name)
            self.register_buffer(name, None if table is None else torch.from_numpy(table), persistent=False)

    def turned(self, q: Tensor, k: Tensor, position_ids: Tensor | None) -> tuple[Tensor, Tensor]:
        """Return queries and keys with rotary positions where there are some; these saturate."""
        q, k = super().turned(q, k, position_ids)
        return (q, k) if self.rotary is None else (self.scaled.within(q), self.ops.within(k))

    def visible(self, where: Places) -> Tensor:
        """Return what each head sees; a strict head sees only what is before, one with a window only what is near."""
        seen = where.visible
        seen = seen if seen.dim() == 4 else seen[None, None]  # with padding it is (batch, 1, positions, positions)
        return torch.cat([reduce(and_, near_enough(where.distance, own), seen) for own in self.rules.sights], dim=1)

    def scores(self, q: Tensor, k: Tensor, where: Places) -> Tensor:
        """Return the scores of all heads, with the penalties for their distance."""
        scores = self.ops.scores(q / self.scale, k, self.key_offsets, where)
        return scores if self.penalties is None else self.ops.add(scores, self.ops.by_distance(self.penalties, where))

    def weigh(self, scores: Tensor, visible: Tensor, where: Places) -> Tensor:
        """Return the weights of all heads, each by its own rule."""
        ops, every = self.ops, visible.expand(scores.shape)
        real = ops.real(where)
        real = real if real.dim() < 4 else real[:, 0]
        rows = [ops.weigh(how, scores[:, i], every[:, i], real) for i, how in enumerate(self.rules.weightings)]
        return torch.stack(rows, dim=1)

    def mix(self, pattern: Tensor, v: Tensor, where: Places) -> Tensor:
        """Return the weighted sums of values, which saturate."""
        mixed: Tensor = self.ops.mix(pattern, v, self.value_offsets, where)
        return mixed


class Sight(NamedTuple):
    """What a head sees of the positions that the mask leaves: only earlier ones, or only as many as its window."""

    strict: bool = False
    window: int | None = None


@dataclass(frozen=True)
class Rules:
    """The weightings, masks and position tables of the heads of a block."""

    weightings: tuple[Description, ...]  # one for each head
    sights: tuple[Sight, ...]  # what each sees
    key_offsets: Array | None  # (heads, distances, head size)
    value_offsets: Array | None
    penalties: Array | None  # (heads, positions)


def rules_of(T: Transformer, shape: Shape, block: int) -> Rules:
    """Return the rules of the heads of a block; missing heads have a plain softmax over values of 0."""
    A, weightings = T.arithmetic, [weighting(T.arithmetic, Softmax(shifted=True))] * shape.heads
    sights = [Sight()] * shape.heads
    keys: dict[int, Array] = {}
    values: dict[int, Array] = {}
    penalties: dict[int, Array] = {}
    for b, i, head, scheme in heads_of(T):
        if b != block:
            continue
        weightings[i], sights[i] = weighting(A, head.weighting), Sight(head.strict, head.window)
        if weightings[i].get("empty") == "error":  # a bridge gives weights of 0 there
            weightings[i]["empty"] = "zero"
        if (table := scheme.key_offsets()) is not None:
            keys[i] = _placed(table, coordinates(shape.turns, head, scheme), shape.head_size)
        if (table := scheme.value_offsets()) is not None:
            values[i] = _placed(table, list(range(len(head.W_V))), shape.head_size)
        if (table := scheme.penalties(A, shape.context)) is not None:
            penalties[i] = table
    stacked = [_stacked(tables, shape.heads) for tables in (keys, values, penalties)]
    return Rules(tuple(weightings), tuple(sights), *stacked)


def _placed(table: Array, places: list[int], size: int) -> Array:
    result = np.zeros((len(table), size))
    result[:, places] = table
    return result


def _stacked(tables: dict[int, Array], heads: int) -> Array | None:
    """Return the tables of all heads as one, 0 where a head has none; the last row serves longer distances."""
    if not tables:
        return None
    rows = max(len(table) for table in tables.values())
    some = next(iter(tables.values()))
    result = np.zeros((heads, rows, *some.shape[1:]))
    for i, table in tables.items():
        result[i] = np.concatenate([table, np.repeat(table[-1:], rows - len(table), axis=0)])
    return result
