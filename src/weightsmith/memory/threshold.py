"""The weights of a neuron that fires for one pattern: w = a ⊗ key, and a bias that makes its response there 1.

With s = ⟨key, key⟩ and r = ⟨key, rival⟩ for the strongest rival, a = (1 + margin) / (s − r) makes the response exactly
1 at the key and −margin at that rival. The empty pattern, 0 on every lane, is always a rival, so r is at least 0 and
without other rivals and with margin 1 the threshold lies half-way between nothing and the key. Among the members of
the arithmetic, a is the first from there upwards for which the arithmetic's own folds give just that.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.arithmetic.rounding import at_least, quantum

Chosen = npt.NDArray[np.bool_]
Indices = npt.NDArray[np.intp]
NEAR_STEPS = 8  # distances from the exact a that are tried before the long search
STRONGEST_RIVALS = 16  # rivals that are looked at first
MAX_RESPONSES = 1 << 21  # responses that are worked out together


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Keys' neurons, as rows of W_1 with b_1, and how much room each leaves below 0."""

    W: Array  # (keys, lanes)
    b: Array  # (keys)
    at_key: Array  # (keys): the response there, 1 if all is well
    at_rival: Array  # (keys): the largest response to a rival
    rival: Indices  # (keys): which rival that is

    def good(self, margin: float) -> Chosen:
        """Say which neurons respond with 1 to their key and at most −margin to every rival."""
        good: Chosen = (self.at_key == 1) & (self.at_rival <= -margin)
        return good


def overlaps(keys: Array, rivals: Array, allowed: Chosen) -> tuple[Array, Array, Indices]:
    """Return s and, for some rivals of each key, the strongest first, r and which they are, before any rounding."""
    with np.errstate(all="ignore"):
        products = np.where(allowed, np.nan_to_num(keys @ rivals.T, nan=np.inf), -np.inf)
        count = min(STRONGEST_RIVALS, len(rivals))
        some = np.argpartition(-products, count - 1, axis=1)[:, :count]
        order = np.argsort(-np.take_along_axis(products, some, axis=1), axis=1, kind="stable")
        strongest = np.take_along_axis(some, order, axis=1)
        return (keys * keys).sum(axis=1), np.take_along_axis(products, strongest, axis=1), strongest


def thresholds(A: Arithmetic, keys: Array, rivals: Array, allowed: Chosen, scales: Array) -> Thresholds:
    """Compute the neurons of keys for scales a, and their responses, in the arithmetic itself.

    The rivals are (rivals, lanes), or (keys, rivals, lanes) where each key has its own.
    """
    used = keys.any(axis=0)  # the other lanes have weight 0, and adding 0 changes nothing
    rivals = rivals[..., used]
    responses = np.empty(allowed.shape)
    rows = max(1, MAX_RESPONSES // allowed.shape[1])
    with np.errstate(all="ignore"):
        W = A.multiply(scales[:, np.newaxis], keys)
        at_key = A.dot(W[:, used], keys[:, used])
        b = A.subtract(A.round(1.0), np.where(np.isfinite(at_key), at_key, 0.0))
        for first in range(0, len(keys), rows):
            here = slice(first, first + rows)
            theirs = rivals[here] if rivals.ndim == 3 else rivals
            responses[here] = A.add(A.dot(W[here, np.newaxis, used], theirs), b[here, np.newaxis])
    responses = np.where(allowed, np.where(np.isnan(responses), np.inf, responses), -np.inf)
    rival = np.argmax(responses, axis=1)
    return Thresholds(W, b, A.add(at_key, b), responses[np.arange(len(keys)), rival], rival)


def fit(A: Arithmetic, keys: Array, rivals: Array, allowed: Chosen, margin: float) -> Thresholds:
    """Return the neurons; for a key without a good one, the one with the largest margin."""
    s, r, strongest = overlaps(keys, rivals, allowed)
    apart = s > r[:, 0]
    with np.errstate(all="ignore"):
        least = np.where(apart, (1 + margin) / (s - r[:, 0]), 1.0)
    near, near_allowed = rivals[strongest], np.take_along_axis(allowed, strongest, axis=1)
    scales, bad = at_least(A, least), np.arange(len(keys))
    for tried in _candidates(A, least):  # first beside the strongest rivals only, which is soon done
        scales[bad] = tried[bad]
        quick = thresholds(A, keys[bad], near[bad], near_allowed[bad], scales[bad])
        bad = bad[~quick.good(margin) & apart[bad]]
        if not bad.size:
            break
    found = thresholds(A, keys, rivals, allowed, scales)
    for n in np.flatnonzero(~found.good(margin) & apart):
        best = widest(A, keys[n], rivals[allowed[n]])
        if best is not None:
            one = np.array([n])
            better = thresholds(A, keys[one], rivals, allowed[one], np.array([best]))
            found = _replaced(found, one, better)
            if not better.good(margin)[0]:
                break  # one is enough for a refusal
    return found


def _candidates(A: Arithmetic, least: Array) -> Iterator[Array]:
    """Yield scales a: the first member from the exact one on, some a little above it, and powers of two."""
    first = at_least(A, least)
    yield first
    for step in range(NEAR_STEPS):
        yield at_least(A, first + 2**step * quantum(first, A.least_exponent, A.precision))
    for step in range(NEAR_STEPS // 2):
        with np.errstate(all="ignore"):
            yield at_least(A, 2.0 ** (np.ceil(np.log2(least)) + step))


def widest(A: Arithmetic, key: Array, rivals: Array) -> float | None:
    """Return the number a with the largest margin to every rival; None if for no a the response at the key is 1.

    In systems of up to 16 bits every member is tried, in larger ones 16 between each two powers of two.
    """
    lanes = np.flatnonzero(key)  # elsewhere the weights are 0 and add nothing
    key, rivals = key[lanes], rivals[:, lanes]
    tried = _all_scales(A, float(np.dot(key, key)))
    order = np.argsort(-(rivals @ key), kind="stable")[:STRONGEST_RIVALS]
    keys = np.broadcast_to(key, (tried.size, key.size))
    alone = thresholds(A, keys, rivals[order], np.full((tried.size, order.size), True), tried)
    fine = np.flatnonzero((alone.at_key == 1) & (alone.at_rival < 0))
    fine = fine[np.argsort(alone.at_rival[fine], kind="stable")][:STRONGEST_RIVALS]
    if not fine.size:
        return None
    complete = thresholds(A, keys[fine], rivals, np.full((fine.size, len(rivals)), True), tried[fine])
    best = int(np.argmin(complete.at_rival))
    return float(tried[fine][best]) if complete.at_rival[best] < 0 else None


def _all_scales(A: Arithmetic, s: float) -> Array:
    if A.bits <= 16:
        members = A.values()
        return members[members > 0]
    middle = np.floor(-np.log2(s)) if 0 < s < np.inf else 0.0
    powers = 2.0 ** (middle + np.arange(-8, 40))
    return np.unique(A.round(np.outer(powers, 1 + np.arange(16) / 16)))


def _replaced(old: Thresholds, rows: Indices, new: Thresholds) -> Thresholds:
    result = {}
    for name in ("W", "b", "at_key", "at_rival", "rival"):
        result[name] = getattr(old, name).copy()
        result[name][rows] = getattr(new, name)
    return Thresholds(**result)
