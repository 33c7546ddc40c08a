"""Selections of pairs of positions: conditions on query minus key, and heads that add up to them.

A condition says of a difference between a form of the query and one of the key in which spans it must lie. A boundary
says that the difference of two forms is at least a number; heads are boundaries with signs.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property, reduce
from math import prod
from typing import NamedTuple, TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from weightsmith.programs.proof.grid import MOST_CASES
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.space import Booleans, Integers, Space, distinct, sums

FAR = 1 << 60
AT_ONCE = 256  # queries
Kind = TypeVar("Kind", np.int64, np.bool_)


@dataclass(frozen=True, eq=False)
class If:
    """The pairs whose difference, query minus key, lies in one of some spans: ascending and apart."""

    key: Integers
    query: Integers
    spans: Integers  # (spans, 2), ends included

    @cached_property
    def same(self) -> tuple[bytes, bytes]:
        """The key by which two differences are equal."""
        return self.key.tobytes(), self.query.tobytes()

    def holds(self, differences: Integers) -> Booleans:
        """Say for which differences it holds."""
        if not len(self.spans):
            return np.zeros(differences.shape, np.bool_)
        place = np.searchsorted(self.spans[:, 0], differences, side="right") - 1
        return np.asarray((place >= 0) & (differences <= self.spans[np.maximum(place, 0), 1]))


@dataclass(frozen=True, eq=False)
class All:
    """The pairs for which all parts hold."""

    parts: tuple["Selection", ...]


@dataclass(frozen=True, eq=False)
class Some:
    """The pairs for which some part holds."""

    parts: tuple["Selection", ...]


@dataclass(frozen=True, eq=False)
class Other:
    """The pairs for which a part does not hold."""

    inner: "Selection"


Selection: TypeAlias = If | All | Some | Other | bool


class Boundary(NamedTuple):
    """The pairs for which a sum of differences, each times a weight, is at least `selected`; at most `refused` else."""

    of: tuple[tuple[Integers, Integers, int], ...]  # forms of key and query, and the weight
    refused: int
    selected: int


def every(*parts: Selection) -> Selection:
    """Return the pairs for which all parts hold; a condition counts once."""
    flat: dict[object, Selection] = {}
    for part in parts:
        if part is False:
            return False
        for one in part.parts if isinstance(part, All) else () if part is True else (part,):
            flat[(*one.same, one.spans.tobytes()) if isinstance(one, If) else id(one)] = one
    rest = tuple(flat.values())
    return True if not rest else rest[0] if len(rest) == 1 else All(rest)


def some(*parts: Selection) -> Selection:
    """Return the pairs for which some part holds."""
    if any(part is True for part in parts):
        return True
    rest = tuple(part for part in parts if part is not False)
    return False if not rest else rest[0] if len(rest) == 1 else Some(rest)


def other(part: Selection) -> Selection:
    """Return the pairs for which a part does not hold."""
    if isinstance(part, bool):
        return not part
    if isinstance(part, If):
        ends = np.concatenate([[-FAR], np.stack([part.spans[:, 0] - 1, part.spans[:, 1] + 1], axis=1).ravel(), [FAR]])
        spans = ends.reshape(-1, 2)
        return If(part.key, part.query, spans[spans[:, 0] <= spans[:, 1]])
    return part.inner if isinstance(part, Other) else Other(part)


def conditions(pairs: Selection) -> list[If]:
    """Return all conditions that a selector is made of."""
    match pairs:
        case If():
            return [pairs]
        case All(parts) | Some(parts):
            return [one for part in parts for one in conditions(part)]
        case Other(inner):
            return conditions(inner)
    return []


def truth(pairs: Selection, leaf: Callable[[If], Booleans], shape: tuple[int, ...]) -> Booleans:
    """Return whether pairs are selected, from whether each condition holds."""
    match pairs:
        case If():
            return leaf(pairs)
        case All(parts):
            return reduce(np.logical_and, (truth(part, leaf, shape) for part in parts))
        case Some(parts):
            return reduce(np.logical_or, (truth(part, leaf, shape) for part in parts))
        case Other(inner):
            return ~truth(inner, leaf, shape)
    return np.full(shape, bool(pairs))


@dataclass(eq=False)
class Differences:
    """All differences between query and key."""

    space: Space
    causal: bool

    def __post_init__(self) -> None:
        """Start without differences."""
        self._known: dict[tuple[bytes, bytes], Integers] = {}

    def codes(self, key: Integers, query: Integers) -> Integers:
        """Return all differences: of positions, with a causal mask, only those that a query sees."""
        same = key.tobytes(), query.tobytes()
        if same not in self._known:
            self._known[same] = self._found(key, query)
        return self._known[same]

    def _found(self, key: Integers, query: Integers) -> Integers:
        space = self.space
        if self.causal and space.pure_index(key) and space.pure_index(query):
            keys, queries = key[space.of_index] + key[-1], query[space.of_index] + query[-1]
            found = np.zeros(0, np.int64)
            for start in range(0, len(queries), AT_ONCE):
                some = range(start, min(start + AT_ONCE, len(queries)))
                found = distinct(np.concatenate([found, *(queries[i] - keys[: i + 1] for i in some)]))
            return found
        return sums(space.codes(query), -space.codes(key)[::-1])

    def of(self, condition: If) -> tuple[Integers, Booleans]:
        """Return all differences of a condition, and where it holds."""
        codes = self.codes(condition.key, condition.query)
        return codes, condition.holds(codes)

    def identity(self, pairs: Selection) -> object:
        """Return the key by which two selectors are the same; different ones may still select alike."""
        match pairs:
            case If():
                return (*pairs.same, self.of(pairs)[1].tobytes())
            case All(parts) | Some(parts):
                return type(pairs).__name__, tuple(map(self.identity, parts))
            case Other(inner):
                return "other", self.identity(inner)
        return pairs

    def normal(self, pairs: Selection) -> Selection:
        """Return the same selector, with spans that begin and end at differences that occur."""
        match pairs:
            case If():
                codes, holds = self.of(pairs)
                if holds.all() or not holds.any():
                    return bool(holds[0])
                edges = np.flatnonzero(np.diff(np.concatenate([[False], holds, [False]]).astype(np.int8)))
                spans = np.stack([codes[edges[::2]], codes[edges[1::2] - 1]], axis=1)
                return If(pairs.key, pairs.query, spans)
            case All(parts):
                return every(*map(self.normal, parts))
            case Some(parts):
                return some(*map(self.normal, parts))
            case Other(inner):
                return other(self.normal(inner))
        return pairs

    def only(self, condition: If) -> int | None:
        """Return the one difference for which a condition holds, or None."""
        codes, holds = self.of(condition)
        return int(codes[holds][0]) if np.count_nonzero(holds) == 1 else None

    def selects(self, pairs: Selection, heads: Sequence[tuple[Boundary, int]], name: str) -> int:
        """Check that heads, added up with their signs, select just the pairs; return over how many cases."""
        digits = {one.same: (one.key, one.query) for one in conditions(pairs)}
        for boundary, _ in heads:  # which may look at a difference that makes no difference
            digits |= {(key.tobytes(), query.tobytes()): (key, query) for key, query, _ in boundary.of}
        known = {same: n for n, same in enumerate(digits)}
        codes = [self.codes(*one) for one in digits.values()]
        shape = tuple(map(len, codes))
        if prod(shape) > MOST_CASES:
            raise LemmaError(f"{name}: {prod(shape):,} combinations of differences are too many to be gone through")

        def along(n: int, values: npt.NDArray[Kind]) -> npt.NDArray[Kind]:
            return values.reshape([-1 if m == n else 1 for m in range(len(shape))])

        wanted = truth(pairs, lambda one: along(known[one.same], one.holds(codes[known[one.same]])), shape)
        total = np.zeros(shape, np.int64)
        for boundary, sign in heads:
            reach = np.zeros((1,) * len(shape), np.int64)
            for key, query, weight in boundary.of:
                place = known[key.tobytes(), query.tobytes()]
                if abs(weight) * max(1, int(np.abs(codes[place]).max())) > FAR >> 8:
                    raise LemmaError(f"{name}: a head weighs a difference too much")
                reach = reach + along(place, codes[place] * weight)
            if ((reach < boundary.selected) & (reach > boundary.refused)).any():
                raise LemmaError(f"{name}: a difference lies between what a head selects and what it refuses")
            total = total + sign * (reach >= boundary.selected)
        if not np.array_equal(np.broadcast_to(total, shape), np.broadcast_to(wanted, shape)):
            raise LemmaError(f"{name}: its heads do not select what the program selects")
        return prod(shape)
