"""The heads that several entries share. Each asks through lane `one`, which is 1 everywhere."""

from collections.abc import Mapping, Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import LawError
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
