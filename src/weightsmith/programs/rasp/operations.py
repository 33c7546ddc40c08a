"""Pointwise functions that say what they are: a compiler sees `x + 3`, and not a function that it cannot look into."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weightsmith.programs.form import Apply, Constant, Note, SequenceNode
from weightsmith.programs.operators import NAMED, Function, Named
from weightsmith.programs.rasp.sources import place_of
from weightsmith.programs.values import exact, presented

KNOWN: dict[Any, str] = {
    operator.add: "+",
    operator.sub: "-",
    operator.mul: "*",
    operator.truediv: "/",
    operator.floordiv: "//",
    operator.mod: "%",
    operator.eq: "==",
    operator.ne: "!=",
    operator.lt: "<",
    operator.le: "<=",
    operator.gt: ">",
    operator.ge: ">=",
    operator.neg: "negative",
    operator.not_: "not",
    operator.truth: "truth",
    bool: "truth",
    abs: "absolute",
    min: "min",
    max: "max",
    round: "round",
}
"""Python's own functions that programs know by name."""


@dataclass(frozen=True)
class Slot:
    """The place of an argument in an operation."""

    index: int


FIRST, SECOND, THIRD = Slot(0), Slot(1), Slot(2)


@dataclass(frozen=True)
class Operation:
    """A known operator with slots for what changes: `Operation("+", (FIRST, 3))` is x → x + 3."""

    symbol: str
    arguments: tuple[Any, ...]

    def __call__(self, *values: Any) -> Any:
        """Return the result as a person gets it."""
        filled = [values[one.index] if isinstance(one, Slot) else one for one in self.arguments]
        return presented(NAMED[self.symbol](*map(exact, filled)))

    def node(self, inputs: tuple[SequenceNode, ...], sees_none: bool, note: Note) -> SequenceNode:
        """Return the operation as a part of a program."""
        filled = [inputs[one.index] if isinstance(one, Slot) else Constant(exact(one)) for one in self.arguments]
        return Apply(Named(self.symbol), tuple(filled), sees_none, note=note)


@dataclass(frozen=True)
class Linear:
    """x, y → a x + b y."""

    first: Any
    second: Any

    def __call__(self, x: Any, y: Any) -> Any:
        """Return the result as a person gets it."""
        return Operation("+", (FIRST, SECOND))(self.first * x, self.second * y)

    def node(self, inputs: tuple[SequenceNode, ...], sees_none: bool, note: Note) -> SequenceNode:
        """Return the operation as a part of a program."""
        scaled = [
            Apply(Named("*"), (one, Constant(exact(factor))), sees_none, note=Note(place=note.place))
            for one, factor in zip(inputs, (self.first, self.second), strict=True)
        ]
        return Apply(Named("+"), tuple(scaled), sees_none, note=note)


@dataclass(frozen=True)
class Chain:
    """Functions of one value, one after the other: what comes out of one goes into the next, None too."""

    steps: tuple[Callable[[Any], Any], ...]

    def __call__(self, value: Any) -> Any:
        """Return the result of the last."""
        for step in self.steps:
            value = step(value)
        return value

    def node(self, inputs: tuple[SequenceNode, ...], sees_none: bool, note: Note) -> SequenceNode:
        """Return the functions as parts of a program."""
        (here,) = inputs
        for step in self.steps:
            said = note if step is self.steps[-1] else Note(place=note.place)
            here = applied(step, (here,), said, sees_none or here is not inputs[0])
        return here


def applied(
    f: Callable[..., Any], inputs: tuple[SequenceNode, ...], note: Note, sees_none: bool = False
) -> SequenceNode:
    """Return a function of sequence operations as a part of a program: symbolic where it is known."""
    if isinstance(f, Operation | Linear | Chain):
        return f.node(inputs, sees_none, note)
    symbol = known_symbol(f)
    if symbol is not None:
        return Apply(Named(symbol), inputs, sees_none, note=note)
    return Apply(opaque(f, note), inputs, sees_none, note=note)


def known_symbol(f: Callable[..., Any]) -> str | None:
    """Return the symbol of a function that programs know by name."""
    try:
        return KNOWN.get(f)
    except TypeError:  # it cannot be hashed
        return None


def opaque(f: Callable[..., Any], note: Note) -> Function:
    """Return a person's own function as a part of a program."""
    return Function(f, getattr(f, "__name__", type(f).__name__), place_of(f) or note.place)


def operation(symbol: str, *arguments: Any) -> Callable[..., Any]:
    """Return the operation; constants that are no values of programs make it a plain function."""
    constants = [one for one in arguments if not isinstance(one, Slot)]
    try:
        for constant in constants:
            exact(constant)
    except ValueError:
        return lambda *values: NAMED[symbol](*(values[a.index] if isinstance(a, Slot) else a for a in arguments))
    return Operation(symbol, arguments)
