"""A chain's transformer as a plain PyTorch loop in float32 that keeps keys and values."""

from collections.abc import Callable

import numpy as np
import torch
from torch.nn.functional import linear, relu

from weightsmith import Transformer
from weightsmith.arithmetic import Weights
from weightsmith.model import PositionTable


def steps_of(T: Transformer, ids: np.ndarray, steps: int) -> Callable[[], np.ndarray]:
    """Return a function that writes tokens after texts, (texts, positions), and returns them, (texts, steps)."""
    torch.set_num_threads(1)

    def tensor(array: Weights) -> torch.Tensor:
        return torch.tensor(np.asarray(array), dtype=torch.float32)

    assert isinstance(T.positions, PositionTable)
    embedding, positions, output = tensor(T.embedding), tensor(T.positions.values), tensor(T.output)
    shift = None if T.output_bias is None else tensor(T.output_bias)
    token_of = torch.tensor([T.vocabulary.index(name) for name in T.classes])
    blocks = []
    for block in T.blocks:
        assert block.attention is not None
        assert block.feed_forward is not None
        heads, layer = block.attention.heads, block.feed_forward
        stacked = [tensor(np.concatenate([np.asarray(getattr(h, n)) for h in heads])) for n in ("W_Q", "W_K", "W_V")]
        W_O = tensor(np.concatenate([np.asarray(head.W_O) for head in heads], axis=1))
        blocks.append((stacked, W_O, len(heads), [tensor(W) for W in (layer.W_1, layer.b_1, layer.W_2, layer.b_2)]))
    texts, length = ids.shape
    given = torch.from_numpy(ids)

    def run() -> np.ndarray:
        kept = [
            [torch.empty(texts, count, length + steps, len(W) // count) for W in stacked[1:]]
            for stacked, _, count, _ in blocks
        ]
        written = []
        with torch.inference_mode():
            new, first = given, 0
            for _ in range(steps):
                last = first + new.shape[1]
                h = embedding[new] + positions[first:last]
                hidden = torch.ones(last - first, last).tril(first) == 0
                for (stacked, W_O, count, (W_1, b_1, W_2, b_2)), (keys, values) in zip(blocks, kept, strict=True):
                    q, k, v = (linear(h, W).view(*h.shape[:2], count, -1).transpose(1, 2) for W in stacked)
                    keys[:, :, first:last], values[:, :, first:last] = k, v
                    scores = (q @ keys[:, :, :last].transpose(-1, -2)).masked_fill(hidden, -torch.inf)
                    mixed = torch.softmax(scores, -1) @ values[:, :, :last]
                    h = h + linear(mixed.transpose(1, 2).flatten(-2), W_O)
                    h = h + linear(relu(linear(h, W_1, b_1)), W_2, b_2)
                new, first = token_of[linear(h[:, -1], output, shift).argmax(-1)][:, None], last
                written.append(new)
        tokens: np.ndarray = torch.cat(written, 1).numpy()
        return tokens

    return run
