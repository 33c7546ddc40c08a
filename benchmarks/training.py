"""Training a character model, log and checkpoints included, against the plainest loop that PyTorch allows."""

import tempfile
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path

import numpy as np
import torch
from rich.table import Table
from torch.nn.functional import cross_entropy

from benchmarks.timing import best_seconds
from weightsmith import Transformer, generate
from weightsmith.train import Course, Shape, Text, as_text, corpus, fit, write_log
from weightsmith.train.training import new_module

STEPS = 100  # one record and one checkpoint, as by default
REPEAT = 3


def measure() -> list[Table]:
    text, shape = as_text(corpus(), 64), Shape()
    speeds = Table(
        "threads", "PyTorch", "Weightsmith", "ratio", title="Tokens per second: 4 blocks, 128 lanes, 64 × 32"
    )
    trained: list[Transformer] = []
    for threads in (1, 2):
        course = Course(steps=STEPS, checkpoint_every=STEPS // 2, threads=threads)
        best = {"plain": float("inf"), "ours": float("inf")}
        peers: dict[str, Callable[[], float]] = {
            "plain": partial(plain_loop, text, shape, course),
            "ours": partial(our_loop, text, shape, course, trained),
        }
        for _ in range(REPEAT):
            for name, run in peers.items():
                best[name] = min(best[name], run())
        tokens = STEPS * course.batch * text.context
        row = [f"{tokens / best[name]:,.0f}" for name in ("plain", "ours")]
        speeds.add_row(str(threads), *row, f"{best['plain'] / best['ours']:.2f}")
    return [speeds, generation(trained[-1], text, shape)]


def plain_loop(text: Text, shape: Shape, course: Course) -> float:
    """Return the seconds of a plain loop with the same module and the same batches."""
    torch.set_num_threads(course.threads)
    module = new_module(text, shape, course)
    optimizer = torch.optim.AdamW(module.parameters(), lr=course.rate, fused=True)
    begin = time.perf_counter()
    for step in range(course.steps):
        x, y = text.batch(np.random.default_rng((course.seed, step)), course.batch)
        loss = cross_entropy(module(x).flatten(0, 1), y.flatten())
        optimizer.zero_grad()
        loss.backward()  # type: ignore[no-untyped-call]
        optimizer.step()
    return time.perf_counter() - begin


def our_loop(text: Text, shape: Shape, course: Course, trained: list[Transformer]) -> float:
    """Return the seconds from the settings to the transformer, with a log and a checkpoint."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "log.jsonl"
        begin = time.perf_counter()
        found = fit(
            text, shape, course, checkpoint=Path(folder) / "checkpoint", record=lambda history: write_log(log, history)
        )
        seconds = time.perf_counter() - begin
    trained.append(found.transformer)
    return seconds


def generation(T: Transformer, text: Text, shape: Shape) -> Table:
    """Time 63 tokens after the first; the plain module has no cache."""
    steps = text.context - 1
    module = new_module(text, shape, Course()).eval()
    torch.set_num_threads(1)

    @torch.inference_mode()
    def plain() -> None:
        ids = torch.zeros(1, 1, dtype=torch.int64)
        for _ in range(steps):
            ids = torch.cat([ids, module(ids)[:, -1:].argmax(-1)], dim=1)

    peers: dict[str, Callable[[], object]] = {
        "PyTorch, no cache": plain,
        "Weightsmith": lambda: list(generate(T, [T.vocabulary[0]], steps)),
        "Weightsmith, cache=False": lambda: list(generate(T, [T.vocabulary[0]], steps, cache=False)),
    }
    table = Table("", "tokens per second", title=f"Generating {steps} tokens, one thread")
    for name, seconds in best_seconds(peers, repeat=2).items():
        table.add_row(name, f"{steps / seconds:,.0f}")
    return table
