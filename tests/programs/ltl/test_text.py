"""Formulas as text: what is read comes back, and errors show the place and what was meant."""

from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.programs.ltl.drawn import formula
from weightsmith.programs import parse_ltl
from weightsmith.programs.ltl.formulas import DEEPEST, Connective, Past, Token, Truth, temporal_depth
from weightsmith.programs.ltl.reading import LONGEST

a, b, c = Token("a"), Token("b"), Token("c")
READ: dict[str, Any] = {
    "a": a,
    "true": Truth(True),
    "!a & b": Connective("&", (Connective("!", (a,)), b)),
    "a | b & c": Connective("|", (a, Connective("&", (b, c)))),
    "a ^ b | c": Connective("|", (Connective("^", (a, b)), c)),
    "a -> b -> c": Connective("->", (a, Connective("->", (b, c)))),
    "a <-> b -> c": Connective("<->", (a, Connective("->", (b, c)))),
    "a S b & c": Connective("&", (Past("S", (a, b)), c)),
    "!a S b": Past("S", (Connective("!", (a,)), b)),
    "O(a & Y b)": Past("O", (Connective("&", (a, Past("Y", (b,)))),)),
    "H< a": Past("H", (a,), strict=True),
    "a S< b": Past("S", (a, b), strict=True),
    "O<(a)": Past("O", (a,), strict=True),
    "O<a<->b": Connective("<->", (Past("O", (a,), strict=True), b)),
    "Once": Token("Once"),
    '"S" S "two words"': Past("S", (Token("S"), Token("two words"))),
    r'"\"\\"': Token('"\\'),
    "¬a ∧ b ∨ c → a ↔ b": parse_ltl("!a & b | c -> a <-> b"),
    "~a && b || c": parse_ltl("!a & b | c"),
    "a\n  S\n b": Past("S", (a, b)),
}


@pytest.mark.parametrize("text", READ)
def test_a_formula_is_read_by_its_precedence_and_written_so_that_it_comes_back(text: str) -> None:
    found = parse_ltl(text)
    assert found == READ[text]
    assert parse_ltl(str(found)) == found


def test_every_formula_comes_back_from_its_text() -> None:
    random = Random(3)
    for _ in range(300):
        drawn = formula(random, random.randint(0, 5), "ab")
        assert parse_ltl(str(drawn)) == drawn


ERRORS = {
    "": "the formula is empty: write one, such as 'O(a & Y b)'",
    "O(a & Y b": "line 1, column 10: the formula ends here, and ')' is missing\n    O(a & Y b\n             ^",
    "a &": "line 1, column 4: the formula ends here, and a formula is missing\n    a &\n       ^",
    "a S b S c": (
        "line 1, column 7: 'S' takes no chain: write (f S g) S h, or f S (g S h)\n    a S b S c\n          ^"
    ),
    "O a b": "line 1, column 5: 'b' cannot stand here: & | ^ -> <-> S would do\n    O a b\n        ^",
    "(a b)": "line 1, column 4: 'b' cannot stand here: & | ^ -> <-> S or ')' would do\n    (a b)\n       ^",
    "a and b": "line 1, column 3: 'and' cannot stand here: write &\n    a and b\n      ^",
    "not a": "line 1, column 1: 'not' cannot stand here: write !\n    not a\n    ^",
    "G a": (
        "line 1, column 1: 'G' cannot stand here: formulas speak of the past, with Y O H S, and not of the future, "
        "as G does\n    G a\n    ^"
    ),
    "Ya": "line 1, column 1: 'Ya' is no token: did you mean Y a? the vocabulary is a, b, c, S\n    Ya\n    ^",
    "O d": "line 1, column 3: 'd' is no token: the vocabulary is a, b, c, S\n    O d\n      ^",
    "O S": "line 1, column 3: 'S' cannot stand here; the token is written \"S\": a formula would do\n    O S\n      ^",
    "a = b": "line 1, column 3: '=' cannot stand here; write -> or <->\n    a = b\n      ^",
    "O < a": (
        "line 1, column 3: '<' cannot stand here; strict operators are O<, H< and S<, without a space\n"
        "    O < a\n      ^"
    ),
    "'a'": (
        'line 1, column 1: "\'" cannot stand here; a token that is no plain name stands between double quotes\n'
        "    'a'\n    ^"
    ),
    "a &\n& b": "line 2, column 1: '&' cannot stand here: a formula would do\n    & b\n    ^",
}


@pytest.mark.parametrize("text", ERRORS)
def test_an_error_shows_the_place_and_what_was_meant(text: str) -> None:
    with pytest.raises(ws.InputError) as refused:
        parse_ltl(text, ["a", "b", "c", "S"])
    assert str(refused.value) == ERRORS[text]


@pytest.mark.parametrize("nested", ["O " * 3000 + "a", "(" * 5000 + "a" + ")" * 5000, "!" * 10000 + "a"])
def test_what_is_nested_too_deep_is_refused_or_harmless(nested: str) -> None:
    try:
        assert temporal_depth(parse_ltl(nested)) == 0
    except ws.InputError as error:
        assert f"nested more than {DEEPEST} deep" in str(error)  # noqa: PT017


def test_what_is_too_long_or_no_text_is_refused() -> None:
    with pytest.raises(ws.InputError, match=f"characters: {LONGEST:,} at most"):
        parse_ltl("a" * (LONGEST + 1))
    with pytest.raises(ws.InputError, match="^3 is no formula: write a text"):
        parse_ltl(3)  # type: ignore[arg-type]


def test_formulas_made_in_python_are_checked() -> None:
    for make in (
        lambda: Connective("&", (a,)),
        lambda: Connective("and", (a, b)),  # type: ignore[arg-type]
        lambda: Past("S", (a,)),
        lambda: Past("X", (a,)),  # type: ignore[arg-type]
        lambda: Past("Y", (a,), strict=True),
        lambda: Past("O", ("a",)),  # type: ignore[arg-type]
    ):
        with pytest.raises(ws.InputError):
            make()
