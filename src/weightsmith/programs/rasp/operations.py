"""Symbolic pointwise functions: the compiler sees `x + 3` instead of an opaque function."""

import operator
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from weightsmith.errors import InputError
from weightsmith.programs.form import Apply, Constant, SequenceNode
from weightsmith.programs.functions import Function, require_alike
from weightsmith.programs.operators import NAMED, Named
from weightsmith.programs.places import Note
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
    """A known operator with slots for arguments: `Operation("+", (FIRST, 3))` is x → x + 3."""

    symbol: str
    arguments: tuple[Any, ...]

    def __call__(self, *values: Any) -> Any:
        """Return the result as a person gets it."""
        filled = [values[one.index] if isinstance(one, Slot) else one for one in self.arguments]
        return presented(NAMED[self.symbol](*map(exact, filled)))

    def node(self, inputs: tuple[SequenceNode, ...], note: Note) -> SequenceNode:
        """Return the operation as a part of a program."""
        filled = [inputs[one.index] if isinstance(one, Slot) else Constant(exact(one)) for one in self.arguments]
        return Apply(Named(self.symbol), tuple(filled), note=note)


@dataclass(frozen=True)
class Linear:
    """x, y → a x + b y."""

    first: Any
    second: Any

    def __call__(self, x: Any, y: Any) -> Any:
        """Return the result as a person gets it."""
        return Operation("+", (FIRST, SECOND))(self.first * x, self.second * y)

    def node(self, inputs: tuple[SequenceNode, ...], note: Note) -> SequenceNode:
        """Return the operation as a part of a program."""
        scaled = [
            Apply(Named("*"), (one, Constant(exact(factor))), note=Note(place=note.place))
            for one, factor in zip(inputs, (self.first, self.second), strict=True)
        ]
        return Apply(Named("+"), tuple(scaled), note=note)


@dataclass(frozen=True)
class Chain:
    """Functions of one value, one after the other; a result of None goes on too."""

    steps: tuple[Callable[[Any], Any], ...]

    def __call__(self, value: Any) -> Any:
        """Return the result of the last; none of them may distinguish 1, 1.0 and True."""
        for number, step in enumerate(self.steps):
            if number:
                require_alike(step, value)
            value = step(value)
        return value

    def node(self, inputs: tuple[SequenceNode, ...], note: Note) -> SequenceNode:
        """Return the functions as parts of a program: from the first one on that might give None they are one part."""
        here = inputs
        for number, step in enumerate(self.steps, start=1):
            last = number == len(self.steps)
            if not last and not isinstance(step, Operation) and known_symbol(step) is None:
                return Apply(opaque(Chain(self.steps[number - 1 :]), note), here, note=note)
            here = (applied(step, here, note if last else Note(place=note.place)),)
        return here[0]


def applied(f: Callable[..., Any], inputs: tuple[SequenceNode, ...], note: Note) -> SequenceNode:
    """Return a function of sequence operations as a part of a program: symbolic where it is known."""
    if isinstance(f, Operation | Linear | Chain):
        return f.node(inputs, note)
    symbol = known_symbol(f)
    if symbol is not None:
        return Apply(Named(symbol), inputs, note=note)
    return Apply(opaque(f, note), inputs, note=note)


def known_symbol(f: Callable[..., Any]) -> str | None:
    """Return the symbol of a function that programs know by name."""
    try:
        return KNOWN.get(f)
    except TypeError:  # it cannot be hashed
        return None


def opaque(f: Callable[..., Any], note: Note) -> Function:
    """Return a person's own function as a part of a program."""
    own = f.steps[0] if isinstance(f, Chain) else f
    return Function(f, getattr(own, "__name__", type(own).__name__), place_of(own) or note.place)


def operation(symbol: str, *arguments: Any) -> Callable[..., Any]:
    """Return the operation; with a constant that is None, or no value of programs, it is a plain function."""

    def plain(*values: Any) -> Any:
        return NAMED[symbol](*(values[one.index] if isinstance(one, Slot) else one for one in arguments))

    try:
        constants = [exact(one) for one in arguments if not isinstance(one, Slot)]
    except InputError:
        return plain
    return plain if None in constants else Operation(symbol, arguments)
