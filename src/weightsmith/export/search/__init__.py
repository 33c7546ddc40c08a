"""Inputs on which a sum of the original comes to its ends midway: random inputs hardly ever meet them.

The original saturates and rounds after every ⊕; what is exported adds up first. The two part where a partial sum went
further than the whole, as on 1¹⁶0¹⁵ of `majority("1")` in `Fixed(2, 2)`. Such inputs are looked for in three ways: runs
of tokens (`runs`), words that go token by token towards an end of some sum (`towards`), and words that tell the states
of the model's automaton apart (`states`).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import lru_cache

import numpy as np

from weightsmith.arithmetic import Saturating
from weightsmith.errors import ModelError
from weightsmith.export.search.runs import cuts, joined, long_runs, runs
from weightsmith.export.search.states import words_of_states
from weightsmith.export.search.sums import towards, watch
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids

LENGTH = 64  # of searched inputs, where the model has no longest one
TABLE_LENGTH = 128  # up to here a table of positions is searched to its end
LONGEST = 1_024  # tokens of two long runs
MOST_LETTERS = 6
MOST_TRIED = 256  # letters of which the furthest are taken
MOST = 600  # inputs in all
MOST_PAIRS = 4 * 10**6  # of positions, in all heads, for inputs that are longer than the others
MOST_WATCHED = 20_000  # weights of a model whose sums are watched one by one
MOST_PRODUCTS = 2 * 10**8  # multiplications for all of them: a large model is run on fewer
BENDS = 8  # places where a word that goes towards an end turns back


def searched(T: Transformer, up_to: int | None = None) -> tuple[Ids, ...]:
    """Return inputs on which a sum may saturate or round midway, an array (inputs, positions) for each length.

    In a causal model the outputs at every position are compared, so an input also tests all of its prefixes. In
    `Native` nothing saturates, and the result is empty.
    """
    if not isinstance(T.arithmetic, Saturating):
        return ()
    return _kept(T, up_to) if T.weights <= MOST_WATCHED else _searched(T, up_to)


@lru_cache(maxsize=8)
def _kept(T: Transformer, up_to: int | None) -> tuple[Ids, ...]:
    """Return them, and keep them for the next target."""
    return _searched(T, up_to)


def _searched(T: Transformer, up_to: int | None) -> tuple[Ids, ...]:
    most = min(T.max_length or LONGEST, up_to or LONGEST)
    length = most if most <= TABLE_LENGTH and (T.max_length or up_to) else min(most, LENGTH)
    letters = _letters(T)
    room = int(np.clip(MOST_PRODUCTS // (max(T.weights, 1) * length), 3, MOST))
    words = [word for word in words_of_states(T, letters) if len(word) <= length]
    found = [*_some(_short(T, letters, length), room), *_some(words, max(room // 3, 1))]
    if most > 2 * length and T.weights <= MOST_WATCHED:
        with suppress(ModelError):  # the original has no answer for a run
            found += _affordable(T, long_runs(T, letters, length, most))
    return tuple(_by_length(found if T.mask != "causal" else _alike(found, length)))


def _short(T: Transformer, letters: Sequence[int], length: int) -> list[Ids]:
    """Return runs, and words that go towards an end and then back by a run."""
    if length == 1:
        return []
    if T.mask != "causal":  # then the beginning of an input is another input, with answers of its own
        lengths = sorted({max(2, length * part // 8) for part in range(1, 9)})
        return [ids for part in lengths for ids in _some(runs(letters, part), MOST // len(lengths))]
    found = runs(letters, length)
    for word in towards(T, letters, length):
        found.append(word)
        for cut in cuts(length, BENDS):
            found += [np.concatenate([word[:cut], joined(length - cut, (b, length))]) for b in letters]
    return found


def _letters(T: Transformer) -> list[int]:
    """Return tokens of which no two are embedded alike; of many of them, those that take some sum furthest."""
    _, first = np.unique(T.embedding, axis=0, return_index=True)
    letters: list[int] = np.sort(first).tolist()
    if len(letters) <= MOST_LETTERS:
        return letters
    if T.weights > MOST_WATCHED:
        return letters[:: 1 + len(letters) // MOST_LETTERS]
    tried = letters[:: 1 + len(letters) // MOST_TRIED]
    try:
        sums = watch(T, np.array(tried)[:, np.newaxis]).sums
    except ModelError:
        return tried[:MOST_LETTERS]
    furthest = [int(n) for k in range(sums.shape[1]) for n in (sums[:, k].argmax(), sums[:, k].argmin())]
    chosen = list(dict.fromkeys([*furthest, *range(len(tried))]))[:MOST_LETTERS]
    return sorted(tried[n] for n in chosen)


def _affordable(T: Transformer, words: Sequence[Ids]) -> list[Ids]:
    """Return the shortest of the words, up to a number of scores that all heads have together."""
    heads = sum(len(block.attention.heads) for block in T.blocks if block.attention is not None)
    ordered = sorted(words, key=len)
    scores = np.cumsum([max(heads, 1) * len(word) ** 2 for word in ordered])
    return [word for word, so_far in zip(ordered, scores, strict=True) if so_far <= MOST_PAIRS]


def _some(words: Sequence[Ids], most: int) -> list[Ids]:
    """Return at most `most` of the words, evenly spread."""
    different = list({word.tobytes(): word for word in words}.values())
    return different[:: 1 + (len(different) - 1) // most] if different else []


def _alike(words: Sequence[Ids], length: int) -> list[Ids]:
    """Go on with the last letter of each, so that there are two lengths only: an input stands for its beginnings."""
    longest = max((len(word) for word in words), default=0)
    sizes = (length if len(word) <= length else longest for word in words)
    return [np.pad(word, (0, size - len(word)), mode="edge") for word, size in zip(words, sizes, strict=True)]


def _by_length(words: Iterable[Ids]) -> list[Ids]:
    lengths: dict[int, list[Ids]] = defaultdict(list)
    for word in words:
        lengths[len(word)].append(word)
    return [np.unique(np.stack(lengths[length]), axis=0) for length in sorted(lengths)]
