"""Looking into parallel blocks: what is put in or taken out after attention does not reach their neurons."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from tests.inspect.models import model
from weightsmith import Fixed, Native
from weightsmith.arithmetic import Arithmetic
from weightsmith.memory.read import look

TEXT = "abcab"


def parallel_model(A: Arithmetic, seed: int = 3) -> ws.Transformer:
    T = ws.random_transformer("abc", 4, 2, 2, 5, 6, A, seed, weighting=ws.Softmax(shifted=True), parallel=True)
    norm = ws.RMSNorm(eps=1.0)
    return replace(T, blocks=[T.blocks[0], replace(T.blocks[1], attention_norm=norm, feed_forward_norm=norm)])


@pytest.mark.parametrize("A", [Fixed(4, 4), Native("float64")], ids=str)
def test_neurons_do_not_see_that_attention_is_ablated_or_its_stage_patched(A: Arithmetic) -> None:
    T = parallel_model(A)
    r = ws.run(T, TEXT)
    without = ws.ablate(r, block=0, sublayer="attention")
    assert np.array_equal(without.stream[1], r.stream[0])
    patched = ws.patch(r, ws.run(T, "bbbbb"), block=0, after="attention")
    for other in (without, patched):
        assert not np.array_equal(other.stream[1], r.stream[1])
        assert np.array_equal(other.activations[0], r.activations[0])
        assert not np.array_equal(other.activations[1], r.activations[1])
    serial = ws.run(replace(T, blocks=[replace(block, parallel=False) for block in T.blocks]), TEXT)
    blind = ws.ablate(serial, block=0, sublayer="attention")
    assert not np.array_equal(blind.activations[0], serial.activations[0])


@pytest.mark.parametrize("A", [Fixed(4, 4), Native("float64")], ids=str)
def test_a_block_that_is_ablated_passes_the_stream(A: Arithmetic) -> None:
    r = ws.run(parallel_model(A), TEXT)
    for sublayer, stage in (("attention", 1), ("feed-forward", 2), (None, 2)):
        found = ws.ablate(r, block=0, sublayer=sublayer)  # type: ignore[arg-type]
        before = 0 if sublayer is None else stage - 1
        assert np.array_equal(found.stream[stage], found.stream[before])


def test_the_parts_of_a_logit_add_up_in_parallel_models() -> None:
    """Up to rounding in float64; with the same models the trace, the lens and the moves say the same as elsewhere."""
    seen = 0
    for seed in range(30):
        T = model(seed)
        seen += any(block.reads_entry for block in T.blocks)
        r = ws.run(T, "abca")
        found = ws.attribute(r, T.classes[0])
        size = max(1.0, *(abs(part.amount) for part in found.parts))
        assert abs(sum(part.amount for part in found.parts) - found.logit) <= 1e-11 * size
    assert seen > 5


@pytest.mark.parametrize("A", [Fixed(4, 4), Native("float64")], ids=str)
def test_memories_of_a_parallel_block_read_its_entry(A: Arithmetic) -> None:
    T = parallel_model(A)
    r = ws.run(T, TEXT)
    for b in range(2):
        for firing in ws.memory.read(r, b, all=True):
            assert firing.activation == pytest.approx(max(firing.response, 0.0), abs=0 if Fixed(4, 4) == A else 1e-12)
    seen = look(T, 0, [TEXT])
    assert np.array_equal(seen.vectors, r.stream[0])


def test_a_fact_written_into_a_parallel_block_fires_for_what_stands_at_its_entry() -> None:
    """The key is a lane that the embedding holds; attention doubles it, which the memory does not see."""
    A, lanes = Fixed(4, 4), ["a", "b", "out"]
    one = np.zeros((1, 3))
    copy = ws.Head(one, one, np.array([[1.0, 0.0, 0.0]]), np.array([[1.0], [0.0], [0.0]]))
    embedding = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    block = ws.Block(ws.Attention([copy]), parallel=True)
    T = ws.Transformer(A, "ab", lanes, embedding, None, [block], np.array([[0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]))
    T = ws.memory.write(T, 0, {"a": 1.0}, {"out": 1.0}, name="a fact")
    assert T.blocks[0].parallel
    for text in ("a", "b", "ab", "ba"):
        r = ws.run(T, text)
        fired = [firing.position for firing in ws.memory.read(r, 0)]
        assert fired == [i for i, token in enumerate(text) if token == "a"]
        assert (r.stream[-1][:, 2] > 0).tolist() == [token == "a" for token in text]
    assert [t.position for t in ws.memory.triggers(T, 0, "a fact", ["ab"])] == [0]
    assert ws.memory.report(replace(T, blocks=[block]), T, ["a", "b", "ab"]).new[0].comes_out
