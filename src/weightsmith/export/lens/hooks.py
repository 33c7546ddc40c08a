"""The bridge's own components: TransformerLens's, but every hook that they list acts.

In TransformerLens 4.3 `hook_resid_mid` of a native model is the input of the second norm, which the stream passes by;
`hook_attn_scores` comes after the weights; `hook_result`, `hook_attn_in` and the inputs of queries, keys and values do
not exist; `hook_rot_q` and `hook_rot_k` are never called.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any, cast

import torch
from torch import Tensor
from transformer_lens.hook_points import HookPoint
from transformer_lens.model_bridge import TransformerBridge
from transformer_lens.model_bridge.generalized_components import AttentionBridge, BlockBridge, NormalizationBridge
from transformer_lens.model_bridge.supported_architectures.native import NativeArchitectureAdapter

from weightsmith.errors import ExportError
from weightsmith.export.hugging_face.hub.network_weightsmith import Operations

STEPS = {  # of TransformerLens's processing, with what it does by default
    "fold_ln": True,
    "center_writing_weights": True,
    "center_unembed": True,
    "fold_value_biases": True,
    "refactor_factored_attn_matrices": False,
}
PROCESSING = (
    "folds and centres weights, in float32, for softmax attention and logits that may be shifted: the answers of this "
    "model could change, and its stream would no longer be that of the run. Write "
    "bridge.enable_compatibility_mode(no_processing=True), which adds the names of older versions alone"
)


class Norm(NormalizationBridge):  # type: ignore[misc]
    """A norm that computes in the dtype of the model, and saturates where the arithmetic does."""

    ops = Operations()
    count, least = 0.0, 0.0  # the number of lanes and eps, as members of the arithmetic

    def saturating(self, ops: Operations, count: float, eps: float) -> None:
        """Compute with operations that saturate."""
        self.ops, self.count, self.least = ops, count, eps

    def _python_norm_forward(self, hidden_states: Tensor) -> Tensor:
        return self.normed(hidden_states, self.hook_scale, self.hook_normalized)

    def normed(self, x: Tensor, at_scale: Any = lambda scale: scale, at_normalized: Any = lambda y: y) -> Tensor:
        """Return vectors, normalised; by default no hook sees the steps."""
        if self.ops.infinity is None:
            inner = SimpleNamespace(
                uses_rms_norm=self.uses_rms_norm,
                config=self.config,
                hook_scale=at_scale,
                hook_normalized=at_normalized,
                _apply_weight_and_bias=self._apply_weight_and_bias,
            )
            return cast(Tensor, NormalizationBridge._python_norm_forward(inner, x))
        ops = _Rooted(self.ops.infinity, at_scale)
        parts = SimpleNamespace(count=self.count, eps=self.least, centred=not self.uses_rms_norm, gain=None, bias=None)
        y: Tensor = ops.multiply(at_normalized(ops.norm(parts, x)), self.weight)
        bias = None if self.uses_rms_norm else self.original_component.bias
        return y if bias is None else cast(Tensor, ops.add(y, bias))


class _Rooted(Operations):
    """Operations that let a hook see, and change, the square root of a norm."""

    def __init__(self, infinity: float, at_scale: Callable[[Tensor], Tensor]) -> None:
        super().__init__(infinity)
        self.at_scale = at_scale

    def root(self, norm: Any, x: Tensor) -> Tensor:
        return self.at_scale(super().root(norm, x))


class AttentionHooks(AttentionBridge):  # type: ignore[misc]
    """Attention, step by step, with a hook after each."""

    supports_attn_result = True

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the hooks; `hook_hidden_states`, which nothing calls, is not among them."""
        super().__init__(*args, **kwargs)
        del self.hook_hidden_states
        self._hook_registry.pop("hook_hidden_states", None)

    def forward(
        self,
        hidden_states: Tensor,
        attention_mask: Tensor | None = None,
        position_ids: Tensor | None = None,
        stream: Tensor | None = None,
        norm: Any = None,
        **kwargs: Any,
    ) -> tuple[Tensor, Tensor]:
        """Return what attention adds to the stream, and the weights.

        `hidden_states` is the stream after the norm. Where heads have inputs of their own, these are copies of the
        `stream` before it.
        """
        module = self.original_component
        inputs = self._inputs(self.hook_in(hidden_states), stream, norm)
        q, k, v = (self._projected(part, x) for part, x in zip((self.q, self.k, self.v), inputs, strict=True))
        q, k = module.turned(q, k, position_ids)
        if hasattr(self, "hook_rot_q"):
            q, k = self.hook_rot_q(q), self.hook_rot_k(k)
        where = module.places(hidden_states, attention_mask)
        scores, visible = module.scores(q, k, where), module.visible(where)
        hooked = self.hook_attn_scores(scores.masked_fill(~visible, -torch.inf))
        shown = visible & (hooked != -torch.inf)  # a hook can hide a position, but show none
        pattern = self.hook_pattern(module.weigh(torch.where(shown, hooked, scores), shown, where))
        mixed = module.mix(pattern, v, where).transpose(1, 2)
        return self.hook_out(self._output(mixed.contiguous().flatten(2))), pattern

    def _inputs(self, normed: Tensor, stream: Tensor | None, norm: Any) -> tuple[Tensor, Tensor, Tensor]:
        """Return what queries, keys and values read: the normed stream, or copies for each head, (…, heads, lanes)."""
        if self.config.use_split_qkv_input:
            hooks = (self.hook_q_input, self.hook_k_input, self.hook_v_input)
            q, k, v = (self._copies(hook, normed, stream, norm) for hook in hooks)
            return q, k, v
        read = self._copies(self.hook_attn_in, normed, stream, norm) if self.config.use_attn_in else normed
        return read, read, read

    def _copies(self, hook: HookPoint, normed: Tensor, stream: Tensor | None, norm: Any) -> Tensor:
        """Return copies of the stream for each head, after a hook and the norm.

        Where a hook changed the normed stream itself, copies that were not changed are copies of that.
        """
        if stream is None:  # attention alone, called by hand
            stream, norm = normed, None
        plain = getattr(norm, "normed", lambda x: x)
        copies = stream.unsqueeze(2).expand(-1, -1, self.config.n_heads, -1)
        hooked = hook(copies.clone())
        read: Tensor = plain(hooked)
        if not torch.equal(plain(stream), normed):
            changed = (hooked != copies).any(-1, keepdim=True)
            read = torch.where(changed, read, normed.unsqueeze(2))
        return read

    def _projected(self, part: Any, x: Tensor) -> Tensor:
        """Return queries, keys or values, (batch, heads, positions, size); a copy for a head meets its matrix alone."""
        if x.dim() == 3:
            flat = part(x)
        else:
            x, linear = part.hook_in(x), part.original_component
            ops = getattr(linear, "ops", Operations())
            matrices = linear.weight.view(x.shape[2], -1, x.shape[3])
            product = ops.within(torch.einsum("bshd,hed->bshe", x, matrices))
            flat = part.hook_out(ops.add(product.flatten(2), linear.bias))
        return cast(Tensor, flat.view(*flat.shape[:2], self.config.n_heads, -1).transpose(1, 2))

    def _output(self, z: Tensor) -> Tensor:
        """Return the sum of what the heads write; `hook_result` sees the parts, (batch, positions, heads, lanes)."""
        if not self.config.use_attn_result:
            return cast(Tensor, self.o(z))
        linear, heads = self.o.original_component, self.config.n_heads
        ops = getattr(linear, "ops", Operations())
        z = self.o.hook_in(z).view(*z.shape[:2], heads, -1)
        matrices = linear.weight.view(len(linear.weight), heads, -1)
        written = self.hook_result(ops.within(torch.einsum("bshe,dhe->bshd", z, matrices)))
        total = written[:, :, 0]
        for i in range(1, heads):
            total = ops.add(total, written[:, :, i])
        return cast(Tensor, self.o.hook_out(ops.add(total, linear.bias)))


class BlockHooks(BlockBridge):  # type: ignore[misc]
    """A block whose `hook_resid_mid` is the stream that both the second sublayer and the sum after it read."""

    hook_aliases = {name: at for name, at in BlockBridge.hook_aliases.items() if name != "hook_resid_mid"}  # noqa: RUF012

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Make the hooks."""
        super().__init__(*args, **kwargs)
        self.hook_resid_mid = HookPoint()

    def forward(self, *args: Any, **kwargs: Any) -> Any:
        """Run the block with its hooks."""
        at_mlp_in = self.hook_mlp_in if self._read_use_hook_mlp_in() else None
        return super().forward(*args, at_mid=self.hook_resid_mid, at_mlp_in=at_mlp_in, **kwargs)

    def _maybe_wire_capture_hooks(self) -> None:
        """Do nothing: the block hands its stream to the hooks."""


class Adapter(NativeArchitectureAdapter):  # type: ignore[misc]
    """The components of a bridge for TransformerLens's own architecture, with ours among them."""

    def __init__(self, cfg: Any) -> None:
        """Put our components in the place of the usual ones."""
        super().__init__(cfg)
        block = self.component_mapping["blocks"]
        parts = {name: _with_hooks(part, cfg) for name, part in block.submodules.items()}
        self.component_mapping["blocks"] = BlockHooks(name=block.name, config=cfg, submodules=parts)
        self.component_mapping["ln_final"] = _with_hooks(self.component_mapping["ln_final"], cfg)


def _with_hooks(part: Any, cfg: Any) -> Any:
    if isinstance(part, NormalizationBridge):
        return Norm(part.name, cfg)
    return AttentionHooks(part.name, cfg, submodules=part.submodules) if isinstance(part, AttentionBridge) else part


class Bridge(TransformerBridge):  # type: ignore[misc]
    """A `TransformerBridge` of which every hook acts, and whose answers no processing of weights may change."""

    def _validate_attention_fork_supported(self, flag_name: str) -> None:
        """Allow `set_use_attn_result`, `set_use_split_qkv_input` and `set_use_attn_in`: all heads have these hooks."""

    def enable_compatibility_mode(
        self, disable_warnings: bool = False, no_processing: bool = False, **steps: Any
    ) -> None:
        """Add the names of older versions; refuse to fold or centre weights."""
        if not no_processing and any({**STEPS, **steps}.values()):
            raise ExportError(f"enable_compatibility_mode() {PROCESSING}")
        super().enable_compatibility_mode(disable_warnings=disable_warnings, no_processing=True, **steps)

    def process_weights(self, *args: Any, **kwargs: Any) -> None:
        """Refuse to fold or centre weights."""
        raise ExportError(f"process_weights() {PROCESSING}")
