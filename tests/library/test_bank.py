"""Two senses of one word: what the head gathers, what the neurons add, what is decided."""

from itertools import product

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import Fixed, Float, Native

ARITHMETICS = [Fixed(4, 4), Fixed(2, 2), Fixed(4, 12), Float(4, 3), Float.like("float16"), Native("float64")]
FINANCIAL = ["money", "institution", "savings", "loans", "interest", "checking account"]
GEOGRAPHIC = ["water", "shore", "slope", "mud", "reeds", "fishing"]
TEXTS = {
    "river bank": "geographic",
    "deposit bank": "financial",
    "we sat by the river bank": "geographic",
    "the river by the bank": "geographic",
    "we made a deposit at the bank": "financial",
    "a deposit by the river at the deposit bank": "financial",
    "bank": "unclear",
    "we sat by the bank": "unclear",
    "a deposit at the river bank": "unclear",
    "the bank by the river": "unclear",
    "the river": "unclear",
}
T = ws.library.bank()


def sense(tokens: tuple[str, ...]) -> str:
    """Say what is meant: the kind of context that prevails before a last word that is bank."""
    lead = tokens.count("deposit") - tokens.count("river")
    if tokens[-1] != "bank" or lead == 0:
        return "unclear"
    return "financial" if lead > 0 else "geographic"


def added(text: str) -> dict[str, float]:
    r = ws.run(T, text)
    return {lane: float(x) for lane, x in zip(T.lanes, r.stream[2, -1] - r.stream[1, -1], strict=True) if x}


@pytest.mark.parametrize("A", ARITHMETICS, ids=str)
def test_the_words_before_bank_decide_in_every_arithmetic(A: ws.Arithmetic) -> None:
    U = ws.library.bank(A)
    assert dict(zip(TEXTS, ws.decisions(U, list(TEXTS)), strict=True)) == TEXTS


def test_the_financial_sense_adds_what_the_lecture_lists_and_the_other_its_own() -> None:
    assert added("deposit bank") == dict.fromkeys(FINANCIAL, 1.0)
    assert added("we made a deposit at the bank") == dict.fromkeys(FINANCIAL, 1.0)
    assert added("the river by the bank") == dict.fromkeys(GEOGRAPHIC, 1.0)


def test_without_context_neither_neuron_fires_and_nothing_is_added() -> None:
    for text in ("bank", "we sat by the bank", "the bank by the river", "river", "a deposit"):
        r = ws.run(T, text)
        assert not r.activations[0].any()
        assert np.array_equal(r.stream[0], r.stream[2])
        assert r.logits.tolist() == [0, 0, 0]


def test_bank_attends_to_context_words_only_and_no_other_word_attends() -> None:
    r = ws.run(T, "the river by the bank")
    weights = r.attention[0][0]
    assert weights[-1].tolist() == [0, 1, 0, 0, 0]
    assert not weights[:-1].any()
    mixed = ws.run(T, "a deposit at the river bank").attention[0][0][-1]
    assert mixed.tolist() == [0, 0.5, 0, 0, 0.5, 0]


def test_the_prevailing_context_decides_every_input_up_to_length_6() -> None:
    inputs = [tokens for n in range(1, 7) for tokens in product(("the", "river", "deposit", "bank"), repeat=n)]
    assert ws.decisions(T, inputs) == [sense(tokens) for tokens in inputs]


def test_the_default_arithmetic_holds_every_weight_and_long_inputs_are_decided_too() -> None:
    assert T.arithmetic == Fixed(4, 4)
    for rivers, deposits in ((40, 39), (20, 20), (3, 100)):
        tokens = ("river", "the", "deposit") * min(rivers, deposits)
        tokens += ("river",) * (rivers - deposits) + ("deposit",) * (deposits - rivers) + ("by", "the", "bank")
        assert ws.run(T, tokens).decision == sense(tokens)


@pytest.mark.parametrize(("A", "most"), [(Fixed(4, 4), 255), (Fixed(2, 2), 15)], ids=str)
def test_a_lead_is_lost_only_beyond_what_the_arithmetic_counts(A: ws.Arithmetic, most: int) -> None:
    U = ws.library.bank(A)
    assert ws.run(U, ["deposit"] * most + ["river"] * (most - 1) + ["bank"]).decision == "financial"
    assert ws.run(U, ["deposit"] * (most + 1) + ["river"] * most + ["bank"]).decision == "unclear"


def test_an_arithmetic_without_silence_is_refused() -> None:
    with pytest.raises(ws.LawError, match="^to attend to nothing needs exp"):
        ws.library.bank(Float(2, 4))
