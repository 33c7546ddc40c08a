"""Whatever is wrong with what is given, the error names it and says what to write instead."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.models import automaton
from weightsmith.check import agrees_with, final_vectors, recognizes, same_decisions, same_logits

T = ws.library.contains("1")
LIMITED = ws.random_transformer(max_length=4)
TOKENS = replace(T, classes=("0", "1"))
HUGE = ws.random_transformer(lanes=200, blocks=1, heads=2, neurons=8, max_length=100)


def fails(tokens: str) -> bool:
    raise ZeroDivisionError("no zeros")


def late(answer: Any) -> Callable[[str], Any]:
    """Answer rightly at first."""
    return lambda tokens: answer if tokens == "010" else "1" in tokens


# `type: ignore` below: these are calls that a type checker refuses, and people without one must get the words.
WRONG: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    # transformers
    "another vocabulary": (lambda: same_decisions(T, ws.library.contains("b", "ab"), 3), ws.InputError,
                           "different vocabulary: 0, 1 and a, b; a claim about both needs the same"),
    "a larger vocabulary": (lambda: same_logits(T, ws.library.contains("1", "012"), 3), ws.InputError,
                            "different vocabulary: 0, 1 and 0, 1, 2"),
    "other classes": (lambda: same_decisions(T, TOKENS, 3), ws.InputError, "different classes: NO, YES and 0, 1"),
    "no transformer first": (lambda: same_decisions("contains", T, 3), ws.ModelError,  # type: ignore[arg-type]
                             "the first argument, 'contains', is not a transformer: write load('model.safetensors')"),
    "no transformer second": (lambda: same_logits(T, None, 3), ws.ModelError, "the second argument, None, is not"),  # type: ignore[arg-type]
    "no transformer to recognize": (lambda: recognizes(5, "1", 3), ws.ModelError, "the first argument, 5, is not"),  # type: ignore[arg-type]
    "no transformer to agree": (lambda: agrees_with([], str, 3), ws.ModelError, "the first argument, [], is not"),  # type: ignore[arg-type]
    "no transformer to end": (lambda: final_vectors({}, any, 3), ws.ModelError, "the first argument, {}, is not"),  # type: ignore[arg-type]
    # languages
    "an open bracket": (lambda: recognizes(T, "0*(1.*", 3), ws.InputError,
                        "'0*(1.*' is not a regular expression: missing ), unterminated subpattern at place 2, '(1.*'"),
    "bytes": (lambda: recognizes(T, re.compile(b"1"), 3), ws.InputError, "is not a regular expression of texts"),  # type: ignore[arg-type]
    "a number": (lambda: recognizes(T, 3, 3), ws.InputError,  # type: ignore[arg-type]
                 "3 is not a set of inputs: write a regular expression such as '(0|1)*11', Automaton(…) or a function"),
    "a list": (lambda: recognizes(T, ["1"], 3), ws.InputError, "['1'] is not a set of inputs"),  # type: ignore[arg-type]
    "a wide automaton": (lambda: recognizes(T, automaton([[0, 0, 0]], [True]), 3), ws.InputError,
                         "the automaton reads 3 symbols and the vocabulary has 2: its table needs a column for each"),
    "a narrow automaton": (lambda: recognizes(T, automaton([[0]], [True]), 3), ws.InputError, "reads 1 symbols and"),
    "yes": (lambda: recognizes(T, re.compile("1"), 3, yes="yes"), ws.InputError,
            "the class yes does not exist: the classes are NO, YES; write recognizes(…, yes='YES'), or agrees_with(…)"),
    "yes as a truth": (lambda: recognizes(T, re.compile("1"), 3, yes=True), ws.InputError, "the class True does not"),  # type: ignore[arg-type]
    # functions
    "a predicate fails": (lambda: recognizes(T, fails, 3), ws.InputError,
                          "the predicate fails for the input 0: ZeroDivisionError: no zeros"),
    "1": (lambda: recognizes(T, late(1), 3), ws.InputError, "gives 1 for the input 010: it must give True or False"),
    "None": (lambda: recognizes(T, late(None), 3), ws.InputError, "the predicate gives None for the input 010"),
    "yes as an answer": (lambda: recognizes(T, late("yes"), 3), ws.InputError, "gives 'yes' for the input 010"),
    "an array": (lambda: recognizes(T, late(np.array([True])), 3), ws.InputError, "gives array([ True]) for the input"),
    "no argument": (lambda: recognizes(T, lambda: True, 3), ws.InputError, "the predicate fails for the input 0: Type"),  # type: ignore[arg-type,misc]
    "no function": (lambda: agrees_with(TOKENS, "1", 3), ws.InputError, "'1' is not a function of an input that gives"),  # type: ignore[arg-type]
    "another token": (lambda: agrees_with(TOKENS, lambda tokens: "2", 3), ws.InputError,
                      "the function gives '2' for the input 0: it must give one of 0, 1"),
    "no token": (lambda: agrees_with(TOKENS, lambda tokens: 1, 3), ws.InputError, "the function gives 1 for the"),
    "an unhashable token": (lambda: agrees_with(TOKENS, lambda tokens: [], 3), ws.InputError, "gives [] for the"),  # type: ignore[arg-type,return-value]
    "a function fails": (lambda: agrees_with(TOKENS, fails, 3), ws.InputError, "the function fails for the input 0: Z"),
    "no condition": (lambda: final_vectors(T, 1, 3), ws.InputError, "1 is not a function of vectors, an array (inputs"),  # type: ignore[arg-type]
    "a condition fails": (lambda: final_vectors(T, lambda v: v[:, 999] == 1, 3), ws.InputError,
                          "the condition fails: IndexError: index 999"),
    "a condition of all": (lambda: final_vectors(T, lambda v: v[:, 0].all(), 3), ws.InputError,  # type: ignore[arg-type,return-value]
                           "the condition gives bool values of shape () for vectors of shape (2, "),
    "a condition of each": (lambda: final_vectors(T, lambda v: v == v, 3), ws.InputError, "for each input, such as"),
    "a condition of numbers": (lambda: final_vectors(T, lambda v: v[:, 0], 3), ws.InputError, "gives float64 values"),  # type: ignore[arg-type,return-value]
    "a ragged condition": (lambda: final_vectors(T, lambda v: [[True], [True, False]], 3), ws.InputError,  # type: ignore[arg-type,return-value]
                           "the condition fails: ValueError"),
    "a condition of None": (lambda: final_vectors(T, lambda v: None, 3), ws.InputError, "gives object values of sh"),  # type: ignore[arg-type,return-value]
    # options
    "beyond the table": (lambda: same_decisions(T, LIMITED, 5), ws.InputError,
                         "the input has 5 tokens and the position table holds 4: write at most 4 tokens"),
    "too little memory": (lambda: same_decisions(HUGE, HUGE, 100, memory=1 << 20), ws.InputError,
                          "memory=1048576: a check of this claim needs at least"),
}  # fmt: skip


@pytest.mark.parametrize("name", WRONG)
def test_what_does_not_fit_is_refused_by_name(name: str) -> None:
    check, kind, message = WRONG[name]
    with pytest.raises(kind) as caught:
        check()
    assert message in str(caught.value)
    assert type(caught.value) is kind


@pytest.mark.parametrize("up_to", [0, -1, True, 1.5, "3", [3], 10**30 * 0.1, float("nan")])
def test_a_length_that_is_none_is_refused(up_to: Any) -> None:
    with pytest.raises(
        ws.InputError, match=r"up_to=.*: write the length up to which every input is checked, 1 or more"
    ):
        same_decisions(T, T, up_to)


@pytest.mark.parametrize("workers", [0, -1, True, 1.5, "2", [1]])
def test_workers_that_are_none_are_refused(workers: Any) -> None:
    with pytest.raises(ws.InputError, match=r"workers=.*: write how many cores to use, 1 or more"):
        same_decisions(T, T, 3, workers=workers)


@pytest.mark.parametrize("memory", [0, -1, 1000, True, 1e9, "1GB", None, (1 << 20) - 1])
def test_memory_that_is_none_is_refused(memory: Any) -> None:
    with pytest.raises(ws.InputError, match=r"memory=.*: write a number of bytes, a million or more"):
        same_decisions(T, T, 3, memory=memory)


@pytest.mark.parametrize("up_to", [10_001, 10**6, 10**9, 10**30])
def test_a_length_that_no_check_goes_through_is_refused_at_once(up_to: int) -> None:
    for model in (T, ws.library.contains("a", "a")):
        with pytest.raises(ws.InputError, match=f"up_to={up_to}: write at most 10000; no check goes through longer"):
            same_decisions(model, model, up_to)


def test_a_length_that_the_memory_does_not_hold_is_refused_at_once() -> None:
    for up_to in (2000, 10_000):
        with pytest.raises(
            ws.InputError, match="a check of this claim needs at least .* bytes; allow more, or check sho"
        ):
            same_decisions(T, T, up_to, memory=1 << 20)


def test_a_verdict_is_no_truth_value() -> None:
    with pytest.raises(TypeError, match="a verdict is not a truth value: write verdict.holds"):
        bool(same_decisions(T, T, 3))


@pytest.mark.parametrize("workers", [1, 2])
def test_an_error_or_a_stop_in_any_function_ends_the_check(workers: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weightsmith.check.engine.columns_for", lambda *_: 2)

    def stop(*_: Any) -> Any:
        raise KeyboardInterrupt

    for predicate, progress in ((stop, None), (late(True), stop)):
        with pytest.raises(KeyboardInterrupt):
            recognizes(T, predicate, 6, workers=workers, progress=progress)


def test_the_least_memory_is_enough_for_a_check_that_asks_for_no_more() -> None:
    with pytest.raises(ws.InputError) as caught:
        same_decisions(HUGE, HUGE, 6, memory=1 << 20)
    match = re.search(r"at least ([\d,]+) bytes", str(caught.value))
    assert match is not None
    needed = int(match[1].replace(",", ""))
    assert same_decisions(HUGE, HUGE, 6, memory=needed).inputs == 126
    with pytest.raises(ws.InputError):
        same_decisions(HUGE, HUGE, 6, memory=needed - 1)
