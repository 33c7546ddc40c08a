"""An expression with letters that no token has is warned of, where it was written."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import weightsmith as ws

T = ws.library.contains("1")
CLAIMS: dict[str, Callable[..., Any]] = {
    "same_decisions": lambda **more: ws.check.same_decisions(T, T, 3, **more),
    "same_logits": lambda **more: ws.check.same_logits(T, T, 3, **more),
    "recognizes": lambda **more: ws.check.recognizes(T, ".*1.*", 3, **more),
    "agrees_with": lambda **more: ws.check.agrees_with(T, lambda word: "YES" if "1" in word else "NO", 3, **more),
    "final_vectors": lambda **more: ws.check.final_vectors(
        T, lambda vectors: vectors[:, 0] == vectors[:, 0], 3, **more
    ),
}


@pytest.mark.parametrize("name", CLAIMS)
def test_every_claim_warns_of_within_where_it_was_called(name: str) -> None:
    with pytest.warns(UserWarning, match="within has 2") as caught:
        assert CLAIMS[name](within="(0|1|2)*").inputs == 14
    assert [str(warning.message) for warning in caught] == [
        "within has 2, which no token of the vocabulary 0, 1 has: nothing matches there"
    ]
    assert caught[0].filename == __file__


def test_the_language_of_a_claim_is_warned_of_and_checked_all_the_same() -> None:
    for expression in ("(0|1|2)*1.*", re.compile("(0|1|2)*1.*")):
        with pytest.warns(UserWarning, match="the expression has 2, which no token of the vocabulary 0, 1") as caught:
            assert ws.check.recognizes(T, expression, 3).holds
        assert caught[0].filename == __file__


def test_what_follows_an_input_is_no_letter_of_it() -> None:
    E = ws.random_transformer("01E")
    with pytest.warns(UserWarning, match="has E, which no token of the vocabulary 0, 1 has"):
        ws.check.recognizes(E, ".*E", 2, suffix=("E",))


def test_functions_and_automata_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ws.check.recognizes(T, lambda word: "2" in word, 3)
        ws.check.recognizes(T, ws.check.Automaton([[0, 0]], [True]), 3)  # type: ignore[arg-type]
