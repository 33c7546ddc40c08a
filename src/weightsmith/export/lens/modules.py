"""Modules in place of TransformerLens's own, for heads that it does not have and for arithmetics that saturate.

They keep the names and the hooks: `hook_pattern` holds the weights of the head, whatever its rule, and may change them.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import numpy as np
import torch
from torch import Tensor
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge.sources import build_bridge_from_module
from transformer_lens.model_bridge.sources.native import NativeAttention, NativeBlock, NativeMLP, NativeModel
from transformer_lens.model_bridge.sources.native.model import NativeGatedMLP

from weightsmith.arithmetic import Array, Saturating
from weightsmith.export.description import Description, weighting
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations, Places, places, split_heads
from weightsmith.export.lens.shape import Shape, coordinates, heads_of
from weightsmith.model import Softmax, Transformer


@dataclass(frozen=True)
class Rules:
    """The weightings, masks and position tables of the heads of a block."""

    weightings: tuple[Description, ...]  # one for each head
    strict: tuple[bool, ...]  # whether each sees only earlier positions
    key_offsets: Array | None  # (heads, distances, head size)
    value_offsets: Array | None
    penalties: Array | None  # (heads, positions)


def bridge_with_own_modules(T: Transformer, shape: Shape, config: TransformerBridgeConfig, dtype: torch.dtype) -> Any:
    """Return a bridge as `boot_native` makes it, but with our blocks."""
    ops = Operations(T.arithmetic.infinity if isinstance(T.arithmetic, Saturating) else None)
    model = Model(config, ops)
    for b in range(shape.blocks):
        model.layers[b] = Block(config, model.rotary, rules_of(T, shape, b), ops)
    bridge = build_bridge_from_module(
        model.to(dtype),
        architecture="TransformerLensNative",
        tl_config=config,
        dtype=dtype,
        model_name="weightsmith",
    )
    if ops.infinity is not None:
        count = float(T.arithmetic.round(len(T.lanes)))
        for part in bridge.modules():
            if hasattr(part, "hook_normalized"):  # it computes the norm itself, between its hooks
                eps = float(T.arithmetic.round(part.config.eps))
                part._python_norm_forward = partial(normalised, part, NormOperations(ops.infinity), count, eps)
    return bridge


class NormOperations(Operations):
    """Operations that let a hook of TransformerLens see, and change, the square root of a norm."""

    def root(self, norm: Any, x: Tensor) -> Tensor:
        """Return the square root that a norm divides by."""
        root: Tensor = norm.hook_scale(super().root(norm, x))
        return root


def normalised(norm: Any, ops: NormOperations, count: float, eps: float, x: Tensor) -> Tensor:
    """Return vectors, normalised between the hooks of a norm of TransformerLens."""
    parts = SimpleNamespace(
        count=count, eps=eps, centred=not norm.uses_rms_norm, gain=None, bias=None, hook_scale=norm.hook_scale
    )
    y: Tensor = ops.multiply(norm.hook_normalized(ops.norm(parts, x)), norm.weight)
    bias = None if norm.uses_rms_norm else norm.original_component.bias
    return y if bias is None else cast(Tensor, ops.add(y, bias))


def rules_of(T: Transformer, shape: Shape, block: int) -> Rules:
    """Return the rules of the heads of a block; missing heads have a plain softmax over values of 0."""
    A, weightings = T.arithmetic, [weighting(T.arithmetic, Softmax(shifted=True))] * shape.heads
    strict = [False] * shape.heads
    keys: dict[int, Array] = {}
    values: dict[int, Array] = {}
    penalties: dict[int, Array] = {}
    for b, i, head, scheme in heads_of(T):
        if b != block:
            continue
        weightings[i], strict[i] = weighting(A, head.weighting), head.strict
        if weightings[i].get("empty") == "error":  # a bridge gives weights of 0 there
            weightings[i]["empty"] = "zero"
        if (table := scheme.key_offsets()) is not None:
            keys[i] = _placed(table, coordinates(shape.turns, head, scheme), shape.head_size)
        if (table := scheme.value_offsets()) is not None:
            values[i] = _placed(table, list(range(len(head.W_V))), shape.head_size)
        if (table := scheme.penalties(A, shape.context)) is not None:
            penalties[i] = table
    stacked = [_stacked(tables, shape.heads) for tables in (keys, values, penalties)]
    return Rules(tuple(weightings), tuple(strict), *stacked)


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


class Attention(NativeAttention):  # type: ignore[misc]
    """Attention in which every head follows its own weighting and positions."""

    def __init__(self, config: TransformerBridgeConfig, rotary: Any, rules: Rules, ops: Operations) -> None:
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

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        pattern_fn: Callable[[Tensor], Tensor] | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor, Tensor]:
        """Return what attention adds to the stream, and the weights."""
        batch, length, _ = hidden_states.shape
        q, k, v = (
            part(hidden_states).view(batch, length, self.n_heads, self.d_head).transpose(1, 2)
            for part in (self.q, self.k, self.v)
        )
        if self.rotary is not None:
            q, k = self.rotary.apply_rope(q, k, position_ids=position_ids)
            q, k = self.scaled.within(q), self.ops.within(k)
        where = places(hidden_states, None, self.causal)
        if attention_mask is not None:
            hidden = self._combine_attention_mask(~where.visible, attention_mask, batch=batch)
            where = where._replace(visible=~hidden)
        pattern = self._weights(q / self.scale, k, where)
        if pattern_fn is not None:
            pattern = pattern_fn(pattern)
        mixed = self.ops.mix(pattern, v, self.value_offsets, where)
        return self.o(mixed.transpose(1, 2).flatten(2)), pattern

    def _weights(self, q: Tensor, k: Tensor, where: Places) -> Tensor:
        """Return the weights of all heads, (batch, heads, positions, positions), each by its own rule."""
        ops, rules = self.ops, self.rules
        scores = ops.scores(q, k, self.key_offsets, where)
        if self.penalties is not None:
            scores = ops.add(scores, ops.by_distance(self.penalties, where))
        every, before = where.visible.expand(scores.shape), where.distance > 0
        seen = [every[:, i] & before if strict else every[:, i] for i, strict in enumerate(rules.strict)]
        rows = [ops.weigh(how, scores[:, i], seen[i], ops.real(where)) for i, how in enumerate(rules.weightings)]
        return torch.stack(rows, dim=1)


class FeedForward(NativeMLP):  # type: ignore[misc]
    """A feed-forward layer that saturates."""

    def __init__(self, config: TransformerBridgeConfig, ops: Operations) -> None:
        """Put linear modules that saturate in the place of the usual ones."""
        super().__init__(config)
        self.fc_in = Linear(config.d_model, config.d_mlp, ops)
        self.fc_out = Linear(config.d_mlp, config.d_model, ops)


class GatedFeedForward(NativeGatedMLP):  # type: ignore[misc]
    """A gated feed-forward layer that saturates; it has no biases."""

    def __init__(self, config: TransformerBridgeConfig, ops: Operations) -> None:
        """Put linear modules that saturate in the place of the usual ones."""
        super().__init__(config)
        self.gate = Linear(config.d_model, config.d_mlp, ops, bias=False)
        self.add_module("in", Linear(config.d_model, config.d_mlp, ops, bias=False))
        self.out = OutOfGate(config.d_mlp, config.d_model, ops, bias=False)


class OutOfGate(Linear):
    """W_2 of a gated layer: its input is a product, which saturates before."""

    def forward(self, x: Tensor) -> Tensor:
        """Return the product."""
        return super().forward(self.ops.within(x))


class Block(NativeBlock):  # type: ignore[misc]
    """A block whose attention follows rules, and whose stream saturates."""

    def __init__(self, config: TransformerBridgeConfig, rotary: Any, rules: Rules, ops: Operations) -> None:
        """Make the parts."""
        super().__init__(config, rotary=rotary)
        self.ops, self.attn = ops, Attention(config, rotary, rules, ops)
        self.mlp = (GatedFeedForward if config.gated_mlp else FeedForward)(config, ops)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor]:
        """Return the stream after both sublayers."""
        h = hidden_states
        added, _ = self.attn(self.ln1(h), attention_mask=attention_mask, position_ids=position_ids)
        h = self.ops.add(h, added)
        return (self.ops.add(h, self.mlp(self.ln2(h))),)


class Model(NativeModel):  # type: ignore[misc]
    """A model whose stream saturates from the embedding on, and whose logits do."""

    def __init__(self, config: TransformerBridgeConfig, ops: Operations) -> None:
        """Make the parts."""
        super().__init__(config)
        self.ops = ops
        self.head = Linear(config.d_model, config.d_vocab_out, ops, bias=False)

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
            h = self.ops.add(h, self.pos(position_ids))
        for block in self.layers:
            (h,) = block(h, attention_mask=attention_mask, position_ids=position_ids)
        logits: Tensor = self.head(self.ln_out(h))
        return logits
