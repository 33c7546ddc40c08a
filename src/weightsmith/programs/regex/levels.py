"""Levels: in which order the cascade finds out in which tile the state is.

A class has a level, and numbers for its tiles, which all its members share. A letter that leads from one class to
another with as many states keeps the number of the tile if the tiles can be numbered so; then both have one level.
Every other way from a class to another one, by a letter or from a set to its tile, leads to a higher level.
"""

from dataclasses import dataclass, field

from weightsmith.programs.regex.images import ImageClass, Images, States
from weightsmith.programs.regex.turns import Permutation, Turns, cyclic


class NotCyclicError(Exception):
    """Words permute tiles by a group that is not cyclic, or large."""


@dataclass(eq=False)
class Levels:
    """The level of each class of sets with several states, and the tile behind each number."""

    images: Images
    level: dict[int, int] = field(default_factory=dict)  # by number of the class
    tiles: dict[int, list[States | None]] = field(default_factory=dict)  # of representatives; None: no such tile
    turns: dict[int, Turns] = field(default_factory=dict)  # of levels at which words permute tiles

    def of(self, some: States) -> int | None:
        """Return the level of an image set; None for a single state."""
        return self.level.get(self.images.class_of[some].number)

    def tile(self, some: States, number: int) -> States | None:
        """Return the tile of an image set with a number."""
        one = self.images.class_of[some]
        tiles = self.tiles[one.number]
        part = tiles[number] if number < len(tiles) else None
        return None if part is None else one.carried(some, part)

    def sizes(self) -> list[int]:
        """Return the count of numbers at each level."""
        found = [0] * (max(self.level.values(), default=-1) + 1)
        for number, level in self.level.items():
            found[level] = max(found[level], len(self.tiles[number]))
        return found


def levels_of(images: Images) -> Levels:
    """Return the levels; sets with more states come first, so every set comes after those that lead to it."""
    levels = Levels(images)
    least: dict[int, int] = {}
    several = [one for one in images.classes if one.representative & (one.representative - 1)]
    incoming: dict[int, list[tuple[ImageClass, States, int, States]]] = {one.number: [] for one in several}
    for one in several:
        for some in one.words:
            for letter, there in enumerate(images.following[some]):
                other = images.class_of[there]
                if other is not one and other.number in incoming and there.bit_count() == some.bit_count():
                    incoming[other.number].append((one, some, letter, there))
    for one in sorted(several, key=lambda one: -one.representative.bit_count()):  # stable: in the order of letters
        _place(levels, one, incoming[one.number], least.get(one.number, 0))
        after = levels.level[one.number] + 1
        for some in one.words:
            smaller = [there for there in images.following[some] if there.bit_count() < some.bit_count()]
            smaller += [one.carried(some, tile) for tile in one.tiles]
            for there in smaller:
                number = images.class_of[there].number
                least[number] = max(least.get(number, 0), after)
    return levels


def _place(levels: Levels, one: ImageClass, incoming: list[tuple[ImageClass, States, int, States]], least: int) -> None:
    """Choose level and numbers of a class after those that lead to it."""
    level = max([least, *(levels.level[other.number] for other, _, _, _ in incoming)])
    permutations = _permutations(levels.images, one)
    if permutations:
        turns = cyclic(permutations)
        if turns is None:
            raise NotCyclicError
        level += bool(incoming)
        while level in levels.turns:
            level += 1
        levels.level[one.number], levels.tiles[one.number], levels.turns[level] = level, list(one.tiles), turns
        return
    kept = [edge for edge in incoming if levels.level[edge[0].number] == level]
    numbers = _kept_numbers(levels, one, kept) if kept else []
    if numbers is None:
        level, numbers = level + 1, []
    for tile in one.tiles:
        if tile not in numbers:
            if None in numbers:
                numbers[numbers.index(None)] = tile
            else:
                numbers.append(tile)
    levels.level[one.number], levels.tiles[one.number] = level, numbers


def _permutations(images: Images, one: ImageClass) -> set[Permutation]:
    """Return how letters inside a class permute its tiles, except not at all."""
    found = set[Permutation]()
    for some in one.words:
        for letter, there in enumerate(images.following[some]):
            if there in one.words:
                twist = images.twist(one, some, letter, there)
                moved = (sum(1 << twist[q] for q in twist if tile >> q & 1) for tile in one.tiles)
                found.add(tuple(one.tiles.index(tile) for tile in moved))
    return found - {tuple(range(len(one.tiles)))}


def _kept_numbers(
    levels: Levels, one: ImageClass, edges: list[tuple[ImageClass, States, int, States]]
) -> list[States | None] | None:
    """Return the tile of each number such that all letters keep numbers; None if there is none."""
    size = max(len(levels.tiles[other.number]) for other, _, _, _ in edges)
    fitting = [set(one.tiles) for _ in range(size)]
    free = [True] * size
    for other, some, letter, there in edges:
        step = levels.images.steps[letter]
        for number in range(len(levels.tiles[other.number])):
            tile = levels.tile(some, number)
            if tile is None:
                continue
            image = 0
            for q in range(tile.bit_length()):
                if tile >> q & 1:
                    image |= 1 << step[q]
            back = one.brought_back(there, image)
            free[number] = False
            fitting[number] = {part for part in fitting[number] if part | back == part}
    if not all(fitting):
        return None
    found: list[States | None] = []
    for number in range(size):
        fresh = [tile for tile in sorted(fitting[number]) if tile not in found]
        found.append(None if free[number] else (fresh or sorted(fitting[number]))[0])
    return found
