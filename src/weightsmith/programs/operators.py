"""Operators at every position by itself: those that are known by name, and tables.

Each is called with exact values and returns one; errors are those of Python, and the caller knows
the place.
"""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

from weightsmith.errors import InputError, brief, listed
from weightsmith.programs.values import LONGEST_NUMBER, LONGEST_TEXT, Number, Value, exact, is_number, presented

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


def _number(value: Value) -> Number:
    if not is_number(value):
        raise TypeError(f"{brief(value)} is not a number")
    return value


def _plus(left: Any, right: Any) -> Value:
    return exact(left + right)


def _times(left: Any, right: Any) -> Value:
    text, count = (left, right) if isinstance(left, str) else (right, left)
    if isinstance(text, str) and isinstance(count, int) and len(text) * count <= LONGEST_TEXT:
        return text * count
    x, y = _number(left), _number(right)
    return exact(x * y)


def _power(left: Value, right: Value) -> Value:
    x, y = Fraction(_number(left)), Fraction(_number(right))
    if abs(y) * max(x.numerator.bit_length(), x.denominator.bit_length()) > LONGEST_NUMBER:
        raise InputError(f"{brief(left)} to the power of {brief(right)} is too large a number")
    result = x**y
    if isinstance(result, complex):
        raise ValueError(f"{brief(left)} has no real power of {brief(right)}")
    return exact(result)


def _text(value: Value) -> Value:
    if isinstance(value, str):
        return value
    if is_number(value):
        return str(presented(int(value) if value == int(value) else value))
    raise TypeError(f"{brief(value)} is neither a text nor a number")


def _fraction(value: Value) -> Value:
    return exact(Fraction(value if isinstance(value, str) else _number(value)))


def _whole(value: Value) -> Value:
    return exact(int(value if isinstance(value, str) else _number(value)))


def _arithmetic(combine: Callable[..., Any]) -> Callable[..., Value]:
    return lambda *values: exact(combine(*map(_number, values)))


NAMED: dict[str, Callable[..., Value]] = {
    **COMPARISONS,
    "+": _plus,
    "-": _arithmetic(operator.sub),
    "*": _times,
    "/": _arithmetic(lambda left, right: Fraction(left) / right),
    "//": _arithmetic(operator.floordiv),
    "%": _arithmetic(operator.mod),
    "^": _power,
    "negative": _arithmetic(operator.neg),
    "absolute": _arithmetic(abs),
    "round": _arithmetic(round),
    "min": min,
    "max": max,
    "not": operator.not_,
    "truth": bool,
    "indicator": lambda value: 1 if value else 0,
    "and": lambda left, right: left and right,
    "or": lambda left, right: left or right,
    "where": lambda condition, yes, no: yes if condition else no,
    "str": _text,
    "int": _whole,
    "float": _fraction,
    "bool": bool,
}
ARITY = dict.fromkeys(
    ("not", "truth", "indicator", "str", "int", "float", "bool", "negative", "absolute", "round"), 1
) | {"where": 3}  # of other symbols 2; min and max take any number
TRUTHS = frozenset([*COMPARISONS, "not", "truth", "bool"])  # give truth values whatever they get
INFIX = frozenset([*COMPARISONS, "+", "-", "*", "/", "//", "%", "^", "and", "or"])


class Operator:
    """A pointwise function: exact values in, an exact value out."""

    def __call__(self, *values: Value) -> Value:
        """Return the result for one position."""
        raise NotImplementedError

    def written(self, arguments: list[str]) -> str:
        """Return the operator with its arguments, for people."""
        return f"{self}({', '.join(arguments)})"

    @property
    def gives_truth(self) -> bool:
        """Whether every result is a truth value."""
        return False


@dataclass(frozen=True)
class Named(Operator):
    """An operator that is known by its symbol: a key of `NAMED`, with Python's meaning on exact numbers.

    `and` and `or` are Python's: they return one of their operands. `truth`, `not` and comparisons give truth values.
    """

    symbol: str

    def __call__(self, *values: Value) -> Value:
        """Return the result for one position."""
        return NAMED[self.symbol](*values)

    def __str__(self) -> str:
        """Return the symbol."""
        return self.symbol

    def written(self, arguments: list[str]) -> str:
        """Return `a + b`, `a if c else b`, or `round(a)`."""
        if self.symbol in INFIX and len(arguments) == 2:
            return f"{arguments[0]} {self.symbol} {arguments[1]}"
        if self.symbol == "where":
            return f"{arguments[1]} if {arguments[0]} else {arguments[2]}"
        return {"negative": "-{}", "not": "not {}"}.get(self.symbol, f"{self.symbol}({', '.join(arguments)})").format(
            *arguments
        )

    @property
    def gives_truth(self) -> bool:
        """Whether every result is a truth value."""
        return self.symbol in TRUTHS


@dataclass(frozen=True)
class Member(Operator):
    """Whether the value is one of some."""

    members: frozenset[Value]

    def __call__(self, *values: Value) -> Value:
        """Return the result for one position."""
        return values[0] in self.members

    def written(self, arguments: list[str]) -> str:
        """Return `a in [...]`."""
        return f"{arguments[0]} in [{listed(sorted(brief(presented(value)) for value in self.members))}]"

    @property
    def gives_truth(self) -> bool:
        """Whether every result is a truth value."""
        return True


@dataclass(frozen=True)
class Lookup(Operator):
    """A table of entries (key, value); a key that it lacks is an error."""

    entries: tuple[tuple[Value, Value], ...]

    @cached_property
    def table(self) -> dict[Value, Value]:
        """The entries by key."""
        return dict(self.entries)

    def __call__(self, *values: Value) -> Value:
        """Return the result for one position."""
        if values[0] not in self.table:
            known = listed([brief(presented(key)) for key in self.table])
            raise InputError(f"there is no entry for {brief(presented(values[0]))}; the entries are {known}")
        return self.table[values[0]]

    def __str__(self) -> str:
        """Return its name in errors."""
        return "the dictionary"

    def written(self, arguments: list[str]) -> str:
        """Return `{...}[a]`."""
        return f"{brief({presented(key): presented(value) for key, value in self.table.items()})}[{arguments[0]}]"
