"""Every example, on every input up to a length, against its meaning and a plain simulator."""

from itertools import product

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.machines.simulator import counting, every_run, turing
from weightsmith.programs import compile_machine, machines
from weightsmith.programs.machines import MachineChain


def texts(symbols: str, most: int) -> list[str]:
    return ["".join(one) for n in range(most + 1) for one in product(symbols, repeat=n)]


def compare(C: MachineChain, most: int) -> None:
    """Compare every step on every input up to a length with the simulator, and what the last one says."""
    machine, steps = C.machine, {token.name: token for token in C.table.tokens}
    assert isinstance(machine, ws.programs.TuringMachine)
    assert isinstance(C.steps, int)
    for tokens, (names, halted) in every_run(C, most).items():
        done, ended, _ = turing(machine, tokens, C.steps)
        rights = [(steps[name].state, steps[name].writes, steps[name].moves) for name in names]
        written = [None if name == "stuck" else right for name, right in zip(names, rights, strict=True)]
        assert (written, halted) == (done, ended), tokens


@pytest.mark.parametrize(("states", "steps", "ones"), [(2, 6, 4), (3, 21, 5), (4, 107, 13)])
def test_busy_beavers_run_as_long_as_known_and_leave_as_many_ones(states: int, steps: int, ones: int) -> None:
    C = compile_machine(machines.busy_beaver(states), max_length=2, max_steps=steps)
    run = C.run(())
    assert len(run.generated) == steps
    assert run.answer == "H"
    assert C.tape(()).count("1") == ones
    assert not compile_machine(machines.busy_beaver(states), max_length=2, max_steps=steps - 1).run(()).halted
    compare(C, 2)


def test_palindromes_are_accepted_and_nothing_else() -> None:
    C = compile_machine(machines.palindromes(), max_length=5, max_steps=30)
    for text in texts("ab", 5):
        assert C(text) == ("YES" if text == text[::-1] else "NO"), text
    compare(C, 5)


def test_the_tape_holds_the_number_plus_one() -> None:
    C = compile_machine(machines.increment(), max_length=5, max_steps=12)
    for text in texts("01", 5)[1:]:
        assert "".join(C.tape(text)) == f"{int(text, 2) + 1:0{len(text)}b}", text
    compare(C, 5)


@pytest.mark.parametrize("generations", [1, 3])
def test_rule_110_gives_the_next_generations(generations: int) -> None:
    C = compile_machine(machines.rule_110(generations), max_length=4, max_steps=64)
    for text in texts("01", 4):
        cells = f"0{text}0"
        for _ in range(generations):
            padded = f"00{cells}0"
            cells = "".join("01110110"[int(padded[i : i + 3], 2)] for i in range(len(padded) - 2))
        assert "".join(C.tape(text)).strip("0") == cells.strip("0"), text
    compare(C, 4)


def test_two_counters_accept_equal_numbers() -> None:
    machine = machines.equal_numbers()
    C = compile_machine(machine, max_length=6, max_steps=12)
    for tokens, (names, _) in every_run(C, 6).items():
        n, text = len(tokens) // 2, "".join(tokens)
        answer = dict(C.answers or ())[names[-1]]
        assert answer == ("YES" if text == "a" * n + "b" * n else "NO"), text
        assert counting(machine, tokens, 12) == (answer.lower(), len(names)), text
    assert C("aabb") == "YES"


def test_parity_writes_one_state_for_each_token() -> None:
    C = compile_machine(machines.parity(), max_length=8)
    for tokens, (names, _) in every_run(C, 8).items():
        states = ["odd" if tokens[: n + 1].count("1") % 2 else "even" for n in range(len(tokens))]
        assert names == [*states, "YES" if tokens.count("1") % 2 else "NO"]
    assert C("0111") == "YES"


@pytest.mark.parametrize(("size", "most"), [(3, 8), (5, 4), pytest.param(5, 8, marks=pytest.mark.long)])
def test_words_of_a_group_give_the_identity(size: int, most: int) -> None:
    C = compile_machine(machines.word_problem(size), max_length=8)
    for tokens, (names, _) in every_run(C, most).items():
        order = list(range(size))
        for token in tokens:
            order = [order[1], order[0], *order[2:]] if token == "a" else [*order[1:], order[0]]
        assert names[-1] == ("YES" if order == sorted(order) else "NO")


def test_an_automaton_of_a_regular_expression_becomes_a_chain() -> None:
    automaton = ws.automaton(ws.library.contains("1"))
    C = compile_machine(automaton, max_length=5)
    assert [C(text) for text in texts("01", 5)[1:]] == ["YES" if "1" in text else "NO" for text in texts("01", 5)[1:]]
    by_hand = ws.automata.Automaton(np.array([[0, 1], [1, 0]]), np.array([False, True]), vocabulary="01")
    D = compile_machine(by_hand, max_length=4)
    assert D.run("0110").generated == ("q0", "q1", "q0", "q0", "NO")
