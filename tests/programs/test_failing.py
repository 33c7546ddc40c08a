"""A refusal names an input on which the program has no value, or says how many inputs were tried."""

import re
from typing import Any

import pytest

from tests.programs.test_compile_errors import of_python, of_text, refused
from weightsmith.errors import InputError
from weightsmith.programs import compile_rasp, evaluate, parse_rasp, rasp
from weightsmith.programs.failing import failing

WORD = 'said = aggregate(select(tokens, "a", ==), tokens + (("" + "!") if indices == 3 else ""), "-");'
LONE = """
lone = selector_width(select(tokens, "a", ==)) == 1;
said = aggregate(select(tokens == "a" and lone, True, ==), tokens, "-");
"""


def alternating() -> rasp.SOp:
    """Return what has no value on one token: the first position looks at the second."""
    chosen = rasp.Select(rasp.indices, rasp.indices, lambda k, q: k == q - 1 or (k == 1 and q == 0))
    before = rasp.Aggregate(chosen, rasp.tokens)
    same = rasp.Select(before, rasp.Map(lambda _: "a", rasp.tokens), rasp.Comparison.EQ)
    return rasp.SelectorWidth(same)


def test_an_input_without_a_value_is_named_and_none_shorter_fails() -> None:
    shown = refused(
        of_text(WORD, "ab", 6), "have no mean", "on the input", "the program has no value: line 1, column 8: aggregate"
    )
    (tokens,) = re.findall(r"on the input '([ab]+)'", shown)
    program = parse_rasp(WORD)
    with pytest.raises(InputError, match="only numbers have a mean"):
        evaluate(program, tokens)
    for n in range(len(tokens)):
        if fewer := tokens[:n] + tokens[n + 1 :]:
            evaluate(program, fewer)


def test_a_selector_that_compares_none_is_refused_with_an_input_on_which_it_is() -> None:
    refused(
        of_python(alternating(), "ab"), "select compares what may be None", "on the input 'a' the program has no value"
    )


def test_tokens_of_several_characters_are_listed() -> None:
    refused(of_python(alternating(), ["on", "off"]), "on the input on the program has no value")
    refused(of_python(alternating(), [10, 20]), "on the input 10 the program has no value")


def test_a_refusal_of_what_has_a_value_everywhere_says_how_many_inputs_were_tried() -> None:
    shown = refused(of_text(LONE, "ab", 6), "have no mean", "inputs were tried, and the program has a value on each")
    assert "no value" not in shown


def test_the_search_finds_an_input_that_is_longer_than_all_that_are_tried_whole() -> None:
    text = 'n = selector_width(select(tokens, "a", ==)); said = aggregate(select(n > 8, True, ==), tokens, "-");'
    found, tried = failing(parse_rasp(text), "ab", 12)
    assert found is not None
    assert len(found.tokens) == 10 == 1 + found.tokens.count("a")
    assert tried > 0
    assert failing(parse_rasp("said = tokens;"), "ab", 12)[0] is None


@pytest.mark.parametrize("option", [{"memory": 4_000_000}, {"arithmetic": None, "max_length": 0}])
def test_other_refusals_stay_as_they_are(option: Any) -> None:
    text = "x = indices * indices * 10; m = aggregate(select(tokens, tokens, ==), x); more = m > indices;"
    with pytest.raises(InputError) as error:
        compile_rasp(text, "ab", **{"max_length": 12, **option})
    assert "has no value" not in str(error.value)


def test_a_selector_of_more_heads_than_are_offered_is_refused_with_their_number() -> None:
    drawn = rasp.Select(rasp.indices, rasp.indices, lambda k, q: (k * 37 + q * 101 + k * q * 17) % 97 < 48)
    refused(of_python(rasp.SelectorWidth(drawn), max_length=30), "at most 64 are offered; write a simpler selector")
