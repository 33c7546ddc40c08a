"""Many inputs at once, and inputs as ids."""

from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.inspect.models import model
from tests.kernels.models import random_model
from weightsmith.model.sites import Site


@pytest.mark.parametrize("seed", range(12))
def test_every_row_of_a_batch_is_a_run(seed: int) -> None:
    T = random_model(ws.Fixed(4, 4) if seed % 2 else ws.Float(4, 3), seed)
    inputs = [np.random.default_rng(n).choice(T.vocabulary, 4).tolist() for n in range(5)]
    try:
        runs = [ws.run(T, tokens) for tokens in inputs]
    except ws.WeightsmithError as refused:
        with pytest.raises(ws.WeightsmithError, match=str(refused)[:20].replace("(", ".").replace(")", ".")):
            ws.run_batch(T, inputs)
        return
    batch = ws.run_batch(T, inputs)
    assert len(batch) == 5
    for n, r in enumerate(runs):
        assert np.array_equal(batch.stream[:, n], r.stream)
        assert np.array_equal(batch.logits[n], r.logits)
        assert batch.outputs[n] == r.outputs
        for b, heads in enumerate(r.heads):
            for i, head in enumerate(heads):
                assert np.array_equal(batch.cache[f"block {b} head {i}"][n], head.output)
                assert np.array_equal(batch.cache[f"block {b} head {i} weights"][n], head.weights)
            if r.activations[b].shape[1]:
                assert np.array_equal(batch.cache[f"block {b} activations"][n], r.activations[b])


def test_every_input_can_have_its_own_intervention() -> None:
    T = ws.random_transformer(blocks=2, heads=2, seed=3)

    def change(site: Site, values: np.ndarray) -> np.ndarray:
        if site != Site("head", 1, 0):
            return values
        new = values.copy()
        new[1] = 0.0
        return new

    batch = ws.run_batch(T, ["0110", "0110"], change=change)
    r = ws.run(T, "0110")
    assert np.array_equal(batch.stream[:, 0], r.stream)
    assert np.array_equal(batch.stream[:, 1], ws.ablate(r, block=1, head=0).stream)


def test_in_native_a_batch_is_near_each_run() -> None:
    T = model(0)
    batch = ws.run_batch(T, ["abca", "ccba"])
    for n, tokens in enumerate(["abca", "ccba"]):
        assert np.allclose(batch.logits[n], ws.run(T, tokens).logits, rtol=1e-9, atol=1e-9)


def test_a_cache_has_every_name_and_refuses_others() -> None:
    cache = ws.run_batch(ws.library.contains("1"), ["01", "10"]).cache
    assert all(cache[name].shape[0] == 2 for name in cache)
    assert len(cache) == len(list(cache)) == 9
    for wrong in ("block 0 head 7", "block 9 attention", "head", 3):
        with pytest.raises(ws.WeightsmithError, match="names no values of this batch"):
            cache[wrong]  # type: ignore[index]


@pytest.mark.parametrize(
    ("inputs", "message"),
    [
        ([], "write a list of inputs"),
        ("0110", "write a list of inputs"),
        (["01", "011"], "the lengths 2, 3"),
        (["02"], "not in the vocabulary"),
        ([[0, 2]], "write ids from 0 to 1"),
    ],
)
def test_wrong_batches_are_refused(inputs: list[str], message: str) -> None:
    with pytest.raises(ws.WeightsmithError, match=message):
        ws.run_batch(ws.library.contains("1"), inputs)


def test_a_batch_that_memory_cannot_hold_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weightsmith.inspect.batch.MOST_NUMBERS", 100)
    with pytest.raises(ws.WeightsmithError, match="write at most 1 at once"):
        ws.run_batch(ws.library.contains("1"), ["0110"] * 50)


def test_ids_are_tokens() -> None:
    T = ws.library.contains("1")
    for ids in ([0, 0, 1], (0, 0, 1), np.array([0, 0, 1]), np.array([0, 0, 1], np.uint8)):
        assert ws.run(T, ids).tokens == ("0", "0", "1")
    assert ws.run_batch(T, np.array([[0, 1], [0, 0]])).decisions == ("YES", "NO")  # type: ignore[arg-type]
    for wrong in ([0, 2], [-1], np.array([9])):
        with pytest.raises(ws.WeightsmithError, match="write ids from 0 to 1"):
            ws.run(T, wrong)
    with pytest.raises(ws.WeightsmithError, match="not a text"):
        ws.run(T, [True])
    with pytest.raises(ws.WeightsmithError, match="not a text"):
        ws.run(T, np.array([[0, 1]]))


def test_inputs_that_are_no_list_and_inputs_too_long_to_keep_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    T = ws.library.contains("1")
    odd: tuple[Any, ...] = (np.array(3), np.zeros((0, 2), int), b"01", "01", None, iter(["01"]), {"01"}, {}, 5, [])
    for wrong in odd:
        with pytest.raises(ws.InputError, match="inputs=.*: write a list of inputs, all of one length"):
            ws.run_batch(T, wrong)
    for fine in (np.array([[0, 1]]), np.array(["01"]), ("01",), [np.array([0, 1])], [[np.int64(0), np.int64(1)]]):
        assert ws.run_batch(T, fine).decisions == ("YES",)  # type: ignore[arg-type]
    monkeypatch.setattr("weightsmith.inspect.batch.MOST_NUMBERS", 100)
    with pytest.raises(
        ws.InputError, match="1 inputs of 200 tokens: a batch keeps every value, so write shorter inputs"
    ):
        ws.run_batch(T, ["01" * 100])


def test_a_batch_prints_its_outputs_and_its_arrays_cannot_be_changed() -> None:
    batch = ws.run_batch(ws.library.contains("1"), ["0010", "0000"] * 15)
    assert repr(batch) == "<30 inputs of 4 tokens, 9 arrays in .cache>"
    assert repr(batch.cache).startswith("<9 arrays: embedding, block 0 attention, ")
    assert "10 more inputs: see .outputs" in str(batch)
    assert "<table" in batch._repr_html_()
    assert "x" not in batch.cache
    assert None not in batch.cache
    assert "block 0 attention" in batch.cache
    for array in (*batch.cache.values(), batch.stream, batch.logits):
        with pytest.raises(ValueError, match="read-only"):
            array[...] = 0
