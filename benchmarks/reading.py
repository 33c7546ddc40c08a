"""Reading a GPT-2 of 124 million weights from Hugging Face's format, against `from_pretrained`, on one thread each.

`from_pretrained` maps the file of float32 weights into memory and reads none of them; a transformer holds its weights
as float64. So it is also measured with dtype=float64, where it has to do what is done here.
"""

import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
from rich.table import Table

from benchmarks.timing import best_seconds
from weightsmith import Native, Transformer, run
from weightsmith.export import from_hugging_face
from weightsmith.export.agreement import original

LENGTH = 64
MEMORY = """import json, re, sys
from weightsmith.export import from_hugging_face
def most(): return 1024 * int(re.search(r"VmHWM:\\s+(\\d+)", open("/proc/self/status").read())[1])
before = most()
T = from_hugging_face(sys.argv[1])
print(json.dumps({"weights": 8 * T.weights, "peak": most() - before}))
"""


def saved(directory: Path) -> Any:
    """Write a model drawn at random, and give it."""
    import torch
    from tests.peers.builders import drawn
    from transformers.models.gpt2.configuration_gpt2 import GPT2Config
    from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel

    torch.set_num_threads(1)  # as make bench gives BLAS
    model = drawn(GPT2LMHeadModel(GPT2Config(bos_token_id=None, eos_token_id=None)))
    model.save_pretrained(directory)
    return model


def reading(model: Any, directory: Path) -> Table:
    import torch

    def theirs(dtype: Any) -> Any:
        return type(model).from_pretrained(directory, dtype=dtype)

    seconds = best_seconds(
        {
            "from_hugging_face": lambda: from_hugging_face(directory),
            "from_pretrained, float32": lambda: theirs(torch.float32),
            "from_pretrained, float64": lambda: theirs(torch.float64),
        },
        repeat=3,
    )
    ours = seconds["from_hugging_face"]
    found = json.loads(
        subprocess.run(
            [sys.executable, "-c", MEMORY, str(directory)], check=True, capture_output=True, text=True
        ).stdout
    )
    table = Table(
        "GPT-2, 12 blocks × 768 lanes", "seconds", "ours is",
        title="Reading a checkpoint",
        caption=f"the weights take {found['weights'] / 1e6:,.0f} MB, as float64; while they are read, memory grows by "
        f"{found['peak'] / 1e6:,.0f} MB at most: {found['peak'] / found['weights']:.2f}×",
    )  # fmt: skip
    for name, time in seconds.items():
        table.add_row(name, f"{time:.2f}", "" if time == ours else f"{ours / time:.1f}×")
    return table


def agreement(model: Any, directory: Path) -> Table:
    import torch

    table = Table(f"{LENGTH} tokens", "logits differ by", title="The same logits at every position")
    ids = np.random.default_rng(0).integers(50257, size=LENGTH)
    for numbers, peer in (("float32", model), ("float64", model.double())):
        T = from_hugging_face(directory, numbers=numbers)  # type: ignore[arg-type]
        with torch.no_grad():
            theirs = peer(torch.from_numpy(ids)[None]).logits[0].double().numpy()
        table.add_row(numbers, f"{np.abs(original(T, ids[None]).logits[0] - theirs).max():.1e}")
    model.float()
    return table


def tracing(model: Any, T: Transformer) -> Table:
    import torch

    assert T.arithmetic == Native("float32")
    ids = np.random.default_rng(0).integers(50257, size=LENGTH)
    tokens, theirs = [T.vocabulary[i] for i in ids], torch.from_numpy(ids)[None]

    def forward() -> None:
        with torch.no_grad():
            model(theirs, use_cache=False)

    seconds = best_seconds({"trace": lambda: run(T, tokens), "PyTorch": forward}, repeat=5)
    table = Table(f"{LENGTH} tokens", "Weightsmith", "PyTorch", "ratio", title="A trace, float32, one thread each")
    table.add_row(
        "everything kept", f"{1000 * seconds['trace']:.0f} ms", f"{1000 * seconds['PyTorch']:.0f} ms",
        f"{seconds['trace'] / seconds['PyTorch']:.2f}×",
    )  # fmt: skip
    return table


def measure() -> Iterator[Table]:
    with tempfile.TemporaryDirectory() as scratch:
        directory = Path(scratch)
        model = saved(directory)
        yield reading(model, directory)
        yield agreement(model, directory)
        yield tracing(model, from_hugging_face(directory))
