"""GPT-2 on a number of threads, in a process of its own, because BLAS reads its number of threads when it is loaded.

`python -m benchmarks.threads DIRECTORY THREADS` prints rows of JSON: what, seconds of ours, seconds of PyTorch.
"""

import json
import os
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.timing import best_seconds

LENGTHS = {64: 7, 1024: 3}  # tokens, and how often a pass is repeated


def rows(directory: Path, threads: int) -> list[tuple[str, float, float]]:
    """Measure a checkpoint on a number of threads, in a new process."""
    names = ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS")
    command = [sys.executable, "-m", "benchmarks.threads", str(directory), str(threads)]
    environment = {**os.environ, **dict.fromkeys(names, str(threads))}
    printed = subprocess.run(command, check=True, stdout=subprocess.PIPE, text=True, env=environment).stdout
    return [(name, ours, theirs) for name, ours, theirs in json.loads(printed)]


def measured(directory: Path, threads: int) -> list[tuple[str, float, float]]:
    """Return a pass of each length without its intermediate values, and a pass from the files on."""
    import torch
    from transformers.models.gpt2.modeling_gpt2 import GPT2LMHeadModel
    from transformers.utils import logging

    from benchmarks.gpt2_peer import forward
    from weightsmith.export import from_hugging_face
    from weightsmith.kernels.blas import BlasRun

    logging.disable_progress_bar()
    torch.set_num_threads(threads)
    found, random = list[tuple[str, float, float]](), np.random.default_rng(3)
    model, runs = GPT2LMHeadModel.from_pretrained(directory).eval(), BlasRun(from_hugging_face(directory))
    for length, repeat in LENGTHS.items():
        ids = random.integers(50257, size=(1, length))
        peers: dict[str, Any] = {"ours": partial(runs.evaluate, ids[0]), "theirs": forward(model, ids)}
        seconds = best_seconds(peers, repeat)
        found.append((f"a pass of {length} tokens", seconds["ours"], seconds["theirs"]))

    ids = random.integers(50257, size=(1, min(LENGTHS)))

    def ours() -> None:
        BlasRun(from_hugging_face(directory)).evaluate(ids[0])

    def theirs() -> None:
        forward(GPT2LMHeadModel.from_pretrained(directory).eval(), ids)()

    seconds = best_seconds({"ours": ours, "theirs": theirs}, repeat=5)
    found.append((f"reading the files and a pass of {min(LENGTHS)}", seconds["ours"], seconds["theirs"]))
    return found


if __name__ == "__main__":
    print(json.dumps(measured(Path(sys.argv[1]), int(sys.argv[2]))))
