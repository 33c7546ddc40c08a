"""From the modules of PyTorch and Hugging Face to transformers."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import torch

import weightsmith as ws
from weightsmith.arithmetic import Array
from weightsmith.model import Norm, Positions
from weightsmith.model.transformer import Mask

CLOSE = 1e-10  # float64, sums in another order: see this folder's docstring
SHIFTED = ws.Softmax(shifted=True)  # as everybody computes it


def drawn(module: Any, seed: int = 0) -> Any:
    """Draw every parameter anew: matrices of size 1/√inputs, gains about 1, all others about 0."""
    random = torch.Generator().manual_seed(seed)
    with torch.no_grad():
        for name, parameter in module.named_parameters():
            parameter.normal_(generator=random)
            parameter *= 1.5 * parameter.shape[-1] ** -0.5 if parameter.ndim == 2 else 0.3
            if parameter.ndim == 1 and name.endswith("weight"):  # the gain of a norm
                parameter += 1
    return module.eval()


def names(letter: str, count: int) -> tuple[str, ...]:
    return tuple(f"{letter}{i}" for i in range(count))


def array(tensor: Any) -> Array:
    values: Array = tensor.detach().double().numpy()
    return values


def layer_norm(module: Any) -> ws.LayerNorm:
    return ws.LayerNorm(module.eps, array(module.weight), array(module.bias))


def heads(
    count: int, W_Q: Array, W_K: Array, W_V: Array, W_O: Array, biases: Sequence[Array] = ()
) -> tuple[ws.Head, ...]:
    """Cut matrices (heads · size, lanes), and W_O (lanes, heads · size), into heads; 1/√size goes into the queries."""
    scale = (len(W_Q) // count) ** -0.5
    if len(biases):
        biases = (scale * biases[0], *biases[1:])
    rows = [np.split(part, count) for part in (scale * W_Q, W_K, W_V, W_O.T, *biases)]
    return tuple(ws.Head(Q, K, V, out.T, SHIFTED, *b) for Q, K, V, out, *b in zip(*rows, strict=True))


def gpt2(model: Any) -> ws.Transformer:
    """Give GPT2LMHeadModel, whose matrices are (inputs, outputs)."""
    body, activation = model.transformer, {"gelu_new": "gelu_tanh"}

    def block(layer: Any) -> ws.Block:
        Q, K, V = np.split(array(layer.attn.c_attn.weight).T, 3)
        biases = np.split(array(layer.attn.c_attn.bias), 3)
        found = heads(model.config.n_head, Q, K, V, array(layer.attn.c_proj.weight).T, biases)
        into, out = layer.mlp.c_fc, layer.mlp.c_proj
        kind = model.config.activation_function
        return ws.Block(
            ws.Attention(found, array(layer.attn.c_proj.bias)),
            ws.FeedForward(
                array(into.weight).T, array(into.bias), array(out.weight).T, array(out.bias), activation.get(kind, kind)
            ),
            layer_norm(layer.ln_1),
            layer_norm(layer.ln_2),
        )

    return language_model(
        body.wte,
        ws.PositionTable(array(body.wpe.weight)),
        [block(layer) for layer in body.h],
        layer_norm(body.ln_f),
        model.lm_head,
    )


def llama(model: Any) -> ws.Transformer:
    """Give LlamaForCausalLM; the keys and values that heads share are written out for each of them."""
    config = model.config
    shared, size = config.num_attention_heads // config.num_key_value_heads, config.head_dim

    def repeated(W: Array) -> Array:
        grouped = W.reshape(config.num_key_value_heads, size, -1)
        return np.repeat(grouped, shared, axis=0).reshape(shared * len(W), -1)

    def block(layer: Any) -> ws.Block:
        a, f = layer.self_attn, layer.mlp
        K, V = (repeated(array(linear.weight)) for linear in (a.k_proj, a.v_proj))
        found = heads(config.num_attention_heads, array(a.q_proj.weight), K, V, array(a.o_proj.weight))
        W_1, W_2, W_3 = (array(linear.weight) for linear in (f.gate_proj, f.down_proj, f.up_proj))
        return ws.Block(
            ws.Attention(found),
            ws.FeedForward(W_1, None, W_2, None, "swiglu", W_3),  # type: ignore[arg-type]
            rms_norm(layer.input_layernorm),
            rms_norm(layer.post_attention_layernorm),
        )

    def rms_norm(module: Any) -> ws.RMSNorm:
        return ws.RMSNorm(config.rms_norm_eps, array(module.weight))

    body = model.model
    blocks = [block(layer) for layer in body.layers]
    rotary = ws.Rotary(config.rope_parameters["rope_theta"])
    return language_model(body.embed_tokens, rotary, blocks, rms_norm(body.norm), model.lm_head)


def gpt_neox(model: Any) -> ws.Transformer:
    """Give GPTNeoXForCausalLM without parallel residuals; rows of its one matrix are q, k, v of head 0, then of 1."""
    config, body = model.config, model.gpt_neox
    size = config.hidden_size // config.num_attention_heads

    def block(layer: Any) -> ws.Block:
        a, f = layer.attention, layer.mlp
        Q, K, V = np.moveaxis(array(a.query_key_value.weight).reshape(-1, 3, size, config.hidden_size), 1, 0)
        biases = np.moveaxis(array(a.query_key_value.bias).reshape(-1, 3, size), 1, 0).reshape(3, -1)
        Q, K, V = (W.reshape(-1, config.hidden_size) for W in (Q, K, V))
        found = heads(config.num_attention_heads, Q, K, V, array(a.dense.weight), tuple(biases))
        into, out = f.dense_h_to_4h, f.dense_4h_to_h
        return ws.Block(
            ws.Attention(found, array(a.dense.bias)),
            ws.FeedForward(array(into.weight), array(into.bias), array(out.weight), array(out.bias), "gelu"),
            layer_norm(layer.input_layernorm),
            layer_norm(layer.post_attention_layernorm),
        )

    blocks = [block(layer) for layer in body.layers]
    turned = int(size * config.rope_parameters["partial_rotary_factor"])
    rotary = ws.Rotary(config.rope_parameters["rope_theta"], size=turned)
    return language_model(body.embed_in, rotary, blocks, layer_norm(body.final_layer_norm), model.lm_head)


def language_model(
    embedding: Any,
    positions: Positions,
    blocks: Sequence[ws.Block],
    final_norm: Norm,
    head: Any,
) -> ws.Transformer:
    count, lanes = embedding.weight.shape
    tied = head.weight is embedding.weight
    vocabulary = names("t", count)
    return ws.Transformer(
        arithmetic=ws.Native("float64"),
        vocabulary=vocabulary,
        lanes=names("x", lanes),
        embedding=array(embedding.weight),
        positions=positions,
        blocks=blocks,
        output=None if tied else array(head.weight),  # type: ignore[arg-type]
        classes=vocabulary,
        final_norm=final_norm,
        tied=tied,
    )


def encoder(layers: Sequence[Any], embedding: Array, mask: Mask) -> ws.Transformer:
    """Give layers of torch.nn.TransformerEncoderLayer; each token stands for a row of the embedding."""

    def block(layer: Any) -> ws.Block:
        a = layer.self_attn
        Q, K, V = np.split(array(a.in_proj_weight), 3)
        found = heads(a.num_heads, Q, K, V, array(a.out_proj.weight), np.split(array(a.in_proj_bias), 3))
        into, out = layer.linear1, layer.linear2
        kind = "relu" if layer.activation is torch.nn.functional.relu else "gelu"
        return ws.Block(
            ws.Attention(found, array(a.out_proj.bias)),
            ws.FeedForward(array(into.weight), array(into.bias), array(out.weight), array(out.bias), kind),  # type: ignore[arg-type]
            layer_norm(layer.norm1),
            layer_norm(layer.norm2),
            "pre" if layer.norm_first else "post",
        )

    return ws.Transformer(
        arithmetic=ws.Native("float64"),
        vocabulary=names("t", len(embedding)),
        lanes=names("x", embedding.shape[1]),
        embedding=embedding,
        positions=None,
        blocks=[block(layer) for layer in layers],
        output=np.zeros((2, embedding.shape[1])),
        mask=mask,
    )
