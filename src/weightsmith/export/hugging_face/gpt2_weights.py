"""A transformer as a plain GPT-2, whose layer norms do next to nothing.

Every lane x stands beside −x, and constants C beside −C, so the mean is 0. C is so large that the variance is almost
that of the constants alone, and the gain takes it back: the norm gives h·(1 − t) with a tiny t. Whatever reads a lane
reads half of x less half of −x, so that an error of the mean, the same in both, cancels. The sizes are chosen so that
every factor is a power of 2: of D lanes a quarter are constants, and heads have 4, 16, 64 … coordinates.
"""

from dataclasses import dataclass
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array, Weights, as_float64
from weightsmith.model import Attention, FeedForward, Transformer, position_table

ANY_LENGTH = 1024  # positions of a GPT-2 whose original takes inputs of any length
ACTIVATIONS = {"relu": "relu", "gelu": "gelu", "gelu_tanh": "gelu_pytorch_tanh", "silu": "silu"}
MARGIN = 100.0  # by which the logit of padding is below all others


@dataclass(frozen=True)
class Sizes:
    """The sizes of a GPT-2."""

    lanes: int  # of the transformer
    constants: int  # pairs of C and −C; 0 where the lanes stand there as they are, without −x beside x
    head_size: int  # a power of 4, with constants
    neurons: int
    positions: int

    @property
    def width(self) -> int:
        """How many lanes the GPT-2 has."""
        return 8 * self.constants or self.lanes

    @property
    def heads(self) -> int:
        """How many heads each of its blocks has."""
        return self.width // self.head_size


def sizes_for(T: Transformer) -> Sizes:
    """Return sizes into which a transformer fits."""
    heads = [block.attention.heads for block in T.blocks if block.attention is not None]
    largest = max((max(len(head.W_Q), len(head.W_V)) for some in heads for head in some), default=0)
    head_size = 4
    while head_size < largest:
        head_size *= 4
    constants = -(-len(T.lanes) // 3)  # then twice the lanes and twice the constants fit into eight times the constants
    most = max(map(len, heads), default=0)
    while 8 * constants % head_size or 8 * constants // head_size < most:
        constants += 1
    return Sizes(len(T.lanes), constants, head_size, most_neurons(T), T.max_length or ANY_LENGTH)


def most_neurons(T: Transformer) -> int:
    """Return how many neurons the largest layer has, at least 1."""
    layers = [block.feed_forward for block in T.blocks if block.feed_forward is not None]
    return max((len(layer.W_1) for layer in layers), default=0) or 1


def configuration(T: Transformer, sizes: Sizes) -> dict[str, Any]:
    """Return config.json."""
    layers = [block.feed_forward for block in T.blocks if block.feed_forward is not None]
    return {
        "model_type": "gpt2",
        "vocab_size": len(T.vocabulary) + 1,
        "n_positions": sizes.positions,
        "n_embd": sizes.width,
        "n_layer": len(T.blocks),
        "n_head": sizes.heads,
        "n_inner": sizes.neurons,
        "activation_function": ACTIVATIONS[layers[0].activation] if layers else "relu",
        "layer_norm_epsilon": 0.0,
        **dict.fromkeys(("resid_pdrop", "embd_pdrop", "attn_pdrop"), 0.0),
        "bos_token_id": None,
        "eos_token_id": None,
        "tie_word_embeddings": False,
        "use_cache": True,
    }


def weights(T: Transformer, sizes: Sizes, C: float, largest_logit: float, head: str) -> dict[str, Weights]:
    """Return every array of the GPT-2 by its name; `head` is that of the output, "lm_head" or "score"."""
    embedding = _written(np.vstack([T.embedding, np.zeros(len(T.lanes))]), sizes)
    n, k = 2 * sizes.lanes, sizes.constants
    embedding[:, n : n + k], embedding[:, n + k : n + 2 * k] = C, -C
    arrays: dict[str, Weights] = {"transformer.wte.weight": embedding, **inner_weights(T, sizes)}
    for norm in (*(f"h.{b}.{name}" for b in range(len(T.blocks)) for name in ("ln_1", "ln_2")), "ln_f"):
        arrays[f"transformer.{norm}.weight"] = np.full(sizes.width, C / 2)
        arrays[f"transformer.{norm}.bias"] = np.zeros(sizes.width)
    output = as_float64(T.output)
    bias = np.zeros(len(T.classes)) if T.output_bias is None else as_float64(T.output_bias)
    if head == "lm_head":  # padding is never the next token
        output, bias = np.vstack([output, np.zeros(len(T.lanes))]), np.append(bias, -largest_logit - MARGIN)
    arrays[f"{head}.weight"] = _read(output, sizes).T
    arrays[f"{head}.weight"][:, n], arrays[f"{head}.weight"][:, n + k] = bias / (2 * C), -bias / (2 * C)
    return arrays


def inner_weights(T: Transformer, sizes: Sizes) -> dict[str, Array]:
    """Return the arrays of positions and of sublayers, without their norms, by their names."""
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    positions = np.zeros((sizes.positions, len(T.lanes))) if table is None else table
    arrays = {"transformer.wpe.weight": _written(positions, sizes)}
    for b, block in enumerate(T.blocks):
        attention = attention_weights(block.attention, sizes)
        parts = {**attention, **feed_forward_weights(block.feed_forward, sizes)}
        arrays |= {f"transformer.h.{b}.{name}": array for name, array in parts.items()}
    return arrays


def attention_weights(attention: Attention | None, sizes: Sizes) -> dict[str, Array]:
    """Return the arrays of attention; GPT-2 divides scores by the root of the head size, so the queries are larger."""
    width, size = sizes.width, sizes.head_size
    read, bias, write = np.zeros((width, 3, width)), np.zeros((3, width)), np.zeros((width, width))
    added = np.zeros(sizes.lanes)
    for i, head in enumerate(() if attention is None else attention.heads):
        b_Q = None if head.b_Q is None else multiplied(head.b_Q, size)
        matrices = (multiplied(head.W_Q, size), b_Q), (head.W_K, head.b_K), (head.W_V, head.b_V)
        for kind, (W, b) in enumerate(matrices):
            place = slice(i * size, i * size + len(W))
            read[:, kind, place] = _read(W, sizes)
            bias[kind, place] = 0.0 if b is None else b
        write[i * size : i * size + len(head.W_V)] = _written(head.W_O.T, sizes)
    if attention is not None and attention.b_O is not None:
        added = as_float64(attention.b_O)
    return {
        "attn.c_attn.weight": read.reshape(width, 3 * width),
        "attn.c_attn.bias": bias.ravel(),
        "attn.c_proj.weight": write,
        "attn.c_proj.bias": _written(added, sizes),
    }


def multiplied(queries: Weights, size: int) -> Array:
    """Return queries times √size: divided by the factor that they were read with, which gives back those of a GPT-2.

    A product with √size would not, because 1/√size is rounded in another way.
    """
    found: Array = as_float64(queries) / size**-0.5
    return found


def feed_forward_weights(layer: FeedForward | None, sizes: Sizes) -> dict[str, Array]:
    """Return the arrays of a feed-forward layer; neurons that it does not have are 0."""
    read, bias = np.zeros((sizes.width, sizes.neurons)), np.zeros(sizes.neurons)
    write, added = np.zeros((sizes.neurons, sizes.width)), np.zeros(sizes.width)
    if layer is not None:
        count = len(layer.W_1)
        read[:, :count], bias[:count] = _read(layer.W_1, sizes), layer.b_1
        write[:count], added = _written(layer.W_2.T, sizes), _written(layer.b_2, sizes)
    return {
        "mlp.c_fc.weight": read,
        "mlp.c_fc.bias": bias,
        "mlp.c_proj.weight": write,
        "mlp.c_proj.bias": added,
    }


def _written(given: Weights, sizes: Sizes) -> Array:
    """Return rows over lanes as rows over those of the GPT-2: x and −x, or x as it is."""
    rows = as_float64(given)
    if not sizes.constants:
        return rows
    spare = np.zeros((*rows.shape[:-1], sizes.width - 2 * sizes.lanes))
    return np.concatenate([rows, -rows, spare], axis=-1)


def _read(W: Weights, sizes: Sizes) -> Array:
    """Return a matrix that reads lanes as one that reads x/2 less −x/2, or x as it is, (width of the GPT-2, rows)."""
    return _written(W / 2, sizes).T if sizes.constants else as_float64(W).T
