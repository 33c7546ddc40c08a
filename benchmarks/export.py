"""The cost of exported models: PyTorch modules, plain and exact, and every exporter and reader, on one thread."""

import json
import math
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import torch
from rich.table import Table

from benchmarks.models import thinned
from benchmarks.timing import best_seconds
from weightsmith import Arithmetic, Fixed, Float, Transformer
from weightsmith.export import from_torch
from weightsmith.export.pytorch import made
from weightsmith.inspect.run import evaluate
from weightsmith.kernels.packed import batch, run_columns
from weightsmith.train.module import Model
from weightsmith.train.settings import Shape

VOCABULARY = tuple(f"t{i}" for i in range(256))
SHAPES = (
    ("small, table, layer norm", Shape(lanes=64, blocks=4, heads=4, neurons=256), 32, 64),
    ("rotary, RMS norm, swiglu", Shape(lanes=256, blocks=4, heads=4, neurons=512, positions="rotary", norm="rms",
                                       activation="swiglu", biases=False), 8, 64),
    ("ALiBi", Shape(lanes=256, blocks=4, heads=4, neurons=1024, positions="alibi"), 8, 64),
    ("as GPT-2, 4 blocks", Shape(lanes=768, blocks=4, heads=12, neurons=3072), 4, 64),
)  # fmt: skip

TARGETS = (
    "to_torch",
    "to_transformer_lens",
    "to_hugging_face",
    "to_hugging_face, stock",
    "to_onnx",
    "from_torch",
    "from_hugging_face",
)


def called(module: torch.nn.Module, ids: torch.Tensor) -> Callable[[], np.ndarray]:
    """Return a function that runs a module without gradients."""

    def run() -> np.ndarray:
        with torch.inference_mode():
            logits: np.ndarray = module(ids).numpy()
        return logits

    return run


def plain() -> Table:
    """The module of `to_torch` against one written by hand for this shape, with the same weights."""
    table = Table(
        "shape", "tokens", "to_torch", "by hand", "ratio", "differ by",
        title="A pass of the plain module in float32, one thread each",
        caption="by hand: the module that training uses; its queries, keys and values are one matrix",
    )  # fmt: skip
    for name, shape, count, length in SHAPES:
        torch.manual_seed(0)
        peer = Model(shape, len(VOCABULARY), None).eval()
        ours = made(from_torch(peer, VOCABULARY))
        ids = torch.randint(len(VOCABULARY), (count, length))
        runs = {"ours": called(ours, ids), "peer": called(peer, ids)}
        seconds, apart = best_seconds(runs, repeat=9, least=0.2), np.abs(runs["ours"]() - runs["peer"]()).max()
        table.add_row(
            name, f"{count} × {length}", *(f"{1000 * seconds[each]:.1f} ms" for each in runs),
            f"{seconds['ours'] / seconds['peer']:.2f}×", f"{apart:.0e}",
        )  # fmt: skip
    return table


def exact() -> Table:
    """The exact module against the reference run and the packed kernels, on all inputs of a length."""
    table = Table(
        "arithmetic", "lanes × blocks", "inputs", "exact module", "reference", "packed", "module / packed",
        title="Exact runs, one thread each, all with the same bits",
    )  # fmt: skip
    arithmetics: list[Arithmetic] = [Fixed(4, 4), Float(4, 3), Float.like("float16"), Fixed(8, 12)]
    for A in arithmetics:
        for lanes, blocks, length in ((8, 2, 8), (32, 4, 8)):
            T = thinned("01", lanes, blocks, 0.5, length, A)
            ids = np.indices((2,) * length).reshape(length, -1).T.copy()
            runs = _exact_runs(T, ids)
            assert np.array_equal(runs["module"](), runs["reference"]()), f"other bits in {A}"
            seconds = best_seconds(runs, repeat=3)
            table.add_row(
                str(A), f"{lanes} × {blocks}", f"{len(ids)} × {length}",
                *(f"{1000 * seconds[each]:.0f} ms" for each in runs),
                f"{seconds['module'] / seconds['packed']:.1f}×",
            )  # fmt: skip
    return table


def _exact_runs(T: Transformer, ids: np.ndarray) -> dict[str, Callable[[], np.ndarray]]:
    """Return functions that compute the logits at the last position of each input."""
    whole = called(made(T, exact=True), torch.from_numpy(ids))
    return {
        "module": lambda: whole()[:, -1],
        "reference": lambda: evaluate(T, ids).logits,
        "packed": partial(_packed, T, ids),
    }


def _packed(T: Transformer, ids: np.ndarray) -> np.ndarray:
    logits: np.ndarray = run_columns(T, batch(ids)).logits
    return logits


def targets() -> Table:
    """Every exporter, with its report, and every reader, each in a separate process."""
    rows = {name: _costs(name) for name in TARGETS}
    weights = next(iter(rows.values()))["weights"]
    table = Table(
        "", "contains", f"{weights / 1e6:.1f} million weights", "memory grows by",
        title="Out and in, the report included",
        caption="where a model is exported, nearly all of the time goes into running both on the inputs of the report; "
        f"the weights take {4 * weights / 1e6:.0f} MB, as float32; what reading a checkpoint holds: benchmark reading",
    )  # fmt: skip
    for name, found in rows.items():
        small = "" if math.isnan(found["small"]) else f"{found['small']:.2f} s"
        memory = "" if name == "from_hugging_face" else f"{found['memory'] / 1e6:.0f} MB"
        table.add_row(name, small, f"{found['large']:.2f} s", memory)
    return table


def _costs(name: str) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.targets", name]
    found: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    return found


def measure() -> Iterator[Table]:
    torch.set_num_threads(1)
    yield plain()
    yield exact()
    yield targets()
