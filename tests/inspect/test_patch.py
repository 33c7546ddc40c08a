"""One run with some values of another."""

from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.memory.models import model, pair_fact, reader


@pytest.fixture(scope="module")
def written() -> ws.Transformer:
    return ws.memory.write_many(reader(), 0, [pair_fact(1, 2, 3), pair_fact(2, 1, 4), pair_fact(5, 6, 7)])


def test_patching_the_stream_gives_the_decision_of_the_other_run(written: ws.Transformer) -> None:
    a, b = ws.run(written, "t9 t9"), ws.run(written, "t1 t2")
    for after in ("attention", "feed-forward"):
        patched = ws.patch(a, b, 0, after=after, positions=[1])
        assert (patched.tokens, patched.decision) == (a.tokens, "t3")
        stage = 1 if after == "attention" else 2
        assert np.array_equal(patched.stream[stage, 1], b.stream[stage, 1])
        assert np.array_equal(patched.stream[:, 0], a.stream[:, 0])
        assert np.array_equal(patched.stream[:stage], a.stream[:stage])
    assert ws.patch(a, b, 0, after="feed-forward", positions=[0]).decision == a.decision


def test_patching_one_head_moves_what_it_carries(written: ws.Transformer) -> None:
    """The head carries the token before: with that of "t1 t2", the input "t9 t2" is taken for "t1 t2"."""
    a, b = ws.run(written, "t9 t2"), ws.run(written, "t1 t2")
    assert a.decision != "t3"
    patched = ws.patch(a, b, 0, head=0)
    assert patched.decision == "t3"
    assert np.array_equal(patched.heads[0][0].output, b.heads[0][0].output)
    assert np.array_equal(ws.patch(a, a, 0, head=0).stream, a.stream)


def test_patching_neurons_takes_just_these(written: ws.Transformer) -> None:
    a, b = ws.run(written, "t1 t2"), ws.run(written, "t2 t1")
    on = ws.patch(a, b, 0, neurons=["t2 t1"])
    assert on.activations[0].tolist() == [[0, 0, 0], [1, 1, 0]]
    off = ws.patch(a, b, 0, neurons=[0])
    assert off.activations[0].tolist() == [[0, 0, 0], [0, 0, 0]]
    assert off.decision == ws.run(reader(), "t1 t2").decision
    swapped = ws.patch(a, b, 0, neurons=[0, 1], positions=[1])
    assert swapped.decision == "t4"


@pytest.mark.parametrize("sums", ["left", "machine"])
def test_patching_works_with_either_way_of_adding(sums: str) -> None:
    T = ws.random_transformer(
        lanes=4, blocks=2, heads=2, neurons=3, arithmetic=ws.Native("float32"), weighting=ws.Softmax(shifted=True)
    )
    a, b = (ws.run(T, text, sums=sums) for text in ("0101", "1101"))  # type: ignore[arg-type]
    patched = ws.patch(a, b, 0, after="attention", positions=[0], sums=sums)  # type: ignore[arg-type]
    assert np.array_equal(patched.stream[1, 0], b.stream[1, 0])
    assert np.array_equal(patched.stream[1, 1:], a.stream[1, 1:])
    whole = ws.patch(a, b, 1, after="feed-forward", sums=sums)  # type: ignore[arg-type]
    assert np.array_equal(whole.logits, b.logits)


def test_a_patched_model_may_be_another_with_the_same_lanes() -> None:
    T = model()
    other = ws.memory.ablate(T, 0, "a")
    patched = ws.patch(ws.run(other, "01"), ws.run(T, "01"), 0, after="feed-forward")
    assert np.array_equal(patched.stream[2], ws.run(T, "01").stream[2])
    assert patched.transformer is other


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_with_the_machines_sums_only_rows_that_were_changed_can_change(dtype: Any) -> None:
    """Where a head is patched, the heads are added one by one; elsewhere every bit stays."""
    T = ws.random_transformer(
        lanes=8, blocks=2, heads=3, arithmetic=ws.Native(dtype), weighting=ws.Softmax(shifted=True)
    )
    a, b = ws.run(T, "01011010"), ws.run(T, "11011110")
    same = ws.patch(a, a, 1, head=1)
    assert np.array_equal(same.stream, a.stream)
    assert np.array_equal(same.logits, a.logits)
    patched = ws.patch(a, b, 0, head=1, positions=[5])
    assert np.array_equal(patched.stream[:, :5], a.stream[:, :5])
    assert np.array_equal(patched.stream[1, 6:], a.stream[1, 6:])
    assert not np.array_equal(patched.stream[1, 5], a.stream[1, 5])


def test_what_was_patched_before_stays_patched(written: ws.Transformer) -> None:
    a, b = ws.run(written, "t9 t9"), ws.run(written, "t1 t2")
    first = ws.patch(a, b, 0, head=0, positions=[1])
    both = ws.patch(first, b, 0, neurons=[0], positions=[1])
    assert np.array_equal(both.stream[1], first.stream[1])
    assert not np.array_equal(first.stream[1], a.stream[1])
    assert both.activations[0][1, 0] == 1
    again = ws.patch(both, a, 0, after="feed-forward")  # the later one decides
    assert np.array_equal(again.stream[2], a.stream[2])
    assert np.array_equal(again.stream[1], first.stream[1])


def test_positions_of_runs_of_one_length_may_count_from_the_end(written: ws.Transformer) -> None:
    a, b = ws.run(written, "t9 t9"), ws.run(written, "t1 t2")
    last, also = (ws.patch(a, b, 0, after="attention", positions=[place]) for place in (1, -1))
    assert np.array_equal(last.stream, also.stream)
