"""Modules in place of TransformerLens's own, for heads that it does not have and for arithmetics that saturate.

They keep the names and the hooks: `hook_pattern` holds the weights of the head, whatever its rule, and may change them.
"""

import math
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import torch
from torch import Tensor
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge.sources import build_bridge_from_module
from transformer_lens.model_bridge.sources.native import NativeAttention, NativeBlock, NativeMLP, NativeModel
from transformer_lens.model_bridge.sources.native.model import NativeGatedMLP

from weightsmith.arithmetic import Arithmetic, Array, Saturating
from weightsmith.export.lens.shape import Shape, coordinates, heads_of
from weightsmith.model import AverageHard, LeftmostHard, Softmax, Transformer, Weighting


@dataclass(frozen=True)
class Rules:
    """What the heads of a block do besides their matrices, and where values saturate."""

    arithmetic: Arithmetic
    weightings: tuple[Weighting, ...]  # one for each head
    strict: tuple[bool, ...]  # whether each sees only what is before
    key_offsets: Array | None  # (heads, distances, head size)
    value_offsets: Array | None
    penalties: Array | None  # (heads, positions)

    def bounded(self, x: Tensor, scale: float = 1.0) -> Tensor:
        """Clamp at ±scale·∞, for values that are stored scaled, or at the largest number of their type."""
        if not self.saturates:
            return x
        end = min(scale * self.arithmetic.infinity, torch.finfo(x.dtype).max)
        return x.clamp(-end, end)

    @property
    def saturates(self) -> bool:
        """Whether the arithmetic does."""
        return isinstance(self.arithmetic, Saturating)


def bridge_with_own_modules(T: Transformer, shape: Shape, config: TransformerBridgeConfig, dtype: torch.dtype) -> Any:
    """Return a bridge as `boot_native` makes it, but with our blocks."""
    rules = [rules_of(T, shape, b) for b in range(shape.blocks)]
    model = Model(config, rules[0])
    for b, own in enumerate(rules):
        model.layers[b] = Block(config, model.rotary, own)
    bridge = build_bridge_from_module(
        model.to(dtype),
        architecture="TransformerLensNative",
        tl_config=config,
        dtype=dtype,
        model_name="weightsmith",
    )
    if rules[0].saturates:
        for part in bridge.modules():
            if hasattr(part, "hook_normalized"):  # it computes the norm itself, between its hooks
                part._python_norm_forward = partial(normalised, part, rules[0], len(T.lanes))
    return bridge


def normalised(norm: Any, rules: Rules, lanes: int, x: Tensor) -> Tensor:
    """Return vectors, normalised as the reference does: each step saturates, and eps and the size are members."""
    A, bounded, dtype = rules.arithmetic, rules.bounded, x.dtype
    size, eps = (float(A.round(number)) for number in (lanes, norm.config.eps))
    x = x if dtype in (torch.float32, torch.float64) else x.float()
    if not norm.uses_rms_norm:
        x = bounded(x - bounded(bounded(x.sum(-1, keepdim=True)) / size))
    spread = bounded(bounded(bounded(x * x).sum(-1, keepdim=True)) / size)
    root = norm.hook_scale(bounded(bounded(spread + eps).sqrt()))
    y = norm.hook_normalized(bounded(x / root))
    y = bounded(y * norm.weight)
    bias = None if norm.uses_rms_norm else norm.original_component.bias
    return bounded((y if bias is None else bounded(y + bias)).to(dtype))


def rules_of(T: Transformer, shape: Shape, block: int) -> Rules:
    """Collect what the heads of a block do; heads that are not there attend as usual, to values that are 0."""
    weightings: list[Weighting] = [Softmax(shifted=True)] * shape.heads
    strict = [False] * shape.heads
    keys: dict[int, Array] = {}
    values: dict[int, Array] = {}
    penalties: dict[int, Array] = {}
    for b, i, head, scheme in heads_of(T):
        if b != block:
            continue
        weightings[i], strict[i] = head.weighting, head.strict
        if (table := scheme.key_offsets()) is not None:
            keys[i] = _placed(table, coordinates(shape.turns, head, scheme), shape.head_size)
        if (table := scheme.value_offsets()) is not None:
            values[i] = _placed(table, list(range(len(head.W_V))), shape.head_size)
        if (table := scheme.penalties(T.arithmetic, shape.context)) is not None:
            penalties[i] = table
    stacked = [_stacked(tables, shape.heads) for tables in (keys, values, penalties)]
    return Rules(T.arithmetic, tuple(weightings), tuple(strict), *stacked)


def _placed(table: Array, places: list[int], size: int) -> Array:
    result = np.zeros((len(table), size))
    result[:, places] = table
    return result


def _stacked(tables: dict[int, Array], heads: int) -> Array | None:
    """Return the tables of all heads as one, 0 where a head has none; the last row serves what is longer."""
    if not tables:
        return None
    rows = max(len(table) for table in tables.values())
    some = next(iter(tables.values()))
    result = np.zeros((heads, rows, *some.shape[1:]))
    for i, table in tables.items():
        result[i] = np.concatenate([table, np.repeat(table[-1:], rows - len(table), axis=0)])
    return result


class Linear(torch.nn.Linear):
    """W x ⊕ b: the product saturates, then the sum. What several heads give is folded in their order."""

    def __init__(
        self, columns: int, rows: int, rules: Rules, scale: float = 1.0, heads: int = 1, bias: bool = True
    ) -> None:
        """Make room for W; `scale` says how many times as large as in the transformer the values are."""
        super().__init__(columns, rows, bias=bias)
        self.rules, self.scale, self.heads = rules, scale, heads

    def forward(self, x: Tensor) -> Tensor:
        """Return the product with the bias."""
        if not self.rules.saturates:
            return super().forward(x)
        each, rows = (part.reshape(*part.shape[:-1], self.heads, -1) for part in (x, self.weight))
        first, *others = self._bounded(torch.einsum("...hi,ohi->...ho", each, rows)).unbind(-2)
        total = first
        for output in others:
            total = self._bounded(total + output)
        return total if self.bias is None else self._bounded(total + self.bias)

    def _bounded(self, x: Tensor) -> Tensor:
        return self.rules.bounded(x, self.scale)


class Attention(NativeAttention):  # type: ignore[misc]
    """Attention in which every head follows its own weighting and positions."""

    def __init__(self, config: TransformerBridgeConfig, rotary: Any, rules: Rules) -> None:
        """Keep the tables as buffers."""
        super().__init__(config, rotary=rotary)
        self.rules = rules
        lanes, inner = config.d_model, self.n_heads * self.d_head
        self.q, self.k, self.v = (Linear(lanes, inner, rules, scale) for scale in (self.scale, 1.0, 1.0))
        self.o = Linear(inner, lanes, rules, heads=self.n_heads)
        for name in ("key_offsets", "value_offsets", "penalties"):
            table = getattr(rules, name)
            self.register_buffer(name, None if table is None else torch.from_numpy(table), persistent=False)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        pattern_fn: Callable[[Tensor], Tensor] | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor, Tensor]:
        """Return what attention adds to the stream, and the weights."""
        rules, (batch, length, _) = self.rules, hidden_states.shape
        q, k, v = (
            part(hidden_states).view(batch, length, self.n_heads, self.d_head).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        if self.rotary is not None:
            q, k = self.rotary.apply_rope(q, k, position_ids=position_ids)
            q, k = rules.bounded(q, self.scale), rules.bounded(k)
        places = torch.arange(length, device=q.device)
        distance = places[:, None] - places
        hidden = distance < 0 if self.causal else torch.zeros_like(distance, dtype=torch.bool)
        if attention_mask is not None:
            hidden = self._combine_attention_mask(hidden, attention_mask, batch=batch)
        seen = ~hidden.expand(batch, self.n_heads, length, length)
        if any(rules.strict):
            seen = seen & ~(torch.tensor(rules.strict, device=q.device)[:, None, None] & (distance <= 0))
        scores = self._scores(q, k, distance).masked_fill(~seen, -math.inf)
        rows = [weigh(rules, how, scores[:, i], seen[:, i]) for i, how in enumerate(rules.weightings)]
        pattern = torch.stack(rows, dim=1)
        if pattern_fn is not None:
            pattern = pattern_fn(pattern)
        mixed = rules.bounded(self._mixed(pattern, v, distance))
        return self.o(mixed.transpose(1, 2).flatten(2)), pattern

    def _scores(self, q: Tensor, k: Tensor, distance: Tensor) -> Tensor:
        """Return what keys, each with its offset, are to queries; a penalty comes after their product saturated."""
        bounded, q = self.rules.bounded, q / self.scale
        if self.key_offsets is None:
            scores = q @ k.transpose(-1, -2)
        else:  # one coordinate at a time: a key for each pair of positions is large
            offsets = self.key_offsets[:, distance.clamp(0, self.key_offsets.shape[1] - 1)]
            scores = q.new_zeros(*q.shape[:-1], k.shape[-2])
            for c in range(self.d_head):
                scores = scores + q[..., :, None, c] * bounded(k[..., None, :, c] + offsets[..., c])
        scores = bounded(scores)
        return scores if self.penalties is None else bounded(scores + self.penalties[:, distance.abs()])

    def _mixed(self, pattern: Tensor, v: Tensor, distance: Tensor) -> Tensor:
        """Return weighted sums of values, each with its offset."""
        if self.value_offsets is None:
            return pattern @ v
        offsets = self.value_offsets[:, distance.clamp(0, self.value_offsets.shape[1] - 1)]
        values = (self.rules.bounded(v[..., None, :, c] + offsets[..., c]) for c in range(self.d_head))
        return torch.stack([(pattern * value).sum(-1) for value in values], dim=-1)


def weigh(rules: Rules, weighting: Weighting, scores: Tensor, seen: Tensor) -> Tensor:
    """Turn scores (batch, positions, positions), −inf where nothing is seen, into weights."""
    largest = scores.amax(-1, keepdim=True)
    if isinstance(weighting, Softmax):
        return rules.bounded(softmax(rules, weighting, scores, seen, largest))
    best = seen & (scores == largest)
    if isinstance(weighting, AverageHard):
        return rules.bounded(best.to(scores) / best.sum(-1, keepdim=True).clamp(min=1))
    count = best.cumsum(-1) if isinstance(weighting, LeftmostHard) else best.flip(-1).cumsum(-1).flip(-1)
    return rules.bounded((best & (count == 1)).to(scores))


def softmax(rules: Rules, weighting: Softmax, scores: Tensor, seen: Tensor, largest: Tensor) -> Tensor:
    """Return exp(score) ⊘ Σ exp(score), where what rounds to 0 in the arithmetic is 0: only so can a row be empty."""
    shifted = rules.bounded(scores - largest).masked_fill(~seen, -math.inf)
    exponent = shifted if weighting.shifted or not rules.saturates else scores
    asked = shifted if weighting.shifted else scores
    least = math.log(rules.arithmetic.smallest) - math.log(2)
    e = rules.bounded(torch.where(asked > least, exponent, -math.inf).exp())
    z = rules.bounded(e.sum(-1, keepdim=True))
    weights = e / torch.where(z == 0, 1.0, z)
    if weighting.empty != "uniform":
        return weights
    return torch.where(z == 0, seen.to(scores) / seen.sum(-1, keepdim=True).clamp(min=1), weights)


class FeedForward(NativeMLP):  # type: ignore[misc]
    """A feed-forward layer that saturates."""

    def __init__(self, config: TransformerBridgeConfig, rules: Rules) -> None:
        """Put linear modules that saturate in the place of the usual ones."""
        super().__init__(config)
        self.fc_in = Linear(config.d_model, config.d_mlp, rules)
        self.fc_out = Linear(config.d_mlp, config.d_model, rules)


class GatedFeedForward(NativeGatedMLP):  # type: ignore[misc]
    """A gated feed-forward layer that saturates; it has no biases."""

    def __init__(self, config: TransformerBridgeConfig, rules: Rules) -> None:
        """Put linear modules that saturate in the place of the usual ones."""
        super().__init__(config)
        self.gate = Linear(config.d_model, config.d_mlp, rules, bias=False)
        self.add_module("in", Linear(config.d_model, config.d_mlp, rules, bias=False))
        self.out = Gathering(config.d_mlp, config.d_model, rules, bias=False)


class Gathering(Linear):
    """W_2 of a gated layer: what it reads is a product, which saturates before."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the product."""
        return super().forward(self._bounded(x))


class Block(NativeBlock):  # type: ignore[misc]
    """A block whose attention follows rules, and whose stream saturates."""

    def __init__(self, config: TransformerBridgeConfig, rotary: Any, rules: Rules) -> None:
        """Make the parts."""
        super().__init__(config, rotary=rotary)
        self.rules, self.attn = rules, Attention(config, rotary, rules)
        self.mlp = (GatedFeedForward if config.gated_mlp else FeedForward)(config, rules)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor]:
        """Add to the stream, twice."""
        h, bounded = hidden_states, self.rules.bounded
        added, _ = self.attn(self.ln1(h), attention_mask=attention_mask, position_ids=position_ids)
        h = bounded(h + added)
        return (bounded(h + bounded(self.mlp(self.ln2(h)))),)


class Model(NativeModel):  # type: ignore[misc]
    """A model whose stream saturates from the embedding on, and whose logits do."""

    def __init__(self, config: TransformerBridgeConfig, rules: Rules) -> None:
        """Make the parts."""
        super().__init__(config)
        self.rules = rules
        self.head = Linear(config.d_model, config.d_vocab_out, rules, bias=False)

    def forward(
        self,
        input_ids: Tensor | None = None,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        inputs_embeds: Tensor | None = None,
        **kwargs: Any,
    ) -> Tensor:
        """Return the logits at every position."""
        if (input_ids is None) == (inputs_embeds is None):
            raise ValueError("give either input_ids or inputs_embeds")
        h = self.tok_embed(input_ids) if inputs_embeds is None else inputs_embeds
        if h.shape[1] > self.cfg.n_ctx:
            raise ValueError(f"the input has {h.shape[1]} positions, and there is room for {self.cfg.n_ctx}")
        if position_ids is None:
            position_ids = torch.arange(h.shape[1], device=h.device).expand(len(h), -1)
        if self.pos is not None:
            h = self.rules.bounded(h + self.pos(position_ids))
        for block in self.layers:
            (h,) = block(h, attention_mask=attention_mask, position_ids=position_ids)
        logits: Tensor = self.head(self.ln_out(h))
        return logits
