"""GPT-2: learned positions, LayerNorm before each sublayer, one matrix for queries, keys and values."""

from functools import partial

from weightsmith.arithmetic import Weights
from weightsmith.export.reading.config import Config
from weightsmith.export.reading.plan import BlockPlan, Linear, Plan, layer_norm, output
from weightsmith.export.reading.tensors import Tensors

ARCHITECTURES = ("GPT2LMHeadModel", "GPT2Model")
WORKED_OUT = r"(transformer\.)?h\.\d+\.attn\.(bias|masked_bias)"  # the causal mask, which older files have


def plan(config: Config, tensors: Tensors) -> Plan:
    """Return the plan of a GPT-2."""
    config.must_be("scale_attn_by_inverse_layer_idx", False)
    config.must_be("add_cross_attention", False)
    lanes, size = config.whole("n_embd"), config.part_of("n_embd", "n_head")
    prefix = "transformer." if "transformer.wte.weight" in tensors else ""  # the base model is stored without it
    tokens = config.whole("vocab_size")
    return Plan(
        embedding=tensors.get(f"{prefix}wte.weight", tokens, lanes),
        positions=tensors.get(f"{prefix}wpe.weight", config.whole("n_positions"), lanes),
        blocks=[_block(config, tensors, f"{prefix}h.{b}", lanes) for b in range(config.whole("n_layer"))],
        heads=config.whole("n_head"),
        groups=config.whole("n_head"),
        scale=size**-0.5 if config.flag("scale_attn_weights", True) else 1.0,
        activation=config.activation("activation_function", "gelu_new"),
        final_norm=layer_norm(tensors, f"{prefix}ln_f", lanes, config.number("layer_norm_epsilon", 1e-5)),
        output=output(config, tensors, "lm_head.weight", tied=True),
    )


def _block(config: Config, tensors: Tensors, name: str, lanes: int) -> BlockPlan:
    neurons, eps = config.whole("n_inner", 4 * lanes), config.number("layer_norm_epsilon", 1e-5)
    read = _conv(tensors, f"{name}.attn.c_attn", lanes, 3 * lanes)
    queries, keys, values = (_third(read, n, lanes) for n in range(3))
    return BlockPlan(
        queries,
        keys,
        values,
        mixed=_conv(tensors, f"{name}.attn.c_proj", lanes, lanes),
        attention_norm=layer_norm(tensors, f"{name}.ln_1", lanes, eps),
        into=_conv(tensors, f"{name}.mlp.c_fc", lanes, neurons),
        out=_conv(tensors, f"{name}.mlp.c_proj", neurons, lanes),
        gate=None,
        feed_forward_norm=layer_norm(tensors, f"{name}.ln_2", lanes, eps),
    )


def _conv(tensors: Tensors, name: str, reads: int, writes: int) -> Linear:
    """Return a matrix that is stored the other way round: (what it reads, what it writes)."""
    weight, bias = tensors.get(f"{name}.weight", reads, writes), tensors.get(f"{name}.bias", writes)
    return Linear(weight.seen(_transposed), bias)


def _transposed(numbers: Weights) -> Weights:
    return numbers.T


def _third(read: Linear, n: int, lanes: int) -> Linear:
    assert read.bias is not None
    part = partial(_part, begin=n * lanes, end=(n + 1) * lanes)
    return Linear(read.weight.seen(part), read.bias.seen(part))


def _part(numbers: Weights, begin: int, end: int) -> Weights:
    """Return some columns as rows, or some of a vector."""
    return numbers[..., begin:end].T
