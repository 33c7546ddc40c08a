"""Two facts in one memory: each key recalls its own value and nothing of the other's; one can go without the other."""

from itertools import product
from typing import cast

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Native

T = ws.library.associations()
EIFFEL = ["Paris", "France", "landmark", "tall", "iron", "1889"]
PLANTS = ["plants", "chlorophyll", "sunlight", "CO2", "oxygen"]
BELONGS = {"Eiffel Tower": EIFFEL, "photosynthesis": PLANTS}
OTHER = {"Eiffel Tower": "photosynthesis", "photosynthesis": "Eiffel Tower"}
INPUTS = [words for n in range(1, 5) for words in product(T.vocabulary, repeat=n)]
ARITHMETICS = [Fixed(4, 4), Float(4, 3), Float.like("float16"), Native("float64")]


def recalled(transformer: ws.Transformer, words: tuple[str, ...] | str) -> list[str]:
    """Return the things whose lane is not 0 at the last position."""
    r = ws.run(transformer, words)
    return [thing for thing in (*EIFFEL, *PLANTS) if r.at(r.stages[-1], -1, thing) != 0]


def expected(words: tuple[str, ...]) -> list[str]:
    """Say what belongs to the last word, from the words themselves."""
    if words[-2:] == ("Eiffel", "Tower"):
        return EIFFEL
    return PLANTS if words[-1] == "photosynthesis" else []


def test_both_facts_are_neurons_of_one_layer() -> None:
    facts = {fact.name: fact for fact in ws.memory.facts(T)}
    assert list(facts) == list(BELONGS)
    assert {fact.block for fact in facts.values()} == {0}
    assert {name: list(cast(dict[str, float], fact.value)) for name, fact in facts.items()} == BELONGS
    for fact in facts.values():
        assert fact.response == 1
        assert fact.margin is not None
        assert fact.margin >= 1


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_each_key_recalls_its_own_value_and_nothing_of_the_other(A: ws.Arithmetic) -> None:
    U = ws.library.associations(A)
    for text, own in (("the Eiffel Tower", EIFFEL), ("photosynthesis", PLANTS)):
        r = ws.run(U, text)
        assert {thing: r.at("block 0 feed-forward", -1, thing) for thing in own} == dict.fromkeys(own, 1.0)
        assert recalled(U, text) == own
    both = ws.run(U, "the Eiffel Tower and photosynthesis")
    named = [(firing.position, firing.name) for firing in ws.memory.read(both, 0)]
    assert named == [(2, "Eiffel Tower"), (4, "photosynthesis")], "both are looked up in one run"


def test_every_input_up_to_length_4_recalls_what_it_should() -> None:
    logits = ws.logits(T, INPUTS)
    for words, row in zip(INPUTS, logits, strict=True):
        wanted = expected(words)
        assert row.tolist() == [0.0, *(float(thing in wanted) for thing in (*EIFFEL, *PLANTS))], words


def test_the_claim_holds_on_every_input_up_to_length_5() -> None:
    assert ws.check.agrees_with(T, lambda words: (expected(tuple(words)) or ["nothing"])[0], up_to=5).holds


@pytest.mark.parametrize("gone", BELONGS)
def test_deleting_one_fact_leaves_the_other_bit_for_bit(gone: str) -> None:
    stays = OTHER[gone]
    U = ws.memory.delete(T, 0, gone)
    before, after = T.blocks[0].feed_forward, U.blocks[0].feed_forward
    assert before is not None
    assert after is not None
    assert after.names == (stays,)
    n = before.names.index(stays)
    assert np.array_equal(after.W_1[0], before.W_1[n])
    assert after.b_1[0] == before.b_1[n]
    assert np.array_equal(after.W_2[:, 0], before.W_2[:, n])
    own = [T.classes.index(thing) for thing in BELONGS[stays]]
    lost = [T.classes.index(thing) for thing in BELONGS[gone]]
    old, new = ws.logits(T, INPUTS), ws.logits(U, INPUTS)
    assert np.array_equal(new[:, own], old[:, own])
    assert not new[:, lost].any()
    for text in ("the Eiffel Tower and photosynthesis", "photosynthesis of the Eiffel Tower"):
        r, s = ws.run(T, text), ws.run(U, text)
        assert np.array_equal(s.activations[0][:, 0], r.activations[0][:, n])
        assert np.array_equal(s.stream[:2], r.stream[:2]), "attention does not know what is remembered"


@pytest.mark.parametrize("gone", BELONGS)
def test_a_fact_that_was_deleted_comes_back_by_undo(gone: str) -> None:
    assert ws.memory.undo(ws.memory.delete(T, 0, gone)) == T
    assert not T.edits, "the model is as it was made: there is nothing to undo"


def test_what_a_fact_promotes_is_what_belongs_to_it() -> None:
    for name, own in BELONGS.items():
        assert ws.memory.promoted(T, 0, name, k=12).raised == tuple((thing, 1.0) for thing in own)


def test_half_of_a_name_recalls_nothing() -> None:
    for text in ("Tower", "Eiffel", "the Tower", "Eiffel Bridge", "Eiffel the Tower", "Tower Eiffel"):
        assert recalled(T, text) == []
        r = ws.run(T, text)
        assert max(firing.response for firing in ws.memory.read(r, 0, all=True)) <= -1


def test_an_arithmetic_in_which_the_margin_cannot_be_kept_is_refused() -> None:
    with pytest.raises(ws.InputError, match=r"^Eiffel Tower cannot keep margin=1 in fixed\(2,2\)"):
        ws.library.associations(Fixed(2, 2))
