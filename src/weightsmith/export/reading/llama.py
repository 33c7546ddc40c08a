"""Llama, Mistral and Qwen2: rotary positions, RMSNorm before each sublayer, a gated feed-forward layer."""

from typing import NamedTuple

from weightsmith.export.reading.config import GATED, Config, longest, rotary
from weightsmith.export.reading.plan import BlockPlan, NormPlan, Plan, linear, output
from weightsmith.export.reading.tensors import Tensors

WORKED_OUT = r"model\.layers\.\d+\.self_attn\.rotary_emb\.inv_freq"  # the angles, which older files have


class Biases(NamedTuple):
    """Where there are biases: in queries, keys and values; in what attention adds; in the feed-forward layer."""

    reading: bool = False
    writing: bool = False
    layer: bool = False


def llama(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a Llama."""
    attention, layer = config.flag("attention_bias", False), config.flag("mlp_bias", False)
    return _plan(config, tensors, Biases(attention, attention, layer))


def mistral(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a Mistral: a Llama without biases whose attention sees a window."""
    window = config.whole("sliding_window") if "sliding_window" in config.fields else None
    return _plan(config, tensors, Biases(), groups=8, window=window)


def qwen2(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a Qwen2: a Llama whose queries, keys and values have biases; a window if there is one."""
    kinds = config.get("layer_types", [])
    if not isinstance(kinds, list) or any(kind not in ("full_attention", "sliding_attention") for kind in kinds):
        raise config.refusal("layer_types", "only 'full_attention' and 'sliding_attention' are read")
    uses = config.flag("use_sliding_window", False) and (not kinds or "sliding_attention" in kinds)
    window = config.whole("sliding_window", 4096) if uses else None
    return _plan(config, tensors, Biases(reading=True), groups=32, window=window)


def _plan(
    config: Config, tensors: Tensors, biases: Biases, *, groups: int | None = None, window: int | None = None
) -> Plan:
    """Return a plan; `groups` is how many groups of heads there are unless config.json says, None: one for each."""
    lanes, heads, tokens = config.whole("hidden_size"), config.whole("num_attention_heads"), config.whole("vocab_size")
    groups = config.groups(heads, groups or heads)
    given = "head_dim" in config.fields
    size = config.whole("head_dim") if given else config.part_of("hidden_size", "num_attention_heads")
    eps, neurons = config.number("rms_norm_eps", 1e-6), config.whole("intermediate_size")

    def norm(name: str) -> NormPlan:
        return NormPlan(eps, tensors.get(f"{name}.weight", lanes))

    def block(name: str) -> BlockPlan:
        a, f = f"{name}.self_attn", f"{name}.mlp"
        return BlockPlan(
            queries=linear(tensors, f"{a}.q_proj", heads * size, lanes, biases.reading),
            keys=linear(tensors, f"{a}.k_proj", groups * size, lanes, biases.reading),
            values=linear(tensors, f"{a}.v_proj", groups * size, lanes, biases.reading),
            mixed=linear(tensors, f"{a}.o_proj", lanes, heads * size, biases.writing),
            attention_norm=norm(f"{name}.input_layernorm"),
            into=linear(tensors, f"{f}.gate_proj", neurons, lanes, biases.layer),
            out=linear(tensors, f"{f}.down_proj", lanes, neurons, biases.layer),
            gate=linear(tensors, f"{f}.up_proj", neurons, lanes, biases.layer),
            feed_forward_norm=norm(f"{name}.post_attention_layernorm"),
        )

    return Plan(
        embedding=tensors.get("model.embed_tokens.weight", tokens, lanes),
        positions=rotary(config, size),
        blocks=[block(f"model.layers.{b}") for b in range(config.whole("num_hidden_layers"))],
        heads=heads,
        groups=groups,
        scale=size**-0.5,
        activation=config.activation("hidden_act", "silu", GATED),
        final_norm=norm("model.norm"),
        output=output(config, tensors, "lm_head.weight"),
        longest=longest(config, window),
    )
