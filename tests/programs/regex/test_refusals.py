"""What cannot be compiled is refused by name, with the line to write, and soon."""

import random
from typing import Any

import pytest

from tests.programs.regex.drawn import automaton
from weightsmith import Native
from weightsmith.automata import Automaton
from weightsmith.errors import InputError, UnknownError, WeightsmithError
from weightsmith.programs import compile_regex
from weightsmith.programs.regex.images import TooManyStatesError

REFUSED: list[tuple[tuple[Any, ...], dict[str, Any], str]] = [
    (("(a",), {}, r"'\(a' is not a regular expression: missing \)"),
    (("ac", "ab"), {}, "the expression has c, which no token of the vocabulary a, b has"),
    ((7, "ab"), {}, "7 is no language: write a regular expression"),
    (("[^a]*",), {}, "names no letter: write vocabulary='ab'"),
    (("a", ""), {}, "names no letter: write vocabulary"),
    (("a", "aa"), {}, "twice"),
    (("a(?=b)b", "ab"), {}, "has no automaton"),
    (("a", "ab"), {"up_to": 0}, "up_to=0: write the length"),
    (("a", "ab"), {"up_to": 5000}, "up_to=5000: write the length"),
    (("a", "ab"), {"up_to": True}, "up_to=True: write the length"),
    (("a", "ab"), {"prove": 1}, "prove=1: write True or False"),
    (("a", "ab"), {"chain": True}, "a chain is proved up to a length: write up_to=63"),
    (("a", "ab"), {"arithmetic": "fixed(4,4)"}, "arithmetic"),
    (("a", "ab"), {"arithmetic": Native("float32")}, "may add in any order"),
    (("a", "ab"), {"seconds": 0}, "seconds=0"),
    ((automaton([[0]], [True]),), {}, "the automaton has no vocabulary"),
    ((automaton([[0]], [True]), "ab"), {}, "reads 1 tokens"),
    ((automaton([[0]], [True], "a"), "b"), {}, "the automaton reads a"),
    (("(aa)*", "ab"), {}, r"whether n times a belongs to it depends on n modulo 2, and heads without positions cannot "
     r"count modulo 2 at every length; write up_to=63"),
    (("b(aa)*c", "abc"), {}, "whether b, then n times a, then c belongs to it depends on n modulo 2"),
]  # fmt: skip


@pytest.mark.parametrize(("given", "options", "why"), REFUSED)
def test_a_refusal_names_the_thing_and_the_line_to_write(given: Any, options: Any, why: str) -> None:
    with pytest.raises(WeightsmithError, match=why):
        compile_regex(*given, **options)


def order_preserving(states: int, dice: random.Random) -> Automaton:
    """Return an automaton whose letters are random monotone maps: its cascade explodes."""
    letters = [sorted(dice.randrange(states) for _ in range(states)) for _ in range(3)]
    table = [[letter[q] for letter in letters] for q in range(states)]
    return automaton(table, [dice.random() < 0.5 for _ in range(states)], "abc")


def test_what_explodes_is_refused_by_name() -> None:
    dice, refused = random.Random(0), list[str]()
    for _ in range(4):
        try:
            compile_regex(order_preserving(24, dice), prove=False)
        except TooManyStatesError as error:
            refused.append(str(error))
    assert refused
    assert all(text.startswith("the language explodes as weights without positions: ") for text in refused)
    assert all("chain=True" in text for text in refused)
    with pytest.raises(TooManyStatesError, match="its smallest automaton has 402 states"):
        compile_regex("(a|b){400}", "ab")


def test_a_proof_that_is_not_finished_is_said() -> None:
    with pytest.raises((UnknownError, InputError), match="not proved|seconds"):
        compile_regex("(a|b)*(aab|bba)(a|b)*", "ab", seconds=1e-4)
