"""A random GPT-2 of 85 million weights in Hugging Face, and the same model as a transformer."""

import time
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import torch
from tests.peers.builders import drawn, gpt2
from transformers.models.gpt2.configuration_gpt2 import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel

from weightsmith import Native, Transformer


def models(blocks: int, lanes: int, heads: int, vocabulary: int, length: int) -> tuple[Any, Transformer, float]:
    """Return the model, the transformer, and the seconds it took to make the transformer."""
    torch.set_num_threads(1)  # as make bench gives BLAS
    config = GPT2Config(
        vocab_size=vocabulary, n_positions=length, n_embd=lanes, n_layer=blocks, n_head=heads,
        bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    model = drawn(GPT2LMHeadModel(config))
    begin = time.perf_counter()
    T = replace(gpt2(model), arithmetic=Native("float32"))  # with heads of 64, 1/√64 = 1/8 changes no weight
    return model, T, time.perf_counter() - begin


def forward(model: Any, ids: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a function from inputs (inputs, positions) to the logits at the last position."""
    tokens = torch.from_numpy(ids)

    def run() -> np.ndarray:
        with torch.no_grad():
            found: np.ndarray = model(tokens, use_cache=False, logits_to_keep=1).logits[:, -1].numpy()
        return found

    return run


def activation(name: str, x: np.ndarray) -> Callable[[], np.ndarray]:
    """Return a function that applies PyTorch's activation of a name."""
    torch.set_num_threads(1)
    numbers, F = torch.from_numpy(x), torch.nn.functional
    functions: dict[str, Callable[[], torch.Tensor]] = {
        "gelu": lambda: F.gelu(numbers),
        "gelu_tanh": lambda: F.gelu(numbers, approximate="tanh"),
        "silu": lambda: F.silu(numbers),
    }
    return lambda: np.asarray(functions[name]())


def generated(model: Any, ids: np.ndarray, steps: int) -> list[int]:
    """Generate tokens greedily, with a cache."""
    tokens = torch.from_numpy(ids)[None]
    with torch.no_grad():
        found = model.generate(
            tokens, attention_mask=torch.ones_like(tokens), do_sample=False, max_new_tokens=steps, pad_token_id=0
        )
    result: list[int] = found[0, len(ids) :].tolist()
    return result
