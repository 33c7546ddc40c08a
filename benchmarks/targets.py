"""One exporter or reader, in a process of its own: `python -m benchmarks.targets to_onnx` prints seconds and memory.

What the libraries take to be loaded is no part of it: a model goes through before anything is measured.
"""

import json
import math
import re
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from time import perf_counter

import torch

import weightsmith as ws
from weightsmith import Transformer, export
from weightsmith.export.pytorch import made
from weightsmith.train.module import Model
from weightsmith.train.settings import Shape

LARGE = Shape(lanes=256, blocks=4, heads=4, neurons=1024)  # the shape of a GPT-2
VOCABULARY = tuple(f"t{i}" for i in range(1024))


def large() -> Transformer:
    """Return a model of about 4 million weights, drawn at random."""
    torch.manual_seed(0)
    return export.from_torch(Model(LARGE, len(VOCABULARY), None).eval(), VOCABULARY)


def out_and_in(name: str, T: Transformer, directory: Path) -> Callable[[], object]:
    """Return what is to be measured, ready to be called."""
    if name == "from_torch":
        module = made(T)
        return lambda: export.from_torch(module)
    if name == "from_hugging_face":
        export.to_hugging_face(T, directory / "model", "gpt2", allow_differences=True)
        return lambda: export.from_hugging_face(directory / "model")
    return {
        "to_torch": lambda: export.to_torch(T),
        "to_transformer_lens": lambda: export.to_transformer_lens(T),
        "to_hugging_face": lambda: export.to_hugging_face(T, directory / "model"),
        "to_hugging_face, stock": lambda: export.to_hugging_face(T, directory / "model", "gpt2"),
        "to_onnx": lambda: export.to_onnx(T, directory / "model.onnx"),
    }[name]


def most_memory() -> int:
    """Return the most bytes that this process has held since that was last forgotten."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return 1024 * int(found[1])


def cost(name: str, T: Transformer) -> tuple[float, int]:
    """Return the seconds that it takes, and by how many bytes memory grows meanwhile."""
    with tempfile.TemporaryDirectory() as scratch:
        call = out_and_in(name, T, Path(scratch))
        Path("/proc/self/clear_refs").write_text("5")  # forget the most that there was
        before, began = most_memory(), perf_counter()
        kept = call()
        seconds = perf_counter() - began
        del kept
        return seconds, most_memory() - before


def costs(name: str) -> dict[str, float]:
    """Return the costs of a small model and of a large one."""
    small, T = ws.library.majority("1"), large()
    reads = name == "from_hugging_face"  # language models, which the small one is not
    cost(name, T if reads else small)
    seconds, memory = cost(name, T)
    return {
        "small": math.nan if reads else cost(name, small)[0],
        "large": seconds,
        "memory": memory,
        "weights": T.weights,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(costs(sys.argv[1])))
