"""Weights and interpreter say the same of every example: on all short inputs, and on random ones at the full length."""

from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.examples import EXAMPLES, Example
from weightsmith.errors import InputError
from weightsmith.programs import CompiledProgram, compile, compile_rasp, evaluate
from weightsmith.programs.interpreter import evaluate_batch
from weightsmith.programs.values import exact

LONGEST = 40
MANY = 4  # symbols; with more of them the inputs of length 5 are left to the long tests
RANDOM = 1000  # inputs of each length
ALONE = 3  # of them that the interpreter gets one by one
NAMES = [example.name for example in EXAMPLES]


@cache
def compiled(name: str) -> tuple[Example, CompiledProgram]:
    example = EXAMPLES[NAMES.index(name)]
    return example, compile(example.make(), example.vocabulary, LONGEST)


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_weights_and_interpreter_agree_on_all_short_inputs(name: str) -> None:
    example, P = compiled(name)
    v = ws.check.computes(P, up_to=5 if len(example.vocabulary) <= MANY else 4)
    assert v.holds, v


@pytest.mark.long
@pytest.mark.parametrize("name", [e.name for e in EXAMPLES if len(e.vocabulary) > MANY])
def test_weights_and_interpreter_agree_at_length_5_over_many_symbols(name: str) -> None:
    assert ws.check.computes(compiled(name)[1], length=5).holds


def random_inputs(example: Example, length: int) -> np.ndarray[Any, Any]:
    """Return inputs in which each token is as likely, and some in which one is rare, so that counts differ."""
    random = np.random.default_rng(length)
    symbols = len(example.vocabulary)
    shares = random.dirichlet(np.full(symbols, 0.5), RANDOM // 2)
    uneven = [random.choice(symbols, length, p=share) for share in shares]
    return np.vstack([random.integers(symbols, size=(RANDOM - len(uneven), length)), *uneven])


def assert_alike(example: Example, P: CompiledProgram, places: np.ndarray[Any, Any]) -> None:
    names = P.transformer.vocabulary
    said = ws.outputs(P.transformer, [[names[n] for n in row] for row in places.tolist()])
    found, values = evaluate_batch(P.program, P.vocabulary, places)
    wanted = [[values[n] for n in row] for row in found.tolist()]
    for given, says, means in zip(places.tolist(), said, wanted, strict=True):
        assert list(map(exact, says)) == means, [example.vocabulary[n] for n in given]
    for given, says in zip(places[:ALONE].tolist(), said, strict=False):
        assert list(says) == evaluate(P.program, [example.vocabulary[n] for n in given])


def agree_at(name: str, length: int) -> None:
    example, P = compiled(name)
    assert_alike(example, P, random_inputs(example, length))


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", NAMES)
def test_weights_and_interpreter_agree_on_random_inputs_of_length_10(name: str) -> None:
    agree_at(name, 10)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", NAMES)
def test_weights_and_interpreter_agree_on_random_inputs_of_length_20(name: str) -> None:
    agree_at(name, 20)


@pytest.mark.one_in(6)
@pytest.mark.parametrize("name", NAMES)
def test_weights_and_interpreter_agree_on_random_inputs_of_length_40(name: str) -> None:
    agree_at(name, 40)


def well_formed(name: str, text: Sequence[str]) -> None:
    example, P = compiled(name)
    for given in text:
        assert P(given) == example.meaning(given), given


def test_programs_are_right_on_inputs_that_chance_does_not_make() -> None:
    well_formed("sum of two as text", ["18+801", "88888+18", "1+188888", "0+0", "810888+88", "+8", "8+"])
    well_formed("rover as text", ["aA,AB,aB", "aA,AB,bB", "bB,aA,BA,bA", "AB,BA,aA,aB", "aB,aA"])
    well_formed("dyck2 as text", ["({})({})" * 4, "({)}", "{}" * 20, "((((((((((}))))))))))"])
    well_formed("shuffle_dyck3 in Python", ["([{)]}" * 6, "([{)]}" * 6 + "(", "][" * 20])


def test_a_function_of_too_many_things_is_refused_and_said_where() -> None:
    text = 'a = average(tokens_int);\nproduct = a * aggregate(select(tokens, "1", ==), indices);'
    with pytest.raises(InputError, match="different things: at most 200,000 combinations can be proved") as refused:
        compile_rasp(text, vocabulary="123", max_length=LONGEST)
    assert str(refused.value).startswith("line 2, column 11: product: ")


def test_a_fault_would_be_seen() -> None:
    """Two tokens are taken for each other."""
    seen = 0
    for name in NAMES[:8]:
        P = compiled(name)[1]
        T = P.transformer
        swapped = replace(T, embedding=T.embedding[[1, 0, *range(2, len(T.embedding))]])
        other = CompiledProgram(P.program, swapped, P.vocabulary, P.max_length, P.proof)
        seen += not ws.check.computes(other, up_to=3).holds
    assert seen >= 4  # lengths and counts are the same for swapped tokens
