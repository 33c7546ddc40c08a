"""What differs between two runs of the same input."""

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed
from weightsmith.inspect import Difference, Pair


def eiffel() -> ws.Run:
    return ws.run(ws.library.eiffel(Fixed(4, 4)), "The Eiffel Tower is in")


def test_what_changed_is_said_by_class_and_by_stage() -> None:
    r = eiffel()
    after = ws.ablate(r, block=1, head=0)
    found = ws.changed(r, after)
    assert found.decisions == ("Paris", "London")
    assert list(found.logits) == list(r.transformer.classes)
    for c, pair in enumerate(found.logits.values()):
        assert (pair.before, pair.after) == (r.logits[c], after.logits[c])
        assert pair.difference == after.logits[c] - r.logits[c]
    assert found.stages == ("block 1 attention", "block 1 feed-forward")
    lanes = found.lanes("block 1 attention")
    assert list(lanes) == [4]
    assert lanes[4]["word Paris"] == Pair(6.5, 0)
    assert set(lanes[4]) == {"dim 42 Paris", "dim 73 landmark", "dim 158 French culture", "word Paris"}
    first = found.first
    assert first == Difference(1.75, 0.125, "block 1 attention", 4, "dim 42 Paris")
    assert found.lanes("embedding") == {}


def test_the_lanes_that_differ_are_those_of_the_streams() -> None:
    T = ws.random_transformer(blocks=2, heads=2, seed=1)
    r = ws.run(T, "01101")
    after = ws.ablate(r, block=0, head=1, positions=[2])
    found = ws.changed(r, after)
    for s, stage in enumerate(r.stages):
        here = found.lanes(stage)
        places = [(i, T.lanes.index(lane)) for i, lanes in here.items() for lane in lanes]
        assert places == [tuple(place) for place in np.argwhere(r.stream[s] != after.stream[s])]
        assert (stage in found.stages) == bool(places)
    assert found.first is not None
    assert (found.first.stage, found.first.position) == ("block 0 attention", 2)


def test_runs_that_are_equal_differ_in_nothing() -> None:
    r = eiffel()
    found = ws.changed(r, ws.run(r.transformer, r.tokens))
    assert (found.stages, found.first) == ((), None)
    assert str(found).splitlines() == ["decision: Paris, as before", "no logit differs", "the streams do not differ"]


def test_what_changed_prints_as_tables_without_what_stays_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    r = eiffel()
    found = ws.changed(r, ws.ablate(r, block=0, neurons=["2847"]))
    lines = [line.strip() for line in str(found).splitlines()]
    assert lines[0] == "decision: Paris → London"
    assert "Paris    7.5625   3.3125        -4.25" in lines
    stream = lines[lines.index("stage                  token     lane                     before    after") + 2 :]
    assert stream[0].split() == ["block", "0", "feed-forward", "2", "Tower", "dim", "42", "Paris", "1.625", "0.5625"]
    assert not any("block 1 feed-forward" in line for line in stream)  # nothing new there
    assert found.stages[-1] == "block 1 feed-forward"
    assert sum("2 Tower" in line for line in stream) == sum("4 in" in line for line in stream) == 1
    assert stream[-1] == "What differs just as one stage before is left out."
    assert found._repr_html_().count("<table ") == 2


def test_long_tables_are_cut_and_keep_the_decisions() -> None:
    T = ws.random_transformer([f"t{i}" for i in range(50)], lanes=8, blocks=4, max_length=40, tied=True, seed=4)
    r = ws.run(T, [f"t{i}" for i in range(40)])
    found = ws.changed(r, ws.ablate(r, block=0))
    text = str(found)
    assert "more classes, which differ less: see .logits" in text
    assert "more positions at stages: see .lanes(stage)" in text
    assert len(text.splitlines()) < 60 * 4 + 60
    shown = {line.split()[0] for line in text.split("stage ")[0].splitlines()[3:] if line.strip()}
    assert set(found.decisions) <= shown


def test_a_model_and_an_edit_of_it_can_be_compared() -> None:
    T = ws.library.eiffel(Fixed(4, 4))
    edited = ws.memory.ablate(T, 0, "2847")
    tokens = "The Eiffel Tower is in"
    r = ws.run(T, tokens)
    one, other = ws.changed(r, ws.run(edited, tokens)), ws.changed(r, ws.ablate(r, block=0, neurons=["2847"]))
    assert one.logits == other.logits
    assert one.first == other.first
