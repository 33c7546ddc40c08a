"""Model files that were changed at random load to valid models, or are refused by name, with little memory."""

import tracemalloc
from contextlib import suppress
from pathlib import Path
from random import Random

import numpy as np
import pytest

import weightsmith as ws
from tests.files.mutations import models, mutated
from weightsmith.model import named_arrays

MEMORY = 32 << 20


@pytest.mark.parametrize("count", [1_000, pytest.param(10_000, marks=pytest.mark.long)])
def test_mutated_files_load_to_valid_models_or_are_refused(count: int, tmp_path: Path) -> None:
    path, again, random = tmp_path / "model", tmp_path / "again", Random(count)
    whole = []
    for T in models():
        ws.save(T, path)
        whole.append(path.read_bytes())
    said = {"loaded": 0, "refused": 0}
    tracemalloc.start()
    for _ in range(count):
        path.write_bytes(mutated(random.choice(whole), random))
        said["loaded" if is_valid(path, again) else "refused"] += 1
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert min(said.values()) > count // 50, said
    assert peak < MEMORY


def is_valid(path: Path, again: Path) -> bool:
    """Load a file: a model in which everything holds, which can be saved and loaded; or a short error that names it."""
    said, T = "", None
    try:
        T = ws.load(path)
    except ws.FileError as error:
        said = str(error)
    if T is None:
        assert said.startswith(f"cannot read '{path}': ")
        assert len(said) < 600
        return False
    assert all(np.isfinite(array).all() and T.arithmetic.contains(array).all() for _, array in named_arrays(T))
    ws.save(T, again)
    assert ws.load(again) == T
    with suppress(ws.WeightsmithError):  # of numbers that overflow, in what may have become float32
        ws.run(T, [T.vocabulary[0]])
    return True
