"""Languages by name: their automata, up to a length, decide as their definitions do."""

import re
from itertools import product
from typing import Any

import pytest

import weightsmith as ws
from weightsmith import languages
from weightsmith.automata import language
from weightsmith.automata.languages import read_described

DEFINED: dict[str, tuple[languages.Named, str, Any]] = {
    "majority": (languages.majority("1"), "01", lambda w: 2 * w.count("1") > len(w)),
    "parity": (languages.parity("1"), "01", lambda w: w.count("1") % 2 == 1),
    "modulo": (languages.modulo(3, 1, "a"), "ab", lambda w: w.count("a") % 3 == 1),
    "length": (languages.modulo(4, 2), "ab", lambda w: len(w) % 4 == 2),
    "equal runs": (
        languages.equal_runs(), "ab", lambda w: bool(w) and w == "a" * (len(w) // 2) + "b" * (len(w) // 2)
    ),
    "dyck 1": (languages.dyck(1), "()", lambda w: emptied(w)),
    "dyck 2": (languages.dyck(2), "()[]", lambda w: emptied(w)),
}  # fmt: skip


def emptied(word: str) -> bool:
    while (shorter := re.sub(r"\(\)|\[\]", "", word)) != word:
        word = shorter
    return word == ""


@pytest.mark.parametrize("name", DEFINED)
def test_an_automaton_up_to_a_length_decides_as_the_definition(name: str) -> None:
    named, tokens, belongs = DEFINED[name]
    longest = 5 if len(tokens) > 2 else 8
    automaton = named.automaton(tokens, longest)
    assert automaton is not None
    for n in range(1, longest + 1):
        for ids in product(range(len(tokens)), repeat=n):
            word = "".join(tokens[i] for i in ids)
            assert automaton.accepts(ids) == named.contains(word) == belongs(word), word
    assert named.regular or not automaton.accepts([0] * (longest + 1))


@pytest.mark.parametrize("name", DEFINED)
def test_a_description_is_read_back(name: str) -> None:
    named, tokens, _ = DEFINED[name]
    assert read_described(named.described()) == named
    assert language(named, tuple(tokens)).is_data


def test_a_bounded_depth_is_regular_and_proved_at_all_lengths() -> None:
    T = ws.library.balanced(2)
    assert ws.check.recognizes(T, languages.dyck(1, depth=2)).scope == "all lengths"
    assert ws.check.recognizes(T, languages.dyck(1, depth=3), 8).counterexample == "((()))"


def test_a_claim_with_a_counting_language_is_data_and_replays() -> None:
    T = ws.library.majority("1")
    verdict = ws.check.recognizes(T, languages.majority("1"), 9)
    assert verdict.holds
    assert ws.check.replay(verdict.certificate(), [T]).agrees
    assert "the inputs of majority(symbol='1')" in ws.check.cite(verdict.certificate())


TEXTS = {
    "majority": "majority(symbol='1')",
    "majority a": "majority(symbol='a')",
    "parity": "parity(symbol='1')",
    "modulo 3": "modulo(m=3, remainder=0, symbol=None)",
    "modulo 3 1 a": "modulo(m=3, remainder=1, symbol='a')",
    "dyck": "dyck(k=1, depth=None, brackets=('(', ')'))",
    "dyck-2": "dyck(k=2, depth=None, brackets=('(', ')', '[', ']'))",
    "dyck 1 depth 3": "dyck(k=1, depth=3, brackets=('(', ')'))",
    "dyck 1 < >": "dyck(k=1, depth=None, brackets=('<', '>'))",
    "anbn": "equal_runs(first='a', second='b')",
}


@pytest.mark.parametrize("text", TEXTS)
def test_a_text_names_a_language(text: str) -> None:
    assert str(languages.parse_named(text)) == TEXTS[text]


BAD: dict[str, tuple[Any, str]] = {
    "an unknown name": (lambda: languages.parse_named("majorty"), "did you mean majority"),
    "nothing": (lambda: languages.parse_named(""), "there is no language"),
    "a number": (lambda: languages.parse_named(3), "there is no language"),  # type: ignore[arg-type]
    "modulo of a word": (lambda: languages.parse_named("modulo x"), "is written 'modulo 3 1'"),
    "too much": (lambda: languages.parse_named("parity 1 2 3"), "is written 'parity 1'"),
    "modulo 0": (lambda: languages.modulo(0), "m=0"),
    "a remainder": (lambda: languages.modulo(3, 3), "remainder=3"),
    "brackets": (lambda: languages.dyck(2, brackets="()"), "brackets='()': write 4 different tokens"),
    "no depth": (lambda: languages.dyck(1, depth=0), "depth=0"),
    "a symbol": (lambda: languages.majority(3), "symbol=3: write a token"),  # type: ignore[arg-type]
    "twice": (lambda: languages.equal_runs("a", "a"), "has the symbol a twice"),
    "another vocabulary": (lambda: languages.dyck(1).automaton("()x", 3), "the vocabulary has x"),
}


@pytest.mark.parametrize("what", BAD)
def test_bad_input_is_refused_with_the_line_to_write(what: str) -> None:
    attempt, text = BAD[what]
    with pytest.raises(ws.InputError, match=re.escape(text)):
        attempt()
