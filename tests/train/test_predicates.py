"""Predicates as one says them."""

import re
from itertools import product

import pytest

import weightsmith as ws
from weightsmith.train import predicate


@pytest.mark.parametrize(
    ("said", "yes", "no"),
    [
        ("contains 11", ["11", "0110"], ["1", "0101"]),
        ("starts with 01", ["01", "011"], ["1", "0", "101"]),
        ("ends with 01", ["01", "101"], ["1", "010"]),
        ("odd number of 1", ["1", "0111"], ["0", "11"]),
        ("more 1 than 0", ["1", "011"], ["01", "0"]),
        ("matches (01)*", ["01", "0101"], ["0", "010", "01010 "]),
        ("first equals last", ["1", "010"], ["01", "110"]),
        ("  contains .  ", ["a.b"], ["ab"]),
    ],
)
def test_a_predicate_means_what_it_says(said: str, yes: list[str], no: list[str]) -> None:
    holds = predicate(said)
    assert all(holds(string) is True for string in yes)
    assert all(holds(string) is False for string in no)


@pytest.mark.parametrize(
    "said",
    ["", "contains", "contains 1 1", "Contains 1", "odd number of 11", "more 1 than", "is even", "contains 1\n2"],
)
def test_what_is_not_understood_is_shown_with_what_is(said: str) -> None:
    with pytest.raises(ws.InputError, match="is not understood: write one of contains WORD; starts with WORD; .*REGEX"):
        predicate(said)


@pytest.mark.parametrize("regex", ["(", "[a", "a{2,1}", "*", "a{99999999999999999999}", "(?P<x"])
def test_a_regular_expression_that_cannot_be_read_is_named(regex: str) -> None:
    with pytest.raises(ws.InputError, match="the regular expression .* cannot be read: "):
        predicate(f"matches {regex}")


@pytest.mark.parametrize(
    "said",
    ["contains 11", "starts with 01", "ends with .0", "odd number of 1", "odd number of .", "first equals last",
     "matches (0|1.)*"],
)  # fmt: skip
@pytest.mark.parametrize("vocabulary", ["01.", "1]0^-"])
def test_the_expression_of_a_predicate_has_its_language(said: str, vocabulary: str) -> None:
    holds = predicate(said)
    expression = holds.expression(vocabulary)
    assert expression is not None
    for length in range(1, 6):
        for string in map("".join, product(vocabulary, repeat=length)):
            assert (re.fullmatch(expression, string) is not None) == holds(string), string


@pytest.mark.parametrize("said", ["more 1 than 0", r"matches (.).*\1"])
def test_a_predicate_that_no_automaton_decides_has_no_expression(said: str) -> None:
    assert predicate(said).expression("01") is None
    assert predicate("contains 1").expression(["1", "ten"]) is None
