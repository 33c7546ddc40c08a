"""GPT-NeoX, as in Pythia: rotary positions for a part of each head, parallel sublayers by default."""

from functools import partial

from weightsmith.arithmetic import Weights
from weightsmith.export.reading.config import Config
from weightsmith.export.reading.plan import BlockPlan, Linear, Plan, layer_norm, linear, output
from weightsmith.export.reading.rope import longest, rotary
from weightsmith.export.reading.tensors import Tensors

WORKED_OUT = r"gpt_neox\.layers\.\d+\.attention\.(bias|masked_bias|rotary_emb\.inv_freq)"  # masks and angles


def gpt_neox(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a GPT-NeoX."""
    lanes, tokens, heads = config.whole("hidden_size"), config.whole("vocab_size"), config.whole("num_attention_heads")
    size = config.part_of("hidden_size", "num_attention_heads")
    blocks = config.whole("num_hidden_layers")
    turning = rotary(config, size, share=0.25, base="rotary_emb_base", part="rotary_pct")
    return Plan(
        embedding=tensors.get("gpt_neox.embed_in.weight", tokens, lanes),
        positions=turning.positions,
        blocks=[_block(config, tensors, f"gpt_neox.layers.{b}", lanes, heads) for b in range(blocks)],
        heads=heads,
        groups=heads,
        scale=size**-0.5 * turning.factor,
        activation=config.activation("hidden_act", "gelu"),
        final_norm=layer_norm(tensors, "gpt_neox.final_layer_norm", lanes, config.number("layer_norm_eps", 1e-5)),
        output=output(config, tensors, "embed_out.weight", "lm_head.weight"),
        parallel=config.flag("use_parallel_residual", True),
        longest=longest(config),
    )


def _block(config: Config, tensors: Tensors, name: str, lanes: int, heads: int) -> BlockPlan:
    neurons, eps = config.whole("intermediate_size"), config.number("layer_norm_eps", 1e-5)
    bias = config.flag("attention_bias", True)
    read = linear(tensors, f"{name}.attention.query_key_value", 3 * lanes, lanes, bias)
    queries, keys, values = (_third(read, n, heads) for n in range(3))
    return BlockPlan(
        queries,
        keys,
        values,
        mixed=linear(tensors, f"{name}.attention.dense", lanes, lanes, bias),
        attention_norm=layer_norm(tensors, f"{name}.input_layernorm", lanes, eps),
        into=linear(tensors, f"{name}.mlp.dense_h_to_4h", neurons, lanes),
        out=linear(tensors, f"{name}.mlp.dense_4h_to_h", lanes, neurons),
        gate=None,
        feed_forward_norm=layer_norm(tensors, f"{name}.post_attention_layernorm", lanes, eps),
    )


def _third(read: Linear, n: int, heads: int) -> Linear:
    part = partial(_of_each_head, n=n, heads=heads)
    return Linear(read.weight.seen(part), None if read.bias is None else read.bias.seen(part))


def _of_each_head(numbers: Weights, n: int, heads: int) -> Weights:
    """Return the queries (0), keys (1) or values (2) of each head, (heads, size, …): the rows are those of head 0, …"""
    return numbers.reshape(heads, 3, -1, *numbers.shape[1:])[:, n]
