"""Llama, Mistral, Qwen2 and Gemma: rotary positions, RMSNorm before each sublayer, a gated feed-forward layer."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import NamedTuple

from weightsmith.arithmetic import Weights, immutable
from weightsmith.export.reading.config import GATED, GEGLU, MAX_SIZE, Config, windows
from weightsmith.export.reading.plan import BlockPlan, NormPlan, Output, Plan, linear, output
from weightsmith.export.reading.rope import longest, rotary
from weightsmith.export.reading.tensors import Tensors
from weightsmith.model.block import Activation

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
    window = None if "sliding_window" in config.cleared else config.whole("sliding_window", 4096)
    return _plan(config, tensors, Biases(), groups=8, seen=[window] * config.whole("num_hidden_layers"))


def qwen2(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a Qwen2: a Llama whose queries, keys and values have biases; a window if there is one."""
    uses = config.flag("use_sliding_window", False) and "sliding_window" not in config.cleared
    window = config.whole("sliding_window", 4096) if uses else None
    return _plan(config, tensors, Biases(reading=True), groups=32, seen=windows(config, window, _first(config)))


def gemma(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a Gemma of the first generation: a Llama with wider heads and a GELU in its gate.

    Its embedding is multiplied by the root of the number of lanes, its gains are stored less 1. Both are rounded once
    into the weights. So what reads the stream off is another matrix than the embedding.
    """
    config.must_be("use_bidirectional_attention", False)
    bias = config.flag("attention_bias", False)
    made = _plan(
        config, tensors, Biases(bias, bias), groups=16, activations=GEGLU, gain=_plus_1, head_size=256, tied=True
    )
    root = partial(_times, by=config.whole("hidden_size") ** 0.5)
    weight = made.embedding if made.output.tied else made.output.weight
    return replace(made, embedding=made.embedding.seen(root), output=Output(weight, False))


def _plus_1(numbers: Weights) -> Weights:
    return immutable(1 + numbers)


def _times(numbers: Weights, by: float) -> Weights:
    return immutable(numbers * numbers.dtype.type(by))


def _first(config: Config) -> int:
    """Return the first block of a Qwen2 with a window, where it has windows and no layer_types."""
    first = config.get("max_window_layers", 28)
    if type(first) is not int or not 0 <= first <= MAX_SIZE:
        raise config.refusal("max_window_layers", f"write a whole number from 0 to {MAX_SIZE:,}")
    return min(first, config.whole("num_hidden_layers"))


def _plan(
    config: Config,
    tensors: Tensors,
    biases: Biases,
    *,
    groups: int | None = None,
    seen: Sequence[int | None] | None = None,
    activations: Mapping[str, Activation] = GATED,
    gain: Callable[[Weights], Weights] | None = None,
    head_size: int | None = None,
    tied: bool = False,
) -> Plan:
    """Return a plan; `groups` is how many groups of heads there are unless config.json says, None: one for each.

    `seen` has the window of each block, `gain` makes gains of the numbers that are stored, and `head_size` and `tied`
    are what they are unless config.json says.
    """
    lanes, heads, tokens = config.whole("hidden_size"), config.whole("num_attention_heads"), config.whole("vocab_size")
    groups = config.groups(heads, groups or heads)
    given = "head_dim" in config.fields or head_size is not None
    size = config.whole("head_dim", head_size) if given else config.part_of("hidden_size", "num_attention_heads")
    seen = [None] * config.whole("num_hidden_layers") if seen is None else seen
    eps, neurons = config.number("rms_norm_eps", 1e-6), config.whole("intermediate_size")

    def norm(name: str) -> NormPlan:
        stored = tensors.get(f"{name}.weight", lanes)
        return NormPlan(eps, stored if gain is None else stored.seen(gain))

    def block(name: str, window: int | None) -> BlockPlan:
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
            window=window,
        )

    turning = rotary(config, size)
    return Plan(
        embedding=tensors.get("model.embed_tokens.weight", tokens, lanes),
        positions=turning.positions,
        blocks=[block(f"model.layers.{b}", window) for b, window in enumerate(seen)],
        heads=heads,
        groups=groups,
        scale=size**-0.5 * turning.factor,
        activation=config.activation("hidden_act", next(iter(activations)), activations),
        final_norm=norm("model.norm"),
        output=output(config, tensors, "lm_head.weight", tied=tied),
        longest=longest(config),
    )
