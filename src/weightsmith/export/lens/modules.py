"""The modules of a bridge: blocks in which every hook has its place, with TransformerLens's sublayers or ours.

Ours are for heads that TransformerLens does not have and for arithmetics that saturate. The names are the same.
"""

from collections.abc import Callable
from typing import Any

import torch
from torch import Tensor
from transformer_lens.config import TransformerBridgeConfig
from transformer_lens.model_bridge.sources.native import NativeBlock, NativeMLP, NativeModel
from transformer_lens.model_bridge.sources.native.model import NativeGatedMLP

from weightsmith.arithmetic import Saturating
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations
from weightsmith.export.lens.attention import Attention, Linear, PlainAttention, rules_of
from weightsmith.export.lens.shape import Shape
from weightsmith.model import Transformer


def model_of(T: Transformer, shape: Shape, config: TransformerBridgeConfig, own_modules: bool) -> NativeModel:
    """Return a model without weights, whose sublayers are ours or TransformerLens's own."""
    if not own_modules:
        plain: NativeModel = NativeModel(config)
        for b in range(shape.blocks):
            plain.layers[b] = Block(config, plain.rotary, Operations())
            plain.layers[b].attn = PlainAttention(config, rotary=plain.rotary)
        return plain
    ops = operations_of(T)
    model = Model(config, ops)
    for b in range(shape.blocks):
        block = model.layers[b] = Block(config, model.rotary, ops)
        block.attn = Attention(config, model.rotary, rules_of(T, shape, b), ops)
        block.mlp = (GatedFeedForward if config.gated_mlp else FeedForward)(config, ops)
    return model


def operations_of(T: Transformer) -> Operations:
    """Return operations on tensors that saturate where those of the arithmetic do."""
    return Operations(T.arithmetic.infinity if isinstance(T.arithmetic, Saturating) else None)


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
    """A block that lets hooks change the stream between its sublayers, and whose stream saturates."""

    def __init__(self, config: TransformerBridgeConfig, rotary: Any, ops: Operations) -> None:
        """Make the parts of TransformerLens."""
        super().__init__(config, rotary=rotary)
        self.ops = ops

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        at_mid: Callable[[Tensor], Tensor] | None = None,
        at_mlp_in: Callable[[Tensor], Tensor] | None = None,
        **kwargs: Any,
    ) -> tuple[Tensor]:
        """Return the stream after both sublayers; hooks may change it in between, or for the second sublayer alone."""
        h = hidden_states
        seen = {"attention_mask": attention_mask, "position_ids": position_ids}
        added, _ = self.attn(self.ln1(h), stream=h, norm=self.ln1, **seen)
        h = self.ops.add(h, added)
        h = h if at_mid is None else at_mid(h)
        read = h if at_mlp_in is None else at_mlp_in(h)
        return (self.ops.add(h, self.mlp(self.ln2(read))),)


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
