"""Automata are equal exactly if they say the same after every input; words come in order, however rare they are."""

from dataclasses import replace
from itertools import islice, product
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import automata
from weightsmith.automata.automaton import smallest
from weightsmith.automata.regular import compile_regex

Automaton: Any = automata.Automaton
INPUTS = [ids for n in range(1, 8) for ids in product(range(2), repeat=n)]


def drawn(random: Random, states: int) -> Any:
    table = [[random.randrange(states) for _ in range(2)] for _ in range(states)]
    return Automaton(table, [random.random() < 0.4 for _ in range(states)], random.randrange(states), "01")


def shuffled(A: Any, random: Random) -> Any:
    """Return the same with states in another order, one of them twice, one that nothing leads to, another start."""
    states = len(A.table)
    table = [*A.table.tolist(), A.table[A.start].tolist(), [0, 0]]
    accepting = [*A.accepting.tolist(), random.random() < 0.5, True]
    order = random.sample(range(states + 2), states + 2)
    number = {old: new for new, old in enumerate(order)}
    rows = [[number[there] for there in table[old]] for old in order]
    return Automaton(rows, [accepting[old] for old in order], number[states], "01")


def test_equal_means_that_no_input_tells_them_apart_and_hashes_agree() -> None:
    random = Random(5)
    equal = 0
    for _ in range(400):
        A, B = drawn(random, random.randint(1, 4)), drawn(random, random.randint(1, 4))
        alike = all(A.accepts(ids) == B.accepts(ids) for ids in INPUTS)
        assert (A == B) == alike == (A.difference(B) is None)
        assert (hash(A) == hash(B)) or not alike
        equal += alike
        C = shuffled(A, random)
        assert A == C == smallest(A)
        assert hash(A) == hash(C) == hash(smallest(A))
    assert 5 < equal < 395


def turned(T: ws.Transformer) -> ws.Transformer:
    """Return the same decisions with the classes in another order; no logits of these models are equal."""
    return replace(T, classes=T.classes[::-1], output=T.output[::-1], output_bias=None)


@pytest.mark.parametrize("name", ["contains", "first_equals_last", "ends_with"])
def test_the_order_of_classes_changes_nothing(name: str) -> None:
    form = ws.signed_infinity_form(
        getattr(ws.library, name)(*(["01"] if name == "ends_with" else ["1"] * (name == "contains")))
    )
    A, B = ws.automaton(form), ws.automaton(turned(form))
    assert A.answers == B.answers[::-1]
    assert A == B
    assert hash(A) == hash(B)
    assert A.difference(B) is None


def test_products_are_equal_if_they_are_the_same_sets() -> None:
    S, T = ws.library.contains("1"), ws.library.ends_with("01")
    A, B, both = (ws.automaton(each) for each in (S, T, S & T))
    assert A & B == B & A == both & both == B & B
    assert len({A & B, B & A, both & both}) == 1
    assert A | B == A & A != B & B
    assert ~(A & B) == ~A | ~B
    assert A ^ A == A - A == B & ~B
    assert both != A & B  # a set of inputs is not what a transformer decides
    assert both.difference(A & B) is None


def test_what_is_about_something_else_is_not_equal() -> None:
    T = ws.library.contains("1")
    A = ws.automaton(T)
    assert ws.automaton(T, yes="NO") != A
    assert ws.automaton(ws.library.contains("b", "ab")) != A
    assert ws.automaton(ws.flag(T, "here", positions=[1], max_length=4)) != A
    assert ws.automaton(replace(T, classes=("NEIN", "YES"))) != A
    assert A != 3
    plain = Automaton([[0, 1], [1, 1]], [False, True])
    assert plain == Automaton(np.array([[0, 1], [1, 1]]), [False, True])
    assert plain != replace(plain, vocabulary="01")


@pytest.mark.parametrize(
    "pattern", ["(0|1){20}", "(0|1){18}11", "0{30}|(0|1){20}", "(00000)*", "(0|1)*1(0|1){9}", "0", "1?"]
)
def test_words_are_the_first_of_all_inputs_in_order(pattern: str) -> None:
    A = compile_regex(pattern, ("0", "1"))
    assert A is not None
    A = replace(A, vocabulary="01")
    words = A.words(40)
    assert all(A.accepts([int(token) for token in word]) for word in words)
    assert words == sorted(set(words), key=lambda word: (len(word), word))
    every = ("".join(word) for n in range(1, 15) for word in product("01", repeat=n))
    short = [word for word in words if len(word) <= 14]
    wanted = islice((word for word in every if A.accepts([int(token) for token in word])), 40)
    assert short == list(wanted)


def test_a_language_whose_words_are_long_has_words() -> None:
    A = compile_regex("(0|1){20}", ("0", "1"))
    assert A is not None
    A = replace(A, vocabulary="01")
    assert A.words(3) == ["0" * 20, "0" * 19 + "1", "0" * 18 + "10"]
    assert len(A.words(100_000)) == 100_000
    assert (A & ~A).words(5) == []
