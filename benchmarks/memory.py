"""Writing many facts, with every response computed in the arithmetic, against one numpy product of the same size."""

from functools import partial

import numpy as np
from rich.table import Table

from benchmarks.growth import power
from benchmarks.timing import best_seconds
from weightsmith import Arithmetic, Block, Fixed, Float, Native, Transformer, memory

FACTS = (100, 300, 1000)


def measure() -> list[Table]:
    table = Table("arithmetic", "facts × lanes", "seconds", "a numpy product", title="memory.write_many")
    arithmetics: list[Arithmetic] = [Fixed(6, 4), Float.like("bfloat16"), Native("float32")]
    spent: dict[str, list[float]] = {str(A): [] for A in arithmetics}
    for count in FACTS:
        keys = np.random.default_rng(0).choice([-1.0, 1.0], (count, 40))
        facts = [(str(n), np.append(key, 0.0), {"out": 1.0}) for n, key in enumerate(keys)]
        for A in arithmetics:
            peers = {
                "write": partial(memory.write_many, empty(A), 0, facts),
                "numpy": partial(np.matmul, keys, keys.T),
            }
            times = best_seconds(peers, repeat=3)
            spent[str(A)].append(times["write"])
            table.add_row(str(A), f"{count} × 40", f"{times['write']:.3f}", f"{times['numpy']:.4f}")
        table.add_section()
    for name, seconds in spent.items():
        table.add_row(name, "n facts: grows as", power(FACTS, seconds), "")
    return [table]


def empty(arithmetic: Arithmetic) -> Transformer:
    """Return a model with 41 lanes and an empty block."""
    lanes = (*(f"x{i}" for i in range(40)), "out")
    return Transformer(
        arithmetic=arithmetic,
        vocabulary="0",
        lanes=lanes,
        embedding=np.zeros((1, 41)),
        positions=None,
        blocks=(Block(),),
        output=np.zeros((2, 41)),
    )
