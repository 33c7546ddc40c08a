"""Words that go towards an end: each token is the one after which some sum is largest, or smallest."""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import ModelError
from weightsmith.export.search.watched import watch
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import NOTHING, Ids, Past, numbers_held

MOST_GOALS = 12
SAMPLE, SAMPLE_LENGTH = 24, 6  # random inputs that show which sums change
MOST_NUMBERS = 1 << 21  # of a step, for all goals and letters: a large model is not searched token by token


def towards(T: Transformer, letters: Sequence[int], length: int) -> list[Ids]:
    """Return a word for each sum and each of its ends; nothing for a model that sees what comes later."""
    count = len(letters)
    if T.mask != "causal" or MOST_GOALS * count * max(numbers_held(T, length), T.weights) > MOST_NUMBERS:
        return []
    try:
        return _words(T, np.array(letters), length)
    except ModelError:  # a softmax without weight, or a norm's root that is 0: the original has no answer there
        return []


def _words(T: Transformer, letters: Ids, length: int) -> list[Ids]:
    goals = _goals(T, letters, length)
    if not goals:
        return []
    words, past = np.zeros((len(goals), 0), np.int64), NOTHING
    for _ in range(length):
        rows = np.repeat(np.arange(len(goals)), len(letters))
        seen = watch(T, np.tile(letters, len(goals))[:, np.newaxis], _kept(past, rows))
        best = [_best(seen.sums[rows == g, k], sign) for g, (k, sign) in enumerate(goals)]
        words = np.concatenate([words, letters[best][:, np.newaxis]], axis=1)
        past = _kept(seen.run.past, np.arange(len(goals)) * len(letters) + best)
    return list(np.unique(words, axis=0))


def _goals(T: Transformer, letters: Ids, length: int) -> list[tuple[int, float]]:
    """Return sums that are not the same after every input, each with both signs; those over positions first."""
    tried = np.random.default_rng(0).choice(letters, (SAMPLE, min(SAMPLE_LENGTH, length)))
    sums, over_positions, _ = watch(T, tried)
    changing = np.flatnonzero(np.ptp(sums, axis=0) > 0)
    first, others = (changing[over_positions[changing] == kind].tolist() for kind in (True, False))
    most = MOST_GOALS // 2
    columns = [*first[:: 1 + len(first) // (most + 1)], *others[:: 1 + len(others) // (most + 1)]][:most]
    return [(k, sign) for k in columns for sign in (1.0, -1.0)]


def _best(sums: Array, sign: float) -> int:
    return int(np.argmax(sign * sums))


def _kept(past: Past, rows: Ids) -> Past:
    """Return what some of the inputs have behind them."""
    return Past(past.length, [[(keys[rows], values[rows]) for keys, values in heads] for heads in past.blocks])
