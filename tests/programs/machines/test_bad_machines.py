"""A machine that is none is refused by name, with the line to write."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.test_short_errors import GIVEN, LONGEST
from weightsmith.programs import CounterMachine, FiniteAutomaton, TuringMachine, compile_machine, machines

GOOD: dict[Any, Any] = {("A", "0"): ("B", "1", 1), ("B", "0"): ("H", "1", -1)}
TURING: list[tuple[dict[str, Any], str]] = [
    ({"rules": {}}, "rules={}: write rules="),
    ({"rules": 5}, "rules=5: write rules="),
    ({"rules": [("A", "0", "B")]}, "is no pair: write rules="),
    ({"rules": {"A": ("B", "1", 1)}}, "the left side of a rule is 'A': write rules="),
    ({"rules": {("A", "0"): ("B", "1")}}, r"the right side of \('A', '0'\) is \('B', '1'\): write rules="),
    (
        {"rules": [(("A", "0"), ("H", "1", 1)), (("A", "0"), ("H", "0", 1))]},
        "two rules for A on 0: .* write one of them",
    ),
    ({"rules": {**GOOD, ("A", "1"): ("H", "1", 2)}}, r"the move 2 of \('A', '1'\) is none: write -1, 0 or 1"),
    ({"rules": {**GOOD, ("A", "1"): ("H", "1", "R")}}, "the move 'R' of .*: write -1, 0 or 1"),
    ({"rules": {**GOOD, ("A", "1"): ("H", "1", True)}}, "the move True of .*: write -1, 0 or 1"),
    (
        {"rules": {**GOOD, ("A", "1"): ("C", "1", 1)}},
        "a rule of A enters C, which has no rule and does not halt",
    ),
    ({"rules": {**GOOD, ("A", 1): ("H", "1", 1)}}, "a symbol of .* must be a text, and it is 1"),
    ({"rules": {**GOOD, ("A", "x y"): ("H", "1", 1)}}, "write a name without spaces"),
    ({"rules": {**GOOD, ("A", ("0", "0")): ("H", "1", 1)}}, "write 1 of them, one for each"),
    ({"rules": {("A", ("0",) * 5): ("H", ("0",) * 5, (1,) * 5)}}, "a rule reads 5 tapes: write 1 to 4"),
    ({"rules": {**GOOD, ("H", "0"): ("A", "1", 1)}}, "the state H halts, and has a rule: write one of both"),
    ({"halt": ("H", "Z")}, "no rule enters the halting state Z: write one, or leave it out"),
    ({"halt": "H", "accept": "H"}, "the state H halts in two ways: write it in one of accept, reject, halt"),
    ({"halt": 5}, r"halt=5: write names, such as halt=\('yes',\)"),
    ({"start": "H"}, "the machine halts where it starts, in H: write another start"),
    ({"start": ""}, "the start is '': write a name without spaces"),
    ({"inputs": "2"}, "inputs has 2, which no rule reads or writes: write some of 0, 1"),
    ({"inputs": ()}, "inputs is empty: write some of 0, 1"),
    ({"blank": None}, "the blank must be a text, and it is None"),
]


@pytest.mark.parametrize(("change", "message"), TURING)
def test_a_wrong_turing_machine_is_refused_by_name(change: dict[str, Any], message: str) -> None:
    given: dict[str, Any] = {"rules": GOOD, "start": "A", "blank": "0", "halt": "H"}
    TuringMachine(**given)
    with pytest.raises(ws.ModelError, match=message):
        TuringMachine(**{**given, **change})


def test_a_machine_that_cannot_halt_is_refused() -> None:
    rules = {("A", "0"): ("A", "0", 1), ("B", "0"): ("H", "0", 1)}
    with pytest.raises(ws.ModelError, match=r"no halting state can be reached from A \(H\): write a rule"):
        TuringMachine(rules, start="A", blank="0", halt="H")
    with pytest.raises(ws.ModelError, match=r"no halting state can be reached from A \(none is named\)"):
        TuringMachine({("A", "0"): ("A", "0", 1)}, start="A", blank="0")


COUNTING: list[tuple[dict[Any, Any], str]] = [
    ({("p", "a"): ("p", 1, 1)}, "the left side of a rule is .*: write rules="),
    ({("p", "a", "1"): ("p", 1, 1)}, "the test '1' of .* is none: write '0', '\\+' or '\\*'"),
    ({("p", "a", "0"): ("p", 2, 1)}, "advances by 2: write 1 or 0"),
    ({("p", "=", "0"): ("p", 1, 0)}, "advances by 1: write 1 or 0, and 0 at the end of the input"),
    ({("p", "a", "*"): ("p", 1, -1)}, "takes 1 from counter 0, which may be 0: test it with '\\+'"),
    ({("p", "a", "0"): ("p", 1, 3)}, "the move 3 of a counter at .* is none: write -1, 0 or 1"),
    ({("p", "a", "*"): ("p", 1, 1), ("p", "a", "0"): ("p", 1, 0)}, "two rules for p on a with counters 0"),
    ({("p", "a", ("0", "0")): ("p", 1, 1)}, "write 2 of them, one for each"),
    ({("p", "a", ("0",) * 5): ("p", 1, (1,) * 5)}, "a rule tests 5 counters: write 1 to 4"),
    ({("p", "=", "0"): ("p", 0, 1)}, "the machine reads = only: write a rule for a symbol of inputs"),
]


@pytest.mark.parametrize(("rules", "message"), COUNTING)
def test_a_wrong_counter_machine_is_refused_by_name(rules: dict[Any, Any], message: str) -> None:
    with pytest.raises(ws.ModelError, match=message):
        CounterMachine(rules, start="p")


def test_a_wrong_automaton_is_refused_by_name() -> None:
    rules = {("even", "1"): "odd", ("odd", "1"): "even"}
    with pytest.raises(ws.ModelError, match="accept has evn, which is no state: write some of even, odd"):
        FiniteAutomaton(rules, start="even", accept="evn")
    with pytest.raises(ws.ModelError, match="two rules for even on 1: 'odd' and 'even'; write one of them"):
        FiniteAutomaton([*rules.items(), (("even", "1"), "even")], start="even")
    with pytest.raises(ws.ModelError, match="the automaton has no vocabulary"):
        compile_machine(ws.check.Automaton(np.array([[0, 1], [1, 0]]), np.array([False, True])))


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"machine": 5}, "5 is no machine: write TuringMachine"),
        ({"max_length": "8"}, "max_length='8': write the longest input, 1 to 4,096 tokens"),
        ({"max_length": 0}, "max_length=0: write"),
        ({"max_length": 10**6}, "max_length=1000000: write"),
        ({"max_steps": 2.5}, "max_steps=2.5: write the most steps, 1 to 4,096"),
        ({"max_steps": 10**6}, "max_steps=1000000: write"),
        ({"arithmetic": "fixed(4,4)"}, "arithmetic='fixed\\(4,4\\)': a machine is proved in a finite arithmetic"),
    ],
)
def test_wrong_arguments_are_refused_by_name(change: dict[str, Any], message: str) -> None:
    with pytest.raises(ws.InputError, match=message):
        compile_machine(**{"machine": machines.parity(), **change})


def test_wrong_examples_are_refused_by_name() -> None:
    for call, message in (
        (lambda: machines.busy_beaver(5), "states=5: write 2, 3 or 4"),
        (lambda: machines.rule_110(0), "generations=0: write 1 to 16"),
        (lambda: machines.palindromes("a_"), "symbols='a_': write different characters other than _"),
        (lambda: machines.word_problem(7), "size=7: write 2 to 6"),
    ):
        with pytest.raises(ws.InputError, match=message):
            call()


def test_an_input_that_is_too_long_or_has_other_symbols_is_refused() -> None:
    C = compile_machine(machines.parity(), max_length=3)
    with pytest.raises(ws.InputError, match="takes at most 3"):
        C("0101")
    with pytest.raises(ws.InputError, match="token 1 of the input is '2'"):
        C("02")


def test_symbols_that_are_called_like_steps_are_told_apart() -> None:
    machine = FiniteAutomaton({("=", "="): "YES", ("YES", "="): "stuck", ("YES", "a"): "a"}, start="=", accept="a")
    C = compile_machine(machine, max_length=3)
    assert len(set(C.transformer.vocabulary)) == len(C.transformer.vocabulary)
    assert [C(text) for text in ("=", "=a", "a", "==", "==a")] == ["NO", "YES", "NO", "NO", "NO"]


@pytest.mark.parametrize("given", GIVEN, ids=range(len(GIVEN)))
def test_whatever_is_given_an_error_is_short_and_one_of_ours(given: Any) -> None:
    rules = {("p", "a", "0"): ("q", 1, 1), ("q", "=", "+"): ("yes", 0, 0)}
    turing: dict[str, Any] = {"rules": GOOD, "start": "A", "blank": "0", "accept": (), "halt": "H", "inputs": "1"}
    counting: dict[str, Any] = {"rules": rules, "start": "p", "accept": "yes", "end": "="}
    finite: dict[str, Any] = {"rules": {("p", "a"): "p"}, "start": "p", "accept": "p"}
    whole: dict[str, Any] = {"machine": machines.parity(), "max_length": 2, "max_steps": 3, "arithmetic": None}
    odd: list[Any] = [
        {("A", "0"): given},
        [(given, 1)],
        [(("A", given), ("H", given, given))],
        [given],
        [(("A", "0"), (given,) * 3)],
        {("p", "a", "0"): (given, given, given)},
        [(("p", given, given), ("p", 1, 1))],
        [(("p", "a"), given)],
    ]
    for make, good in (
        (TuringMachine, turing),
        (CounterMachine, counting),
        (FiniteAutomaton, finite),
        (compile_machine, whole),
    ):
        for name in good:
            for one in [given, *(odd if name == "rules" else ())]:
                assert len(refusal(make, {**good, name: one})) <= LONGEST, (make, name)


def refusal(make: Callable[..., Any], given: dict[str, Any]) -> str:
    """Return the refusal of what is given; any other error is a defect."""
    try:
        make(**given)
    except ws.WeightsmithError as error:
        return str(error)
    return ""
