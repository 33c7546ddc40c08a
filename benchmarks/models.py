"""Random sparse transformers whose values stay in range."""

from dataclasses import replace

import numpy as np

from weightsmith import Arithmetic, Attention, Softmax, Transformer, random_transformer
from weightsmith.arithmetic import Array, Weights


def thinned(
    vocabulary: str, lanes: int, blocks: int, density: float, length: int, arithmetic: Arithmetic
) -> Transformer:
    """Return a transformer with one head and four times as many neurons as lanes in each block."""
    random = np.random.default_rng(1)
    T = random_transformer(
        vocabulary, lanes, blocks, 1, 4 * lanes, length, arithmetic, weighting=Softmax(shifted=True)
    )  # fmt: skip

    def thin(M: Weights) -> Array:
        keep = random.random(M.shape) < density
        return arithmetic.round(random.normal(size=M.shape) * keep / np.sqrt(density * M.shape[1]))

    thinner = []
    for block in T.blocks:
        assert block.attention is not None
        assert block.feed_forward is not None
        head, layer = block.attention.heads[0], block.feed_forward
        head = replace(head, W_Q=thin(head.W_Q), W_K=thin(head.W_K), W_V=thin(head.W_V), W_O=thin(head.W_O))
        layer = replace(layer, W_1=thin(layer.W_1), W_2=thin(layer.W_2))
        thinner.append(replace(block, attention=Attention((head,)), feed_forward=layer))
    return replace(T, blocks=tuple(thinner))
