"""Reading: what fired, what a neuron promotes, what triggers it, and what an edit did."""

from dataclasses import replace

import numpy as np
import pytest

import weightsmith as ws
from tests.memory.models import blank, pair_fact, reader

FACTS = [pair_fact(1, 2, 3), pair_fact(2, 1, 4), pair_fact(5, 6, 7)]


@pytest.fixture(scope="module")
def written() -> ws.Transformer:
    return ws.memory.write_many(reader(), 0, FACTS)


def test_reading_names_the_neurons_that_fired_where_and_what_they_added(written: ws.Transformer) -> None:
    found = ws.memory.read(ws.run(written, "t1 t2 t1"), 0)
    assert [(f.position, f.token, f.neuron, f.name) for f in found] == [(1, "t2", 0, "t1 t2"), (2, "t1", 1, "t2 t1")]
    assert [(f.response, f.activation, f.margin) for f in found] == [(1.0, 1.0, 1.0)] * 2
    assert [f.added for f in found] == [FACTS[0][2], FACTS[1][2]]


def test_reading_all_lists_every_neuron_at_every_position(written: ws.Transformer) -> None:
    r = ws.run(written, "t1 t2")
    found = ws.memory.read(r, 0, all=True)
    assert [(f.position, f.neuron) for f in found] == [(i, n) for i in range(2) for n in range(3)]
    assert [f.activation for f in found] == r.activations[0].ravel().tolist()
    assert all(f.margin == abs(f.response) for f in found)
    assert [f.added for f in found if f.response <= 0] == [{}] * 5


def test_a_block_without_a_layer_has_nothing_to_read() -> None:
    assert ws.memory.read(ws.run(reader(), "t1"), 0) == []


@pytest.mark.parametrize("activation", ["relu", "gelu", "swiglu"])
def test_what_is_read_adds_up_to_what_the_layer_added(activation: str) -> None:
    T = blank(ws.Native("float64"), activation)
    T = ws.memory.write(T, 0, {"a": 1.0}, {"out": 2.0, "d": 1.0})
    r = ws.run(T, "01f")
    total = np.zeros_like(r.stream[0])
    for firing in ws.memory.read(r, 0, all=True):
        for lane, amount in firing.added.items():
            total[firing.position, T.lanes.index(lane)] += amount
    assert np.allclose(r.stream[2] - r.stream[1], total, atol=1e-12)  # sums of the machine


def test_promoted_classes_come_with_what_is_added_to_their_logits(written: ws.Transformer) -> None:
    found = ws.memory.promoted(written, 0, "t1 t2", k=3)
    assert found.raised[0] == ("t3", 20.0)
    assert len(found.raised) == len(found.lowered) == 3
    gains = [gain for _, gain in found.raised]
    assert gains == sorted(gains, reverse=True)
    assert all(loss < 0 for _, loss in found.lowered)
    assert ws.memory.promoted(written, 0, 0, k=0) == ws.memory.Promoted((), ())
    assert ws.memory.promoted(ws.memory.ablate(written, 0, 0), 0, 0) == ws.memory.Promoted((), ())


def test_triggers_are_where_the_neuron_fires_strongest_first(written: ws.Transformer) -> None:
    found = ws.memory.triggers(written, 0, "t1 t2", ["t9 t1 t2", "t3", "t1 t2", "t2 t1"])
    assert [(t.tokens, t.position, t.response, t.activation) for t in found] == [
        (("t9", "t1", "t2"), 2, 1.0, 1.0),
        (("t1", "t2"), 1, 1.0, 1.0),
    ]
    T = ws.memory.write(blank(), 0, {"a": 1.0, "b": 0.25}, {"out": 1.0})
    strengths = [t.response for t in ws.memory.triggers(T, 0, 0, list(T.vocabulary))]
    assert len(set(strengths)) > 1
    assert strengths == sorted(strengths, reverse=True)


def test_a_report_says_what_came_out_and_what_changed(written: ws.Transformer) -> None:
    inputs = ["t1 t2", "t2 t1", "t9 t9", "t1 t2 t9"]
    found = ws.memory.report(reader(), written, inputs)  # at its first position "t2 t1" is near the key of t1 t2
    assert [(new.fact.name, new.comes_out, new.says, new.decision) for new in found.new] == [
        ("t1 t2", True, "t3", "t3"),
        ("t2 t1", True, "t4", "t4"),
        ("t5 t6", False, "t7", None),
    ]
    assert found.new[0].fires == (("t1", "t2"), 1)
    assert [(c.tokens, c.before, c.after) for c in found.decisions] == [
        (("t1", "t2"), "t0", "t3"),
        (("t2", "t1"), "t0", "t4"),
    ]
    assert (found.inputs, found.logits, found.collisions) == (4, (), ())
    assert found.smallest_margin == 0.0
    aware = ws.memory.write_many(reader(), 0, FACTS, inputs=inputs)
    assert ws.memory.report(reader(), aware, inputs).smallest_margin == 1.0
    assert str(found).splitlines() == [
        "2 of 3 new facts come out on 4 inputs",
        "  not t5 t6: its neuron fires at no input",
        "decisions changed: 2",
        "  t1 t2: t0 → t3",
        "  t2 t1: t0 → t4",
        "only logits changed: 0",
        "smallest margin: 0",
        "colliding keys: 0",
    ]


def test_a_report_tells_a_changed_logit_from_a_changed_decision() -> None:
    T = blank()
    quiet = ws.memory.write(T, 0, {"a": 1.0}, {"b": 1.0}, name="quiet")
    found = ws.memory.report(T, quiet, ["0"])
    assert (found.decisions, found.logits, found.new[0].comes_out) == ((), (), False)
    assert "not quiet: nothing changes where it fires" in str(found)
    lower = ws.memory.report(T, ws.memory.write(T, 0, {"a": 1.0}, {"out": -1.0}), ["0", "1"])
    assert [c.tokens for c in lower.logits] == [("0",)]
    assert lower.new[0].comes_out
    same = ws.memory.report(quiet, quiet, ["0"])
    assert (same.new, same.decisions, same.logits) == ((), (), ())


def test_a_report_names_colliding_keys() -> None:
    """No function of memory writes such facts, so one is made by hand."""
    T = ws.memory.write_many(blank(), 0, [("x", {"a": 1.0, "b": 1.0}, {"out": 1.0}), ("y", {"c": 1.0}, {"out": 1.0})])
    layer = T.blocks[0].feed_forward
    assert layer is not None
    b_1 = layer.b_1.copy()
    b_1[1] = 1.0
    broken = replace(T, blocks=(replace(T.blocks[0], feed_forward=replace(layer, b_1=b_1)),))
    found = ws.memory.report(T, broken, ["0"])
    assert found.collisions == (("y", "x"),)
    assert "  y fires for the key of x" in str(found).splitlines()
    assert ws.memory.facts(broken)[1].margin == -1.0


@pytest.mark.parametrize("parallel", [False, True])
@pytest.mark.parametrize("A", [ws.Float(8, 12), ws.Native("float32"), ws.Native("float64")], ids=str)
def test_a_pattern_is_the_key_of_a_neuron_that_fires_there_behind_the_norm(A: ws.Arithmetic, parallel: bool) -> None:
    T = ws.random_transformer("01", 6, 2, 2, 4, 8, arithmetic=A, seed=5)
    norm = ws.LayerNorm(gain=np.full(6, 1.5))  # of all that come out of it, none is longer than the key
    T = replace(T, blocks=[replace(block, feed_forward_norm=norm, parallel=parallel) for block in T.blocks])
    r = ws.run(T, "0110")
    for position in (-1, 1):
        key = ws.memory.pattern(r, 1, position)
        known = ws.memory.write(T, 1, key, {"x0": 1.0}, margin=0.25, name="here", inputs=["0110"])
        fired = [f for f in ws.memory.read(ws.run(known, "0110"), 1) if f.name]
        assert [f.position for f in fired] == [position % 4]
        assert fired[0].response == pytest.approx(1, abs=1e-5 if isinstance(A, ws.Native) else 0)


def test_a_pattern_is_of_a_run_a_block_and_a_position() -> None:
    r = ws.run(reader(), "t1 t2")
    assert ws.memory.pattern(r, 0).tolist() == r.stream[1, -1].tolist()
    with pytest.raises(ws.InputError, match=r"'t1' is not a run: write memory.pattern\(run\(T, tokens\), block\)"):
        ws.memory.pattern("t1", 0)  # type: ignore[arg-type]
    with pytest.raises(ws.InputError, match="there is no position 2: write 0 to 1"):
        ws.memory.pattern(r, 0, 2)
    with pytest.raises(ws.InputError, match="there is no block 9"):
        ws.memory.pattern(r, 9)
