"""Phi (1, 1.5 and 2): rotary positions for a part of each head, sublayers side by side behind one norm, biases."""

from weightsmith.export.reading.config import Config
from weightsmith.export.reading.plan import BlockPlan, Plan, layer_norm, linear, output
from weightsmith.export.reading.rope import longest, rotary
from weightsmith.export.reading.tensors import Tensors

WORKED_OUT = r"model\.layers\.\d+\.self_attn\.rotary_emb\.inv_freq"  # the angles


def phi(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a Phi."""
    config.must_be("qk_layernorm", False)
    lanes, tokens, heads = config.whole("hidden_size"), config.whole("vocab_size"), config.whole("num_attention_heads")
    size, groups = config.part_of("hidden_size", "num_attention_heads"), config.groups(heads, heads)
    eps, neurons = config.number("layer_norm_eps", 1e-5), config.whole("intermediate_size")

    def block(name: str) -> BlockPlan:
        a, norm = f"{name}.self_attn", layer_norm(tensors, f"{name}.input_layernorm", lanes, eps)
        return BlockPlan(
            queries=linear(tensors, f"{a}.q_proj", lanes, lanes),
            keys=linear(tensors, f"{a}.k_proj", groups * size, lanes),
            values=linear(tensors, f"{a}.v_proj", groups * size, lanes),
            mixed=linear(tensors, f"{a}.dense", lanes, lanes),
            attention_norm=norm,
            into=linear(tensors, f"{name}.mlp.fc1", neurons, lanes),
            out=linear(tensors, f"{name}.mlp.fc2", lanes, neurons),
            gate=None,
            feed_forward_norm=norm,
        )

    turning = rotary(config, size, share=0.5, part="partial_rotary_factor")
    return Plan(
        embedding=tensors.get("model.embed_tokens.weight", tokens, lanes),
        positions=turning.positions,
        blocks=[block(f"model.layers.{b}") for b in range(config.whole("num_hidden_layers"))],
        heads=heads,
        groups=groups,
        scale=size**-0.5 * turning.factor,
        activation=config.activation("hidden_act", "gelu_new"),
        final_norm=layer_norm(tensors, "model.final_layernorm", lanes, eps),
        output=output(config, tensors, "lm_head.weight"),
        output_bias=tensors.get("lm_head.bias", tokens),
        parallel=True,
        longest=longest(config),
    )
