"""An expression with letters that no token has is warned of, where it was written."""

import re
import warnings
from collections.abc import Callable
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.check.languages import language
from weightsmith.check.letters import foreign_letters

BITS = ("0", "1")
WORDS = ("we", "sat", "bank")
FOREIGN: dict[str, tuple[str | re.Pattern[str], tuple[str, ...], str | None]] = {
    "a letter": ("(0|1|2)*1", BITS, "2"),
    "letters, each once": ("2*34?2", BITS, "2, 3, 4"),
    "a member of a set": ("[012]*1", BITS, "2"),
    "a range with a member": ("[0-9]*1", BITS, None),
    "a range without": ("[a-z0]*1", BITS, "a-z"),
    "a class with a member": (r"\d*\w1", BITS, None),
    "a class without": (r"\d*|\s|[\Wa]", BITS, r"\s, \W, a"),
    "a negated set": ("[^2]*1[^01a]?", BITS, "[^01a]"),
    "a negated letter": ("[^0]*[^2]", BITS, None),
    "a dot and anchors": (r"^.*\b1$", BITS, None),
    "another case": ("A*b", ("a", "b"), "A"),
    "another case that does not matter": (re.compile("A*b", re.I), ("a", "b"), None),
    "another case in a group": ("(?i:A)*(?-i:B)b", ("a", "b"), "B"),
    "a comment": (re.compile("1  # 2", re.X), BITS, None),
    "a literal in a repeat": ("(1{2,3}(02+?)*)?", BITS, "2"),
    "what no automaton decides": ("(?=2)1(?<!3)(?>4)(5)++", BITS, "2, 3, 4, 5"),
    "a reference": (r"(0)?(?(1)2|3)\1", BITS, "2, 3"),
    "nothing": ("", BITS, None),
    "words": ("(we|sat) bank", WORDS, None),
    "a letter of no word": ("we sit!", WORDS, "i, !"),
    "a space between letters": ("0 1", BITS, "' '"),
}


@pytest.mark.parametrize("name", FOREIGN)
def test_letters_that_no_token_has_are_found(name: str) -> None:
    pattern, vocabulary, wanted = FOREIGN[name]
    found = foreign_letters(language(pattern, vocabulary), vocabulary)
    tokens = ", ".join(vocabulary)
    assert found == (wanted and f"has {wanted}, which no token of the vocabulary {tokens} has: nothing matches there")


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


def test_looking_for_letters_prints_nothing_and_repeats_no_warning_of_python(
    capsys: pytest.CaptureFixture[str],
) -> None:
    pattern = re.compile("2*1", re.DEBUG)
    capsys.readouterr()
    assert foreign_letters(language(pattern, BITS), BITS) is not None
    assert capsys.readouterr().out == ""
    with pytest.warns(FutureWarning, match="Possible nested set"):
        nested = re.compile("[[01]2*")
    assert foreign_letters(language(nested, BITS), BITS) is not None


def test_functions_and_automata_are_not_warned_of() -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ws.check.recognizes(T, lambda word: "2" in word, 3)
        ws.check.recognizes(T, ws.check.Automaton([[0, 0]], [True]), 3)  # type: ignore[arg-type]
