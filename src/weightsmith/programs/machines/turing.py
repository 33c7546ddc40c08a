"""Turing machines with one or more tapes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from weightsmith.errors import ModelError, brief, listed, named
from weightsmith.model.frozen import Frozen
from weightsmith.programs.machines.rules import (
    MOVES,
    Endings,
    a_move,
    a_name,
    a_tuple,
    add_rule,
    names,
    prompt_beside,
    read_rules,
    set_states,
    several,
    tokens_of,
)
from weightsmith.programs.machines.table import Case, StepTable, Tape

MOST_TAPES = 4
LINE = "rules={('A', '0'): ('B', '1', 1)}: state and symbol, then the next state, what is written, and the move"


@dataclass(frozen=True, eq=False)
class TuringMachine(Frozen):
    """A deterministic Turing machine. A head starts on the first symbol of the input; all other cells are blank.

    `rules` maps (state, symbol) to (state, symbol that is written, move); a move is −1, 0 or 1. With several tapes a
    rule has a tuple of symbols, of what is written and of moves; the input stands on the first tape. A machine halts in
    a state of `accept` (it answers YES), `reject` (NO) or `halt` (the state's name), or where it has no rule: then the
    answer is NO, or "stuck" without `accept` and `reject`. `inputs` are the symbols of inputs, by default all but
    the blank.

    >>> TuringMachine({("A", "0"): ("B", "1", 1), ("B", "0"): ("H", "1", -1)}, start="A", blank="0", halt="H").tapes
    1
    """

    rules: Mapping[Any, Any] | Sequence[tuple[Any, Any]]
    start: str
    blank: str = "_"
    accept: str | Sequence[str] = ()
    reject: str | Sequence[str] = ()
    halt: str | Sequence[str] = ()
    inputs: str | Sequence[str] | None = None

    def __post_init__(self) -> None:
        """Check everything, and keep it as tuples."""
        set_states(self, "blank")
        pairs = read_rules(self.rules, LINE)
        rules = dict[Case, tuple[str, tuple[str, ...], tuple[int, ...]]]()
        tapes = _tapes(pairs[0])
        for key, value in pairs:
            self._read(rules, key, value, tapes)
        self._set("rules", tuple(rules.items()))
        if self.inputs is not None:
            given = self.inputs
            self._set("inputs", tuple(given) if isinstance(given, str) else names(given, "inputs"))
        else:
            self._set("inputs", tuple(one for one in self.symbols if one != self.blank) or (self.blank,))
        unknown = [one for one in self.inputs or () if one not in self.symbols]
        if unknown or not self.inputs:
            what = f"inputs has {named(unknown[0])}, which no rule reads or writes" if unknown else "inputs is empty"
            raise ModelError(f"{what}: write some of {listed(self.symbols)}")
        self._endings.require_reachable(self.start, {case: right[0] for case, right in rules.items()}, self._cases)

    @staticmethod
    def _read(rules: dict[Case, Any], key: Any, value: Any, tapes: int) -> None:
        state, shows = a_tuple(key, 2, "the left side of a rule", LINE)
        following, writes, moves = a_tuple(value, 3, f"the right side of {brief(key)}", LINE)
        state, following = a_name(state, "a state"), a_name(following, "a state")
        shows, writes = (
            tuple(a_name(one, f"a symbol of {brief(key)}") for one in several(side, tapes, f"a rule's {what}"))
            for side, what in ((shows, "left side"), (writes, "right side"))
        )
        where = f"of {brief(key)} is none"
        moved = tuple(a_move(one, where) for one in several(moves, tapes, f"the moves of {brief(key)}"))
        add_rule(rules, (state, shows), (following, writes, moved), f"{named(state)} on {listed(shows)}")

    @cached_property
    def tapes(self) -> int:
        """The number of tapes."""
        return len(self._rules[0][0][1])

    @property
    def _rules(self) -> Any:
        return self.rules

    @cached_property
    def symbols(self) -> tuple[str, ...]:
        """The symbols of all tapes, the blank first."""
        both = (one for (_, shows), (_, writes, _) in self._rules for one in (*shows, *writes))
        return tuple(dict.fromkeys([self.blank, *both]))

    @property
    def _cases(self) -> int:
        return int(len(self.symbols) ** self.tapes)

    @property
    def _endings(self) -> Endings:
        return Endings.of(self)

    @cached_property
    def table(self) -> StepTable:
        """The machine as a table; a token is written as in 1RB: write 1, move right, enter B."""
        prompt = prompt_beside(self.symbols)
        inputs: Any = self.inputs
        taken = [*inputs, prompt]
        tokens, rules = tokens_of(self.start, dict(self._rules), self._cases, self._endings, _spelled, taken)
        tapes = tuple(Tape(self.symbols, self.blank, n == 0, True) for n in range(self.tapes))
        return StepTable(self.start, inputs, prompt, tapes, tokens, rules)


def _tapes(pair: tuple[Any, Any]) -> int:
    """Return the number of tapes, by the first rule."""
    _, shows = a_tuple(pair[0], 2, "the left side of a rule", LINE)
    tapes = len(shows) if isinstance(shows, list | tuple) else 1
    if not 1 <= tapes <= MOST_TAPES:
        raise ModelError(f"a rule reads {tapes} tapes: write 1 to {MOST_TAPES}")
    return tapes


def _spelled(state: str, writes: tuple[str, ...], moves: tuple[int, ...]) -> str:
    done = ",".join(f"{write}{MOVES[move]}" for write, move in zip(writes, moves, strict=True))
    return f"{done}{state}" if len(done) == 2 and len(state) == 1 else f"{done}→{state}"
