"""What is done at every position by itself: operators that are known by name, tables, and functions of a person's own.

Each is called with exact values and returns one; what goes wrong is raised as Python raises it, and whoever calls knows
the place.
"""

import operator
import warnings
from collections.abc import Callable
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from typing import Any

from weightsmith.errors import InputError, brief, listed
from weightsmith.programs.places import Place
from weightsmith.programs.values import LONGEST_NUMBER, LONGEST_TEXT, Number, Value, exact, is_number, presented

COMPARISONS: dict[str, Callable[[Any, Any], bool]] = {
    "==": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}
MOST_REMEMBERED = 100_000  # results of a function; beyond that all are forgotten


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

    def written(self, arguments: list[str]) -> str:
        """Return `{...}[a]`."""
        return f"{brief({presented(key): presented(value) for key, value in self.table.items()})}[{arguments[0]}]"


@dataclass(frozen=True, eq=False)
class Function(Operator):
    """A person's own function. It gets values as `presented`, must be pure, and may not tell 1, 1.0 and True apart."""

    call: Callable[..., object]
    name: str
    place: Place | None = None
    remembered: dict[tuple[Value, ...], Value] = field(default_factory=dict, repr=False)

    def __eq__(self, other: object) -> bool:
        """Two are equal if they call the same function."""
        return isinstance(other, Function) and self.call is other.call

    def __hash__(self) -> int:
        """Return the hash of the function's identity."""
        return id(self.call)

    def __str__(self) -> str:
        """Return the name."""
        return self.name

    def __call__(self, *values: Value) -> Value:
        """Return the result for one position."""
        if values in self.remembered:
            return self.remembered[values]
        plain = [_plain(value) for value in values]
        result = exact(self.call(*plain))
        for number in (float, bool):
            self._ask_again(plain, number, result)
        if len(self.remembered) >= MOST_REMEMBERED:
            self.remembered.clear()
        self.remembered[values] = result
        return result

    def _ask_again(self, values: list[Value], number: type, result: Value) -> None:
        """Refuse a function that answers otherwise for equal values of another type; it may refuse that type."""
        others = [_as_type(value, number) for value in values]
        if all(other is value for other, value in zip(others, values, strict=True)):
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                other = exact(self.call(*others))
        except Exception:  # of whoever wrote the function, which was not made for this type
            return
        if other != result:
            raise InputError(
                f"it tells apart what is one value: {_listing(values)} gives {brief(presented(result))}, and "
                f"{_listing(others)} gives {brief(presented(other))}; write a function that does not"
            )


def _plain(value: Value) -> Value:
    """Return a value as functions get it: truth values are numbers here, so that equal values look the same."""
    if type(value) is tuple:
        return tuple(_plain(item) for item in value)
    return int(value) if isinstance(value, bool) else presented(value)


def _as_type(value: Value, number: type) -> Value:
    if type(value) is tuple:
        items = tuple(_as_type(item, number) for item in value)
        return value if all(new is old for new, old in zip(items, value, strict=True)) else items
    whole = isinstance(value, int) and (value in (0, 1) if number is bool else abs(value) < 2**53)
    return number(value) if whole else value


def _listing(values: list[Value]) -> str:
    return ", ".join(map(brief, values))
