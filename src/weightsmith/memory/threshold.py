"""The weights of a neuron that fires for one pattern: w = a ⊗ key, and a bias that makes its response there 1.

With s = ⟨key, key⟩ and r = ⟨key, rival⟩ for the strongest rival, a = (1 + margin) / (s − r) makes the response exactly
1 at the key and −margin at that rival. The empty pattern, 0 on every lane, is always a rival, so r is at least 0 and
without other rivals and with margin 1 the threshold lies half-way between nothing and the key. Among the members of
the arithmetic, a is the first from there upwards for which the arithmetic's own folds give just that.
"""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.memory.members import above, at_least

Chosen = npt.NDArray[np.bool_]
STEPS = 4  # members above the exact a, and powers of two above it, that are tried before the long search
STRONGEST = 16  # rivals that the long search looks at first
CELLS = 1 << 21  # responses that are worked out together


@dataclass(frozen=True, eq=False)
class Thresholds:
    """Keys' neurons, as rows of W_1 with b_1, and how much room each leaves below 0."""

    W: Array  # (keys, lanes)
    b: Array  # (keys)
    at_key: Array  # (keys): the response there, 1 if all is well
    at_rival: Array  # (keys): the largest response to a rival
    rival: npt.NDArray[np.intp]  # (keys): which rival that is

    def good(self, margin: float) -> Chosen:
        """Say which of them respond with 1 to their key and at most −margin to every rival."""
        good: Chosen = (self.at_key == 1) & (self.at_rival <= -margin)
        return good


def overlaps(keys: Array, rivals: Array, allowed: Chosen) -> tuple[Array, Array, npt.NDArray[np.intp]]:
    """Give s and, for the strongest rival of each key, r and which it is: real numbers, before any rounding."""
    with np.errstate(all="ignore"):
        products = np.where(allowed, keys @ rivals.T, -np.inf)
        strongest = np.argmax(products, axis=1)
        return (keys * keys).sum(axis=1), products[np.arange(len(keys)), strongest], strongest


def thresholds(A: Arithmetic, keys: Array, rivals: Array, allowed: Chosen, scales: Array) -> Thresholds:
    """Work out the neurons of keys for given numbers a, and their responses, in the arithmetic itself."""
    with np.errstate(all="ignore"):
        W = A.multiply(scales[:, np.newaxis], keys)
        used = keys.any(axis=0)  # the other lanes have weight 0, and adding 0 changes nothing
        at_key = A.dot(W[:, used], keys[:, used])
        b = A.subtract(A.round(1.0), np.where(np.isfinite(at_key), at_key, 0.0))
        responses = np.empty((len(keys), len(rivals)))
        rows = max(1, CELLS // max(len(rivals), 1))
        for first in range(0, len(keys), rows):
            here = slice(first, first + rows)
            responses[here] = A.add(A.matvec(W[here][:, used], rivals[:, used]), b[here]).T
    responses = np.where(allowed, np.where(np.isnan(responses), np.inf, responses), -np.inf)
    rival = np.argmax(responses, axis=1)
    return Thresholds(W, b, A.add(at_key, b), responses[np.arange(len(keys)), rival], rival)


def fit(A: Arithmetic, keys: Array, rivals: Array, allowed: Chosen, margin: float) -> Thresholds:
    """Find the neurons; where no good one is found, give the one with the largest margin."""
    s, r, _ = overlaps(keys, rivals, allowed)
    with np.errstate(all="ignore"):
        least = np.where(s > r, (1 + margin) / (s - r), 1.0)
    scales = at_least(A, least)
    found = thresholds(A, keys, rivals, allowed, scales)
    for step in range(2 * STEPS):
        bad = np.flatnonzero(~found.good(margin) & (s > r))
        if not bad.size:
            return found
        scales = above(A, scales) if step < STEPS else at_least(A, 2.0 ** (np.ceil(np.log2(least)) + step - STEPS))
        better = thresholds(A, keys[bad], rivals, allowed[bad], scales[bad])
        found = _replaced(found, bad, better, better.good(margin))
    for n in np.flatnonzero(~found.good(margin) & (s > r)):
        best = widest(A, keys[n], rivals[allowed[n]])
        if best is not None:
            one = np.array([n])
            better = thresholds(A, keys[one], rivals, allowed[one], np.array([best]))
            found = _replaced(found, one, better, np.array([True]))
            if not better.good(margin)[0]:
                break  # one is enough for a refusal
    return found


def widest(A: Arithmetic, key: Array, rivals: Array) -> float | None:
    """Give the number a with the largest margin to every rival; None if for no a the response at the key is 1.

    In systems of up to 16 bits every member is tried, in larger ones 16 between each two powers of two.
    """
    lanes = np.flatnonzero(key)  # elsewhere the weights are 0 and add nothing
    key, rivals = key[lanes], rivals[:, lanes]
    tried = _all_scales(A, float(np.dot(key, key)))
    order = np.argsort(-(rivals @ key), kind="stable")[:STRONGEST]
    keys, none = np.broadcast_to(key, (tried.size, key.size)), np.zeros((0, key.size))
    alone = thresholds(A, keys, np.vstack([none, rivals[order]]), np.full((tried.size, order.size), True), tried)
    fine = np.flatnonzero((alone.at_key == 1) & (alone.at_rival < 0))
    fine = fine[np.argsort(alone.at_rival[fine], kind="stable")][:STRONGEST]
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


def _replaced(old: Thresholds, places: npt.NDArray[np.intp], new: Thresholds, chosen: Chosen) -> Thresholds:
    result = {}
    for name in ("W", "b", "at_key", "at_rival", "rival"):
        result[name] = getattr(old, name).copy()
        result[name][places[chosen]] = getattr(new, name)[chosen]
    return Thresholds(**result)
