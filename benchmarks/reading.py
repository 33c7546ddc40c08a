"""Reading a GPT-2 of 124 million weights from Hugging Face's format, against `from_pretrained`, on one thread each.

`from_pretrained` maps the file of float32 weights into memory and looks at none of them: they come in with the first
pass. Here the file is mapped too, and every weight is looked at once, because one that is not finite is refused. So
both are measured twice: until the model is there, and until a first pass of 64 tokens is done.
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
from weightsmith.export.measure import original

LENGTH = 64
MEMORY = """import json, re, sys
from weightsmith.export import from_hugging_face
def held(name): return 1024 * int(re.search(name + r":\\s+(\\d+)", open("/proc/self/status").read())[1])
before = {name: held(name) for name in ("VmHWM", "RssAnon")}
T = from_hugging_face(sys.argv[1])
grown = {name: held(name) - before[name] for name in before}
weights = T.arithmetic.stored.itemsize * T.weights
print(json.dumps({"weights": weights, "peak": grown["VmHWM"], "own": grown["RssAnon"]}))
"""


def saved(directory: Path) -> Any:
    """Write a random model to disk and return it."""
    import torch
    from tests.peers.builders import drawn
    from transformers.models.gpt2.configuration_gpt2 import GPT2Config
    from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel

    torch.set_num_threads(1)  # as make bench gives BLAS
    model = drawn(GPT2LMHeadModel(GPT2Config(bos_token_id=None, eos_token_id=None)))
    model.save_pretrained(directory)
    return model


def reading(model: Any, directory: Path) -> Iterator[Table]:
    """The time until the model is loaded, and until it has run once; and its memory."""
    import torch

    ids = np.random.default_rng(0).integers(50257, size=LENGTH)

    def theirs(dtype: Any = torch.float32) -> Any:
        return type(model).from_pretrained(directory, dtype=dtype)

    def their_pass() -> None:
        with torch.no_grad():
            theirs()(torch.from_numpy(ids)[None], use_cache=False)

    def our_pass() -> None:
        T = from_hugging_face(directory)
        run(T, [T.vocabulary[i] for i in ids])

    both = {
        "the model is there": (lambda: from_hugging_face(directory), theirs),
        f"a first pass of {LENGTH} tokens is done": (our_pass, their_pass),
        "the same as float64": (
            lambda: from_hugging_face(directory, numbers="float64"),
            lambda: theirs(torch.float64),
        ),
    }
    table = Table(
        "GPT-2, 12 blocks × 768 lanes: until …", "from_hugging_face", "from_pretrained", "ratio",
        title="Reading a checkpoint, one thread each",
        caption="both map the file; from_pretrained looks at no weight until the first pass, from_hugging_face at "
        "each; as float64 both copy",
    )  # fmt: skip
    for name, (ours, peer) in both.items():
        seconds = best_seconds({"ours": ours, "peer": peer}, repeat=5)
        a, b = seconds["ours"], seconds["peer"]
        table.add_row(name, f"{1000 * a:.0f} ms", f"{1000 * b:.0f} ms", f"{a / b:.2f}×")
    yield table
    yield memory(directory)


def memory(directory: Path) -> Table:
    """The additional memory of a separate process: its peak, and at the end."""
    command = [sys.executable, "-c", MEMORY, str(directory)]
    found = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
    table = Table("memory", "bytes", "of the weights", title="What reading a checkpoint takes")
    rows = {
        "the weights, float32": found["weights"],
        "grown at most, the pages of the file included": found["peak"],
        "its own in the end: what is no page of the file": found["own"],
    }
    for name, size in rows.items():
        table.add_row(name, f"{size / 1e6:,.0f} MB", f"{size / found['weights']:.2f}×")
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
        yield from reading(model, directory)
        yield agreement(model, directory)
        yield tracing(model, from_hugging_face(directory))
