"""Random programs as people write them: a few steps in a row, each of earlier ones, with wide values and selectors."""

from random import Random

from weightsmith.programs.form import (
    Aggregate,
    And,
    Apply,
    Constant,
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
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS, Lookup, Named
from weightsmith.programs.places import Note


def lined_program(seed: int, steps: int, vocabulary: str) -> Program:
    """Return a random program of so many steps: the same for the same arguments."""
    return Lined(Random(seed), vocabulary).program(steps, f"lined {seed}")


class Lined:
    """Draws steps; the numbers of tokens, from 0 on, are among what they are made of."""

    def __init__(self, random: Random, vocabulary: str) -> None:
        self.random = random
        numbers = Lookup(tuple((token, number) for number, token in enumerate(vocabulary)))
        self.made: list[SequenceNode] = [Indices(), Length(), Apply(numbers, (Tokens(),))]

    def program(self, steps: int, name: str) -> Program:
        for number in range(steps):
            self.made += [self.step(Note(f"step {number}"))] * 2  # so later ones are likelier
        return Program(self.made[-1], "tracr", name)

    def one(self) -> SequenceNode:
        return self.random.choice(self.made)

    def compared(self) -> str:
        return self.random.choice(list(COMPARISONS))

    def step(self, note: Note) -> SequenceNode:
        kind, draw = self.random.randrange(10), self.random
        if kind <= 2:
            return Aggregate(self.selector(), self.one(), draw.choice([0, 0, 1]), note=note)
        if kind <= 4:
            return Width(self.selector(), note=note)
        if kind == 5:
            return Apply(Named(draw.choice(["+", "-"])), (self.one(), self.one()), note=note)
        if kind == 6:
            other = draw.choice([*self.made, Constant(2), Constant(3)])
            return Apply(Named(draw.choice(["*", "/", "%", "min", "max"])), (self.one(), other), note=note)
        if kind == 7:
            return Apply(Named(draw.choice(["round", "absolute", "negative"])), (self.one(),), note=note)
        flag = Apply(Named(self.compared()), (self.one(), self.one()))
        if kind == 8:
            return Apply(Named("indicator"), (flag,), note=note)
        return Apply(Named("where"), (flag, self.one(), self.one()), note=note)

    def selector(self) -> SelectorNode:
        kind = self.random.randrange(6)
        if kind == 0:
            return select(Tokens(), Tokens(), self.compared(), Note())
        if kind <= 3:
            return select(self.one(), self.one(), self.compared(), Note())
        if kind == 4:
            return And(self.selector(), self.selector())
        return Or(self.selector(), self.selector()) if self.random.random() < 0.5 else Not(self.selector())
