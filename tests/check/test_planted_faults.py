"""A single wrong answer among all inputs is found, wherever it is, in more than a hundred pairs of models."""

import re
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from tests.check.models import SYMBOLS, all_inputs, automaton, bases, differences, flipped, just, never, place, words
from weightsmith import library

LENGTHS = {1: 7, 2: 6, 3: 4, 4: 4}  # by the number of symbols
COLUMNS = {1: 2, 2: 6, 3: 12, 4: 20}  # for four tiers, the last one with 16 shards and more, where there are symbols
SHARDS = {"many shards": 4096, "several stems a shard": 3}
CASES = [(size, word) for size, up_to in LENGTHS.items() for word in dict.fromkeys(words(SYMBOLS[:size], up_to))]


@cache
def planted(size: int, word: str, mask: Any) -> ws.Transformer:
    """A transformer that says YES to the word only, as the reference semantics confirms."""
    T = just(word, SYMBOLS[:size], LENGTHS[size], mask)
    inputs = all_inputs(SYMBOLS[:size], LENGTHS[size])
    assert ws.decisions(T, inputs) == ["YES" if tokens == tuple(word) else "NO" for tokens in inputs]
    return T


def divide(cut: Cut, size: int, cutting: str) -> None:
    cut(COLUMNS[size], SHARDS[cutting])


def found(word: str, verdict: ws.check.Verdict) -> None:
    assert not verdict.holds
    assert verdict.counterexample == word
    assert verdict.inputs == place(word, verdict.claim.vocabulary)


@pytest.mark.parametrize(("size", "word"), CASES)
@pytest.mark.one_in(3)
def test_the_one_input_that_two_models_decide_differently_is_found(size: int, word: str, cut: Cut) -> None:
    vocabulary, up_to = SYMBOLS[:size], LENGTHS[size]
    S = bases(vocabulary)[len(word) % 3]
    T = S ^ library.matches(word, vocabulary)
    assert differences(S, T, up_to) == [tuple(word)]
    found(word, ws.check.same_decisions(S, T, up_to))
    divide(cut, size, "many shards")
    verdict = ws.check.same_decisions(S, T, up_to, workers=2)
    found(word, verdict)
    assert len(verdict.plan.tiers) > 1
    assert size == 1 or verdict.plan.tiers[-1].shards > 8
    if len(word) > 1:
        assert ws.check.same_decisions(S, T, len(word) - 1).holds


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(3)
@pytest.mark.parametrize(("size", "word"), CASES)
def test_it_is_found_with_a_table_of_positions_and_with_a_full_mask(mask: Any, size: int, word: str, cut: Cut) -> None:
    T = planted(size, word, mask)
    many = (CASES.index((size, word)) % 2 == 0) == (mask == "full")
    divide(cut, size, "many shards" if many else "several stems a shard")
    workers = 2 if many else 1
    found(word, ws.check.same_decisions(T, never(T), LENGTHS[size], workers=workers))


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(2)
@pytest.mark.parametrize(("size", "word"), CASES[1::4])
def test_every_kind_of_claim_finds_it(mask: Any, size: int, word: str, cut: Cut) -> None:
    vocabulary, up_to = SYMBOLS[:size], LENGTHS[size]
    T = ws.infinity_form(planted(size, word, mask))  # the last vector is (1, 0, …), and (1, ∞, …) on the word
    divide(cut, size, "many shards" if len(word) % 2 else "several stems a shard")
    options: dict[str, Any] = {"workers": 1 + len(word) % 2}
    found(word, ws.check.same_logits(ws.infinity_form(never(T)), T, up_to, **options))
    with pytest.warns(UserWarning, match=r"the expression has \[\^a-d\], which no token of the vocabulary"):
        found(word, ws.check.recognizes(T, re.compile("[^a-d]"), up_to, **options))
    found(word, ws.check.recognizes(T, automaton([[0] * size], [False]), up_to, **options))
    found(word, ws.check.recognizes(T, lambda tokens: False, up_to, **options))
    found(word, ws.check.recognizes(T, lambda tokens: True, up_to, yes="NO", **options))
    found(word, ws.check.final_vectors(T, lambda vectors: vectors[:, 1] == 0, up_to, **options))
    if size > 1:
        tokens = replace(T, classes=tuple(vocabulary[:2]))
        found(word, ws.check.agrees_with(tokens, lambda tokens: "a", up_to, **options))
    assert ws.check.recognizes(T, re.compile(word), up_to, **options).holds
    assert ws.check.recognizes(T, re.compile(f"(?={word}$).*"), up_to, **options).holds  # no automaton decides it


def test_a_second_vocabulary_and_classes_in_another_order_change_nothing(cut: Cut) -> None:
    cut(12)
    for word in words("abc", 4):
        S = library.ends_with("b", "abc")
        found(word, ws.check.same_decisions(S, flipped(S ^ library.matches(word, "abc")), up_to=4))
    assert ws.check.same_logits(S, flipped(S), up_to=4).holds


def test_there_are_more_than_a_hundred_pairs() -> None:
    assert 3 * len(CASES) > 100
