"""A transformer that has the shape of a Llama, as that Llama: what it must be, its arrays and its configuration.

Such a one was read from a Llama, a Mistral without a window, a Qwen2 or a Gemma, and may have been edited since. Layers
that have fewer neurons than others get silent ones. Facts have biases, and a Llama may have them: `mlp_bias`.
"""

from collections.abc import Iterator
from typing import Any, TypeAlias

import numpy as np

from weightsmith.arithmetic import Array, Weights, as_float64
from weightsmith.errors import ExportError, listed
from weightsmith.export.capabilities import NOT_LLAMA
from weightsmith.export.hugging_face.folder import is_language_model
from weightsmith.export.hugging_face.tokenizer import end_token
from weightsmith.model import Block, FeedForward, Head, RMSNorm, Rotary, Transformer
from weightsmith.model.norms import Norm

ANY_LENGTH = 1 << 17  # max_position_embeddings, which plain rotary positions do not need
ACTS = {"relu": "relu", "silu": "silu", "gelu_tanh": "gelu_pytorch_tanh"}  # by the function of a gate
Arrays: TypeAlias = dict[str, Weights]


def check_llama(T: Transformer) -> None:
    """Refuse a transformer that has not the shape of a Llama; `check_features` has found nothing."""
    for problem in (*_of_model(T), *_of_norms(T), *_of_layers(T)):
        raise ExportError(f"{problem}; or {NOT_LLAMA}")


def _of_model(T: Transformer) -> Iterator[str]:
    if not is_language_model(T):
        yield "a Llama says the next token, and the classes of this model are not its vocabulary"
    scheme = T.attention_positions
    if not isinstance(scheme, Rotary) or T.positions is not scheme or scheme.pairing != "halves" or scheme.size:
        yield "a Llama has rotary positions for all coordinates, and nothing else: write positions=Rotary(…)"
    elif scheme.scales is not None and len(set(scheme.scales)) > 1:
        yield "a Llama can be written with angles that are scaled alike, and the scales of this model differ"
    if T.output_bias is not None and T.output_bias.any():
        yield "the output of a Llama has no bias, and this model has output_bias: write output_bias=None"


def _of_norms(T: Transformer) -> Iterator[str]:
    for name, norm in _norms(T):
        if not isinstance(norm, RMSNorm):
            said = "there is none" if norm is None else f"it is {type(norm).__name__}(…)"
            yield f"a Llama has RMSNorm, and as {name} {said}: write RMSNorm(…)"
    every = sorted({norm.eps for _, norm in _norms(T) if norm is not None})
    if len(every) > 1:
        yield f"a Llama has one eps for all norms, and this model has {listed([*map(repr, every)])}: write one of them"


def _norms(T: Transformer) -> Iterator[tuple[str, Norm | None]]:
    for b, block in enumerate(T.blocks):
        yield f"attention_norm of block {b}", block.attention_norm
        yield f"feed_forward_norm of block {b}", block.feed_forward_norm
    yield "final_norm", T.final_norm


def _of_layers(T: Transformer) -> Iterator[str]:
    for b, block in enumerate(T.blocks):
        if block.attention is None or block.feed_forward is None:
            yield f"a block of a Llama has attention and feed-forward, and block {b} has not both"
        elif block.feed_forward.W_3 is None:
            yield (
                f"a Llama has a gate, and block {b} has activation={block.feed_forward.activation!r}: write 'swiglu', "
                "'reglu' or 'geglu_tanh'"
            )
    sizes = {(len(head.W_Q), len(head.W_V)) for _, head in _heads(T)}
    counts = {len(block.attention.heads) for block in T.blocks if block.attention is not None}
    if len(counts) != 1 or len(sizes) != 1 or len(set(next(iter(sizes), (0, 0)))) != 1 or 0 in counts:
        yield "a Llama has as many heads in every block, and all keys and values have one size: this model has not"
    if any(head.positions is not None for _, head in _heads(T)):
        yield "the heads of a Llama share their positions, and a head of this model has its own: write positions=None"


def _heads(T: Transformer) -> Iterator[tuple[int, Head]]:
    for b, block in enumerate(T.blocks):
        for head in block.attention.heads if block.attention is not None else ():
            yield b, head


def _layers(T: Transformer) -> list[FeedForward]:
    return [block.feed_forward for block in T.blocks if block.feed_forward is not None]


def _groups(T: Transformer) -> int:
    """Return how few groups of heads share their keys and values, in every block."""
    blocks = [block.attention.heads for block in T.blocks if block.attention is not None]
    count = len(blocks[0])
    fitting = (n for n in range(1, count) if count % n == 0 and all(_shared(heads, count // n) for heads in blocks))
    return next(fitting, count)


def _shared(heads: Any, size: int) -> bool:
    """Return whether each `size` neighbours have the same keys and values."""
    names = ("W_K", "b_K", "W_V", "b_V")
    return all(
        _same(getattr(head, name), getattr(heads[i - i % size], name)) for i, head in enumerate(heads) for name in names
    )


def _same(one: Weights | None, other: Weights | None) -> bool:
    if one is None or other is None:
        return one is other
    return one is other or np.array_equal(one, other)


def _attention_bias(T: Transformer) -> bool:
    biases = [getattr(head, name) for _, head in _heads(T) for name in ("b_Q", "b_K", "b_V")]
    biases += [block.attention.b_O for block in T.blocks if block.attention is not None]
    return any(bias is not None and bool(bias.any()) for bias in biases)


def _layer_bias(T: Transformer) -> bool:
    return any(bias is not None and bool(bias.any()) for f in _layers(T) for bias in (f.b_1, f.b_2, f.b_3))


def llama_configuration(T: Transformer) -> dict[str, Any]:
    """Return config.json."""
    scheme, (_, head) = T.attention_positions, next(_heads(T))
    assert isinstance(scheme, Rotary)
    assert T.final_norm is not None
    rope: dict[str, Any] = {"rope_type": "default", "rope_theta": scheme.base}
    if scheme.scales is not None:
        rope |= {"rope_type": "linear", "factor": 1 / scheme.scales[0]}
    first = T.blocks[0].attention
    assert first is not None
    return {
        "model_type": "llama",
        "architectures": ["LlamaForCausalLM"],
        "vocab_size": len(T.vocabulary),
        "hidden_size": len(T.lanes),
        "num_hidden_layers": len(T.blocks),
        "num_attention_heads": len(first.heads),
        "num_key_value_heads": _groups(T),
        "head_dim": len(head.W_Q),
        "intermediate_size": max(len(layer.W_1) for layer in _layers(T)),
        "hidden_act": ACTS[_layers(T)[0].function],
        "rms_norm_eps": T.final_norm.eps,
        "rope_parameters": rope,
        "max_position_embeddings": ANY_LENGTH,
        "attention_bias": _attention_bias(T),
        "mlp_bias": _layer_bias(T),
        "tie_word_embeddings": T.tied,
        "use_cache": True,
        **dict.fromkeys(("bos_token_id", "eos_token_id", "pad_token_id"), end_token(T)),
    }


def llama_weights(T: Transformer) -> Arrays:
    """Return every array of the Llama by its name."""
    neurons, groups = max(len(layer.W_1) for layer in _layers(T)), _groups(T)
    arrays: Arrays = {"model.embed_tokens.weight": T.embedding, "model.norm.weight": _gain(T, T.final_norm)}
    for b, block in enumerate(T.blocks):
        name = f"model.layers.{b}"
        arrays |= {
            f"{name}.input_layernorm.weight": _gain(T, block.attention_norm),
            f"{name}.post_attention_layernorm.weight": _gain(T, block.feed_forward_norm),
        }
        arrays |= {f"{name}.self_attn.{key}": x for key, x in _attention(block, groups, _attention_bias(T)).items()}
        assert block.feed_forward is not None
        arrays |= {f"{name}.mlp.{key}": x for key, x in _layer(block.feed_forward, neurons, _layer_bias(T)).items()}
    return arrays if T.tied else {**arrays, "lm_head.weight": T.output}


def _gain(T: Transformer, norm: Norm | None) -> Weights:
    return np.ones(len(T.lanes)) if norm is None or norm.gain is None else norm.gain


def _attention(block: Block, groups: int, biased: bool) -> Arrays:
    """Return the matrices of all heads below each other; 1/√d is taken out of the queries again."""
    assert block.attention is not None
    heads, b_O = block.attention.heads, block.attention.b_O
    root, shared = len(heads[0].W_Q) ** 0.5, heads[:: len(heads) // groups]
    arrays: Arrays = {
        "q_proj.weight": np.concatenate([as_float64(head.W_Q) * root for head in heads]),
        "k_proj.weight": np.concatenate([head.W_K for head in shared]),
        "v_proj.weight": np.concatenate([head.W_V for head in shared]),
        "o_proj.weight": np.concatenate([head.W_O for head in heads], axis=1),
    }
    if biased:
        arrays |= {
            "q_proj.bias": np.concatenate([_or_0(head.b_Q, len(head.W_Q)) * root for head in heads]),
            "k_proj.bias": np.concatenate([_or_0(head.b_K, len(head.W_K)) for head in shared]),
            "v_proj.bias": np.concatenate([_or_0(head.b_V, len(head.W_V)) for head in shared]),
            "o_proj.bias": _or_0(b_O, heads[0].W_O.shape[0]),
        }
    return arrays


def _or_0(bias: Weights | None, size: int) -> Array:
    return np.zeros(size) if bias is None else as_float64(bias)


def _layer(layer: FeedForward, neurons: int, biased: bool) -> Arrays:
    """Return the matrices of a layer, with silent neurons up to a number."""
    assert layer.W_3 is not None
    more = ((0, neurons - len(layer.W_1)), (0, 0))
    arrays: Arrays = {
        "gate_proj.weight": np.pad(layer.W_1, more),
        "up_proj.weight": np.pad(layer.W_3, more),
        "down_proj.weight": np.pad(layer.W_2, more[::-1]),
    }
    if biased:
        arrays |= {
            "gate_proj.bias": np.pad(layer.b_1, more[0]),
            "up_proj.bias": np.pad(_or_0(layer.b_3, len(layer.W_1)), more[0]),
            "down_proj.bias": layer.b_2,
        }
    return arrays
