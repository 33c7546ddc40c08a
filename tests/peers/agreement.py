"""What it means that a language model of Hugging Face and a transformer agree."""

from typing import Any

import numpy as np
import torch

import weightsmith as ws
from tests.peers.builders import CLOSE, array

LENGTHS = (1, 2, 7, 31)


def assert_same_run(T: ws.Transformer, model: Any, final_norm: Any) -> None:
    """Compare the stream after every block, at every position, and the logits at the last, for several inputs."""
    random = np.random.default_rng(5)
    inputs = [random.integers(len(T.vocabulary), size=length) for length in LENGTHS]
    together = ws.logits(T, [words(T, ids) for ids in inputs])
    for ids, from_batch in zip(inputs, together, strict=True):
        stream, logits = in_torch(model, final_norm, ids)
        ours = ws.run(T, words(T, ids))
        np.testing.assert_allclose(ours.stream[::2], stream, rtol=0, atol=CLOSE)
        np.testing.assert_allclose(ours.logits, logits, rtol=0, atol=CLOSE)
        np.testing.assert_allclose(from_batch, logits, rtol=0, atol=CLOSE)


def in_torch(model: Any, final_norm: Any, ids: Any) -> tuple[Any, Any]:
    """Give the stream (1 + blocks, positions, lanes) and the logits at the last position."""
    last = []
    # the last of Hugging Face's hidden states is behind the final norm, so that in front of it is caught here
    caught = final_norm.register_forward_pre_hook(lambda module, inputs: last.append(inputs[0]))
    with torch.no_grad():
        found = model(torch.from_numpy(ids)[None], output_hidden_states=True)
    caught.remove()
    stream = [array(state[0]) for state in (*found.hidden_states[:-1], *last)]
    return np.stack(stream), array(found.logits[0, -1])


def words(T: ws.Transformer, ids: Any) -> list[str]:
    return [T.vocabulary[i] for i in ids]
