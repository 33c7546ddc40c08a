"""A transformer as a TransformerLens model, whose residual stream is the run's: for its hooks, caches and patching."""

from copy import deepcopy
from typing import Any

import numpy as np

from weightsmith.arithmetic import Weights
from weightsmith.errors import ExportError, brief, whole_number
from weightsmith.export.capabilities import dtype_for, require_packages
from weightsmith.export.lens.shape import Shape, shape_of, turning
from weightsmith.export.lens.weights import lens_weights
from weightsmith.export.measure import RANDOM_LENGTH, Outputs, check_allowed, measure, required
from weightsmith.export.outputs import width
from weightsmith.model import Transformer
from weightsmith.model.transformer import checked
from weightsmith.semantics.evaluation import Ids

MAX_CONTEXT = 1 << 16
WRAPPED = "._original_component"  # TransformerLens puts this between the names of its own model


def to_transformer_lens(
    T: Transformer,
    dtype: str | None = None,
    *,
    own_modules: bool | None = None,
    max_length: int | None = None,
    allow_differences: bool = False,
    allow_saturation: bool = False,
) -> Any:
    """Return a `TransformerBridge` that computes as a transformer does; `bridge.agreement` says how closely.

    It takes places in the vocabulary, (batch, positions), which `bridge.vocabulary` names; there is no tokenizer. In
    its cache `blocks.0.hook_resid_pre` is the stream after the embedding, `blocks.2.hook_resid_mid` that after the
    attention of block 2 and `blocks.2.hook_resid_post` that after its feed-forward. Head 0 of block 2 is `W_Q[2, 0]`,
    neuron 5 `W_in[2, :, 5]`.

    Heads are padded with zeros to a common size that is a power of 4, and W_Q is multiplied by its root, which
    attention divides by: both exact. Blocks without attention or feed-forward, and missing heads and neurons, are 0.
    Of a model with a readout the unembedding copies its lanes: what the bridge gives are the codes, (batch, positions,
    lanes of the readout), and `bridge.readout` says what they stand for. There is room for `max_length` positions,
    1,024 unless given or the transformer has a longest input. The dtype is float32, or float64 for a model in
    `Native("float64")`.

    The blocks are TransformerLens's own where these decide as the transformer does. But they neither saturate nor
    round, they know neither hard attention nor strict heads nor relative positions nor ALiBi, and a softmax without
    weight gives the usual weights there. Otherwise, and with `own_modules=True`, they are Weightsmith's: the names, the
    weights and the hooks are the same, heads follow any rule, and values saturate where they do in the arithmetic.
    `bridge.own_modules` says which they are; with `own_modules=False` a model that needs Weightsmith's is refused.

    What decides otherwise is refused, unless with `allow_differences`; or, where the cause is that sums of the original
    saturate or round midway, `allow_saturation`. What the bridge has no place for is refused: norms after a sublayer or
    over some lanes, and parallel blocks.
    """
    checked(T)
    require_packages("TransformerLens")
    name = dtype_for(T, "TransformerLens", dtype)
    if max_length is not None:
        max_length = whole_number(max_length, "max_length", RANDOM_LENGTH, MAX_CONTEXT)
    check_allowed(allow_differences, allow_saturation)
    if own_modules is not None and type(own_modules) is not bool:
        raise ExportError(f"own_modules={brief(own_modules)}: write True or False")
    bridge = _native_that_agrees(T, name, max_length) if own_modules is None else None
    if bridge is None:
        bridge = _measured(T, name, max_length, own_modules is not False)
    required(bridge.agreement, allow_differences, T, allow_saturation)
    return bridge


def _native_that_agrees(T: Transformer, dtype: str, max_length: int | None) -> Any:
    """Return a bridge with TransformerLens's own blocks; None where these lack a feature or decide otherwise."""
    try:
        bridge = _measured(T, dtype, max_length, own_modules=False, briefly=True)
    except ExportError:
        return None
    return bridge if bridge.agreement.agrees else None


def _measured(T: Transformer, dtype: str, max_length: int | None, own_modules: bool, briefly: bool = False) -> Any:
    bridge = _booted(T, shape_of(T, max_length, own_modules), dtype, own_modules)
    bridge.vocabulary, bridge.classes, bridge.readout = tuple(T.vocabulary), tuple(T.classes), T.readout
    bridge.own_modules = own_modules
    bridge.agreement = measure(T, LensRun(T, bridge), fresh=True, briefly=briefly)
    return bridge


def _booted(T: Transformer, shape: Shape, dtype: str, own_modules: bool) -> Any:
    import torch
    from transformer_lens.config import TransformerBridgeConfig
    from transformer_lens.model_bridge.sources import native

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
    if own_modules:
        from weightsmith.export.lens.modules import bridge_with_own_modules

        bridge = bridge_with_own_modules(T, shape, config, getattr(torch, dtype))
    else:
        bridge = native.boot(config, dtype=getattr(torch, dtype), model_name="weightsmith")
    for module in bridge.modules():
        if hasattr(module, "use_native_layernorm_autograd"):  # that of RMSNorm computes in float32 whatever the dtype
            module.use_native_layernorm_autograd = False
    _load(bridge.original_model, lens_weights(T, shape))
    return bridge.eval()


def _load(model: Any, weights: dict[str, Weights]) -> None:
    """Copy weights to the parameters and tables of the same names, all of them."""
    import torch

    places = {name.replace(WRAPPED, ""): place for name, place in (*model.named_parameters(), *model.named_buffers())}
    with torch.no_grad():
        for name, array in weights.items():
            place = places[name]
            assert tuple(place.shape) == array.shape, (name, place.shape, array.shape)
            place.copy_(torch.from_numpy(np.array(array, np.float64)))
            if not torch.isfinite(place).all():
                raise ExportError(f"{name} holds numbers beyond the range of {place.dtype}: write dtype='float64'")


class LensRun:
    """A TransformerBridge, for a report."""

    def __init__(self, T: Transformer, bridge: Any) -> None:
        """Take a bridge of `to_transformer_lens`."""
        self.bridge, self.dtype = bridge, str(bridge.cfg.dtype).removeprefix("torch.")
        self.T, self.saturates, self.steps = T, bool(bridge.own_modules), bool(bridge.own_modules)
        self.longest: int = bridge.cfg.n_ctx
        self.target = "TransformerLens, own modules" if bridge.own_modules else "TransformerLens"
        places = [f"blocks.{b}.hook_resid_{at}" for b in range(len(T.blocks)) for at in ("mid", "post")]
        self.stages = ["blocks.0.hook_resid_pre", *places]

    def in_dtype(self, dtype: str) -> "LensRun | None":
        """Return the bridge with its weights cast, or None where one is beyond the type."""
        import torch

        other = deepcopy(self.bridge)
        torch.nn.Module.to(other, getattr(torch, dtype))  # `to` of a bridge prints
        other.cfg.dtype = getattr(torch, dtype)
        fits = all(bool(tensor.isfinite().all()) for tensor in other.original_model.parameters())
        return LensRun(self.T, other) if fits else None

    def outputs(self, ids: Ids) -> Outputs:
        """Run ids in the vocabulary; the stream comes from the cache."""
        import torch

        with torch.no_grad():
            logits, cache = self.bridge.run_with_cache(
                torch.from_numpy(np.array(ids, np.int64)), names_filter=self.stages
            )
        stream = [cache[stage].double().numpy() for stage in self.stages]
        return Outputs(logits.double().numpy(), stream)
