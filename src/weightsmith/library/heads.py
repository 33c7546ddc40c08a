"""The heads that several entries share. Each asks through lane `one`, which is 1 everywhere."""

from collections.abc import Mapping, Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import LawError, ModelError
from weightsmith.model import Head, LeftmostHard, Relative, Softmax, matrix


def distance_keys(distances: Sequence[int], arithmetic: Arithmetic, spare: bool = False) -> Relative:
    """Give relative positions with a coordinate for each distance: ∞ at it, 0 elsewhere; a spare one is 0 throughout.

    `distance_head` starts every key at −∞, so that −∞ ⊕ ∞ = 0 remains at the distance and −∞ everywhere else.
    """
    names = key_names(distances, spare)
    rows = [str(r) for r in range(max(distances) + 2)]  # the last row serves every greater distance
    return Relative(matrix(rows, names, {(str(d), names[c]): arithmetic.infinity for c, d in enumerate(distances)}))


def key_names(distances: Sequence[int], spare: bool = False) -> list[str]:
    """Name the coordinates of the keys."""
    return [*(f"distance {d}" for d in distances), *(["spare"] if spare else [])]


def distance_head(
    lanes: Sequence[str], keys: Sequence[str], key: str, arithmetic: Arithmetic, writes: Mapping[tuple[str, str], float]
) -> Head:
    """Look at just one distance: `writes[b, a] = 3` adds 3 times the lane a of that position to the lane b here.

    The scores are 0 at the distance and −∞ elsewhere, and exp(−∞) = 0: where no token is that far away the softmax
    is empty and the head adds nothing. So it is exact at every length.
    """
    read = list(dict.fromkeys(lane for _, lane in writes))
    return Head(
        W_Q=matrix(keys, lanes, {(key, "one"): 1}),
        W_K=matrix(keys, lanes, {(key, "one"): -arithmetic.infinity}),
        W_V=matrix(read, lanes, {(lane, lane): 1 for lane in read}),
        W_O=matrix(lanes, read, writes),
        weighting=Softmax(empty="zero"),
    )


def best_head(lanes: Sequence[str], keys: Sequence[str], key: str, score: str, value: str, to: str) -> Head:
    """Look at the first position where the lane `score` is largest, and add its lane `value` to the lane `to`."""
    return Head(
        W_Q=matrix(keys, lanes, {(key, "one"): 1}),
        W_K=matrix(keys, lanes, {(key, score): 1}),
        W_V=matrix(["value"], lanes, {("value", value): 1}),
        W_O=matrix(lanes, ["value"], {(to, "value"): 1}),
        weighting=LeftmostHard(),
    )


def never(arithmetic: Arithmetic) -> float:
    """Give a number of which −number, as a score, means no attention at all: 1000, or ∞ where that is less."""
    if not isinstance(arithmetic, Arithmetic):
        raise ModelError(f"arithmetic={arithmetic!r:.80} is not an arithmetic: write Fixed(4, 4), for example")
    number = float(arithmetic.round(1000.0))
    if not np.array_equal(arithmetic.exp(-number), 0.0):
        raise LawError(
            f"to attend to nothing needs exp(−{number:g}) = 0, and it is {float(arithmetic.exp(-number)):g} in "
            f"{arithmetic}: write Fixed(4, 4), or another arithmetic of which ws.laws says exp(−∞) = 0"
        )
    return number


def gathering_head(
    lanes: Sequence[str],
    keys: Sequence[str],
    writes: Mapping[tuple[str, str], float],
    arithmetic: Arithmetic,
    who: str | None = None,
    what: str | None = None,
    where: bool = False,
) -> Head:
    """Look where every condition holds, and only there: `writes[b, a] = 3` adds 3 times the lane a seen to b here.

    `who` looks, where that lane is 1; at `what`, where that lane is 1; with `where`, just at the distances to which
    relative positions add `never`. Each condition is a coordinate of the keys: 0 where it holds, −`never` where it
    does not. Where nothing fits, the softmax is empty and the head adds nothing.
    """
    far, read = never(arithmetic), list(dict.fromkeys(lane for _, lane in writes))
    ask: dict[tuple[str, str], float] = {}
    answer: dict[tuple[str, str], float] = {}
    if who is not None:
        ask |= {("who", "one"): 1, ("who", who): -1}
        answer |= {("who", "one"): -far}
    if what is not None:
        ask |= {("what", "one"): 1}
        answer |= {("what", "one"): -far, ("what", what): far}
    if where:
        ask |= {("where", "one"): 1}
        answer |= {("where", "one"): -far}
    return Head(
        W_Q=matrix(keys, lanes, ask),
        W_K=matrix(keys, lanes, answer),
        W_V=matrix(read, lanes, {(lane, lane): 1 for lane in read}),
        W_O=matrix(lanes, read, writes),
        weighting=Softmax(empty="zero"),
    )


def sum_head(lanes: Sequence[str], value: str, to: str, arithmetic: Arithmetic) -> Head:
    """Add up a lane over all positions so far, by a softmax that saturates.

    Every score is ∞ and so is every exponential; their sum is ∞ as well, and each weight is ∞ ⊘ ∞ = 1.
    """
    infinity = arithmetic.infinity
    if not np.array_equal(arithmetic.exp(infinity), infinity):
        raise LawError(f"adding up by softmax needs exp(∞) = ∞, which {arithmetic} lacks: write Fixed(4, 4)")
    return Head(
        W_Q=matrix(["ask"], lanes, {("ask", "one"): 1}),
        W_K=matrix(["ask"], lanes, {("ask", "one"): infinity}),
        W_V=matrix(["value"], lanes, {("value", value): 1}),
        W_O=matrix(lanes, ["value"], {(to, "value"): 1}),
        weighting=Softmax(),
    )
