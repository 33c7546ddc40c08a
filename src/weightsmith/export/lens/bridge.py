"""The bridge itself: TransformerLens's model with the weights of a transformer, and its runs for a report."""

from copy import deepcopy
from typing import Any

import numpy as np
import torch
from transformer_lens.config import TransformerBridgeConfig

from weightsmith.arithmetic import Weights
from weightsmith.errors import ExportError
from weightsmith.export.lens.hooks import Adapter, Bridge, Norm
from weightsmith.export.lens.modules import model_of, operations_of
from weightsmith.export.lens.shape import Shape, turning
from weightsmith.export.lens.weights import lens_weights
from weightsmith.export.measure import Outputs
from weightsmith.export.outputs import width
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids

WRAPPED = "._original_component"  # TransformerLens puts this between the names of its own model


def booted(T: Transformer, shape: Shape, dtype: str, own_modules: bool) -> Any:
    """Return a bridge with the weights of a transformer, not yet measured."""
    config = TransformerBridgeConfig(
        d_model=len(T.lanes),
        d_head=shape.head_size,
        n_layers=shape.blocks,
        n_ctx=shape.context,
        n_heads=shape.heads,
        d_vocab=len(T.vocabulary),
        d_vocab_out=width(T),
        d_mlp=shape.neurons,
        act_fn=shape.activation,
        gated_mlp=shape.gated,
        normalization_type=shape.norm,
        final_rms=shape.final_rms,
        eps=shape.eps,
        attention_dir="causal" if T.mask == "causal" else "bidirectional",
        positional_embedding_type="rotary" if shape.turns else "standard",
        rotary_dim=turning(shape.turns) or None,
        init_weights=False,
    )
    config.architecture, config.model_name, config.dtype = "TransformerLensNative", "weightsmith", getattr(torch, dtype)
    model = model_of(T, shape, config, own_modules).to(config.dtype)
    bridge = Bridge(model, Adapter(config), tokenizer=None)
    ops = operations_of(T)
    if own_modules and ops.infinity is not None:
        count = float(T.arithmetic.round(len(T.lanes)))
        for part in bridge.modules():
            if isinstance(part, Norm):
                part.saturating(ops, count, float(T.arithmetic.round(config.eps)))
    _load(bridge.original_model, lens_weights(T, shape))
    return bridge.eval()


def _load(model: Any, weights: dict[str, Weights]) -> None:
    """Copy weights to the parameters and tables of the same names, all of them."""
    tensors = {
        name.replace(WRAPPED, ""): tensor for name, tensor in (*model.named_parameters(), *model.named_buffers())
    }
    with torch.no_grad():
        for name, array in weights.items():
            tensor = tensors[name]
            assert tuple(tensor.shape) == array.shape, (name, tensor.shape, array.shape)
            tensor.copy_(torch.from_numpy(np.array(array, np.float64)))
            if not torch.isfinite(tensor).all():
                raise ExportError(f"{name} holds numbers beyond the range of {tensor.dtype}: write dtype='float64'")


class LensRun:
    """A TransformerBridge, for a report."""

    def __init__(self, T: Transformer, bridge: Any) -> None:
        """Take a bridge of `to_transformer_lens`."""
        self.bridge, self.dtype = bridge, str(bridge.cfg.dtype).removeprefix("torch.")
        self.T, self.saturates, self.steps = T, bool(bridge.own_modules), bool(bridge.own_modules)
        self.longest: int = bridge.cfg.n_ctx
        self.target = "TransformerLens, own modules" if bridge.own_modules else "TransformerLens"
        after = [f"blocks.{b}.hook_resid_{at}" for b in range(len(T.blocks)) for at in ("mid", "post")]
        self.stages = ["blocks.0.hook_resid_pre", *after]

    def in_dtype(self, dtype: str) -> "LensRun | None":
        """Return the bridge with its weights cast, or None where one is beyond the type."""
        other = deepcopy(self.bridge)
        torch.nn.Module.to(other, getattr(torch, dtype))  # `to` of a bridge prints
        other.cfg.dtype = getattr(torch, dtype)
        fits = all(bool(tensor.isfinite().all()) for tensor in other.original_model.parameters())
        return LensRun(self.T, other) if fits else None

    def outputs(self, ids: Ids) -> Outputs:
        """Run ids in the vocabulary; the stream comes from the cache."""
        with torch.no_grad():
            logits, cache = self.bridge.run_with_cache(
                torch.from_numpy(np.array(ids, np.int64)), names_filter=self.stages
            )
        stream = [cache[stage].double().numpy() for stage in self.stages]
        return Outputs(logits.double().numpy(), stream)
