"""A thousand facts in one block of a model written by hand."""

import numpy as np
import pytest

import weightsmith as ws
from tests.memory.models import Pair, pair_fact, reader, same, thousand
from weightsmith.arithmetic import Array
from weightsmith.kernels.packed import batch, run_columns

PAIRS = thousand()


@pytest.fixture(scope="module")
def before() -> ws.Transformer:
    return reader()


@pytest.fixture(scope="module")
def after(before: ws.Transformer) -> ws.Transformer:
    return ws.memory.write_many(before, 0, [pair_fact(*pair) for pair in PAIRS])


def probes(count: int, pairs: list[Pair]) -> np.ndarray:
    """Give inputs of three tokens in which no known pair occurs; at position 0 a token stands beside itself."""
    random = np.random.default_rng(1)
    known = {(a, b) for a, b, _ in pairs}
    found: set[tuple[int, int, int]] = set()
    while len(found) < count:
        a, b, c = (int(x) for x in random.integers(64, size=3))
        if (a, b) not in known and (b, c) not in known:
            found.add((a, b, c))
    return np.array(sorted(found))


def everything(T: ws.Transformer, ids: np.ndarray) -> tuple[Array, Array]:
    """Give the logits, and the stream after every sublayer, for all inputs."""
    stages: list[Array] = []
    return run_columns(T, batch(ids), stages.append).logits, np.array(stages)


def test_a_thousand_facts_come_out_and_nothing_else_changes(before: ws.Transformer, after: ws.Transformer) -> None:
    ids = np.array([pair[:2] for pair in PAIRS])
    found = run_columns(after, batch(ids)).decisions[-len(PAIRS) :]
    assert found.tolist() == [answer for *_, answer in PAIRS]
    others = probes(10_000, PAIRS)
    for old, new in zip(everything(before, others), everything(after, others), strict=True):
        assert np.array_equal(old, new)


def test_the_reference_run_says_the_same_of_some_of_the_thousand(after: ws.Transformer) -> None:
    for a, b, answer in PAIRS[::50]:
        r = ws.run(after, [f"t{a}", f"t{b}"])
        assert r.decision == f"t{answer}"
        (firing,) = ws.memory.read(r, 0)
        assert (firing.position, firing.name, firing.response, firing.activation) == (1, f"t{a} t{b}", 1.0, 1.0)
        assert firing.added == pair_fact(a, b, answer)[2]


def test_the_thousand_facts_are_read_back_and_keep_their_margin(after: ws.Transformer) -> None:
    facts = ws.memory.facts(after)
    assert [(fact.name, fact.key, fact.value) for fact in facts] == [pair_fact(*pair) for pair in PAIRS]
    assert [fact.neuron for fact in facts] == list(range(1000))
    assert {fact.response for fact in facts} == {1.0}
    assert min(fact.margin for fact in facts if fact.margin is not None) >= 1


def test_undoing_the_thousand_gives_an_equal_model(before: ws.Transformer, after: ws.Transformer) -> None:
    undone = ws.memory.undo(after)
    assert undone == before
    assert undone.blocks[0].feed_forward is None
    assert (undone.provenance, undone.edits) == (before.provenance, ())


def test_undoing_facts_written_one_by_one_gives_every_model_before(before: ws.Transformer) -> None:
    models = [before]
    facts = [pair_fact(*pair) for pair in PAIRS[:12]]
    for name, key, value in facts:
        later = [other for _, other, _ in facts if other != key]
        models.append(ws.memory.write(models[-1], 0, key, value, name=name, rivals=later))
    T = models.pop()
    for earlier in reversed(models):
        T = ws.memory.undo(T)
        assert same(T, earlier)
