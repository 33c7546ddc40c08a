"""Native("float32") on a GPT-2 of 85 million weights, against the same model in Hugging Face, on one thread each."""

import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
import torch
from rich.table import Table
from transformers.models.gpt2.configuration_gpt2 import GPT2Config
from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel

from benchmarks.timing import best_seconds
from tests.peers.builders import drawn, gpt2
from weightsmith import Native, Transformer, generate, logits, run

BLOCKS, LANES, HEADS, VOCABULARY = 12, 768, 12, 1000
LENGTH, STEPS = 64, 16
THREADS = 1  # as make bench gives BLAS


def models() -> tuple[Any, Transformer, float]:
    """Give the model, the same as a transformer, and how long that took."""
    torch.set_num_threads(THREADS)
    config = GPT2Config(
        vocab_size=VOCABULARY, n_positions=2 * LENGTH, n_embd=LANES, n_layer=BLOCKS, n_head=HEADS,
        bos_token_id=None, eos_token_id=None,
    )  # fmt: skip
    model = drawn(GPT2LMHeadModel(config))
    begin = time.perf_counter()
    T = replace(gpt2(model), arithmetic=Native("float32"))  # 1/√64 is a power of two, so no weight changes
    return model, T, time.perf_counter() - begin


def forward(model: Any, ids: np.ndarray) -> Callable[[], np.ndarray]:
    """Give a function that runs PyTorch on inputs (inputs, positions)."""
    tokens = torch.from_numpy(ids)

    def run() -> np.ndarray:
        with torch.no_grad():
            found: np.ndarray = model(tokens, use_cache=False, logits_to_keep=1).logits[:, -1].numpy()
        return found

    return run


def generated(model: Any, ids: np.ndarray, steps: int) -> list[int]:
    tokens = torch.from_numpy(ids)[None]
    with torch.no_grad():
        found = model.generate(
            tokens, attention_mask=torch.ones_like(tokens), do_sample=False, max_new_tokens=steps, pad_token_id=0
        )
    result: list[int] = found[0, len(ids) :].tolist()
    return result


def passes(model: Any, T: Transformer, made: float) -> Table:
    """One input with every intermediate value, and several without."""
    table = Table(
        f"{BLOCKS} blocks × {LANES} lanes × {HEADS} heads, {LENGTH} tokens", "Weightsmith", "PyTorch", "ratio", "differ by",
        title=f"Native float32 against PyTorch, {THREADS} thread each; {T.weights:,} weights were checked in {made:.1f} s",
    )  # fmt: skip
    random = np.random.default_rng(0)
    for count in (1, 8):
        ids = random.integers(VOCABULARY, size=(count, LENGTH))
        texts = [[T.vocabulary[i] for i in row] for row in ids]
        ours: dict[str, Callable[[], Any]] = {f"logits of {count}": partial(logits, T, texts)}
        if count == 1:
            ours["run, everything kept"] = partial(run, T, texts[0])
        peer = forward(model, ids)
        seconds = best_seconds({**ours, "PyTorch": peer}, repeat=5)
        theirs = peer()
        apart = np.abs(logits(T, texts) - theirs).max() / np.abs(theirs).max()
        for name in ours:
            table.add_row(
                name, f"{1000 * seconds[name]:.0f} ms", f"{1000 * seconds['PyTorch']:.0f} ms",
                f"{seconds[name] / seconds['PyTorch']:.2f}×", f"{apart:.0e} of the largest",
            )  # fmt: skip
    return table


def tokens(model: Any, T: Transformer) -> Table:
    """Time per further token: many steps less one step, so that the prompt does not count."""
    table = Table(
        f"prompt of {LENGTH} tokens, {STEPS} generated", "Weightsmith", "PyTorch", "ratio", "the same tokens",
        title=f"Generation with a cache, float32, {THREADS} thread each",
    )  # fmt: skip
    ids = np.random.default_rng(1).integers(VOCABULARY, size=LENGTH)
    text = [T.vocabulary[i] for i in ids]

    def ours(steps: int) -> list[str]:
        return list(generate(T, text, steps))

    peers: dict[str, Callable[[], Any]] = {}
    for steps in (1, STEPS):
        peers[f"ours {steps}"] = partial(ours, steps)
        peers[f"torch {steps}"] = partial(generated, model, ids, steps)
    seconds = best_seconds(peers, repeat=5)
    same = ours(STEPS) == [T.vocabulary[i] for i in generated(model, ids, STEPS)]
    for name, cost in (
        ("everything", lambda peer: seconds[f"{peer} {STEPS}"]),
        ("a further token", lambda peer: (seconds[f"{peer} {STEPS}"] - seconds[f"{peer} 1"]) / (STEPS - 1)),
    ):
        mine, other = cost("ours"), cost("torch")
        table.add_row(
            name, f"{1000 * mine:.1f} ms", f"{1000 * other:.1f} ms", f"{mine / other:.2f}×", "yes" if same else "no"
        )
    return table


def measure() -> Iterator[Table]:
    model, T, made = models()
    yield passes(model, T, made)
    yield tokens(model, T)
