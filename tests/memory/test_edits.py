"""Edits make new models, say what they did, and can be undone, also after saving and loading."""

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weightsmith as ws
from tests.memory.models import FACTS, model, same
from weightsmith.model import digest

EDITS: dict[str, Callable[[ws.Transformer], ws.Transformer]] = {
    "write": lambda T: ws.memory.write(T, 0, {"x2": 2.0}, {"x0": 1.0}, name="c"),
    "write where there is no layer": lambda T: ws.memory.write(T, 1, {"x2": 2.0}, {"x0": 1.0}),
    "write many": lambda T: ws.memory.write_many(
        T, 0, [("c", {"x2": 1.0}, {"x0": 1.0}), ("", {"x3": 1.0}, {"x0": 1.0})]
    ),
    "edit the key": lambda T: ws.memory.edit(T, 0, "a", key={"x2": 1.0}),
    "edit the value": lambda T: ws.memory.edit(T, 0, "a", value={"x2": 3.0}),
    "edit the name": lambda T: ws.memory.edit(T, 0, "a", name="new"),
    "edit everything": lambda T: ws.memory.edit(T, 0, 2, {"x2": 1.0}, {"x3": 1.0}, 2.0, "new", rivals=[{"x3": 2.0}]),
    "edit a neuron of its own": lambda T: ws.memory.edit(T, 0, 0, key={"x2": 1.0}),
    "delete a fact": lambda T: ws.memory.delete(T, 0, "a"),
    "delete a neuron of its own": lambda T: ws.memory.delete(T, 0, 0),
    "scale": lambda T: ws.memory.scale(T, 0, "b", -2.0),
    "ablate": lambda T: ws.memory.ablate(T, 0, "a"),
    "ablate a neuron of its own": lambda T: ws.memory.ablate(T, 0, 1),
}


@pytest.mark.parametrize("activation", ["relu", "reglu", "gelu"])
@pytest.mark.parametrize("name", EDITS)
def test_every_edit_is_undone_to_the_model_before(name: str, activation: str, tmp_path: Path) -> None:
    T = model(activation)
    edited = EDITS[name](T)
    assert same(T, model(activation))  # the model itself has not changed
    assert not same(edited, T)
    assert edited.provenance[:-1] == T.provenance
    assert edited.provenance[-1] == edited.edits[-1].text
    assert edited.provenance[-1].startswith("memory.")
    assert edited.edits[-1].digest == digest(edited)
    assert same(ws.memory.undo(edited), T)
    ws.save(edited, tmp_path / "edited.safetensors")
    loaded = ws.load(tmp_path / "edited.safetensors")
    assert same(loaded, edited)
    assert same(ws.memory.undo(loaded), T)


@settings(max_examples=50)
@given(st.lists(st.sampled_from(sorted(EDITS)), max_size=6), st.integers(0, 3))
def test_any_row_of_edits_is_undone_step_by_step(names: list[str], seed: int) -> None:
    models = [model(seed=seed)]
    for name in names:
        try:
            models.append(EDITS[name](models[-1]))
        except ws.WeightsmithError:  # a name or a neuron that an earlier edit took away, a key that collides
            continue
    T = models[-1]
    for earlier in reversed(models[:-1]):
        T = ws.memory.undo(T)
        assert same(T, earlier)


def test_edits_do_what_they_say() -> None:
    T = model()

    def facts(S: ws.Transformer) -> dict[str, tuple[object, object]]:
        return {fact.name: (fact.key, fact.value) for fact in ws.memory.facts(S)}

    (_, a_key, a_value), (_, b_key, b_value) = FACTS
    assert facts(T) == {"a": (a_key, a_value), "b": (b_key, b_value)}
    assert facts(EDITS["edit the key"](T))["a"] == ({"x2": 1.0}, a_value)
    assert facts(EDITS["edit the value"](T))["a"] == (a_key, {"x2": 3.0})
    assert facts(EDITS["edit the name"](T)) == {"new": (a_key, a_value), "b": (b_key, b_value)}
    assert facts(EDITS["delete a fact"](T)) == {"b": (b_key, b_value)}
    assert facts(EDITS["delete a neuron of its own"](T)) == facts(T)
    assert facts(EDITS["scale"](T))["b"] == (b_key, {"x3": -3.0})
    assert facts(EDITS["ablate"](T))["a"] == (a_key, {})
    assert facts(EDITS["edit a neuron of its own"](T))[""][0] == {"x2": 1.0}
    ablated = EDITS["ablate a neuron of its own"](T).blocks[0].feed_forward
    old = T.blocks[0].feed_forward
    assert ablated is not None
    assert old is not None
    assert not ablated.W_2[:, 1].any()
    assert np.array_equal(np.delete(ablated.W_2, 1, axis=1), np.delete(old.W_2, 1, axis=1))
    assert np.array_equal(ablated.W_1, old.W_1)


def test_a_neuron_of_a_gated_layer_that_gets_a_key_has_its_gate_open() -> None:
    T = ws.memory.edit(model("reglu"), 0, 0, key={"x2": 1.0}, value={"x3": 1.5})
    (fact,) = (fact for fact in ws.memory.facts(T) if fact.neuron == 0)
    assert (fact.key, fact.value) == ({"x2": 1.0}, {"x3": 1.5})


def test_a_layer_that_loses_its_last_neuron_still_runs() -> None:
    T = ws.memory.write(model(), 1, {"x2": 2.0}, {"x0": 1.0}, name="only")
    empty = ws.memory.delete(T, 1, "only")
    assert np.array_equal(ws.run(empty, "01").logits, ws.run(model(), "01").logits)
    assert same(ws.memory.undo(empty), T)


def test_what_something_else_changed_is_not_undone() -> None:
    T = model()
    wider = ws.widen(T, ["new"])
    with pytest.raises(
        ws.ModelError, match="the last edit was .memory.write_many.2 facts.* something else has changed"
    ):
        ws.memory.undo(wider)
    again = ws.memory.write(wider, 0, {"new": 1.0}, {"x0": 1.0})
    assert same(ws.memory.undo(again), wider)
    with pytest.raises(ws.ModelError, match="there is no edit to undo"):
        ws.memory.undo(ws.library.contains("1"))


def test_edits_and_names_count_neither_as_weights_nor_in_comparisons() -> None:
    T = ws.memory.delete(model(), 0, 0)
    plain = replace(T, edits=(), provenance=())
    layer = T.blocks[0].feed_forward
    assert layer is not None
    unnamed = replace(
        plain, blocks=(replace(T.blocks[0], feed_forward=replace(layer, names=(), keys=None)), T.blocks[1])
    )
    assert T == plain == unnamed
    assert (T.weights, T.nonzero_weights, digest(T)) == (unnamed.weights, unnamed.nonzero_weights, digest(unnamed))
    assert ws.memory.facts(unnamed) == []


def test_names_and_keys_go_with_their_neurons_through_rewrites() -> None:
    T = model()
    wide = ws.widen(T, ["front"], where="front")
    assert [(fact.name, fact.key, fact.value) for fact in ws.memory.facts(wide)] == FACTS
    ignored = ws.ignore_lanes(T, ["x1"])
    assert [(fact.name, fact.key) for fact in ws.memory.facts(ignored)] == [("a", {"x0": 1.0}), ("b", {"x0": 1.0})]
    assert {fact.response for fact in ws.memory.facts(ignored)} == {0.0}  # what is left of the keys is at the threshold
    both = ws.side_by_side(T, T)
    assert [fact.name for fact in ws.memory.facts(both)] == ["a", "b", "a", "b"]
    assert ws.memory.facts(both)[2].key == {"right x0": 1.0, "right x1": 1.0}
    assert both.edits == ()
    with pytest.raises(ws.InputError, match=r"has 2 neurons called a: write a number of \[2, 6\]"):
        ws.memory.ablate(both, 0, "a")
    rounded = ws.to_arithmetic(T, ws.Float.like("float16"))
    assert [fact.name for fact in ws.memory.facts(rounded)] == ["a", "b"]


def test_hostile_edits_are_refused() -> None:
    T = model()
    edit = T.edits[-1]
    for change in ({"block": 7}, {"first": 9}, {"count": 99}, {"block": 1}):
        with pytest.raises(ws.ModelError, match="does not fit the model"):
            ws.memory.undo(replace(T, edits=(replace(edit, **change),)))  # type: ignore[arg-type]
    for field, value in (("block", -1), ("count", True), ("first", 1.0), ("created", 1), ("before", 3), ("text", 5)):
        with pytest.raises(ws.ModelError):
            replace(edit, **{field: value})  # type: ignore[arg-type]
    with pytest.raises(ws.ModelError, match="edits must hold Edit"):
        replace(T, edits=("x",))  # type: ignore[arg-type]
