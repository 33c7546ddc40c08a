"""Checks that all machines share: rules, states, symbols and moves."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from weightsmith.errors import ModelError, brief, is_whole, listed, named
from weightsmith.model.names import checked_text
from weightsmith.programs.machines.table import STUCK, Case, Token

MOST_RULES = 1 << 14
LONGEST_NAME = 40  # letters of a state or a symbol
Right: TypeAlias = tuple[str, tuple[str | None, ...], tuple[int, ...]]  # the next state, writes, moves
MOVES = {-1: "L", 0: "S", 1: "R"}


def read_rules(given: object, line: str) -> list[tuple[Any, Any]]:
    """Return rules as pairs, from a mapping or a sequence of pairs; refuse two for one case."""
    pairs = list(given.items()) if isinstance(given, Mapping) else given
    if not isinstance(pairs, list | tuple) or not pairs:
        raise ModelError(f"rules={brief(given)}: write {line}")
    if len(pairs) > MOST_RULES:
        raise ModelError(f"the machine has {len(pairs):,} rules: write at most {MOST_RULES:,}")
    for pair in pairs:
        if not isinstance(pair, list | tuple) or len(pair) != 2:
            raise ModelError(f"the rule {brief(pair)} is no pair: write {line}")
    return [(key, value) for key, value in pairs]


def a_tuple(value: object, size: int, what: str, line: str) -> tuple[Any, ...]:
    """Return a tuple of this size."""
    if not isinstance(value, list | tuple) or len(value) != size:
        raise ModelError(f"{what} is {brief(value)}: write {line}")
    return tuple(value)


def several(value: object, size: int, what: str) -> tuple[Any, ...]:
    """Return what a rule says for each of some registers; for a single one it may stand alone."""
    if size == 1 and not isinstance(value, list | tuple):
        return (value,)
    if not isinstance(value, list | tuple) or len(value) != size:
        raise ModelError(f"{what} is {brief(value)}: write {size} of them, one for each")
    return tuple(value)


def a_name(value: object, what: str) -> str:
    """Return the name of a state or a symbol."""
    text = checked_text(value, what, most=LONGEST_NAME)
    if not text or " " in text:
        raise ModelError(f"{what} is {brief(value)}: write a name without spaces")
    return text


def names(value: object, what: str) -> tuple[str, ...]:
    """Return states or symbols from a name or a sequence of them."""
    given = (value,) if isinstance(value, str) else value
    if not isinstance(given, list | tuple):
        raise ModelError(f"{what}={brief(value)}: write names, such as {what}=('yes',)")
    found = tuple(a_name(one, f"a name in {what}") for one in given)
    if len(set(found)) < len(found):
        raise ModelError(f"{what}={brief(value)} has a name twice: write each once")
    return found


def a_move(value: object, where: str) -> int:
    """Return a move: −1, 0 or 1."""
    if not is_whole(value) or int(value) not in MOVES:
        raise ModelError(f"the move {brief(value)} {where}: write -1, 0 or 1")
    return int(value)


def add_rule(rules: dict[Case, Any], case: Case, following: Any, shown: str) -> None:
    """Add a rule; refuse a second one for the same case."""
    if case in rules and rules[case] != following:
        raise ModelError(f"two rules for {shown}: {brief(rules[case])} and {brief(following)}; write one of them")
    rules[case] = following


def set_states(machine: Any, symbol: str) -> None:
    """Check the start, a symbol that has a field of its own, and the halting states; keep them as tuples."""
    machine._set("start", a_name(machine.start, "the start"))
    machine._set(symbol, a_name(getattr(machine, symbol), f"the {symbol}"))
    for what in ("accept", "reject", "halt"):
        machine._set(what, names(getattr(machine, what), what))


class Endings:
    """The states in which a machine halts, with their answers."""

    def __init__(self, accept: tuple[str, ...], reject: tuple[str, ...], halt: tuple[str, ...]) -> None:
        """Refuse a state with two meanings."""
        self.answers: dict[str, str] = {}
        for states, answer in ((accept, "YES"), (reject, "NO"), (halt, None)):
            for state in states:
                if state in self.answers:
                    raise ModelError(
                        f"the state {named(state)} halts in two ways: write it in one of accept, reject, halt"
                    )
                self.answers[state] = state if answer is None else answer
        self.stuck = "NO" if accept or reject else STUCK

    @classmethod
    def of(cls, machine: Any) -> "Endings":
        """Return those of a machine with `accept`, `reject` and `halt`."""
        return cls(machine.accept, machine.reject, machine.halt)

    def require_reachable(self, start: str, steps: Mapping[Case, str], cases: int) -> None:
        """Refuse a machine that begins in a halting state, has rules for one, unknown states, or never halts."""
        if start in self.answers:
            raise ModelError(f"the machine halts where it starts, in {named(start)}: write another start")
        going = dict.fromkeys([start, *(state for state, _ in steps)])
        for state, _ in steps:
            if state in self.answers:
                raise ModelError(f"the state {named(state)} halts, and has a rule: write one of both")
        for (state, _), following in steps.items():
            if following not in going and following not in self.answers:
                raise ModelError(
                    f"a rule of {named(state)} enters {named(following)}, which has no rule and does not halt: write "
                    f"one of {listed([*going, *self.answers])}, or halt=({following!r},)"
                )
        for state in self.answers:
            if state not in steps.values():
                raise ModelError(f"no rule enters the halting state {named(state)}: write one, or leave it out")
        reached = reachable(start, steps)
        if not reached & set(self.answers) and has_every_rule(reached, steps, cases):
            known = listed(list(self.answers)) or "none is named"
            raise ModelError(
                f"no halting state can be reached from {named(start)} ({known}): write a rule that enters one, or "
                "leave a case without a rule"
            )


def reachable(start: str, steps: Mapping[Case, str]) -> set[str]:
    """Return the states that rules lead to from the start."""
    following = dict[str, set[str]]()
    for (state, _), there in steps.items():
        following.setdefault(state, set()).add(there)
    reached, waiting = {start}, [start]
    while waiting:
        new = following.get(waiting.pop(), set()) - reached
        reached |= new
        waiting += new
    return reached


def has_every_rule(reached: set[str], steps: Mapping[Case, str], cases: int) -> bool:
    """Return whether every reached state that has a rule has one for each of its `cases`."""
    going = [state for state, _ in steps if state in reached]
    return len(going) == len(set(going)) * cases


def tokens_of(
    start: str,
    rules: Mapping[Case, Right],
    cases: int,
    endings: Endings,
    spelled: Callable[[str, Any, tuple[int, ...]], str],
    taken: Iterable[str],
) -> tuple[tuple[Token, ...], dict[Case, int]]:
    """Return a token for each right-hand side, and the rules by number, of the states that can be reached.

    `cases` is the number of cases of a state; STUCK comes first if one of them has no rule.
    """
    steps = {case: right[0] for case, right in rules.items()}
    reached, found = reachable(start, steps), list[Token]()
    if not has_every_rule(reached, steps, cases):
        size = len(next(iter(rules.values()))[2])
        found.append(Token(STUCK, STUCK, (None,) * size, (0,) * size, endings.stuck))
    used, numbers, by_case = {*taken, STUCK}, dict[Any, int](), dict[Case, int]()
    for case, right in rules.items():
        if case[0] not in reached:
            continue
        if right not in numbers:
            state, writes, moves = right
            name = spelled(state, writes, moves)
            while name in used:  # a symbol may be called like a step
                name += "'"
            used.add(name)
            numbers[right] = len(found)
            found.append(Token(name, state, writes, moves, endings.answers.get(state)))
        by_case[case] = numbers[right]
    return tuple(found), by_case


def prompt_beside(symbols: Sequence[str]) -> str:
    """Return the first token of a work text: = unless that is a symbol."""
    name = "="
    while name in symbols:
        name += "="
    return name
