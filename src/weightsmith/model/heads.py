"""Ready-made attention heads, defined by the lanes that they look at and copy.

`copies` says what a head brings here from where it looks: {"a": "first a"} adds the lane `a` there to the lane
`first a` here, {"a": {"sum": 2, "seen": -1}} adds it times 2 and times −1 to two lanes. `adds` is added for having
looked at all: {"seen": 1}. Where a head looks at several positions, it takes the mean; where at none, it adds nothing.
"""

from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, checked_arithmetic
from weightsmith.errors import LawError, ModelError, brief, whole_number
from weightsmith.model.block import Head
from weightsmith.model.by_name import NO_WEIGHTS, check_lanes, matrix
from weightsmith.model.distances import Relative
from weightsmith.model.positions import PositionTable
from weightsmith.model.weightings import AverageHard, LeftmostHard, RightmostHard, Softmax, Weighting

__all__ = [
    "at_distance",
    "best",
    "count",
    "first",
    "matching",
    "mean",
    "next",
    "place_table",
    "places",
    "previous",
    "total",
    "where",
]

Copies: TypeAlias = Mapping[str, str | Mapping[str, float]]
Weights: TypeAlias = Mapping[str, float]
FARTHEST = 1 << 20
MOST_PLACES = 1 << 12


def previous(
    lanes: Sequence[str],
    copies: Copies,
    arithmetic: Arithmetic,
    adds: Weights = NO_WEIGHTS,
    *,
    places: Sequence[str] | None = None,
    who: str | None = None,
    name: str = "",
) -> Head:
    """Return a head that looks at the previous position. The first position has none: there it adds nothing.

    It looks by relative positions, under a causal mask. With `places`, the lanes of a `place_table`, it looks by these,
    under any mask. With `who` only the positions where that lane is 1 look at all.

    >>> from weightsmith import Fixed
    >>> previous(["a", "b", "was a"], {"a": "was a"}, Fixed(4, 4)).W_O.tolist()
    [[0.0], [0.0], [1.0]]
    """
    if places is None:
        return _gathering(lanes, copies, arithmetic, adds, who=who, distance=1, name=name)
    pairs = dict(zip(_checked_places(places)[1:], places, strict=False))
    return _gathering(lanes, copies, arithmetic, adds, who=who, pairs=pairs, name=name)


def next(
    lanes: Sequence[str],
    places: Sequence[str],
    copies: Copies,
    arithmetic: Arithmetic,
    adds: Weights = NO_WEIGHTS,
    *,
    who: str | None = None,
    name: str = "",
) -> Head:
    """Return a head that looks at the next position, for a full mask. The last position has none: it adds nothing.

    `places` are the lanes of a `place_table`. With `who` only the positions where that lane is 1 look at all. Under a
    causal mask no position sees the next one, and the head adds nothing anywhere.
    """
    pairs = dict(zip(_checked_places(places), places[1:], strict=False))
    return _gathering(lanes, copies, arithmetic, adds, who=who, pairs=pairs, name=name)


def places(count: int) -> tuple[str, ...]:
    """Return names of lanes for the first positions: at 0, at 1, at 2.

    >>> places(3)
    ('at 0', 'at 1', 'at 2')
    """
    return tuple(f"at {n}" for n in range(whole_number(count, "count", 1, MOST_PLACES, "how many positions there are")))


def place_table(lanes: Sequence[str], places: Sequence[str]) -> PositionTable:
    """Return positions that set one of the lanes `places` to 1: the first at position 0, the second at position 1."""
    check_lanes(_checked_places(places), lanes, "the position table sets")
    rows = [str(n) for n in range(len(places))]
    return PositionTable(matrix(rows, lanes, {(str(n), lane): 1.0 for n, lane in enumerate(places)}))


def _checked_places(places: Sequence[str]) -> Sequence[str]:
    """Return lanes for places; refuse a single text, and a lane that stands for two places."""
    if isinstance(places, str) or not isinstance(places, Sequence) or not places or len(set(places)) < len(places):
        raise ModelError(f"places={brief(places)}: write a different lane for each position, such as heads.places(8)")
    return places


def at_distance(
    lanes: Sequence[str], distance: int, copies: Copies, arithmetic: Arithmetic, adds: Weights = NO_WEIGHTS
) -> Head:
    """Return a head that looks back just so far; 0 is here. Where no token is that far back it adds nothing.

    The score is 0 at this distance and so low elsewhere that its exponential is 0. So it is exact at every length.
    """
    return _gathering(lanes, copies, arithmetic, adds, distance=distance)


def where(
    lanes: Sequence[str],
    flag: str,
    copies: Copies,
    arithmetic: Arithmetic,
    adds: Weights = NO_WEIGHTS,
    *,
    who: str | None = None,
    distance: int | None = None,
) -> Head:
    """Return a head that looks where the lane `flag` is 1, and only there: the mean over these positions.

    With `who` only the positions where that lane is 1 look at all; with `distance` they look just so far back. Each
    of these lanes holds 0 or 1.
    """
    return _gathering(lanes, copies, arithmetic, adds, who=who, flag=flag, distance=distance)


def matching(
    lanes: Sequence[str], pairs: Mapping[str, str], copies: Copies, arithmetic: Arithmetic, adds: Weights = NO_WEIGHTS
) -> Head:
    """Return a head that looks where what stands there matches what stands here: the mean over these positions.

    {"is a": "was a", "is b": "was b"} looks where `was a` is 1, if `is a` is 1 here, and so on. At every position at
    most one lane of each side is 1, and the others are 0.
    """
    return _gathering(lanes, copies, arithmetic, adds, pairs=pairs)


def first(lanes: Sequence[str], copies: Copies, adds: Weights = NO_WEIGHTS) -> Head:
    """Return a head that looks at the first position: every score is 0, and the leftmost of them wins."""
    return _head(lanes, copies, adds, LeftmostHard(), *_nothing_asked(lanes))


def mean(lanes: Sequence[str], copies: Copies, adds: Weights = NO_WEIGHTS) -> Head:
    """Return a head that takes the mean over all positions that it sees: every score is 0."""
    return _head(lanes, copies, adds, AverageHard(), *_nothing_asked(lanes))


def best(lanes: Sequence[str], score: str, copies: Copies, adds: Weights = NO_WEIGHTS, *, last: bool = False) -> Head:
    """Return a head that looks at the first position where the lane `score` is largest, or the last such position."""
    check_lanes([score], lanes, "the head scores by")
    W_Q, W_K = matrix(["score"], lanes, {}), matrix(["score"], lanes, {("score", score): 1})
    return _head(lanes, copies, adds, RightmostHard() if last else LeftmostHard(), W_Q, W_K, b_Q=np.ones(1))


def total(lanes: Sequence[str], copies: Copies, arithmetic: Arithmetic, adds: Weights = NO_WEIGHTS) -> Head:
    """Return a head that adds up, over all positions that it sees, by a softmax that saturates.

    Every score is ∞ and so is every exponential; their sum is ∞ as well, and each weight is ∞ ⊘ ∞ = 1.
    """
    infinity = checked_arithmetic(arithmetic, ModelError).infinity
    if not np.array_equal(arithmetic.exp(infinity), infinity):
        raise LawError(f"adding up by softmax needs exp(∞) = ∞, which {arithmetic} lacks: write Fixed(4, 4)")
    W_Q, W_K = _nothing_asked(lanes)
    return _head(lanes, copies, adds, Softmax(), W_Q, W_K, b_Q=np.ones(1), b_K=np.array([infinity]))


def count(lanes: Sequence[str], flag: str, to: str, arithmetic: Arithmetic) -> Head:
    """Return a head that counts the positions so far where a flag is up, into the lane `to`; see `total`."""
    return total(lanes, {flag: to}, arithmetic)


def never(arithmetic: Arithmetic) -> float:
    """Return a number whose negative, as a score, means no attention at all: 1000, or ∞ where that is less."""
    number = float(checked_arithmetic(arithmetic, ModelError).round(1000.0))
    if not np.array_equal(arithmetic.exp(-number), 0.0):
        raise LawError(
            f"to attend to nothing needs exp(−{number:g}) = 0, and it is {float(arithmetic.exp(-number)):g} in "
            f"{arithmetic}: write Fixed(4, 4), or another arithmetic of which ws.laws says exp(−∞) = 0"
        )
    return number


def _gathering(
    lanes: Sequence[str],
    copies: Copies,
    arithmetic: Arithmetic,
    adds: Weights,
    *,
    who: str | None = None,
    flag: str | None = None,
    distance: int | None = None,
    pairs: Mapping[str, str] | None = None,
    name: str = "",
) -> Head:
    """Return a head that looks where every condition holds.

    Each condition is a coordinate of queries and keys: their product is 0 where it holds, −`never` where it does not.
    """
    far = never(arithmetic)
    W_Q: dict[tuple[str, str], float] = {}
    W_K: dict[tuple[str, str], float] = {}
    b_Q, b_K = dict[str, float](), dict[str, float]()
    names: list[str] = []  # a match comes first: −far ⊕ far is 0 only before another −far saturates
    if pairs is not None:
        check_lanes(pairs, lanes, "the head matches")
        check_lanes(list(pairs.values()), lanes, "the head matches")
        b_Q["match"], b_K["match"] = 1.0, -far
        names.append("match")
        for here, there in pairs.items():
            W_Q[f"match {here}", here], W_K[f"match {here}", there] = 1.0, far
            names.append(f"match {here}")
    if who is not None:
        check_lanes([who], lanes, "who looks is said by")
        W_Q["who", who], b_Q["who"], b_K["who"] = -1.0, 1.0, -far
    if flag is not None:
        check_lanes([flag], lanes, "the head looks at")
        W_K["what", flag], b_Q["what"], b_K["what"] = far, 1.0, -far
    if distance is not None:
        b_Q["where"], b_K["where"] = 1.0, -far
    names += [name for name in b_Q if name not in names]
    return _head(
        lanes, copies, adds, Softmax(empty="zero"),
        matrix(names, lanes, W_Q), matrix(names, lanes, W_K),
        b_Q=np.array([b_Q.get(name, 0.0) for name in names]), b_K=np.array([b_K.get(name, 0.0) for name in names]),
        positions=None if distance is None else _at(distance, names, far),
        name=name,
    )  # fmt: skip


def _at(distance: int, names: Sequence[str], far: float) -> Relative:
    """Return relative positions that lift the key at one distance by `far`."""
    distance = whole_number(distance, "distance", 0, FARTHEST, "how many positions back it looks, 0 or more")
    rows = [str(r) for r in range(distance + 2)]  # the last row serves every greater distance
    return Relative(matrix(rows, names, {(str(distance), "where"): far}))


def _head(
    lanes: Sequence[str],
    copies: Copies,
    adds: Weights,
    weighting: Weighting,
    W_Q: Array,
    W_K: Array,
    *,
    b_Q: Array | None = None,
    b_K: Array | None = None,
    positions: Relative | None = None,
    name: str = "",
) -> Head:
    """Return a head with these queries and keys that copies lanes, and adds a constant, from where it looks."""
    if not isinstance(copies, Mapping):
        raise ModelError(f"copies={brief(copies)}: write what to copy to where, such as {{'a': 'first a'}}")
    if not isinstance(adds, Mapping):
        raise ModelError(f"adds={brief(adds)}: write lanes with what is added to them, such as {{'a': 1}}")
    check_lanes(copies, lanes, "the head copies")
    written = {lane: to if isinstance(to, Mapping) else {to: 1.0} for lane, to in copies.items()}
    for to in (*written.values(), adds):
        check_lanes(to, lanes, "the head writes")
    values = [f"lane {lane}" for lane in copies] + (["1"] if adds else [])
    entries = {(to, f"lane {lane}"): w for lane, weights in written.items() for to, w in weights.items()}
    return Head(
        W_Q=W_Q,
        W_K=W_K,
        W_V=matrix(values, lanes, {(f"lane {lane}", lane): 1.0 for lane in copies}),
        W_O=matrix(lanes, values, entries | {(to, "1"): w for to, w in adds.items()}),
        weighting=weighting,
        b_Q=b_Q,
        b_K=b_K,
        b_V=np.array([float(name == "1") for name in values]) if adds else None,
        positions=positions,
        name=name,
    )


def _nothing_asked(lanes: Sequence[str]) -> tuple[Array, Array]:
    """Return queries and keys that are 0 everywhere."""
    return matrix(["nothing"], lanes, {}), matrix(["nothing"], lanes, {})
