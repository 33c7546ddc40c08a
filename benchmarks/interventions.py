"""Sweeps and ablations of a GPT-2 of 85 million weights, against the passes that they need."""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
from rich.table import Table

from benchmarks.native import BLOCKS, HEADS, LANES, VOCABULARY
from benchmarks.timing import best_seconds
from weightsmith import Transformer, ablations, logits, run, sweep

LENGTH = 4


def measure() -> Iterator[Table]:
    from benchmarks.gpt2_peer import models

    _, T, _ = models(BLOCKS, LANES, HEADS, VOCABULARY, 2 * LENGTH)
    yield against_passes(T)


def against_passes(T: Transformer) -> Table:
    """Time each, and the passes of as many inputs together; of a pass that begins at a later stage, its share."""
    table = Table(
        f"{BLOCKS} blocks × {LANES} lanes × {HEADS} heads, {LENGTH} tokens",
        "interventions", "time", "their passes", "ratio",
        title="Interventions in float32, one thread",
        caption="a pass: the logits of as many inputs at once as a stage has interventions, for the blocks behind it",
    )  # fmt: skip
    draw = np.random.default_rng(0)
    a, b = ([T.vocabulary[i] for i in draw.integers(VOCABULARY, size=LENGTH)] for _ in range(2))
    r, other = run(T, a), run(T, b)
    inputs = {"sweep": LENGTH, "heads": HEADS, "layers": 1}  # together at one stage
    calls: dict[str, Callable[[], object]] = {"sweep": partial(sweep, r, other), "ablations": partial(ablations, r)}
    calls |= {f"pass of {count}": partial(logits, T, [a] * count) for count in set(inputs.values())}
    seconds = best_seconds(calls, repeat=3)
    left = [1 - stage / (2 * BLOCKS) for stage in range(2 * BLOCKS + 1)]  # the share of a pass behind each stage
    swept = seconds[f"pass of {LENGTH}"] * sum(left)
    ablated = seconds[f"pass of {HEADS}"] * sum(left[0:-1:2]) + seconds["pass of 1"] * sum(left[2::2])
    for name, count, passes in (
        ("sweep", LENGTH * len(left), swept),
        ("ablations", BLOCKS * (HEADS + 1), ablated),
    ):
        table.add_row(name, str(count), f"{seconds[name]:.2f} s", f"{passes:.2f} s", f"{seconds[name] / passes:.2f}×")
    return table
