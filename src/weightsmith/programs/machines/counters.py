"""Counter machines that read their input once, from left to right."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import Any

from weightsmith.errors import ModelError, brief, listed, named
from weightsmith.model.frozen import Frozen
from weightsmith.programs.machines.rules import (
    Endings,
    a_move,
    a_name,
    a_tuple,
    add_rule,
    read_rules,
    set_states,
    several,
    tokens_of,
)
from weightsmith.programs.machines.table import POSITIVE, ZERO, Case, Counter, StepTable, Tape

MOST_COUNTERS = 4
EITHER = "*"
LINE = (
    "rules={('p', 'a', '0'): ('p', 1, 1)}: state, symbol and tests ('0', '+' or '*'), then the next state, whether the "
    "input's head moves on, and what is added to the counters"
)


@dataclass(frozen=True, eq=False)
class CounterMachine(Frozen):
    """A deterministic machine with counters that begin with 0, and a head that reads the input from left to right.

    `rules` maps (state, symbol, tests) to (state, advance, changes). After the input the head reads `end`. A test says
    of a counter that it is 0 ("0"), that it is positive ("+"), or nothing ("*"); a change is −1, 0 or 1; with several
    counters both are tuples. `advance` is 1 if the head moves on, else 0. The machine halts as a `TuringMachine` does.

    >>> CounterMachine({("p", "a", "*"): ("p", 1, 1), ("p", "=", "0"): ("yes", 0, 0)}, start="p", accept="yes").inputs
    ('a',)
    """

    rules: Mapping[Any, Any] | Sequence[tuple[Any, Any]]
    start: str
    accept: str | Sequence[str] = ()
    reject: str | Sequence[str] = ()
    halt: str | Sequence[str] = ()
    end: str = "="

    def __post_init__(self) -> None:
        """Check everything, and keep it as tuples."""
        set_states(self, "end")
        pairs = read_rules(self.rules, LINE)
        rules = dict[Case, tuple[str, int, tuple[int, ...]]]()
        counters = _counters(pairs[0])
        for key, value in pairs:
            self._read(rules, key, value, counters)
        self._set("rules", tuple(((state, shows[0], shows[1:]), there) for (state, shows), there in rules.items()))
        if not self.inputs:
            raise ModelError(f"the machine reads {named(self.end)} only: write a rule for a symbol of inputs")
        self._endings.require_reachable(self.start, {case: right[0] for case, right in rules.items()}, self._cases)

    def _read(self, rules: dict[Case, Any], key: Any, value: Any, counters: int) -> None:
        state, symbol, tests = a_tuple(key, 3, "the left side of a rule", LINE)
        following, advance, changes = a_tuple(value, 3, f"the right side of {brief(key)}", LINE)
        state, following, symbol = a_name(state, "a state"), a_name(following, "a state"), a_name(symbol, "a symbol")
        if advance not in (0, 1) or (advance and symbol == self.end):
            raise ModelError(
                f"the rule of {brief(key)} advances by {brief(advance)}: write 1 or 0, and 0 at the end of the input"
            )
        tests = several(tests, counters, f"the tests of {brief(key)}")
        for test in tests:
            if test not in (ZERO, POSITIVE, EITHER):
                raise ModelError(f"the test {brief(test)} of {brief(key)} is none: write '0', '+' or '*'")
        where = f"of a counter at {brief(key)} is none"
        moved = tuple(a_move(one, where) for one in several(changes, counters, f"the changes of {brief(key)}"))
        for n, (test, change) in enumerate(zip(tests, moved, strict=True)):
            if change < 0 and test != POSITIVE:
                raise ModelError(f"the rule of {brief(key)} takes 1 from counter {n}, which may be 0: test it with '+'")
        for shows in product(*((ZERO, POSITIVE) if test == EITHER else (test,) for test in tests)):
            shown = f"{named(state)} on {named(symbol)} with counters {listed(shows)}"
            add_rule(rules, (state, (symbol, *shows)), (following, int(advance), moved), shown)

    @property
    def _rules(self) -> Any:
        return self.rules

    @cached_property
    def counters(self) -> int:
        """The number of counters."""
        return len(self._rules[0][0][2])

    @cached_property
    def inputs(self) -> tuple[str, ...]:
        """The symbols of inputs."""
        return tuple(dict.fromkeys(symbol for (_, symbol, _), _ in self._rules if symbol != self.end))

    @property
    def _cases(self) -> int:
        return int((len(self.inputs) + 1) * 2**self.counters)

    @property
    def _endings(self) -> Endings:
        return Endings.of(self)

    @cached_property
    def table(self) -> StepTable:
        """The machine as a table; a token is written as in >+1→p: read on, add 1, enter p."""
        nothing = (None,) * (1 + self.counters)
        right = {
            (here, (symbol, *shows)): (there, nothing, (advance, *moved))
            for (here, symbol, shows), (there, advance, moved) in self._rules
        }
        tokens, rules = tokens_of(self.start, right, self._cases, self._endings, _spelled, [*self.inputs, self.end])
        tape = Tape((self.end, *self.inputs), self.end, input=True, written=False)
        return StepTable(self.start, self.inputs, self.end, (tape, *[Counter()] * self.counters), tokens, rules)


def _counters(pair: tuple[Any, Any]) -> int:
    """Return the number of counters, by the first rule."""
    _, _, tests = a_tuple(pair[0], 3, "the left side of a rule", LINE)
    counters = len(tests) if isinstance(tests, list | tuple) else 1
    if not 1 <= counters <= MOST_COUNTERS:
        raise ModelError(f"a rule tests {counters} counters: write 1 to {MOST_COUNTERS}")
    return counters


def _spelled(state: str, _: tuple[None, ...], moves: tuple[int, ...]) -> str:
    changes = ",".join(f"{move:+d}" if move else "0" for move in moves[1:])
    return f"{'>' if moves[0] else ''}{changes}→{state}"
