"""Turns: the cyclic group by which words permute the tiles of a class, where a language is not star-free.

A letter inside the class takes tile c into tile π(c). If all these permutations are powers of one of them, the level
can count how often it is turned, and take that modulo the order. Without positions the count is right up to a length.
"""

from dataclasses import dataclass
from typing import TypeAlias

Permutation: TypeAlias = tuple[int, ...]
MOST_ORDER = 120  # of a group that is looked at


@dataclass(frozen=True)
class Turns:
    """A permutation of numbers, and its order."""

    once: Permutation
    order: int

    def times(self, number: int, count: int) -> int:
        """Return the image of a number under `count` turns."""
        for _ in range(count % self.order):
            number = self.once[number] if number < len(self.once) else number
        return number

    @property
    def orbits(self) -> list[list[int]]:
        """The numbers that are turned into each other, each orbit in the order of turns."""
        found, seen = list[list[int]](), set[int]()
        for start in range(len(self.once)):
            if start not in seen:
                orbit = [start]
                while self.once[orbit[-1]] != start:
                    orbit.append(self.once[orbit[-1]])
                seen.update(orbit)
                found.append(orbit)
        return found


def cyclic(permutations: set[Permutation]) -> Turns | None:
    """Return the turns of which all permutations are powers; None if they generate no small cyclic group."""
    size = len(next(iter(permutations)))
    identity = tuple(range(size))
    group, waiting = {identity}, [identity]
    while waiting:
        here = waiting.pop()
        for other in permutations:
            there = tuple(other[i] for i in here)
            if there not in group:
                group.add(there)
                waiting.append(there)
                if len(group) > MOST_ORDER:
                    return None
    for one in sorted(group):
        order, here = 1, one
        while here != identity:
            order, here = order + 1, tuple(one[i] for i in here)
        if order == len(group):
            return Turns(one, order)
    return None
