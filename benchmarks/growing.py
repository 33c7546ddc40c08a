"""How time and memory grow with a size, for each part of the workbench that other tables measure at one size."""

import tempfile
import tracemalloc
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import torch
from rich.table import Table

import weightsmith as ws
from benchmarks.growth import power
from benchmarks.timing import best_seconds
from weightsmith import check, export, library
from weightsmith.train import Course, Shape, as_text, corpus, fit


@dataclass(frozen=True)
class Growth:
    """An operation at several sizes. `make` prepares the call for a size; only the call is measured."""

    name: str
    size: str  # the quantity that grows
    sizes: Sequence[int]
    make: Callable[[int], Callable[[], object]]
    traced: bool = True  # whether its memory is allocated by numpy and Python, not by PyTorch


def measure() -> Iterator[Table]:
    torch.set_num_threads(1)
    table = Table("operation", "size", "sizes", "time", "time grows as", "peak memory", "memory grows as",
                  title="Growth of time and memory")  # fmt: skip
    with tempfile.TemporaryDirectory() as folder:
        for growth in _growths(Path(folder)):
            table.add_row(*_row(growth))
    yield table


def _row(growth: Growth) -> Iterator[str]:
    calls = [growth.make(size) for size in growth.sizes]
    seconds = [best_seconds({"": call}, repeat=3)[""] for call in calls]
    peaks = [_peak(call) for call in calls] if growth.traced else []
    yield from (growth.name, growth.size, ", ".join(f"{size:,}" for size in growth.sizes))
    yield ", ".join(f"{1000 * each:,.3g}" for each in seconds) + " ms"
    yield power(growth.sizes, seconds)
    yield ", ".join(f"{each / 2**20:,.2g}" for each in peaks) + " MiB" if peaks else "–"
    yield power(growth.sizes, peaks) if peaks else "–"


def _peak(call: Callable[[], object]) -> int:
    """Return the most bytes that a call holds at once, beyond those before it."""
    tracemalloc.start()
    try:
        call()
        return max(1, tracemalloc.get_traced_memory()[1])
    finally:
        tracemalloc.stop()


def _growths(folder: Path) -> Iterator[Growth]:
    yield Growth("rounding to float16", "values", (10**5, 10**6, 10**7), _rounding)
    yield Growth("a pass in float32, 4 × 128", "tokens", (64, 256, 1024), _native)
    yield Growth("a pass of the PyTorch export, 4 blocks", "lanes", (32, 64, 128), _exported, traced=False)
    yield Growth("to_torch with its report", "lanes", (16, 32, 64), _export)
    yield Growth("reading a file", "weights", (10**5, 10**6, 10**7), lambda n: _reading(n, folder))
    yield Growth("proof for all lengths: contains 1^k", "k", (2, 4, 8), _proof)
    yield Growth("proof for all lengths: random, 2 lanes", "blocks", (1, 2), _random_proof)
    yield Growth("training, 20 steps, 2 blocks", "lanes", (32, 64, 128), _training, traced=False)
    yield Growth("the page of a run, 2 blocks", "lanes", (16, 64, 256), lambda n: _page(n, folder))


def _rounding(size: int) -> Callable[[], object]:
    x, half = np.random.default_rng(0).normal(size=size) * 50, ws.Float.like("float16")
    return lambda: half.round(x)


def _random(
    lanes: int, blocks: int, arithmetic: ws.Arithmetic, *, max_length: int = 8, neurons: int = 4
) -> ws.Transformer:
    return ws.random_transformer(
        lanes=lanes, blocks=blocks, arithmetic=arithmetic, max_length=max_length, neurons=neurons
    )


def _native(tokens: int) -> Callable[[], object]:
    T = _random(128, 4, ws.Native("float32"), max_length=tokens, neurons=512)
    text = ["01" * (tokens // 2)]
    return lambda: ws.logits(T, text)


def _exported(lanes: int) -> Callable[[], object]:
    module = export.to_torch(_random(lanes, 4, ws.Native("float32"), max_length=64))
    ids = torch.zeros((8, 64), dtype=torch.long)

    def call() -> object:
        with torch.no_grad():
            return module(ids)

    return call


def _export(lanes: int) -> Callable[[], object]:
    T = _random(lanes, 2, ws.Native("float32"), max_length=8)
    return lambda: export.to_torch(T)


def _reading(weights: int, folder: Path) -> Callable[[], object]:
    lanes = int((weights / 48) ** 0.5)  # 12 lanes² in each of 4 blocks
    file = folder / f"{weights}.safetensors"
    ws.save(_random(lanes, 4, ws.Native("float32"), neurons=4 * lanes), file)
    return lambda: ws.load(file)


def _proof(length: int) -> Callable[[], object]:
    T = library.contains_word("1" * length)
    return lambda: check.recognizes(T, f".*1{{{length}}}.*")


def _random_proof(blocks: int) -> Callable[[], object]:
    T = replace(_random(2, blocks, ws.Fixed(2, 2)), positions=None)
    return lambda: check.same_decisions(T, T, seconds=20)


def _training(lanes: int) -> Callable[[], object]:
    text = as_text(corpus(), 32)
    shape, course = Shape(lanes=lanes, blocks=2, heads=2, neurons=4 * lanes, context=32), Course(steps=20, batch=8)
    return lambda: fit(text, shape, course)


def _page(lanes: int, folder: Path) -> Callable[[], object]:
    r = ws.run(_random(lanes, 2, ws.Fixed(4, 4), max_length=16), "0110" * 4)
    return lambda: r.save_html(folder / "run.html")
