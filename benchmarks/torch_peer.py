"""The same transformer as a plain PyTorch module in float32, run in batches over all inputs of one length."""

from collections.abc import Callable

import numpy as np
import torch
from torch.nn.functional import linear, relu, scaled_dot_product_attention

from weightsmith import Transformer
from weightsmith.arithmetic import Weights
from weightsmith.model import PositionTable

BATCH = 4096


def decisions_of(T: Transformer, length: int, threads: int) -> Callable[[], np.ndarray]:
    """Return a function that decides all inputs of a length, in vocabulary order."""
    torch.set_num_threads(threads)

    def tensor(array: Weights) -> torch.Tensor:
        return torch.tensor(array, dtype=torch.float32)

    assert isinstance(T.positions, PositionTable)
    embedding, positions, output = tensor(T.embedding), tensor(T.positions.values[:length]), tensor(T.output)
    blocks = []
    for block in T.blocks:
        assert block.feed_forward is not None
        heads, layer = () if block.attention is None else block.attention.heads, block.feed_forward
        assert len(heads) <= 1
        attention = [[head.W_Q, head.W_K, head.W_V, head.W_O] for head in heads]
        neurons = [layer.W_1, layer.b_1, layer.W_2, layer.b_2]
        blocks.append(([[tensor(W) for W in head] for head in attention], [tensor(W) for W in neurons]))
    powers = torch.tensor([len(T.vocabulary) ** k for k in range(length - 1, -1, -1)])

    def run() -> np.ndarray:
        found = []
        with torch.inference_mode():
            for first in range(0, len(T.vocabulary) ** length, BATCH):
                ids = torch.arange(first, first + BATCH)[:, None] // powers % len(T.vocabulary)
                h = embedding[ids] + positions
                for heads, (W_1, b_1, W_2, b_2) in blocks:
                    for W_Q, W_K, W_V, W_O in heads:
                        q, k, v = linear(h, W_Q), linear(h, W_K), linear(h, W_V)
                        h = h + linear(scaled_dot_product_attention(q, k, v, is_causal=True, scale=1.0), W_O)
                    h = h + linear(relu(linear(h, W_1, b_1)), W_2, b_2)
                found.append(linear(h[:, -1], output).argmax(-1))
        decisions: np.ndarray = torch.cat(found).numpy()
        return decisions

    return run
