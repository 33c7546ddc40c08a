import tracemalloc
from importlib import import_module

import numpy as np
import pytest

import weightsmith as ws

runs = import_module("weightsmith.inspect.run")  # the function has the name of its file
INPUTS = ["0", "110", "01", "101", "1", "000", "011", "11"]


@pytest.mark.parametrize("numbers", [1, 200, 10**9])
def test_how_many_inputs_are_run_at_once_changes_nothing(monkeypatch: pytest.MonkeyPatch, numbers: int) -> None:
    T = ws.random_transformer("01", lanes=3, heads=2, arithmetic=ws.Fixed(4, 4))
    monkeypatch.setattr(runs, "NUMBERS_AT_ONCE", numbers)
    one_by_one = [ws.run(T, text) for text in INPUTS]
    assert ws.decisions(T, INPUTS) == [found.decision for found in one_by_one]
    np.testing.assert_array_equal(ws.logits(T, INPUTS), [found.logits for found in one_by_one])


def test_memory_does_not_grow_with_the_number_of_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.random_transformer(
        "01", lanes=16, neurons=64, max_length=32, weighting=ws.Softmax(shifted=True), arithmetic=ws.Native("float64")
    )
    monkeypatch.setattr(runs, "NUMBERS_AT_ONCE", 10**5)
    peaks = []
    for count in (100, 1000):
        inputs = ["01" * 16] * count
        ws.logits(T, inputs[:1])
        tracemalloc.start()
        ws.logits(T, inputs)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 2 * peaks[0]
