"""Selections of pairs of positions: conditions on differences between a form of the query and one of the key."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.forms import Codes, Form, checked, distinct

ROWS = 64  # of pairs of positions that are made at once
Booleans: TypeAlias = npt.NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Difference:
    """Query minus key: two forms without constants, and all their differences."""

    key: Form
    query: Form
    codes: Codes

    @cached_property
    def same(self) -> tuple[Form, Form]:
        """The key by which two of them are equal."""
        return self.key, self.query


@dataclass(frozen=True, eq=False)
class Condition:
    """The pairs whose difference is one of some numbers."""

    difference: Difference
    holds: Booleans  # for every code of the difference

    @cached_property
    def same(self) -> tuple[Any, ...]:
        """The key by which two of them are equal."""
        return (*self.difference.same, self.holds.tobytes())

    @property
    def only(self) -> int | None:
        """The one difference for which it holds, or None."""
        return int(self.difference.codes[self.holds][0]) if self.holds.sum() == 1 else None


@dataclass(frozen=True, eq=False)
class Both:
    """The pairs for which all parts hold."""

    parts: tuple["Selection", ...]


@dataclass(frozen=True, eq=False)
class Either:
    """The pairs for which some part holds."""

    parts: tuple["Selection", ...]


@dataclass(frozen=True, eq=False)
class Opposite:
    """The pairs for which a part does not hold."""

    inner: "Selection"


Selection: TypeAlias = Condition | Both | Either | Opposite | bool


def both(*parts: Selection) -> Selection:
    """Return the pairs for which all parts hold."""
    if any(part is False for part in parts):
        return False
    flat: dict[Any, Selection] = {}
    for part in parts:
        for one in part.parts if isinstance(part, Both) else () if part is True else (part,):
            flat[one.same if isinstance(one, Condition) else id(one)] = one
    rest = tuple(flat.values())
    return True if not rest else rest[0] if len(rest) == 1 else Both(rest)


def opposite(part: Selection) -> Selection:
    """Return the pairs for which a part does not hold."""
    if isinstance(part, bool):
        return not part
    if isinstance(part, Condition):
        return Condition(part.difference, ~part.holds)
    return part.inner if isinstance(part, Opposite) else Opposite(part)


def either(*parts: Selection) -> Selection:
    """Return the pairs for which some part holds."""
    if any(part is True for part in parts):
        return True
    rest = tuple(part for part in parts if part is not False)
    return False if not rest else rest[0] if len(rest) == 1 else Either(rest)


def at_distances(keys: Sequence[int], queries: Sequence[int], distances: range) -> Codes:
    """Return every query − key of two functions of the position whose key stands so far before its query.

    A distance below 0 is that of a key after its query. No more than a few rows of all pairs are there at once.
    """
    k, q = np.array(keys, np.int64), np.array(queries, np.int64)
    steps = distinct(np.concatenate([np.diff(k), np.diff(q)]))
    if len(steps) <= 1:  # both go up evenly: the distance alone tells the difference
        return distinct(q[0] - k[0] + np.array(distances, np.int64) * int(steps.sum()))
    found = np.empty(0, np.int64)
    for start in range(0, len(distances), ROWS):
        in_force().check()
        rows = [
            q[max(d, 0) : len(q) + min(d, 0)] - k[max(-d, 0) : len(k) - max(d, 0)]
            for d in distances[start : start + ROWS]
        ]
        found = checked(distinct(np.concatenate([found, *rows])))
    return found


def conditions(pairs: Selection) -> list[Condition]:
    """Return all conditions that pairs are made of."""
    match pairs:
        case Condition():
            return [pairs]
        case Both(parts) | Either(parts):
            return [one for part in parts for one in conditions(part)]
        case Opposite(inner):
            return conditions(inner)
    return []


def selection_key(pairs: Selection) -> Any:
    """Return the key by which two selections are the same."""
    if isinstance(pairs, bool):
        return pairs
    if isinstance(pairs, Condition):
        return pairs.same
    inner = getattr(pairs, "parts", None) or (pairs.inner,)  # type: ignore[union-attr]
    return type(pairs).__name__, tuple(selection_key(part) for part in inner)
