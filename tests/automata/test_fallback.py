"""Where Python's private parser is missing or different, every input is matched instead, to the same verdicts."""

import re
from collections.abc import Iterator
from importlib import import_module
from itertools import product
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.automata import compile_regex, expressions, language, parser_is_known
from weightsmith.automata.languages import Matching, Regular
from weightsmith.errors import InputError

PARSER = import_module("re._parser")


def missing(name: str) -> Any:
    raise ModuleNotFoundError(f"No module named {name!r}")


def one_letter_less(pattern: str, flags: int) -> Any:
    """Return a tree that can be read, of another expression."""
    tree = PARSER.parse(pattern, flags)
    del tree[-1]
    return tree


def swapped_bounds(pattern: str, flags: int) -> Any:
    """Return a tree in which repeats are written in another order."""
    tree = PARSER.parse(pattern, flags)
    tree.data = [(node, value[::-1]) if "REPEAT" in str(node) else (node, value) for node, value in tree.data]
    return tree


def without_flags(pattern: str, flags: int) -> Any:
    return SimpleNamespace(data=PARSER.parse(pattern, flags).data)


def other_names(pattern: str, flags: int) -> Any:
    tree = PARSER.parse(pattern, flags)
    tree.data = [(f"NODE_{node}", value) for node, value in tree.data]
    return tree


PARSERS: dict[str, Any] = {
    "no module": missing,
    "no function": lambda name: SimpleNamespace(),
    "another signature": lambda name: SimpleNamespace(parse=lambda pattern: PARSER.parse(pattern)),
    "no flags in the tree": lambda name: SimpleNamespace(parse=without_flags),
    "other names": lambda name: SimpleNamespace(parse=other_names),
    "another order": lambda name: SimpleNamespace(parse=swapped_bounds),
    "another tree of the right shape": lambda name: SimpleNamespace(parse=one_letter_less),
}


@pytest.fixture(params=PARSERS)
def unknown(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(expressions, "import_module", PARSERS[request.param])
    parser_is_known.cache_clear()
    yield
    monkeypatch.undo()
    parser_is_known.cache_clear()


def test_the_parser_of_this_python_is_known() -> None:
    assert parser_is_known()
    assert isinstance(language("0*1", ("0", "1")), Regular)


@pytest.mark.usefixtures("unknown")
def test_an_unknown_parser_is_noticed_and_every_input_is_matched() -> None:
    assert not parser_is_known()
    assert compile_regex("(0|1)*1", ("0", "1")) is None
    assert isinstance(language("(0|1)*1", ("0", "1")), Matching)
    with pytest.raises(InputError, match="missing \\), unterminated subpattern at place 1"):
        language("0(1", ("0", "1"))


@pytest.mark.usefixtures("unknown")
def test_verdicts_counts_and_certificates_are_those_of_an_automaton() -> None:
    T = ws.library.ends_with("b", "ab")
    words = ["".join(word) for length in range(1, 7) for word in product("ab", repeat=length)]
    for pattern, within in product(map(re.compile, ("(a|b)*b", "a*b+", "(?i:[^A]*B)")), (None, "a*b*")):
        asked = [word for word in words if within is None or re.fullmatch(within, word)]
        wrong = [word for word in asked if word.endswith("b") != (pattern.fullmatch(word) is not None)]
        verdict = ws.check.recognizes(T, pattern, 6, within=within)
        assert verdict.counterexample == (wrong[0] if wrong else None)
        assert verdict.inputs == (asked.index(wrong[0]) + 1 if wrong else len(asked))
        if within is None:
            assert ws.check.replay(verdict.to_json(), [T]).agrees


@pytest.mark.usefixtures("unknown")
def test_what_needs_an_automaton_says_so(tmp_path: Path) -> None:
    T = ws.library.ends_with("b", "ab")
    wanted = "no automaton decides its within: this Python reads expressions in a way that is not known here; give"
    with pytest.raises(InputError, match=f"a ledger needs a claim that consists of data, and {wanted} Automaton"):
        ws.check.recognizes(T, "(a|b)*b", 4, within="a*b*", ledger=tmp_path / "ledger")
    verdict = ws.check.recognizes(T, "(a|b)*b", 4, within="a*b*")
    with pytest.raises(InputError, match=f"the certificate cannot be replayed: {wanted} Automaton"):
        ws.check.replay(verdict.to_json(), [T])


@pytest.mark.usefixtures("unknown")
def test_nothing_is_said_of_letters_that_cannot_be_known() -> None:
    assert ws.check.recognizes(ws.library.contains("1"), "[012]*1[012]*", 4).holds  # a warning would be an error
