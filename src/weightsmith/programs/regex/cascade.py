"""The cascade: variables that are set or kept at each token, one level after the other, and then give the state.

The automaton B of the levels so far has tuples of values as its states, with the invariant: in b, the given automaton
is in one of the states P[b], an image set. A variable of the next level says in which tile of P[b] it is, if P[b] is
of that level. On a letter a from b to b′

- to set the number c is right if P[b]·a lies in tile c of P[b′];
- to keep is right if P[b] is of this level, too, and every tile of P[b] goes into the tile of P[b′] with its number;
- to turn k times is right if, instead, every tile goes into the one whose number is turned k times;
- if P[b′] is not of this level, everything is right.

In the end every P[b] is one state.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from weightsmith.programs.budget import in_force
from weightsmith.programs.regex.covers import Actions, Product, Table, cost, cover
from weightsmith.programs.regex.images import Images, States, too_many
from weightsmith.programs.regex.levels import Levels
from weightsmith.programs.regex.turns import Turns

MOST_TUPLES = 2_000  # states of B
Values: TypeAlias = tuple[int, ...]


@dataclass(frozen=True)
class Rules:
    """Where a variable is set: products over the token and over the values of the variables that it reads."""

    reads: tuple[int, ...]  # variables
    sizes: tuple[int, ...]  # of the token, and of these
    products: tuple[Product, ...]

    def numbers_at(self, tuples: Sequence[Values]) -> list[list[int | None]]:
        """Return for tuples of values before each token the number that is set; None to keep."""
        known: dict[Values, list[int | None]] = {}
        for values in tuples:
            read = tuple(values[i] for i in self.reads)
            if read not in known:
                known[read] = [self._number_at((token, *read)) for token in range(self.sizes[0])]
        return [known[tuple(values[i] for i in self.reads)] for values in tuples]

    def _number_at(self, point: Values) -> int | None:
        return next((product.number for product in self.products if product.holds(point)), None)


@dataclass(frozen=True)
class Variable:
    """A variable: how many values it has, the first one, where it is set, and its turns if it has them.

    Numbers below `size` are set; `size` + k − 1 stands for k turns.
    """

    size: int
    initial: int
    rules: Rules
    turns: Turns | None = None

    def after(self, value: int, number: int | None) -> int:
        """Return the value after an action."""
        if number is None or number < self.size:
            return value if number is None else number
        assert self.turns is not None
        return self.turns.times(value, number - self.size + 1)


@dataclass(frozen=True)
class Cascade:
    """The variables, and the rules of the decision: number 1 is set where the answer is the rarer one."""

    letters: int
    variables: tuple[Variable, ...]
    decision: Rules
    positive: bool  # whether that answer is YES


@dataclass(frozen=True, eq=False)
class Reached:
    """The automaton B: its states, where letters lead, and in which states the given automaton can be."""

    tuples: list[Values]
    following: list[list[int]]
    inside: list[States]


def cascade_of(images: Images, levels: Levels, tries: int) -> Cascade:
    """Return the cascade of an automaton."""
    return _Builder(images, levels, tries).cascade()


class _Builder:
    """Adds one level after the other."""

    def __init__(self, images: Images, levels: Levels, tries: int) -> None:
        self.images, self.levels, self.tries = images, levels, tries
        self.automaton = images.automaton
        self.letters = self.automaton.table.shape[1]
        self.variables: list[Variable] = []
        self.depths: list[int] = []
        everything = (1 << len(self.automaton.table)) - 1
        self.B = Reached([()], [[0] * self.letters], [everything])

    def cascade(self) -> Cascade:
        """Return all levels, then the decision."""
        for level, size in enumerate(self.levels.sizes()):
            if any(self.levels.of(some) == level for some in self.B.inside):
                self._add(level, size)
        return self._decided()

    def _add(self, level: int, size: int) -> None:
        initial, turns = self._initial(level, size), self.levels.turns.get(level)
        rules = self._rules(self._table(level, size))
        self.variables.append(Variable(size, initial, rules, turns))
        self.depths.append(1 + max((self.depths[i] for i in rules.reads), default=0))
        self._reach(level)

    def _initial(self, level: int, size: int) -> int:
        first = self.B.inside[0]
        if self.levels.of(first) != level:
            return 0
        tiles = (self.levels.tile(first, number) for number in range(size))
        return next(n for n, tile in enumerate(tiles) if tile is not None and tile >> self.automaton.start & 1)

    def _table(self, level: int, size: int) -> Table:
        """Return the right actions on every letter in every state of B."""
        sizes = (self.letters, *(one.size for one in self.variables))
        actions: dict[Values, Actions] = {}
        known: dict[tuple[States, int, States], Actions] = {}
        for values, row, here in zip(self.B.tuples, self.B.following, self.B.inside, strict=True):
            for letter, following in enumerate(row):
                there = self.B.inside[following]
                key = here, letter, there
                if key not in known:
                    known[key] = self._right(level, size, *key)
                actions[letter, *values] = known[key]
        return Table(sizes, self._keep(level, size), actions)

    def _keep(self, level: int, size: int) -> int:
        """Return the number of the action to keep, after all numbers to set and all turns."""
        turns = self.levels.turns.get(level)
        return size if turns is None else size + turns.order - 1

    def _right(self, level: int, size: int, here: States, letter: int, there: States) -> Actions:
        turns, keep = self.levels.turns.get(level), self._keep(level, size)
        if self.levels.of(there) != level:
            return ((1 << size) - 1) | 1 << keep
        image, right = self._image(here, letter), 0
        for number in range(size):
            tile = self.levels.tile(there, number)
            if tile is not None and image | tile == tile:
                right |= 1 << number
        if self.levels.of(here) == level:
            right |= self._turned(size, here, letter, there, None) << keep
            for count in range(1, 1 if turns is None else turns.order):
                right |= self._turned(size, here, letter, there, (turns, count)) << size + count - 1
        assert right, "an action is always right"
        return right

    def _turned(
        self, size: int, here: States, letter: int, there: States, turned: tuple[Turns | None, int] | None
    ) -> bool:
        """Return whether every tile goes into the one with its number, turned if wanted."""
        for number in range(size):
            wanted = number if turned is None or turned[0] is None else turned[0].times(number, turned[1])
            before, after = self.levels.tile(here, number), self.levels.tile(there, wanted)
            if before is not None:
                image = self._image(before, letter)
                if after is None or image | after != after:
                    return False
        return True

    def _image(self, some: States, letter: int) -> States:
        step, found = self.images.steps[letter], 0
        for q in range(some.bit_length()):
            if some >> q & 1:
                found |= 1 << step[q]
        return found

    def _rules(self, table: Table) -> Rules:
        """Return the rules of a table that read as few variables as possible, deep ones last."""
        reads, table = fewest_reads(table, self.depths)
        return Rules(tuple(reads), table.sizes, tuple(cover(table, self.tries)))

    def _reach(self, level: int) -> None:
        """Follow the new variable through B: each of its states becomes one for every value that it can have there."""
        old, variable = self.B, self.variables[-1]
        start = (0, variable.initial)
        numbers, order = {start: 0}, [start]
        following: list[list[int]] = []
        set_to = variable.rules.numbers_at(old.tuples)
        for state, value in order:  # grows inside the loop
            row = []
            for letter, there in enumerate(old.following[state]):
                number = set_to[state][letter]
                key = (there, variable.after(value, number))
                if numbers.setdefault(key, len(order)) == len(order):
                    order.append(key)
                row.append(numbers[key])
            following.append(row)
            in_force().check()
            if len(order) > MOST_TUPLES:
                raise too_many(
                    f"after {len(self.variables)} levels of {len(self.levels.sizes())}, its cascade has more than "
                    f"{MOST_TUPLES:,} states"
                )
        tuples = [(*old.tuples[state], value) for state, value in order]
        inside = [self._narrowed(level, old.inside[state], value) for state, value in order]
        self.B = Reached(tuples, following, inside)

    def _narrowed(self, level: int, some: States, value: int) -> States:
        if self.levels.of(some) != level:
            return some
        tile = self.levels.tile(some, value)
        assert tile is not None, "a number without a tile is never set"
        return tile

    def _decided(self) -> Cascade:
        """Return the cascade with its decision, after one more token: that of the fewest neurons."""
        accepting = sum(1 << q for q, accepts in enumerate(self.automaton.accepting.tolist()) if accepts)
        sizes = (self.letters, *(one.size for one in self.variables))
        found: list[Rules] = []
        for positive in (True, False):
            actions = {
                (letter, *values): 2 if bool(self._image(here, letter) & accepting) == positive else 4
                for values, here in zip(self.B.tuples, self.B.inside, strict=True)
                for letter in range(self.letters)
            }
            found.append(self._rules(Table(sizes, 2, actions)))
        yes, no = found
        positive = neurons(yes) <= neurons(no)
        return Cascade(self.letters, tuple(self.variables), yes if positive else no, positive)


def neurons(rules: Rules) -> tuple[int, int]:
    """Return the number of products that are neurons, and of sets that they read."""
    return cost(rules.products, rules.sizes)


def fewest_reads(table: Table, depths: Sequence[int]) -> tuple[list[int], Table]:
    """Return the variables that a table needs, dropped one by one, deep ones first; and the table of these."""
    reads = list(range(len(table.sizes) - 1))
    for variable in sorted(reads, key=lambda i: (-depths[i], -i)):
        rest = [i for i in reads if i != variable]
        smaller = table.onto([0, *(1 + reads.index(i) for i in rest)])
        if smaller is not None:
            reads, table = rest, smaller
    return reads, table
