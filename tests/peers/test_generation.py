from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
import torch

import weightsmith as ws
from tests.peers.agreement import words
from tests.peers.builders import gpt2, llama
from tests.peers.models import gpt2_model, llama_model

MODELS: dict[str, tuple[Callable[[], Any], Callable[[Any], ws.Transformer]]] = {
    "GPT-2": (lambda: gpt2_model(seed=1), gpt2),
    "GPT-2, untied": (lambda: gpt2_model(tied=False, seed=3), gpt2),
    "Llama": (llama_model, llama),
    "Llama with shared keys": (lambda: llama_model(shared=2, seed=4), llama),
}


@pytest.mark.parametrize("name", MODELS)
def test_greedy_generation_gives_the_tokens_of_hugging_face(name: str) -> None:
    made, build = MODELS[name]
    model = made()
    T, seen = build(model), set()
    for seed, length in enumerate((1, 5, 16)):
        prompt = np.random.default_rng(seed).integers(40, size=length)
        found = model.generate(
            torch.from_numpy(prompt)[None],
            attention_mask=torch.ones(1, length, dtype=torch.long),
            do_sample=False,
            max_new_tokens=24,
            pad_token_id=0,
        )
        theirs = words(T, found[0, length:].tolist())
        assert list(ws.generate(T, words(T, prompt), 24)) == theirs
        assert list(ws.generate(T, words(T, prompt), 24, cache=False)) == theirs
        seen |= set(theirs)
    assert len(seen) > 3  # the models do not say the same thing all the time
