"""Tables as disjoint products of value sets, of which each is one neuron.

A table says of *points*, tuples of a token and of values of variables, which actions are right: to set one of some
numbers, or to keep, which is to do nothing. Points that do not occur are not in the table. A *cover* consists of
products with an action each. No point lies in two of them. A point that lies in none keeps.
"""

import random
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from weightsmith.programs.budget import in_force

Point: TypeAlias = tuple[int, ...]
Actions: TypeAlias = int  # bit c: it is right to set c; the highest bit, at the table's `keep`: to keep
FEW_POINTS = 500  # of a table for which all tries are made
Set: TypeAlias = int  # of values of one coordinate, as bits


@dataclass(frozen=True)
class Product:
    """The points whose coordinates lie in these sets, and the number that is set there."""

    sets: tuple[Set, ...]
    number: int

    def holds(self, point: Sequence[int]) -> bool:
        """Return whether a point lies in it."""
        return all(some >> value & 1 for some, value in zip(self.sets, point, strict=True))


@dataclass(frozen=True)
class Table:
    """The right actions at each point; `sizes` are those of the coordinates."""

    sizes: tuple[int, ...]
    keep: int  # the number of the action to keep
    actions: Mapping[Point, Actions]

    def onto(self, coordinates: Sequence[int]) -> "Table | None":
        """Return the table without the other coordinates; None if some point has no right action then."""
        found: dict[Point, Actions] = {}
        for point, right in self.actions.items():
            part = tuple(point[i] for i in coordinates)
            both = found.get(part, -1) & right
            if not both:
                return None
            found[part] = both
        return Table(tuple(self.sizes[i] for i in coordinates), self.keep, found)


def full(size: int) -> Set:
    """Return the set of all values."""
    return (1 << size) - 1


def read_coordinates(product: Product, sizes: Sequence[int]) -> list[int]:
    """Return the coordinates whose sets leave something out."""
    return [i for i, (some, size) in enumerate(zip(product.sets, sizes, strict=True)) if some != full(size)]


def cost(products: Sequence[Product], sizes: Sequence[int]) -> tuple[int, int]:
    """Return the number of neurons, then of sets that are read: a product that reads one coordinate is no neuron."""
    reads = [len(read_coordinates(product, sizes)) for product in products]
    return sum(n > 1 for n in reads), sum(reads)


def cover(table: Table, tries: int, seed: int = 0) -> list[Product]:
    """Return the cheapest of some covers that are found greedily, each from another order; fewer of large tables."""
    search, found = _Search(table), list[Product]()
    dice = random.Random(seed)
    for attempt in range(max(1, min(tries, tries * FEW_POINTS // len(table.actions)))):
        in_force().check()
        new = search.attempt(dice, attempt)
        if not attempt or cost(new, table.sizes) < cost(found, table.sizes):
            found = new
        if cost(found, table.sizes)[0] == 0:
            break
    return found


class _Search:
    """Points as bits: a set of points is a whole number."""

    def __init__(self, table: Table) -> None:
        self.table, self.points = table, list(table.actions)
        self.having = [[0] * size for size in table.sizes]  # the points with a value
        self.right = [0] * (table.keep + 1)  # the points at which an action is right
        for n, point in enumerate(self.points):
            for i, value in enumerate(point):
                self.having[i][value] |= 1 << n
            actions = table.actions[point]
            for number in range(table.keep + 1):
                self.right[number] |= (actions >> number & 1) << n
        self.every = (1 << len(self.points)) - 1
        self.needed = self.every & ~self.right[table.keep]

    def attempt(self, dice: random.Random, attempt: int) -> list[Product]:
        """Return a cover."""
        needed, free, found = self.needed, self.every, list[Product]()
        while needed:
            start = self._start(needed, dice, attempt)
            best, most = None, (-1, 0)
            for number in _numbers(self.table.actions[self.points[start]], self.table.keep):
                for order in self._orders(dice, attempt):
                    sets, inside = self._grown(start, number, free, order)
                    reads = sum(some != full(size) for some, size in zip(sets, self.table.sizes, strict=True))
                    gain = ((inside & needed).bit_count(), -reads)
                    if gain > most:
                        best, most, taken = Product(tuple(sets), number), gain, inside
            assert best is not None
            found.append(best)
            needed &= ~taken
            free &= ~taken
        return found

    @staticmethod
    def _start(needed: int, dice: random.Random, attempt: int) -> int:
        if not attempt:
            return (needed & -needed).bit_length() - 1
        for _ in range(16):
            n = dice.randrange(needed.bit_length())
            if needed >> n & 1:
                return n
        return needed.bit_length() - 1

    def _orders(self, dice: random.Random, attempt: int) -> Iterator[list[int]]:
        """Yield orders in which coordinates are widened."""
        order = list(range(len(self.table.sizes)))
        if not attempt:
            yield order
            yield order[::-1]
        else:
            dice.shuffle(order)
            yield order

    def _grown(self, start: int, number: int, free: int, order: Sequence[int]) -> tuple[list[Set], int]:
        """Return the sets of a product around a point that no single value widens, and the points inside."""
        point, allowed = self.points[start], free & self.right[number]
        sets = [1 << value for value in point]
        held = [self.having[i][value] for i, value in enumerate(point)]
        for i in order:
            others = self.every
            for j, some in enumerate(held):
                if j != i:
                    others &= some
            for value, here in enumerate(self.having[i]):
                if not sets[i] >> value & 1 and not others & here & ~allowed:
                    sets[i] |= 1 << value
                    held[i] |= here
        inside = self.every
        for some in held:
            inside &= some
        return sets, inside


def _numbers(actions: Actions, keep: int) -> list[int]:
    return [number for number in range(keep) if actions >> number & 1]
