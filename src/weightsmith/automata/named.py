"""Languages by name: majority, parity, counting modulo m, brackets, aⁿbⁿ.

Each is a deterministic machine, perhaps with infinitely many states: `step` reads a token, `belongs` says whether the
tokens so far belong to the language. Up to a length it is an automaton.
"""

import re
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

import numpy as np

from weightsmith.automata.automaton import Automaton
from weightsmith.errors import InputError, brief, listed, named, nearest_names, whole_number

BRACKETS = "()[]{}<>"
MAX_STATES = 200_000
MAX_MODULUS = 10_000
MAX_DEPTH = 1_000
DEAD = -1  # no continuation belongs to the language


@dataclass(frozen=True)
class Named:
    """A language by name; `language.automaton("01", up_to=10)` decides the inputs up to a length.

    >>> majority("1").contains("0110111"), majority("1").contains("0110")
    (True, False)
    """

    name: str
    arguments: Mapping[str, Any]
    step: Callable[[Any, str], Hashable] = field(repr=False, compare=False)
    belongs: Callable[[Any], bool] = field(repr=False, compare=False)
    tokens: tuple[str, ...] = ()  # a vocabulary must have them
    only: bool = False  # whether it must have no others
    regular: bool = False  # whether finitely many states decide every length
    start: Hashable = field(default=0, repr=False, compare=False)

    def __str__(self) -> str:
        """Return it as one writes it: majority(symbol='1')."""
        return f"{self.name}({', '.join(f'{key}={value!r}' for key, value in self.arguments.items())})"

    def __hash__(self) -> int:
        """Hash the name and the arguments."""
        return hash(str(self))

    def contains(self, tokens: str | Sequence[str]) -> bool:
        """Return whether an input belongs to it."""
        state = self.start
        for token in tokens:
            state = self.step(state, token)
        return bool(self.belongs(state))

    def described(self) -> dict[str, Any]:
        """Return the entry of a certificate for it, which `read_named` reads."""
        arguments = {key: list(one) if isinstance(one, tuple) else one for key, one in self.arguments.items()}
        return {"named": self.name, "arguments": arguments}

    def check_vocabulary(self, vocabulary: Sequence[str]) -> None:
        """Refuse a vocabulary that lacks a token of the language, or has others where that is not possible."""
        missing = [token for token in self.tokens if token not in vocabulary]
        if missing:
            raise InputError(
                f"{self} needs the token {named(missing[0])}, and the vocabulary is {listed(vocabulary)}: "
                f"name another token, as in {EXAMPLES[self.name]}"
            )
        others = [token for token in vocabulary if token not in self.tokens]
        if self.only and others:
            raise InputError(
                f"{self} is about the tokens {listed(self.tokens)}, and the vocabulary has {listed(others)}"
            )

    def automaton(self, vocabulary: Sequence[str], up_to: int | None = None) -> Automaton | None:
        """Return the automaton of the inputs up to a length, or of all; None where it has too many states or none."""
        self.check_vocabulary(vocabulary)
        if up_to is None and not self.regular:
            return None
        return _automaton(self, tuple(vocabulary), None if self.regular else up_to)


@lru_cache(maxsize=64)
def _automaton(language: Named, vocabulary: tuple[str, ...], up_to: int | None) -> Automaton | None:
    """Explore the states breadth first; beyond the length everything is rejected."""
    numbers: dict[Hashable, int] = {language.start: 0}
    order: list[tuple[Any, int]] = [(language.start, 0)]
    table: list[list[int]] = []
    beyond = -1
    for state, length in order:  # grows inside the loop
        if length == up_to:
            table.append([beyond] * len(vocabulary))
            continue
        row = []
        for token in vocabulary:
            there = language.step(state, token)
            number = numbers.setdefault(there, len(order))
            if number == len(order):
                order.append((there, length + 1))
            row.append(number)
        table.append(row)
        if len(order) > MAX_STATES:
            return None
    accepting = [bool(language.belongs(state)) for state, _ in order]
    found = np.array(table, np.int32)
    if (found == beyond).any():
        found = np.vstack([found, np.full((1, len(vocabulary)), len(order), np.int32)])
        found[found == beyond] = len(order)
        accepting.append(False)
    return Automaton(found, np.array(accepting, np.bool_), 0, vocabulary)


def majority(symbol: str = "1") -> Named:
    """Return the inputs of which more than half is the symbol."""
    symbol = _token(symbol, "symbol")
    return Named(
        "majority",
        {"symbol": symbol},
        step=lambda lead, token: lead + (1 if token == symbol else -1),
        belongs=lambda lead: lead > 0,
        tokens=(symbol,),
    )


def parity(symbol: str = "1") -> Named:
    """Return the inputs with an odd number of the symbol."""
    symbol = _token(symbol, "symbol")
    return Named(
        "parity",
        {"symbol": symbol},
        step=lambda odd, token: odd ^ (token == symbol),
        belongs=bool,
        tokens=(symbol,),
        regular=True,
        start=False,
    )


def modulo(m: int, remainder: int = 0, symbol: str | None = None) -> Named:
    """Return the inputs in which the number of the symbol leaves the remainder modulo m; without one, their length.

    >>> modulo(3, 1, "a").contains("abaab"), modulo(3).contains("abaaba")
    (False, True)
    """
    m = whole_number(m, "m", 1, MAX_MODULUS)
    remainder = whole_number(remainder, "remainder", least=0, most=m - 1)
    tokens = () if symbol is None else (_token(symbol, "symbol"),)
    return Named(
        "modulo", {"m": m, "remainder": remainder, "symbol": symbol},
        lambda count, token: (count + (symbol is None or token == symbol)) % m, lambda count: count == remainder,
        tokens, regular=True,
    )  # fmt: skip


def dyck(k: int = 1, depth: int | None = None, brackets: str | Sequence[str] | None = None) -> Named:
    """Return Dyck-k, the correctly nested brackets of k kinds, perhaps with at most `depth` open at once.

    The brackets are those of `()[]{}<>` unless others are named, opening and closing in turn.

    >>> dyck(2, depth=2).contains("([])()"), dyck(2, depth=2).contains("([)]")
    (True, False)
    """
    k = whole_number(k, "k", 1, 100, "the number of kinds of brackets")
    if depth is not None:
        depth = whole_number(depth, "depth", 1, MAX_DEPTH, "the greatest number of brackets that are open at once")
    given = BRACKETS[: 2 * k] if brackets is None else brackets
    if not isinstance(given, str | list | tuple) or len(given) != 2 * k or len(set(given)) != 2 * k:
        raise InputError(f"brackets={brief(given)}: write {2 * k} different tokens, opening and closing in turn")
    tokens = tuple(_token(token, "bracket") for token in given)
    kinds = {token: divmod(place, 2) for place, token in enumerate(tokens)}  # kind, and 1 for a closing one
    limit = float("inf") if depth is None else depth

    def step(open_ones: Any, token: str) -> Hashable:
        if open_ones == DEAD:
            return DEAD
        kind, closes = kinds[token]
        if not closes:
            return (*open_ones, kind) if len(open_ones) < limit else DEAD
        return open_ones[:-1] if open_ones and open_ones[-1] == kind else DEAD

    arguments = {"k": k, "depth": depth, "brackets": tokens}
    return Named(
        "dyck",
        arguments,
        step,
        belongs=lambda open_ones: open_ones == (),
        tokens=tokens,
        only=True,
        regular=depth is not None,
        start=(),
    )


def equal_runs(first: str = "a", second: str = "b") -> Named:
    """Return aⁿbⁿ for n ≥ 1: a run of the first symbol, then as many of the second.

    >>> equal_runs().contains("aabb"), equal_runs().contains("abab")
    (True, False)
    """
    first, second = _token(first, "first"), _token(second, "second")
    if first == second:
        raise InputError(f"equal_runs has the symbol {named(first)} twice: write two different ones")

    def step(state: Any, token: str) -> Hashable:
        if state == DEAD:
            return DEAD
        ups, downs = state
        if token == first and not downs:
            return ups + 1, 0
        return (ups, downs + 1) if token == second and downs < ups else DEAD

    return Named(
        "equal_runs", {"first": first, "second": second}, step,
        lambda state: state != DEAD and state[0] == state[1] > 0, (first, second), start=(0, 0),
    )  # fmt: skip


BY_NAME: Mapping[str, Callable[..., Named]] = {
    "majority": majority,
    "parity": parity,
    "modulo": modulo,
    "dyck": dyck,
    "equal_runs": equal_runs,
}
EXAMPLES = {
    "majority": "majority(symbol='1')",
    "parity": "parity(symbol='1')",
    "modulo": "modulo(m=3, remainder=1, symbol='1')",
    "dyck": "dyck(k=2, depth=3)",
    "equal_runs": "equal_runs(first='a', second='b')",
}


def read_named(entry: Mapping[str, Any]) -> Named:
    """Return the language of a certificate's entry."""
    name, arguments = entry.get("named"), entry.get("arguments")
    if not isinstance(name, str) or name not in BY_NAME or not isinstance(arguments, Mapping):
        raise TypeError(f"named={brief(name)}")
    return BY_NAME[name](**arguments)


def parse_named(text: str) -> Named:
    """Return the language of a text as the command line takes it: "majority", "modulo 3 1", "dyck 2 depth 3".

    >>> str(parse_named("majority a")), parse_named("dyck 2 depth 3").arguments["depth"]
    ("majority(symbol='a')", 3)
    """
    word, *rest = text.replace("-", " ").split() if isinstance(text, str) and text.strip() else [""]
    name = {"anbn": "equal_runs", "aⁿbⁿ": "equal_runs", "a^nb^n": "equal_runs"}.get(word, word)
    if name not in BY_NAME:
        hint = nearest_names(name, list(BY_NAME))
        raise InputError(f"there is no language {named(text)}: {hint}write {listed(list(COMMANDS.values()))}")
    try:
        return _parsed(name, rest)
    except (ValueError, TypeError) as error:
        if isinstance(error, InputError):
            raise
        raise InputError(f"the language {named(text)} is written {COMMANDS[name]}") from None


COMMANDS = {
    "majority": "'majority 1'",
    "parity": "'parity 1'",
    "modulo": "'modulo 3 1' or 'modulo 3 1 a'",
    "dyck": "'dyck 2' or 'dyck 2 depth 3'",
    "equal_runs": "'equal_runs a b'",
}


def _parsed(name: str, rest: list[str]) -> Named:
    if name == "modulo":
        m, remainder, symbol = [*rest, *("", "0", "")[len(rest) :]]
        return modulo(int(m), int(remainder), symbol or None)
    if name == "dyck":
        found = re.fullmatch(r"(\d{1,3})?( ?depth (\d{1,4}))?( ?(\D+))?", " ".join(rest))
        if found is None:
            raise ValueError(name)
        k, _, depth, _, brackets = found.groups()
        return dyck(int(k or 1), int(depth) if depth else None, brackets.split() if brackets else None)
    return BY_NAME[name](*rest)


def _token(value: object, what: str) -> str:
    if not isinstance(value, str) or not value:
        raise InputError(f"{what}={brief(value)}: write a token, such as {what}='1'")
    return value
