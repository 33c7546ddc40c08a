"""Conditions on vectors of the stream, as data: comparisons of lanes, of constants and of rounded sums.

A condition is written as a text, `condition("no == 1 and yes in (0, inf)")`, or as `image(M, at=("embedding", 1))`.
Both combine with & | ~. It consists of data, so that it stands in a certificate, and another program can evaluate it.
"""

import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import reduce
from keyword import iskeyword
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array, as_float64
from weightsmith.automata import Truths
from weightsmith.check.places import ALL, At, Place, checked_position, stage_in
from weightsmith.errors import InputError, brief, named
from weightsmith.model import Transformer
from weightsmith.model.checks import lane_index
from weightsmith.model.members import member
from weightsmith.model.sites import Site, stage_site

COMPARISONS: dict[str, Callable[[Any, Any], Any]] = {
    "==": operator.eq, "!=": operator.ne, "<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge,
}  # fmt: skip
DEEPEST = 24  # conditions in each other; a JSON text of a certificate has at most 64 lists in each other
WORDS = ("inf", "lane", "True", "False", "None")  # that are no lanes in a text


class LaneAt(NamedTuple):
    """The value of a lane; a stage or a position that is None is that of the claim."""

    lane: str
    stage: int | None = None
    position: int | None = None

    def __str__(self) -> str:
        """Return it as a text, which `condition` reads."""
        plain = self.lane.isidentifier() and self.lane not in WORDS and not iskeyword(self.lane)
        if self.stage is None:
            return self.lane if plain else f"lane({self.lane!r})"
        position = "" if self.position is None else f", {self.position}"
        return f"lane({self.lane!r}, {str(stage_site(self.stage))!r}{position})"

    def to_json(self) -> list[Any]:
        """Return it for a certificate."""
        return ["lane", self.lane, None if self.stage is None else str(stage_site(self.stage)), self.position]

    def place(self, at: Place) -> Place:
        """Return its place in a claim about a place."""
        stage = at.stage if self.stage is None else self.stage
        return Place(stage, at.position if self.position is None else self.position)


Values: TypeAlias = Callable[[LaneAt], Array]  # the values of a lane, for many inputs


class Sum(NamedTuple):
    """A left fold of products weight ⊗ lane and of constants, each step rounded; without products, a number."""

    terms: tuple[tuple[float, LaneAt | None], ...]

    def __str__(self) -> str:
        """Return it as a text, which `condition` reads."""
        text = ""
        for weight, lane in self.terms:
            size = abs(weight)
            term = number_text(size) if lane is None else str(lane) if size == 1 else f"{number_text(size)} * {lane}"
            text += (" - " if weight < 0 else " + ") + term
        return text[3:] if text.startswith(" + ") else f"-{text[3:]}"

    @property
    def number(self) -> float | None:
        """Its value, if it is a number."""
        (weight, lane), *more = self.terms
        return weight if lane is None and not more else None

    def evaluate(self, values: Values, A: Arithmetic) -> Any:
        """Return its values."""
        if self.number is not None:
            return self.number
        if self.terms[0][0] == 1 and len(self.terms) == 1 and (lane := self.terms[0][1]) is not None:
            return values(lane)
        products: list[Any] = [w if lane is None else A.multiply(w, values(lane)) for w, lane in self.terms]
        return reduce(A.add, products)

    def to_json(self) -> Any:
        """Return it for a certificate."""
        if self.number is not None:
            return self.number
        return ["sum", *([w] if lane is None else [w, lane.to_json()] for w, lane in self.terms)]


@dataclass(frozen=True)
class Condition:
    """A condition on vectors: a comparison, or "all", "any" or "not" of conditions. Combine conditions with & | ~."""

    kind: str  # a comparison, "all", "any" or "not"
    parts: tuple[Any, ...]  # two sums, or conditions

    def __and__(self, other: "Condition") -> "Condition":
        """Return the condition that both hold."""
        return joined("all", self, other)

    def __or__(self, other: "Condition") -> "Condition":
        """Return the condition that one of them holds."""
        return joined("any", self, other)

    def __invert__(self) -> "Condition":
        """Return the condition that it does not hold."""
        return nested(Condition("not", (self,)))

    def __str__(self) -> str:
        """Return it as a text, which `condition` reads."""
        if self.kind in COMPARISONS:
            return f"{self.parts[0]} {self.kind} {self.parts[1]}"
        if self.kind == "not":
            return f"not ({self.parts[0]})"
        word = {"all": " and ", "any": " or "}[self.kind]
        texts = [f"({part})" if part.kind in ("all", "any") else str(part) for part in self.parts]
        return word.join(texts) if texts else {"all": "0 == 0", "any": "0 != 0"}[self.kind]

    @property
    def lanes(self) -> Iterator[LaneAt]:
        """The lanes that it reads."""
        for part in self.parts:
            if isinstance(part, Condition):
                yield from part.lanes
            elif isinstance(part, Sum):
                yield from (lane for _, lane in part.terms if lane is not None)

    @property
    def depth(self) -> int:
        """The number of conditions in each other."""
        return 1 + max((part.depth for part in self.parts if isinstance(part, Condition)), default=0)

    def evaluate(self, values: Values, A: Arithmetic) -> Any:
        """Return for each input whether it holds."""
        if self.kind in COMPARISONS:
            first, second = (side.evaluate(values, A) for side in self.parts)
            return COMPARISONS[self.kind](first, second)
        each = [part.evaluate(values, A) for part in self.parts]
        if self.kind == "not":
            return np.logical_not(each[0])
        return reduce(np.logical_and, each, True) if self.kind == "all" else reduce(np.logical_or, each, False)

    def about(self, T: Transformer) -> "Condition":
        """Return the condition for a transformer: ∞ as its number, each lane and each weight checked."""
        if self.kind not in COMPARISONS:
            return nested(Condition(self.kind, tuple(part.about(T) for part in self.parts)))
        sides = tuple(_checked_sum(T, side) for side in self.parts)
        if self.kind in ("==", "!="):
            for side in sides:
                if side.number is not None and not all(other.number is not None for other in sides):
                    member(T.arithmetic, side.number, f"the condition {named(str(self))} compares with a number: it")
        return Condition(self.kind, sides)

    def to_json(self) -> list[Any]:
        """Return it for a certificate."""
        return [self.kind, *(part.to_json() for part in self.parts)]


@dataclass(frozen=True, eq=False)
class Image(Condition):
    """The condition that lanes hold M h, where h stands at another place. Without M, that they hold h."""

    M: Array | None = None
    at: At | tuple[str, None] = None
    over: tuple[str, ...] | None = None
    of: tuple[str, ...] | None = None

    def __str__(self) -> str:
        """Return it in words."""
        return f"{'h' if self.M is None else 'M h'} of {brief(self.at)}"

    def about(self, T: Transformer) -> Condition:
        """Return a comparison for each lane."""
        (to, of), (stage, position) = self._lanes(T), other_place(self.at, T)
        rows = np.eye(len(to)) if self.M is None else self.M
        comparisons = []
        for lane, row in zip(to, rows, strict=True):
            found = [(float(row[j]), LaneAt(of[j], stage, position)) for j in np.flatnonzero(row).tolist()]
            side = Sum(tuple(found)) if found else Sum(((0.0, None),))
            comparisons.append(Condition("==", (Sum(((1.0, LaneAt(lane)),)), side)).about(T))
        return Condition("all", tuple(comparisons))

    def _lanes(self, T: Transformer) -> tuple[Sequence[str], Sequence[str]]:
        """Return the lanes of the rows and of the columns."""
        plain: Sequence[str] = [lane for lane in T.lanes if lane not in T.flags]
        if self.over is None and self.M is not None and len(self.M) == len(T.lanes):
            plain = T.lanes
        to = plain if self.over is None else self.over
        of = to if self.of is None else self.of
        for lane in (*to, *of):
            lane_index(T, lane)
        shape = (len(to), len(of))
        if (shape[0] != shape[1]) if self.M is None else self.M.shape != shape:
            size = "M = None" if self.M is None else f"M has the shape {self.M.shape}, and it"
            raise InputError(
                f"{size} is for {shape[0]} lanes from {shape[1]}: write a row for each of lanes=[…], a column for each "
                "of of=[…]"
            )
        return to, of


def image(
    M: npt.ArrayLike | None, at: At, lanes: Sequence[str] | None = None, of: Sequence[str] | None = None
) -> Condition:
    """Return the condition that lanes hold M h, where h is the vector at another place; M = None copies h.

    `at` is a site and a position, or a site at the position of the claim. M has a row for each of `lanes` (None: for
    each lane that is not a flag, or for all lanes) and a column for each lane of h in `of` (None: the same). M h is a
    product of the arithmetic, which rounds each step.

    >>> import weightsmith as ws
    >>> T = ws.random_transformer(lanes=2, max_length=4, seed=1)
    >>> U = ws.linear_map(T, [[0, 1], [2, 0]], source=1, target=3)
    >>> M_h = image([[0, 1], [2, 0]], at=("block 1 feed-forward", 1))
    >>> ws.check.vectors(U, M_h, at=("block 3 attention", 3), up_to=4).holds
    True
    """
    other_place(at)
    values = None if M is None else as_float64(M)
    if values is not None and (values.ndim != 2 or not values.size or not np.isfinite(values).all()):
        raise InputError(f"M has the shape {values.shape}: write a matrix of numbers, or None for a copy")
    for name, given in (("lanes", lanes), ("of", of)):
        if given is not None and (not isinstance(given, list | tuple) or not all(isinstance(x, str) for x in given)):
            raise InputError(f"{name}={brief(given)}: write a list of lanes, such as ['x0', 'x1']")
    chosen = (None if given is None else tuple(given) for given in (lanes, of))
    return Image("all", (), values, at, *chosen)


def other_place(at: object, T: Transformer | None = None) -> tuple[int, int | None]:
    """Return a stage, and a position or None for that of the claim; `at` is a site, or a site and a position."""
    site, position = at if isinstance(at, tuple | list) and len(at) == 2 else (at, None)
    stage = Site.parse(site).stage if T is None else stage_in(T, site)
    if not Site.parse(site).in_stream:
        raise InputError(f"{brief(site)} is no site of the stream: write 'block 0 attention', for example")
    found = None if position is None else checked_position(position)
    if found == ALL:
        raise InputError("another vector stands at one position, or at that of the claim: leave out 'all'")
    return stage, found


def _checked_sum(T: Transformer, side: Sum) -> Sum:
    """Return a sum with ∞ as a number; refuse unknown lanes, and weights that are not members."""
    A, terms = T.arithmetic, []
    for given, lane in side.terms:
        weight = float(np.copysign(A.infinity, given)) if np.isinf(given) else given
        if lane is not None:
            lane_index(T, lane.lane)
            if lane.stage is not None:
                stage_in(T, str(stage_site(lane.stage)))
        if len(side.terms) > 1 or (lane is not None and weight != 1):
            member(A, weight, f"a number in the condition {named(str(side))}")
        terms.append((weight, lane))
    return Sum(tuple(terms))


def joined(kind: str, *parts: object) -> Condition:
    """Return "all" or "any" of conditions, those of the same kind as one."""
    flat: list[Condition] = []
    for part in parts:
        if not isinstance(part, Condition):
            raise InputError(f"{brief(part)} is no condition: write condition('x0 == 1'), or image(M, at=…)")
        flat += part.parts if part.kind == kind and not isinstance(part, Image) else [part]
    return nested(Condition(kind, tuple(flat)))


def nested(condition: Condition) -> Condition:
    """Return a condition that is not nested too deeply."""
    if condition.depth > DEEPEST:
        raise InputError(f"a condition has at most {DEEPEST} conditions in each other: write fewer parentheses")
    return condition


def equals(values: Mapping[str, float]) -> Condition:
    """Return the condition that each of some lanes holds a number."""
    comparisons = []
    for lane, value in values.items():
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or value != value:
            raise InputError(f"the condition has {brief(value)} for the lane {named(lane)}: write a number")
        try:
            number = float(value)
        except OverflowError:
            raise InputError(f"the condition has {brief(value)}, which is too large: write inf for ∞") from None
        comparisons.append(Condition("==", (Sum(((1.0, LaneAt(lane)),)), Sum(((number, None),)))))
    return Condition("all", tuple(comparisons))


def number_text(x: float) -> str:
    """Return a number with as many digits as it has."""
    return text if float(text := f"{x:g}") == x else repr(float(x))


# Certificates


def read_condition(data: Any, T: Transformer | None, depth: int = 0) -> Condition:
    """Return the condition of a certificate, which is untrusted; without a transformer, its lanes are not checked."""
    kind, *parts = data
    if depth > DEEPEST or kind not in (*COMPARISONS, "all", "any", "not"):
        raise ValueError("a condition of an unknown kind, or nested too deeply")
    if kind not in COMPARISONS:
        if kind == "not" and len(parts) != 1:
            raise ValueError("not of several conditions")
        return Condition(kind, tuple(read_condition(part, T, depth + 1) for part in parts))
    first, second = parts
    found = Condition(kind, (_read_sum(first, T), _read_sum(second, T)))
    return found if T is None else found.about(T)


def _read_sum(data: Any, T: Transformer | None) -> Sum:
    if isinstance(data, int | float):
        return Sum(((_number(data), None),))
    kind, *terms = data
    if kind != "sum" or not terms:
        raise ValueError("no sum, and no number")
    found: list[tuple[float, LaneAt | None]] = []
    for weight, *lane in terms:
        found.append((_number(weight), _read_lane(lane, T) if lane else None))
    return Sum(tuple(found))


def _number(x: Any) -> float:
    if type(x) not in (int, float) or not np.isfinite(float(x)):
        raise ValueError("no number")
    return float(x)


def _read_lane(data: Any, T: Transformer | None) -> LaneAt:
    ((kind, lane, site, position),) = data
    if kind != "lane" or not isinstance(lane, str) or (site is None and position is not None):
        raise ValueError("no lane")
    return LaneAt(lane, *((None, None) if site is None else other_place((site, position), T)))


def holds_of(condition: Condition, values: Values, A: Arithmetic, inputs: int) -> Truths:
    """Return for each input whether a condition holds."""
    return np.broadcast_to(np.asarray(condition.evaluate(values, A), np.bool_), (inputs,))
