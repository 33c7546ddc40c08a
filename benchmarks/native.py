"""Native("float32") on a GPT-2 of 85 million weights, against the same model in Hugging Face, on one thread each."""

import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.timing import best_seconds
from weightsmith import Transformer, generate, logits, run
from weightsmith.arithmetic.core import Elementary
from weightsmith.arithmetic.native import replaced

BLOCKS, LANES, HEADS, VOCABULARY = 12, 768, 12, 1000
LENGTH, STEPS = 64, 16
LONG = 1024


def passes(model: Any, T: Transformer, made: float) -> Table:
    """One input with every intermediate value, and several without."""
    from benchmarks.gpt2_peer import forward

    table = Table(
        f"{BLOCKS} blocks × {LANES} lanes × {HEADS} heads, {LENGTH} tokens",
        "Weightsmith", "PyTorch", "ratio", "differ by",
        title="A pass in float32, one thread each",
        caption=f"{T.weights:,} weights were taken over and checked in {made:.1f} s",
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


def activations() -> Table:
    """Each activation on the pre-activations of a forward pass, in both types, as a pass computes it."""
    from benchmarks.gpt2_peer import activation

    table = Table(
        f"tokens × {4 * LANES} numbers", "Weightsmith", "PyTorch", "ratio", "differ by",
        title="Activations, one thread each",
        caption="a pass overwrites its pre-activations, so each call gets a copy, which is not timed",
    )  # fmt: skip
    functions: tuple[Elementary, ...] = ("gelu", "gelu_tanh", "silu")
    for (length, repeat), dtype, name in product(((LENGTH, 99), (LONG, 15)), ("float32", "float64"), functions):
        x = np.random.default_rng(2).normal(size=(length, 4 * LANES)).astype(dtype)
        given = x.copy()
        calls: dict[str, Callable[[], Any]] = {
            "ours": partial(replaced, name, given),
            "PyTorch": activation(name, given),
        }
        best = dict.fromkeys(calls, float("inf"))
        for _, who in product(range(repeat), calls):
            np.copyto(given, x)
            begin = time.perf_counter()
            calls[who]()
            best[who] = min(best[who], time.perf_counter() - begin)
        np.copyto(given, x)
        theirs = calls["PyTorch"]()
        apart = float(np.abs(calls["ours"]() - theirs).max())
        table.add_row(
            f"{name}, {dtype}, {length}", f"{1e6 * best['ours']:.0f} µs", f"{1e6 * best['PyTorch']:.0f} µs",
            f"{best['ours'] / best['PyTorch']:.2f}×", f"{apart:.0e}",
        )  # fmt: skip
    return table


def by_threads() -> Table:
    """A pass without its intermediate values, and from the files to the end of a first pass, on one and two threads."""
    from benchmarks import reading, threads

    table = Table(
        "GPT-2, 12 blocks × 768 lanes, float32", "threads", "Weightsmith", "PyTorch", "ratio",
        title="A pass by length and threads",
        caption="from the same checkpoint, mapped into memory; logits of the last position",
    )  # fmt: skip
    with tempfile.TemporaryDirectory() as scratch:
        reading.saved(Path(scratch))
        for count in (1, 2):
            for name, ours, theirs in threads.rows(Path(scratch), count):
                table.add_row(
                    name, str(count), f"{1000 * ours:.0f} ms", f"{1000 * theirs:.0f} ms", f"{ours / theirs:.2f}×"
                )
    return table


def tokens(model: Any, T: Transformer) -> Table:
    """Time per further token: many steps less one step, so that the prompt does not count."""
    from benchmarks.gpt2_peer import generated

    table = Table(
        f"prompt of {LENGTH} tokens, {STEPS} generated", "Weightsmith", "PyTorch", "ratio", "the same tokens",
        title="Generation with a cache, float32, one thread each",
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
    further = [(seconds[f"{peer} {STEPS}"] - seconds[f"{peer} 1"]) / (STEPS - 1) for peer in ("ours", "torch")]
    whole = [seconds[f"{peer} {STEPS}"] for peer in ("ours", "torch")]
    for name, (mine, other) in (("everything", whole), ("a further token", further)):
        table.add_row(
            name, f"{1000 * mine:.1f} ms", f"{1000 * other:.1f} ms", f"{mine / other:.2f}×", "yes" if same else "no"
        )
    return table


def measure() -> Iterator[Table]:
    from benchmarks.gpt2_peer import models

    yield activations()
    yield by_threads()
    model, T, made = models(BLOCKS, LANES, HEADS, VOCABULARY, LONG)
    yield passes(model, T, made)
    yield tokens(model, T)
