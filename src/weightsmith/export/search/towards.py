"""Words that go towards an end: each token is the one after which some sum is largest, or smallest."""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import ModelError
from weightsmith.export.search.watched import watch
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids, Past, numbers_held

MOST_GOALS = 12
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
    sums, run = watch(T, letters[:, np.newaxis])
    goals = [(k, sign) for k in np.flatnonzero(np.ptp(sums, axis=0) > 0) for sign in (1.0, -1.0)][:MOST_GOALS]
    if not goals:
        return []
    chosen = np.array([_best(sums[:, k], sign) for k, sign in goals])
    words, past = letters[chosen][:, np.newaxis], _kept(run.past, chosen)
    for _ in range(1, length):
        rows = np.repeat(np.arange(len(goals)), len(letters))
        sums, run = watch(T, np.tile(letters, len(goals))[:, np.newaxis], _kept(past, rows))
        chosen = np.array([g * len(letters) + _best(sums[rows == g, k], sign) for g, (k, sign) in enumerate(goals)])
        words = np.concatenate([words, letters[chosen % len(letters)][:, np.newaxis]], axis=1)
        past = _kept(run.past, chosen)
    return list(np.unique(words, axis=0))


def _best(sums: Array, sign: float) -> int:
    return int(np.argmax(sign * sums))


def _kept(past: Past, rows: Ids) -> Past:
    """Return what some of the inputs have behind them."""
    return Past(past.length, [[(keys[rows], values[rows]) for keys, values in heads] for heads in past.blocks])
