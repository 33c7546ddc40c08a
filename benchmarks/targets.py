"""One exporter or reader in a separate process: `python -m benchmarks.targets to_onnx` prints seconds and memory.

Loading the libraries is not measured: one model goes through first.
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
    """Return a random model of about 4 million weights."""
    torch.manual_seed(0)
    T: Transformer = export.from_torch(Model(LARGE, len(VOCABULARY), None).eval(), VOCABULARY)
    return T


def out_and_in(name: str, T: Transformer, directory: Path) -> Callable[[], object]:
    """Return the function to measure."""
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
    """Return the peak memory of this process, in bytes, since the last reset."""
    found = re.search(r"VmHWM:\s+(\d+)", Path("/proc/self/status").read_text())
    assert found is not None
    return 1024 * int(found[1])


def cost(name: str, T: Transformer) -> tuple[float, int]:
    """Return the seconds of a call, and the bytes by which the peak memory grows."""
    with tempfile.TemporaryDirectory() as scratch:
        call = out_and_in(name, T, Path(scratch))
        Path("/proc/self/clear_refs").write_text("5")  # reset the peak
        before, began = most_memory(), perf_counter()
        kept = call()
        seconds = perf_counter() - began
        del kept
        return seconds, most_memory() - before


def costs(name: str) -> dict[str, float]:
    """Return the costs of a small model and of a large one."""
    small, T = ws.library.contains("1"), large()
    only_large = name in ("from_hugging_face", "to_hugging_face, stock")  # a language model; softmax, which is not hard
    cost(name, T if only_large else small)
    seconds, memory = cost(name, T)
    return {
        "small": math.nan if only_large else cost(name, small)[0],
        "large": seconds,
        "memory": memory,
        "weights": T.weights,
    }


if __name__ == "__main__":
    torch.set_num_threads(1)
    print(json.dumps(costs(sys.argv[1])))
