"""Runs with numbers put into lanes, and with single lanes of another run."""

import math
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.kernels.kinds import RULES, kind_of_model

T = ws.library.eiffel()
TEXT = "The Eiffel Tower is in"


def test_a_lane_gets_a_number_at_a_position() -> None:
    r = ws.run(T, TEXT)
    off = ws.ablate(r, block=0, head=1)
    b = ws.patch(off, {"compound": 1}, block=0, after="attention", positions=[2])
    assert (r.decision, off.decision, b.decision) == ("Paris", "London", "Paris")
    different = np.argwhere(b.stream[1] != off.stream[1]).tolist()
    assert different == [[2, T.lanes.index("compound")]]
    assert b.at("block 0 attention", 2, "compound") == 1
    everywhere = ws.patch(r, {"compound": 1, "one": 0}, 0, after="attention")
    assert (everywhere.at("block 0 attention")[:, [T.lanes.index("compound"), T.lanes.index("one")]] == [1, 0]).all()


def test_the_embedding_can_be_replaced() -> None:
    r, other = ws.run(T, TEXT), ws.run(T, "The London Tower is in")
    assert np.array_equal(ws.patch(r, other, after="embedding").stream, other.stream)
    word = ws.patch(r, {"word Eiffel": 0, "word London": 1}, after="embedding", positions=[1])
    assert word.at("embedding", 1, "word London") == 1
    assert np.array_equal(word.stream[0][[0, 2, 3, 4]], r.stream[0][[0, 2, 3, 4]])


def test_single_lanes_of_another_run() -> None:
    a, b = ws.run(T, "The Paris Tower is in"), ws.run(T, TEXT)
    only = ws.patch(a, b, 0, after="attention", lanes=["compound"], positions=[2])
    assert np.argwhere(only.stream[1] != a.stream[1]).tolist() == [[2, T.lanes.index("compound")]]
    head = ws.patch(a, b, 0, head=1, lanes=["compound"])
    column = T.lanes.index("compound")
    assert np.array_equal(head.heads[0][1].output[:, column], b.heads[0][1].output[:, column])
    rest = [lane for lane in range(len(T.lanes)) if lane != column]
    assert np.array_equal(head.heads[0][1].output[:, rest], a.heads[0][1].output[:, rest])


def test_a_number_in_the_output_of_a_head() -> None:
    r = ws.run(T, TEXT)
    b = ws.patch(r, {"compound": 0.5}, 0, head=1, positions=[2])
    assert b.heads[0][1].output[2, T.lanes.index("compound")] == 0.5


def test_there_is_no_negative_zero() -> None:
    b = ws.patch(ws.run(T, TEXT), {"compound": -0.0}, 0, after="attention")
    assert not np.signbit(b.at("block 0 attention", None, "compound")).any()


@pytest.mark.parametrize("rule", RULES[::3])
def test_the_parts_of_a_logit_add_up_after_numbers_were_set(rule: str) -> None:
    """Lanes that were set are a part of their own; what the others bring is followed further."""
    S = kind_of_model(ws.Native("float64"), 5, rule, loudness=0.0, weighting=ws.Softmax(shifted=True), norms=True)
    r = ws.run(S, [S.vocabulary[0]] * 3)
    b = ws.patch(ws.patch(r, {S.lanes[0]: 0.5}, 0, after="attention"), {S.lanes[1]: -2}, after="embedding")
    found = ws.attribute(b, b.transformer.classes[0])
    assert math.isclose(sum(part.amount for part in found.parts), found.logit, rel_tol=1e-9, abs_tol=1e-9)
    assert [part.name for part in found.parts if part.kind == "patch"] == ["embedding", "block 0 attention"]
    assert any(part.kind == "head" for part in found.parts)


R = ws.run(ws.to_arithmetic(T, ws.Fixed(4, 4)), TEXT)
REFUSED: dict[str, tuple[Any, dict[str, Any], str]] = {
    "a text": ({"compound": "much"}, {"block": 0, "after": "attention"}, "compound: 'much' is not a number: write one"),
    "None": ({"compound": None}, {"block": 0, "after": "attention"}, "compound: None is not a number"),
    "nan": ({"compound": math.nan}, {"block": 0, "after": "attention"}, "compound: nan is not a member of Fixed"),
    "no member": ({"compound": 0.3}, {"block": 0, "after": "attention"}, "the nearest is 0.3125: write a member"),
    "too large": ({"compound": 99}, {"block": 0, "after": "attention"}, "the nearest is 15.9375"),
    "infinite": ({"compound": math.inf}, {"block": 0, "after": "attention"}, "the nearest is 15.9375"),
    "an unknown lane": ({"compund": 1}, {"block": 0, "after": "attention"}, "there is no lane compund: did you mean"),
    "nothing": ({}, {"block": 0, "after": "attention"}, "the dictionary sets no lane"),
    "no place": ({"compound": 1}, {"block": 0}, "say at which place"),
    "no block": ({"compound": 1}, {"after": "attention"}, "there is no block None"),
    "a block of the embedding": ({"one": 1}, {"block": 0, "after": "embedding"}, "the embedding belongs to no block"),
    "neurons": ({"compound": 1}, {"block": 0, "neurons": [0]}, "a dictionary sets lanes"),
    "lanes twice": ({"one": 1}, {"block": 0, "after": "attention", "lanes": ["one"]}, "names the lanes already"),
    "lanes of neurons": (R, {"block": 0, "neurons": [0], "lanes": ["one"]}, "activations have no lanes"),
    "lanes as a text": (R, {"block": 0, "after": "attention", "lanes": "one"}, "write a list of names"),
    "a position": ({"one": 1}, {"block": 0, "after": "attention", "positions": [9]}, "position 9"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_wrong_values_are_refused(name: str) -> None:
    given, where, words = REFUSED[name]
    with pytest.raises(ws.WeightsmithError) as refusal:
        ws.patch(R, given, **where)
    assert words.lower() in str(refusal.value).lower()
