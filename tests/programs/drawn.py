"""Random programs in which every part has a value for every input: numbers, flags and tokens are kept apart."""

from collections.abc import Iterable, Sequence
from random import Random
from typing import Any, TypeVar

from weightsmith.programs.form import (
    Aggregate,
    Always,
    And,
    Apply,
    Constant,
    FrontEnd,
    Indices,
    Length,
    Not,
    Or,
    SelectorNode,
    SequenceNode,
    Tokens,
    Width,
    select,
)
from weightsmith.programs.functions import Function
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS, Lookup, Member, Named
from weightsmith.programs.places import Note
from weightsmith.programs.values import exact

T = TypeVar("T")
FRONT_ENDS: tuple[FrontEnd, ...] = ("rasp", "tracr")
NUMBERS = (0, 1, 2, 3, -1, exact(0.5), exact(1 / 3))
FUNCTIONS = (
    Function(lambda x: 3 if x > 1 else x, "capped"),
    Function(lambda x: x * x, "squared"),
    Function(lambda x: -x if x < 0 else 1, "odd"),
)
PREDICATES = (
    Function(lambda key, query: key == query + 1, "next"),
    Function(lambda key, query: key * query > 0, "both positive"),
    Function(lambda key, query: True, "always"),
)


def drawn_program(seed: int, depth: int = 4, vocabulary: Sequence[Any] = "abc", length: bool = True) -> Program:
    """Return a random program: the same for the same arguments; without `length` it can be causal."""
    draw = Drawing(Random(seed), vocabulary, length)
    kind = draw.one([draw.number, draw.flag, draw.token, draw.sometimes_none])
    front_end: FrontEnd = "tracr" if kind == draw.sometimes_none else draw.one(FRONT_ENDS)  # RASP text has no None
    return Program(kind(depth), front_end, f"random {seed}")


class Drawing:
    """Draws parts of programs, each at most so deep."""

    def __init__(self, random: Random, vocabulary: Sequence[Any], length: bool) -> None:
        self.random, self.vocabulary, self.length = random, vocabulary, length

    def one(self, of: Iterable[T]) -> T:
        return self.random.choice(list(of))

    def constant(self) -> Constant:
        return Constant(self.one(NUMBERS))

    def number(self, depth: int) -> SequenceNode:
        if depth <= 0:
            leaves: list[SequenceNode] = [Indices(), Indices(), self.constant(), *([Length()] if self.length else [])]
            return self.one(leaves)
        return self.one([self._arithmetic, self._choice, self._width, self._mean, self._own])(depth - 1)

    def _arithmetic(self, depth: int) -> SequenceNode:
        symbol = self.one(["+", "-", "*", "/", "%", "//", "min", "max", "round", "negative", "absolute", "indicator"])
        if symbol in ("round", "negative", "absolute"):
            return Apply(Named(symbol), (self.number(depth),))
        if symbol == "indicator":
            return Apply(Named(symbol), (self.flag(depth),))
        if symbol in ("*", "/", "%", "//"):
            return Apply(Named(symbol), (self.number(depth), Constant(self.one([1, 2, 3, -2, exact(0.5)]))))
        return Apply(Named(symbol), (self.number(depth), self.number(depth)))

    def _choice(self, depth: int) -> SequenceNode:
        return Apply(Named("where"), (self.flag(depth), self.number(depth), self.number(depth)))

    def _width(self, depth: int) -> SequenceNode:
        return Width(self.selector(depth))

    def _mean(self, depth: int) -> SequenceNode:
        return Aggregate(self.selector(depth), self.one([self.number, self.flag])(depth), self.one([0, 0, 1, -2]))

    def _own(self, depth: int) -> SequenceNode:
        table = Lookup(tuple((token, self.one(NUMBERS)) for token in self.vocabulary))
        if self.random.random() < 0.5:
            return Apply(table, (Tokens(),))
        return Apply(self.one(FUNCTIONS), (self.number(depth),))

    def flag(self, depth: int) -> SequenceNode:
        kind = self.random.randrange(6 if depth > 0 else 2)
        comparison = Named(self.one(COMPARISONS))
        if kind == 0:
            return Apply(comparison, (self.token(depth - 1), Constant(self.one(self.vocabulary))))
        if kind == 1:
            return Apply(comparison, (self.number(depth - 1), self.number(depth - 1)))
        if kind == 2:
            return Apply(Named("not"), (self.flag(depth - 1),))
        if kind == 3:
            return Apply(Named(self.one(["and", "or"])), (self.flag(depth - 1), self.flag(depth - 1)))
        if kind == 4:
            return Apply(Member(frozenset(self.random.sample(self.vocabulary, 2))), (self.token(depth - 1),))
        return Apply(Named("truth"), (self.number(depth - 1),))

    def token(self, depth: int) -> SequenceNode:
        kind = self.random.randrange(4) if depth > 0 else 0
        if kind == 1:
            return Apply(Named("where"), (self.flag(depth - 1), self.token(depth - 1), self.token(depth - 1)))
        if kind == 2:
            return Aggregate(self._single(depth - 1), self.token(depth - 1), self.one(self.vocabulary))
        return Tokens()

    def _single(self, depth: int) -> SelectorNode:
        """Return a selector that selects at most one position."""
        return select(Indices(), self.number(depth), "==", Note())

    def selector(self, depth: int) -> SelectorNode:
        kind = self.random.randrange(7 if depth > 0 else 3)
        if kind in (0, 1):
            return select(self.number(depth - 1), self.number(depth - 1), self.one(COMPARISONS), Note())
        if kind == 2:
            return select(self.token(depth - 1), self.token(depth - 1), self.one(COMPARISONS), Note())
        if kind == 3:
            return select(self.number(depth - 1), self.number(depth - 1), self.one(PREDICATES), Note())
        if kind == 4:
            return Not(self.selector(depth - 1))
        if kind == 5:
            left, right = self.selector(depth - 1), self.selector(depth - 1)
            return And(left, right) if self.random.random() < 0.5 else Or(left, right)
        flagged = select(self.flag(depth - 1), Constant(True), "==", Note())
        others: list[SelectorNode] = [Always(True), Always(False), flagged]
        return self.one(others)

    def sometimes_none(self, depth: int) -> SequenceNode:
        """Return an operation that may be None at some positions, and functions of it."""
        here: SequenceNode = Aggregate(self.selector(depth - 1), self.number(depth - 1), None)
        for _ in range(self.random.randrange(3)):
            here = Apply(Named(self.one(["+", "*", "==", "<"])), (here, self.constant()))
        return here
