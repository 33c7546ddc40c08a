"""The automaton of a transformer as a value."""

from itertools import product
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.encoders import with_first_head
from tests.automata.models import read_out
from tests.automata.proving import in_steps
from tests.automata.shortcuts import KINDS, made_for
from weightsmith.automata import Automaton, DecisionAutomaton, compile_regex, smallest
from weightsmith.automata.drawing import drawn
from weightsmith.automata.extraction import UnknownError, extract
from weightsmith.automata.extraction.one_automaton import joined

VOCABULARIES: tuple[tuple[str, ...], ...] = (("0", "1"), ("a", "b", "c"), ("x", "yy"), ("*", "]"), ("\n", "a"))


def drawn_at_random(seed: int) -> Automaton:
    random = np.random.default_rng(seed)
    vocabulary = VOCABULARIES[seed % len(VOCABULARIES)]
    states = int(random.integers(1, 7))
    table = random.integers(0, states, (states, len(vocabulary)), np.int32)
    return smallest(Automaton(table, random.random(states) < 0.4, 0, vocabulary))


@pytest.mark.parametrize("begin", range(0, 300, 60))
def test_an_expression_says_what_its_automaton_says(begin: int) -> None:
    for seed in range(begin, begin + 60):
        A = drawn_at_random(seed)
        found = compile_regex(A.regex(), tuple(A.vocabulary))
        assert found is not None
        assert A.difference(found) is None, A.regex()


EXPRESSIONS: dict[str, tuple[Any, str]] = {
    "contains": (lambda: ws.library.contains("1"), ".*1.*"),
    "ends with": (lambda: ws.library.ends_with("01"), ".*01"),
    "starts with": (lambda: ws.library.starts_with("01"), "01.*"),
    "first equals last": (lambda: ws.library.first_equals_last(), "0(1*0)*|1(0*1)*"),
    "exact length": (lambda: ws.library.exact_length(4), "...."),
    "brackets": (lambda: ws.library.balanced(2), r"(\((\(\)|\)\()*\))?"),
}


@pytest.mark.parametrize("name", EXPRESSIONS)
def test_expressions_are_short(name: str) -> None:
    make, expression = EXPRESSIONS[name]
    assert ws.automaton(make()).regex() == expression


def test_majority_is_the_lead_clamped_at_255() -> None:
    A = ws.automaton(ws.library.majority("1"))
    assert len(A.table) == 511
    lead = np.arange(-255, 256)
    up, down = np.minimum(lead + 1, 255), np.maximum(lead - 1, -255)
    clamped = Automaton((np.stack([down, up], axis=1) + 255).astype(np.int32), lead > 0, 255, "01")
    assert A.difference(clamped) is None


def test_words_are_the_first_that_are_accepted() -> None:
    A = ws.automaton(ws.library.ends_with("01"))
    every = ["".join(word) for n in range(1, 8) for word in product("01", repeat=n)]
    assert A.words(20) == [word for word in every if word.endswith("01")][:20]
    assert ws.automaton(ws.library.matches("0?1")).words(9) == ["001", "011"]


def test_operations_are_those_of_sets() -> None:
    A, B = (ws.automaton(T) for T in (ws.library.contains("1"), ws.library.ends_with("01")))
    for C, same in ((A & B, B), (A | B, A), (B - A, A & ~A), (A ^ A, A & ~A), (~~A, A)):
        assert C.difference(smallest(Automaton(same.table, same.accepting, same.start, "01"))) is None
    random = Random(1)
    for _ in range(100):
        ids = [random.randrange(2) for _ in range(random.randint(1, 9))]
        assert (A ^ B).accepts(ids) == (A.accepts(ids) != B.accepts(ids))


def test_automata_are_equal_if_and_only_if_all_decisions_are() -> None:
    S = ws.library.contains("1")
    assert ws.automaton(S) == ws.automaton(~~S) == ws.automaton(ws.infinity_form(S))
    assert ws.automaton(S) != ws.automaton(~S)
    assert ws.automaton(S).difference(ws.automaton(~S)) == "0"
    assert ws.automaton(S).difference(ws.automaton(ws.library.contains_word("11"))) == "1"


def test_the_start_is_merged_where_its_decision_is_free() -> None:
    assert len(ws.automaton(ws.library.contains("1")).table) == 2
    A = ws.automaton(ws.library.first_equals_last())
    assert len(A.table) == 5
    assert A.outputs[A.start] == -1


def test_states_are_numbered_in_the_order_of_the_inputs_that_lead_there() -> None:
    merged = 0
    for seed in range(120):
        T = made_for(KINDS[seed % len(KINDS)], seed)
        try:
            A = joined(extract(T, in_steps(2000, 150)), "YES", in_steps(2000, 150))
        except (UnknownError, ws.ModelError):
            continue
        order = [A.start]
        for state in order:  # it grows meanwhile
            order += [s for s in dict.fromkeys(A.table[state].tolist()) if s not in order]
        assert order == list(range(len(A.table)))
        merged += A.outputs[A.start] != -1
    assert merged >= 20


def test_a_table_ends_the_automaton() -> None:
    A = ws.automaton(ws.library.length_modulo(3))
    assert A.scope == "up to 16"
    assert [A.decide("0" * n) for n in (1, 3, 15, 16)] == ["NO", "YES", "YES", "NO"]
    with pytest.raises(ws.InputError, match="the input has 17 tokens, and the transformer reads up to 16"):
        A.decide("0" * 17)


A: Any = ws.automaton(ws.library.contains("1"))
OTHER: Any = Automaton
REFUSED: dict[str, tuple[Any, str]] = {
    "empty": (lambda: A.decide(""), "the empty input has no decision: write at least one of 0, 1"),
    "no ids": (lambda: A.accepts([]), "the empty input has no decision"),
    "a foreign token": (lambda: A.decide("02"), "token 1 of the input, 2, is not in the vocabulary: write 0, 1"),
    "a number": (lambda: A.decide(7), "tokens must be a text or a list of texts, and they are 7"),
    "no automaton": (lambda: A & 1, "1 is not an automaton: write Automaton(…) or ws.automaton(T)"),
    "other tokens": (lambda: A & ws.automaton(ws.library.contains("a", "abc")), "one automaton reads 2 tokens and the"),
    "other names": (lambda: A & ws.automaton(ws.library.contains("a", "ab")), "the automata read 0, 1 and a, b"),
    "words": (lambda: A.words(-1), "n=-1: write how many inputs"),
    "no names": (
        lambda: OTHER([[0]], [True]).regex(),
        "an expression needs tokens: write Automaton(…, vocabulary=",
    ),
    "names": (lambda: OTHER([[0]], [True], vocabulary="ab"), "the table has 1 columns; write a token for each"),
    "long": (lambda: ws.automaton(ws.library.majority("1")).regex(), "the automaton has 511 states, and an expression"),
    "large": (lambda: ws.automaton(ws.library.majority("1")).svg(), "has 511 states, and a picture shows up to 60"),
    "full": (
        lambda: ws.automaton(with_first_head(strict=True)),
        "an automaton of a full mask needs heads that see the same keys from every position, and block 0, head 0 is",
    ),
    "native": (
        lambda: ws.automaton(ws.random_transformer(arithmetic=ws.Native("float32"))),
        "an automaton needs a finite arithmetic, and this is float32: write to_arithmetic(T, Fixed(4, 4)), or check",
    ),
    "no model": (lambda: ws.automaton(3), "3 is not a transformer"),  # type: ignore[arg-type]
    "seconds": (lambda: ws.automaton(ws.library.contains("1"), seconds=0), "seconds=0: write how long it may take"),
    "states": (lambda: ws.automaton(ws.library.contains("1"), states=0), "states=0"),
    "memory": (lambda: ws.automaton(ws.library.contains("1"), memory=1), "memory=1"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_does_not_fit_is_refused_with_what_to_write(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(ws.InputError) as caught:
        call()
    assert message in str(caught.value)


def test_a_spent_budget_says_where_and_on_what() -> None:
    with pytest.raises(ws.WeightsmithError) as caught:
        ws.automaton(ws.library.majority("1"), states=100)
    assert str(caught.value) == (
        "block 0, head 0, class 1 of 1 of its queries: a machine has more than 100 states; "
        "the largest machine so far has 2 states"
    )


def test_a_picture_shows_every_state_and_escapes_names() -> None:
    A = ws.automaton(ws.library.contains("<", "<&"))
    assert A.svg().count("<text") == 2 + 3
    assert "&lt;" in A.svg()
    assert "&amp;" in A.svg()
    assert A._repr_svg_() == drawn(A)


def test_the_terminal_shows_a_table() -> None:
    assert [line.split() for line in str(A).splitlines()[2:]] == [
        ["0", "(start)", "NO", "0", "1"],
        ["1", "YES", "1", "1"],
    ]


def test_it_is_data(tmp_path: Any) -> None:
    import copy
    import pickle

    assert pickle.loads(pickle.dumps(A)) == A == copy.deepcopy(A)
    assert isinstance(A, DecisionAutomaton)


def test_a_readout_is_decided_too() -> None:
    A = ws.automaton(read_out({0: "no", 1: "yes"}), yes="yes")
    assert A.regex() == ".*1.*"
    assert A.decide("001") == "yes"
    assert ws.check.same_decisions(read_out({0: 0, 1: 1}), read_out({0: False, 1: True})).holds
