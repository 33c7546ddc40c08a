"""Runs of tokens: aⁿbᵐ, aⁿbᵐaᵏ and (ab)ⁿ, and how long a run must be until a sum is full."""

from collections.abc import Sequence
from itertools import permutations

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.export.search.sums import watch
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids

MOST_PAIRS = 400  # inputs aⁿbᵐ
BENDS = (0.1, 0.2, 0.35, 0.5, 0.65, 0.8)  # where aⁿbᵐaᵏ goes from one run to the next
MOST_BENT = 3  # letters of which all aⁿbᵐaᵏ are made
MARGIN = 8  # tokens more than a run needs to fill a sum


def runs(letters: Sequence[int], length: int) -> list[Ids]:
    """Return inputs of one length that consist of two or three runs, and those that repeat two letters."""
    pairs = list(permutations(letters, 2))
    found = [np.full(length, a) for a in letters]
    for cut in cuts(length, MOST_PAIRS // max(len(pairs), 1)):
        found += [joined(length, (a, cut), (b, length)) for a, b in pairs]
    for a, b in permutations(letters[:MOST_BENT], 2):
        bends = sorted({max(1, int(length * part)) for part in BENDS})
        found += [joined(length, (a, n), (b, m), (a, length)) for n in bends for m in bends if n < m]
    found += [np.resize(pattern, length) for a, b in pairs for pattern in ((a, b), (a, a, b))]
    return found


def cuts(length: int, most: int) -> list[int]:
    """Return positions inside an input, all of them or about `most`, evenly spread."""
    return sorted(set(np.linspace(1, max(length - 1, 1), min(length - 1, max(most, 3))).astype(int).tolist()))


def joined(length: int, *parts: tuple[int, int]) -> Ids:
    """Return runs: each letter up to its end."""
    ids, start = np.zeros(length, np.int64), 0
    for letter, end in parts:
        ids[start:end] = letter
        start = max(start, end)
    return ids


def long_runs(T: Transformer, letters: Sequence[int], length: int, longest: int) -> list[Ids]:
    """Return aⁿbⁿ for each letter of which a run of this length comes nearer to the end of some sum, as n of them do.

    Sums grow with a run by the same amount each time, or nearly so; how many it takes follows from two of them.
    """
    found = []
    for a in letters:
        half, whole = (watch(T, np.full((1, n), a)).sums[0] for n in (length // 2, length))
        needed = _needed(T.arithmetic.infinity, half, whole, length) + MARGIN
        if needed <= longest // 2:
            found += [joined(2 * needed, (a, needed), (b, 2 * needed)) for b in letters if b != a]
    return found


def _needed(infinity: float, half: Array, whole: Array, length: int) -> int:
    """Return how long a run must be to fill the first of several sums."""
    step = np.abs(whole - half) / (length - length // 2)
    growing = (step > 0) & (np.abs(whole) > np.abs(half)) & (np.abs(whole) < infinity)
    if not growing.any():
        return 1 << 30
    return int(np.ceil(((infinity - np.abs(whole)) / np.where(growing, step, 1.0))[growing].min())) + length
