"""Sentences whose mood changes as one reads, made up here: something to follow that no single word says."""

import random
from collections.abc import Sequence

from weightsmith.train.settings import whole

GOOD = ("glad", "fine", "sunny")
BAD = ("sad", "grim", "rainy")
NOT = "not"
PLAIN = ("the", "dog", "walks", "home", "and", "then", "she")
MOOD_WORDS = (*PLAIN, *GOOD, *BAD, NOT)
PLAIN_SHARE, MOOD_SHARE = 0.6, 0.25  # of the words; the others are "not"
AFTER_NOT = 0.8  # how often a word of mood follows "not"


def moods(tokens: Sequence[str]) -> list[bool]:
    """Say after each word whether the mood is good: as the last word of mood says, or its opposite after "not".

    Before the first such word it is not good. Plain words leave it as it is.

    >>> moods("she walks sunny home not sad and grim".split())
    [False, False, True, True, True, True, True, False]
    """
    good, found = False, []
    for before, token in zip(("", *tokens), tokens, strict=False):
        if token in GOOD or token in BAD:
            good = (token in GOOD) != (before == NOT)
        found.append(good)
    return found


def mood_sentences(count: int, max_length: int = 12, seed: int = 0) -> list[tuple[str, ...]]:
    """Return sentences of 1 to `max_length` words, each with its running mood; the same seed gives the same ones.

    No sentence comes twice, so that some can be held out from others.
    """
    count, max_length, seed = whole(count, "count", 1), whole(max_length, "max_length", 3), whole(seed, "seed", 0)
    draw, found = random.Random(seed), dict[tuple[str, ...], None]()
    while len(found) < count:
        found.setdefault(_sentence(draw, draw.randint(1, max_length)))
    return list(found)


def _sentence(draw: random.Random, length: int) -> tuple[str, ...]:
    words: list[str] = []
    for _ in range(length):
        words.append(_word(draw, words[-1] if words else ""))
    return tuple(words)


def _word(draw: random.Random, before: str) -> str:
    if before == NOT and draw.random() < AFTER_NOT:
        return draw.choice((*GOOD, *BAD))
    share = draw.random()
    if share < PLAIN_SHARE:
        return draw.choice(PLAIN)
    return draw.choice((*GOOD, *BAD)) if share < PLAIN_SHARE + MOOD_SHARE else NOT


def mood_labels(sentences: Sequence[Sequence[str]]) -> dict[tuple[str, ...], str]:
    """Return each sentence with its mood at the end, YES for a good one: what `as_labelled` takes."""
    return {tuple(sentence): "YES" if moods(sentence)[-1] else "NO" for sentence in sentences}
