"""A machine as a table: on a state, and on what each register shows, the token that is written next."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import product
from typing import TypeAlias

ZERO, POSITIVE = "0", "+"  # what a counter shows
STUCK = "stuck"  # the token that is written where a machine has no rule


@dataclass(frozen=True)
class Tape:
    """A tape that is blank but for its input, if it holds it. Steps write on it, unless it is read only."""

    symbols: tuple[str, ...]  # with the blank
    blank: str
    input: bool  # whether it holds the input
    written: bool  # whether steps write on it

    @property
    def shows(self) -> tuple[str, ...]:
        """What can be read."""
        return self.symbols


@dataclass(frozen=True)
class Counter:
    """A whole number from 0 on, which is compared with 0."""

    @property
    def shows(self) -> tuple[str, ...]:
        """What can be read."""
        return ZERO, POSITIVE


Register: TypeAlias = Tape | Counter


@dataclass(frozen=True)
class Token:
    """A step as a token: the next state, and for each register what is written (None: nothing) and the move."""

    name: str
    state: str
    writes: tuple[str | None, ...]
    moves: tuple[int, ...]
    answer: str | None = None  # a token with an answer ends the chain


Case: TypeAlias = tuple[str, tuple[str, ...]]  # a state, and what each register shows


@dataclass(frozen=True)
class StepTable:
    """All steps of a machine. A case without a rule writes the first token, STUCK, if the table has one."""

    start: str
    inputs: tuple[str, ...]
    prompt: str
    registers: tuple[Register, ...]
    tokens: tuple[Token, ...]
    rules: Mapping[Case, int]  # by number of the token

    @cached_property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens of the transformer."""
        return (*self.inputs, self.prompt, *(token.name for token in self.tokens))

    @cached_property
    def states(self) -> tuple[str, ...]:
        """The states in which the machine goes on."""
        entered = (token.state for token in self.tokens if token.answer is None)
        return tuple(dict.fromkeys([self.start, *entered]))

    @cached_property
    def shows(self) -> tuple[tuple[str, ...], ...]:
        """What the registers can show together."""
        return tuple(product(*(register.shows for register in self.registers)))

    def following(self, state: str, shows: tuple[str, ...]) -> int | None:
        """Return the number of the token that follows on a case, or None where nothing is said."""
        return self.rules.get((state, shows), 0 if self.tokens[0].name == STUCK else None)

    def places(self, register: int, steps: int) -> tuple[int, int]:
        """Return the least and the largest place of a register after at most a number of steps."""
        moves = {token.moves[register] for token in self.tokens}
        low = 0 if isinstance(self.registers[register], Counter) else steps * min(0, *moves)
        return low, steps * max(0, *moves)


def place_name(table: StepTable, register: int) -> str:
    """Return how errors and lanes call a register: "tape", or with its number if there are several."""
    kind = "tape" if isinstance(table.registers[register], Tape) else "counter"
    same = [n for n, one in enumerate(table.registers) if isinstance(one, Tape) == (kind == "tape")]
    return kind if len(same) == 1 else f"{kind} {same.index(register)}"
