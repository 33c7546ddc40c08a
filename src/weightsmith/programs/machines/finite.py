"""Finite automata: one state a token."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from weightsmith.automata import Automaton
from weightsmith.errors import ModelError, listed, named
from weightsmith.model.frozen import Frozen
from weightsmith.programs.machines.rules import (
    Endings,
    Right,
    a_name,
    a_tuple,
    add_rule,
    names,
    prompt_beside,
    read_rules,
    tokens_of,
)
from weightsmith.programs.machines.table import Case, StepTable, Tape

LINE = "rules={('even', '1'): 'odd'}: state and symbol, then the next state"
ACCEPTED, REJECTED = "YES", "NO"


@dataclass(frozen=True, eq=False)
class FiniteAutomaton(Frozen):
    """A deterministic finite automaton: `rules` maps (state, symbol) to a state. Where it has no rule, it rejects.

    >>> FiniteAutomaton({("even", "1"): "odd", ("odd", "1"): "even"}, start="even", accept="even").symbols
    ('1',)
    """

    rules: Mapping[Any, Any] | Sequence[tuple[Any, Any]]
    start: str
    accept: str | Sequence[str] = ()

    def __post_init__(self) -> None:
        """Check everything, and keep it as tuples."""
        self._set("start", a_name(self.start, "the start"))
        self._set("accept", names(self.accept, "accept"))
        rules = dict[Case, str]()
        for key, value in read_rules(self.rules, LINE):
            state, symbol = a_tuple(key, 2, "the left side of a rule", LINE)
            state, symbol = a_name(state, "a state"), a_name(symbol, "a symbol")
            add_rule(rules, (state, (symbol,)), a_name(value, "a state"), f"{named(state)} on {named(symbol)}")
        self._set("rules", tuple(((state, shows[0]), there) for (state, shows), there in rules.items()))
        unknown = [state for state in self.accept if state not in self.states]
        if unknown:
            raise ModelError(f"accept has {named(unknown[0])}, which is no state: write some of {listed(self.states)}")

    @property
    def _rules(self) -> Any:
        return self.rules

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states, the start first."""
        return tuple(dict.fromkeys([self.start, *(one for (here, _), there in self._rules for one in (here, there))]))

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of inputs."""
        return tuple(dict.fromkeys(symbol for (_, symbol), _ in self._rules))

    @cached_property
    def table(self) -> StepTable:
        """The automaton as a table: every step reads one symbol, and the last one writes YES or NO at the end."""
        end, nothing = prompt_beside(self.symbols), (None,)
        right: dict[Case, Right] = {
            (f"in {here}", (symbol,)): (f"in {there}", nothing, (1,)) for (here, symbol), there in self._rules
        }
        for state in self.states:
            right[f"in {state}", (end,)] = (ACCEPTED if state in self.accept else REJECTED, nothing, (0,))
        endings = Endings((ACCEPTED,), (REJECTED,), ())
        start, taken = f"in {self.start}", [*self.symbols, end]
        tokens, rules = tokens_of(start, right, len(taken), endings, _spelled, taken)
        tape = Tape((end, *self.symbols), end, input=True, written=False)
        return StepTable(start, self.symbols, end, (tape,), tokens, rules)


def from_automaton(automaton: Automaton) -> FiniteAutomaton:
    """Return an automaton over a vocabulary as one whose states are called q0, q1, … It accepts the same inputs."""
    symbols = tuple(automaton.vocabulary)
    if not symbols:
        raise ModelError(
            "the automaton has no vocabulary, so its tokens have no names: write Automaton(…, vocabulary='01')"
        )
    rules = {
        (f"q{state}", symbol): f"q{int(there)}"
        for state, row in enumerate(automaton.table)
        for symbol, there in zip(symbols, row, strict=True)
    }
    accept = tuple(f"q{n}" for n, accepts in enumerate(automaton.accepting) if accepts)
    return FiniteAutomaton(rules, f"q{automaton.start}", accept)


def _spelled(state: str, _: tuple[None, ...], __: tuple[int, ...]) -> str:
    return state.removeprefix("in ")
