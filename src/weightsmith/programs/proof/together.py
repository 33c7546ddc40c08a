"""Forms evaluated for all combinations of what they are made of: token, position, and sums over positions.

Neurons are evaluated on what they read, so what they write is known together with it: at which positions a flag can be
up, or which rank a number stands for. The sums are taken to be independent, so that no combination is left out.
"""

from collections.abc import Callable, Sequence
from math import prod

import numpy as np

from weightsmith.programs.proof.neurons import Part, fired
from weightsmith.programs.proof.space import Booleans, Integers, Space, scaled

MOST_ROWS = 1 << 19  # combinations
TOKEN, INDEX = -2, -1  # as sources, beside the numbers of cells


class Together:
    """Numbers of forms, in rows: one for each combination of their sources."""

    def __init__(self, space: Space, layered: Callable[[int], Sequence[Part] | None], form: Integers) -> None:
        """Make a row for every combination of the sources of a form; none if they are too many."""
        self.space, self.layered = space, layered
        names = sorted(sources(space, layered, form))
        axes = [self._axis(name) for name in names]
        self.fits = prod(map(len, axes)) <= MOST_ROWS
        grid = np.meshgrid(*axes, indexing="ij") if self.fits else []
        self.columns = {name: column.ravel() for name, column in zip(names, grid, strict=False)}
        self.rows = prod(map(len, axes))

    def _axis(self, name: int) -> Integers:
        if name == TOKEN:
            return np.arange(self.space.tokens)
        return np.arange(self.space.positions) if name == INDEX else self.space.of_cell(name)

    def has(self, form: Integers) -> bool:
        """Return whether a form has no other sources."""
        return sources(self.space, self.layered, form) <= self.columns.keys()

    def numbers(self, form: Integers) -> Integers:
        """Return the number of a form in every row."""
        space, total = self.space, np.full(self.rows, form[-1], np.int64)
        for name, place in ((TOKEN, space.of_tokens), (INDEX, space.of_index)):
            if form[place].any():
                total += form[place][self.columns[name]]
        for cell, factor in space.cells_of(form):
            if cell in self.columns:
                total += scaled(self.columns[cell], factor)
                continue
            for part in self.layered(cell) or ():
                total += scaled(fired(part.kinks, self.numbers(part.form)), factor)
        return total


def sources(space: Space, layered: Callable[[int], Sequence[Part] | None], form: Integers) -> set[int]:
    """Return what a form is made of, through all neurons."""
    found = {TOKEN} if form[space.of_tokens].any() else set[int]()
    found |= {INDEX} if form[space.of_index].any() else set()
    for cell, _ in space.cells_of(form):
        parts = layered(cell)
        found |= {cell} if parts is None else set().union(*(sources(space, layered, part.form) for part in parts))
    return found


def alike_by(groups: Integers, column: Integers) -> dict[int, int]:
    """Return the groups in which a column is one number, with that number."""
    pairs = np.unique(np.stack([groups, column], axis=1), axis=0)
    first, count = np.unique(pairs[:, 0], return_index=True, return_counts=True)[1:]
    return {int(pairs[n, 0]): int(pairs[n, 1]) for n in first[count == 1]}


def failing(groups: Integers, holds: Booleans) -> set[int]:
    """Return the groups in which something does not hold."""
    return set(groups[~holds].tolist())
