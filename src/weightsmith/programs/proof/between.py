"""Which positions a query at each position must and may select, as far as positions decide it."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.programs.proof.neurons import Part
from weightsmith.programs.proof.selectors import All, Differences, If, Other, Selection, Some, truth
from weightsmith.programs.proof.space import Booleans, Integers, Space, distinct
from weightsmith.programs.proof.together import INDEX, Together, sources

Reals: TypeAlias = npt.NDArray[np.float32]  # 1 where a number can occur

MOST_PLACES = 256  # positions that are gone through pair by pair
MOST_PAIRS = 1 << 18  # of numbers that are compared


@dataclass(eq=False, repr=False)
class Between:
    """Selectors as pairs of positions."""

    space: Space
    differences: Differences
    causal: bool
    layered: Callable[[int], Sequence[Part] | None]  # of a cell; None for a sum over positions
    _between: dict[int, tuple[Selection, Booleans, Booleans]] = field(init=False, default_factory=dict)

    def between(self, pairs: Selection) -> tuple[Booleans, Booleans]:
        """Return which keys (columns) queries (rows) must and may select, seen or not, by position."""
        if id(pairs) not in self._between:
            self._between[id(pairs)] = pairs, *self._decided(pairs)
        return self._between[id(pairs)][1:]

    def _seen(self, pairs: Selection) -> Booleans:
        """Return which keys queries may select, of those that the mask shows."""
        may = self.between(pairs)[1]
        return np.tril(may) if self.causal else may

    def _decided(self, pairs: Selection) -> tuple[Booleans, Booleans]:
        shape = self.space.positions, self.space.positions
        match pairs:
            case If():
                return self._condition(pairs)
            case All(parts) | Some(parts):
                join = np.logical_and if isinstance(pairs, All) else np.logical_or
                musts, mays = zip(*map(self.between, parts), strict=True)
                return np.asarray(join.reduce(musts)), np.asarray(join.reduce(mays))
            case Other(inner):
                must, may = self._decided(inner)
                return ~may, ~must
        return np.full(shape, bool(pairs)), np.full(shape, bool(pairs))

    def _condition(self, part: If) -> tuple[Booleans, Booleans]:
        shape = self.space.positions, self.space.positions
        queries, at_query = self._at_places(part.query)
        keys, at_key = self._at_places(part.key)
        only = self.differences.only(part)
        if only is not None:
            shared = np.intersect1d(queries - only, keys)
            met = at_query[:, np.isin(queries - only, shared)] @ at_key[:, np.isin(keys, shared)].T > 0
            lone = np.outer(at_query.sum(axis=1) == 1, at_key.sum(axis=1) == 1)
            return np.broadcast_to(met & lone, shape), np.broadcast_to(met, shape)
        if len(queries) * len(keys) > MOST_PAIRS:
            return np.zeros(shape, np.bool_), np.ones(shape, np.bool_)
        holds = part.holds(np.subtract.outer(queries, keys))
        met, missed = (_meeting(at_query, one, at_key) for one in (holds, ~holds))
        return np.broadcast_to(~missed, shape), np.broadcast_to(met, shape)

    def _sampled(self, pairs: Selection) -> Booleans:
        """Return what is selected where every position holds one of the numbers that can occur there.

        What must be selected is selected then, and so is nothing that may not be.
        """

        def leaf(one: If) -> Booleans:
            query, key = (
                np.broadcast_to(codes[there.argmax(axis=1)], (self.space.positions,))
                for codes, there in (self._at_places(one.query), self._at_places(one.key))
            )
            return one.holds(np.subtract.outer(query, key))

        return truth(pairs, leaf, (self.space.positions, self.space.positions))

    def _at_places(self, form: Integers) -> tuple[Integers, Reals]:
        """Return the numbers of a form, and 1 for each that can occur at a position; one row if all do everywhere."""
        if INDEX in sources(self.space, self.layered, form):
            together = Together(self.space, self.layered, form)
            if together.fits:
                numbers = together.numbers(form)
                codes = distinct(numbers)
                found = np.zeros((self.space.positions, len(codes)), np.float32)
                found[together.columns[INDEX], np.searchsorted(codes, numbers)] = 1
                return codes, found
        codes = self.space.codes(form)
        return codes, np.ones((1, len(codes)), np.float32)


def _meeting(queries: Reals, holds: Booleans, keys: Reals) -> Booleans:
    """Return at which positions some number of a query and one of a key that can occur there meet."""
    if len(queries) == 1:
        holds, queries = np.logical_or.reduce(holds, axis=0, keepdims=True), queries[:, :1]
    if len(keys) == 1:
        holds, keys = np.logical_or.reduce(holds, axis=1, keepdims=True), keys[:, :1]
    return np.asarray((queries @ holds.astype(np.float32)) @ keys.T > 0)
