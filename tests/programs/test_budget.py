"""What compiling may take: sizes are counted before anything is enumerated, and a budget stops what is too large."""

import re
import threading
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from itertools import count
from math import inf, lcm
from string import ascii_lowercase
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.lined import lined_program
from weightsmith.programs import compile, compile_ltl, compile_rasp, exact_values, parse_rasp, rasp
from weightsmith.programs.budget import Budget, OverBudgetError, allowed, in_force
from weightsmith.programs.circuit.forms import Cells, Form, Sizes
from weightsmith.programs.compiler import halves, symbols
from weightsmith.programs.compiler.coding import Coder
from weightsmith.programs.compiler.needs import simplify
from weightsmith.programs.compiler.passes import Backend
from weightsmith.programs.compiler.planner import Planner
from weightsmith.programs.compiler.symbols import Mean
from weightsmith.programs.values import presented

NUMBERS = "x = {" + ", ".join(f'"{token}": {n}' for n, token in enumerate(ascii_lowercase)) + "}[tokens];\n"
WIDE = {  # of 26 tokens at max_length 8: each took gigabytes, or many seconds
    "a mean of squares beside a number": "m = aggregate(select(indices, indices, <=), x * x); said = m > indices;",
    "a mean with wide steps beside a number": (
        "m = aggregate(select(tokens, tokens, ==), x * 250); said = m > selector_width(select(tokens, tokens, <));"
    ),
    "twice a mean of means": (
        "p = aggregate(select(x, indices, >), indices); m = aggregate(select(tokens, tokens, >=), p); said = m + m;"
    ),
    "a sum of unlike means": (
        "p = aggregate(select(indices, x, <), indices); s = select(tokens, tokens, <=);"
        "said = aggregate(s, x) + aggregate(s, p);"
    ),
}


def counted(text: str) -> int:
    """Return how many bytes are counted while a program is planned, which may be refused."""
    with Budget() as budget:
        try:
            program = parse_rasp(text)
            Planner.through(program, simplify(program), ascii_lowercase, 8).plan()
        except OverBudgetError:
            raise
        except ws.InputError:
            pass
    return 8 * budget.most


@pytest.mark.one_in(2)
@pytest.mark.parametrize("name", WIDE)
def test_programs_of_four_lines_take_little_memory_and_no_more_than_is_counted(name: str) -> None:
    text = NUMBERS + WIDE[name]
    parse_rasp(text)
    tracemalloc.start()
    try:
        said = counted(text)
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 300_000_000
    assert taken < 1.5 * said + 30_000_000


@pytest.mark.parametrize("name", WIDE)
def test_these_programs_are_exact_whatever_way_is_taken(name: str) -> None:
    P = compile_rasp(NUMBERS.replace("x =", "n =") + f"x = n if n < 8 else 9; {WIDE[name]}", ascii_lowercase, 5)
    inputs = [list(one) for one in ("azaza", "z", "aaaab", "hgfed", "mmnnn", "bdfhj", "jhfdb")]
    for tokens, said in zip(inputs, ws.outputs(P.transformer, inputs), strict=True):
        assert list(said) == [presented(value) for value in exact_values(P.program, tokens)]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("seeds", [range(n, n + 20) for n in range(0, 60, 20)], ids=str)
def test_random_programs_of_26_tokens_are_exact_and_small(seeds: range) -> None:
    made = 0
    for seed in seeds:
        program = lined_program(seed, 2 + seed % 4, ascii_lowercase)
        try:
            P = compile(program, ascii_lowercase, 8, memory=256 << 20)
        except ws.InputError:
            continue
        made += 1
        inputs = [[ascii_lowercase[(seed + 7 * i * n) % 26] for i in range(n)] for n in range(1, 9)]
        for tokens, said in zip(inputs, ws.outputs(P.transformer, inputs), strict=True):
            assert list(said) == [presented(value) for value in exact_values(program, tokens)], seed
    assert made >= 10


def test_sums_over_positions_have_all_their_codes_however_wide_the_steps() -> None:
    P = compile_rasp("said = (indices + 1) * aggregate(select(indices, indices, <=), indices * 1000);", "ab", 100)
    tokens = "ab" * 50
    assert P(tokens) == [1000 * n * (n + 1) // 2 for n in range(100)]


def test_a_common_denominator_of_many_fractions_is_given_up_early(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = []

    def counted_lcm(*numbers: int) -> int:
        asked.append(numbers)
        return lcm(*numbers)

    monkeypatch.setattr(symbols, "lcm", counted_lcm)
    assert symbols.common_scale([Fraction(1, below) for below in range(1, 120_000)], 60) is None
    assert len(asked) < 100
    assert symbols.common_scale([Fraction(n, 12) for n in range(30)], 60) == 12
    near = [Fraction(1, 2**59), Fraction(1, 3)]
    assert symbols.common_scale(near, 60) == 3 * 2**59  # the largest number is 2**59
    assert symbols.common_scale([*near, Fraction(1)], 60) is None  # and here 3 * 2**59


LONG = 10_000


@pytest.mark.parametrize(
    "text",
    ["said = selector_width(select(indices, indices, <=));", 'said = aggregate(select(indices, 3, ==), tokens, "-");'],
)
def test_the_positions_of_long_inputs_are_not_all_compared_with_each_other(text: str) -> None:
    program = parse_rasp(text)
    tracemalloc.start()
    try:
        Planner.through(program, simplify(program), "ab", LONG).plan()
        taken = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert taken < 8 * LONG * LONG // 10


FIVE = 'x = {"a": 0, "b": 1, "c": 2, "d": 3, "e": 4}[tokens];\n'
# The steps of this program take every way in which memory is counted.
EVERY_WAY = """s = select(indices, indices, <=);
m = aggregate(s, x);
compared = m > indices;
mean = aggregate(select(x, 3, <), indices) if compared else 2;
half = aggregate(select(tokens, tokens, ==), mean);
shifted = aggregate(select(indices * 2 + x, indices * 2, ==), indices);
either = selector_width(select(indices, x, <) or select(tokens, tokens, ==));
said = round(half * 2) + shifted * either;"""
WAYS = {
    "the codes of a number",
    "the codes of a lane",
    "the sums and counts of a mean",
    "the {} values of a mean",
    "a table of {} combinations",
    "what its neurons read and add",
    "the comparison of a mean with each whole number from {} to {}",
    "the differences between {} numbers",
}


class Planted(Budget):
    """Notes what asks for memory and for the time; the question of a given number is refused."""

    def __init__(self, room: int = -1, check: int = -1) -> None:
        super().__init__(seconds=1e9, memory=1 << 60)
        self.refused, self.late = room, check
        self.asked, self.looked = list[str](), list[str]()
        self.clock = lambda: 1e12 if len(self.looked) - 1 == self.late >= 0 else 0.0

    def check(self) -> None:
        self.looked.append(self._step)
        super().check()

    def room(self, numbers: int, what: str) -> None:
        self.asked.append(re.sub(r"\d[\d,]*", "{}", what))
        if len(self.asked) - 1 == self.refused:
            self.memory = 0
        super().room(numbers, what)


@pytest.fixture
def planted(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Planted]:
    """Return a function that compiles a program, `EVERY_WAY` unless told, with a planted budget."""

    def compiled(text: str = FIVE + EVERY_WAY, backend: Backend = "exact", **refused: int) -> Planted:
        budget = Planted(**refused)
        monkeypatch.setattr("weightsmith.programs.compiler.passes.allowed", lambda seconds, memory: budget)
        compile_rasp(text, "abcde", 5, backend=backend)
        return budget

    return compiled


def test_every_way_in_which_memory_is_taken_is_stopped_with_its_step(planted: Callable[..., Planted]) -> None:
    asked = planted().asked
    assert set(asked) == WAYS
    for way in WAYS:
        first, last = asked.index(way), len(asked) - 1 - asked[::-1].index(way)
        for number in {first, last}:
            with pytest.raises(OverBudgetError) as caught:
                planted(room=number)
            said, *source = str(caught.value).splitlines()
            assert re.match(r"(line \d, column \d+: )?[^:]+: ", said), said
            assert re.search(r" would take \d[\d,]* numbers, besides \d[\d,]* that are kept", said), said
            assert re.search(r": write memory=[\d_]+ or more \(--memory [\d.]+\), a smaller max_length", said), said
            assert not source or source[0].strip() in FIVE + EVERY_WAY
            assert in_force().memory == inf  # nothing is left in force


def test_the_time_is_looked_at_in_every_step(planted: Callable[..., Planted]) -> None:
    looked = planted().looked
    steps = {step: number for number, step in enumerate(looked)}  # the last time that each was asked
    assert {"s", "m", "compared", "half", "shifted", "either", "said", "the proof"} <= set(steps)
    for step in ("s", "compared", "half", "either", "said", "the proof"):
        with pytest.raises(OverBudgetError, match=rf"line \d, column \d+: {step}: compiling has taken 1e\+09 seconds"):
            planted(check=steps[step])


class Slow:
    """Functions that take a second each, by a clock of their own."""

    def __init__(self) -> None:
        self.time = 0.0

    def table(self, *values: int) -> int:
        self.time += 1
        return hash(values) % 7

    def small(self, value: int) -> bool:
        self.time += 1
        return value > 0

    def pairs(self, key: int, query: int) -> bool:
        self.time += 1
        return (key * query) % 7 < 3


SLOW: dict[str, Callable[[Slow], Any]] = {
    "a function of one": lambda slow: rasp.Map(slow.table, rasp.indices),
    "a function of two": lambda slow: rasp.SequenceMap(slow.table, rasp.indices, rasp.Map(slow.table, rasp.tokens)),
    "a function of a mean": lambda slow: rasp.Map(
        slow.small, rasp.Aggregate(rasp.Select(rasp.tokens, rasp.tokens, rasp.Comparison.LT), rasp.indices, 0)
    ),
    "a predicate": lambda slow: rasp.SelectorWidth(rasp.Select(rasp.indices, rasp.indices, slow.pairs)),
}


@pytest.mark.parametrize("name", SLOW)
def test_functions_that_take_long_are_stopped_between_two_calls(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    slow = Slow()
    budget = Budget(seconds=60, clock=lambda: slow.time)
    monkeypatch.setattr("weightsmith.programs.compiler.passes.allowed", lambda seconds, memory: budget)
    with pytest.raises(OverBudgetError, match="compiling has taken 60 seconds, and this step is not done"):
        compile(SLOW[name](slow), list(range(30)), 400 if name == "a function of one" else 40)
    assert slow.time < 60 + 3 * 40  # numbers are also tried as floats and as truth values; of pairs, a row at once


def test_a_softmax_program_has_a_budget_too(planted: Callable[..., Planted]) -> None:
    text = "said = selector_width(select(tokens, tokens, ==) and select(indices, indices, <));"
    budget = planted(text, backend="softmax")
    assert "a selector that compares {} with {} values" in budget.asked
    assert {"said", "the margins in float32", "the margins in bfloat16"} <= set(budget.looked)
    with pytest.raises(
        OverBudgetError, match=r"^line 1, column 8: said: a selector that compares 25 with 25 values would"
    ):
        planted(text, backend="softmax", room=budget.asked.index("a selector that compares {} with {} values"))
    with pytest.raises(OverBudgetError, match=r"^line 1, column 8: the margins in bfloat16: compiling has taken"):
        planted(text, backend="softmax", check=budget.looked.index("the margins in bfloat16"))


def test_as_much_memory_as_a_refusal_asks_for_is_enough_for_its_step(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weightsmith.programs.compiler.passes.allowed", lambda seconds, memory: Budget(memory=memory))
    memory = 0
    for _ in range(8):
        with pytest.raises(OverBudgetError, match=r"write memory=[\d_]+ or more") as caught:
            compile_rasp(FIVE + EVERY_WAY, "abcde", 5, memory=memory)
        asked = int(str(caught.value).split("write memory=")[1].split()[0])
        assert asked > memory
        memory = asked


def test_a_refusal_names_the_line_the_numbers_and_what_to_write() -> None:
    text = NUMBERS + "m = aggregate(select(indices, indices, <=), x * x);\nsaid = m > indices;"
    with pytest.raises(OverBudgetError) as caught:
        compile_rasp(text, ascii_lowercase, 8, memory=50_000_000)
    assert str(caught.value) == (
        "line 2, column 5: m: the comparison of a mean with each whole number from 0 to 625 would take 13,500,003 "
        "numbers, besides 60,232 that are kept; they take more than memory=50,000,000 bytes: write memory=108_481_880 "
        "or more (--memory 0.11), a smaller max_length, or simpler steps\n"
        "    m = aggregate(select(indices, indices, <=), x * x);\n"
        "        ^"
    )


def test_a_formula_has_a_budget_too(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("weightsmith.programs.ltl.compiled.allowed", lambda seconds, memory: Budget(memory=memory))
    with pytest.raises(
        OverBudgetError, match=r"^the formula O\(a & Y b\): 2 heads and 1 neurons that read 4 lanes would"
    ):
        compile_ltl("O(a & Y b)", "ab", memory=100)
    clock = count()
    late = Budget(seconds=3, clock=lambda: float(next(clock)))
    monkeypatch.setattr("weightsmith.programs.ltl.compiled.allowed", lambda seconds, memory: late)
    with pytest.raises(OverBudgetError, match=r"^the formula .*: compiling has taken 3 seconds, .* \(--seconds 6\)"):
        compile_ltl("O(a & Y b) ^ O b ^ Y a", "ab")


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"seconds": 0}, "seconds=0: write how long compiling may take, such as 60, or None"),
        ({"seconds": True}, "seconds=True: write how long"),
        ({"seconds": float("nan")}, "seconds=nan: write how long"),
        ({"seconds": "60"}, "seconds='60': write how long"),
        ({"memory": 1000}, "memory=1000: write a number of bytes, a million or more"),
        ({"memory": 2.5e9}, "memory=2500000000.0: write a number of bytes, a million or more"),
        ({"memory": None}, "memory=None: write a number of bytes, a million or more"),
    ],
)
def test_what_is_no_budget_is_refused(given: dict[str, Any], message: str) -> None:
    for made in (
        lambda: compile_rasp("said = indices;", "ab", 3, **given),
        lambda: compile_ltl("O a", "ab", **given),
        lambda: allowed(given.get("seconds"), given.get("memory", 1 << 30)),
    ):
        with pytest.raises(ws.InputError) as caught:
            made()
        assert message in str(caught.value)


def test_memory_is_enough_up_to_the_last_byte() -> None:
    with Budget(memory=80) as budget:
        budget.room(10, "ten numbers")
        budget.hold(6, "six numbers")
        budget.room(4, "four numbers")
        with pytest.raises(
            OverBudgetError, match=r"^five numbers would take 5 numbers, besides 6 .* write memory=88 or more"
        ):
            budget.room(5, "five numbers")
        assert (budget.held, budget.most) == (6, 11)


def test_a_mean_with_too_many_steps_is_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(halves, "function_of", lambda *_: pytest.fail("a step was made"))
    mean = Mean(Form(), 1, Form(), 0, np.array([[0, 1], [5000, 1]]))
    assert halves.by_halves(mean, Coder(Cells()), Sizes(2, 3)) is mean


def test_a_budget_is_in_force_within_its_block_and_thread_alone() -> None:
    before = in_force()
    with Budget(memory=1 << 20) as outer:
        assert in_force() is outer
        with suppress(ZeroDivisionError), Budget() as inner:
            assert in_force() is inner
            raise ZeroDivisionError
        assert in_force() is outer
        seen: list[Budget] = []
        thread = threading.Thread(target=lambda: seen.append(in_force()))
        thread.start()
        thread.join()
        assert seen == [before]
    assert in_force() is before


def test_what_one_walk_has_kept_is_no_burden_of_the_next() -> None:
    program = parse_rasp("said = selector_width(select(tokens, tokens, ==));")
    with Budget() as budget:
        Planner.through(program, {}, "abc", 20)
        kept = budget.held
        Planner.through(program, {}, "abc", 20)
        assert budget.held == kept > 0
