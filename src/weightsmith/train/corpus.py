"""A text to learn from, made up here: small stories in which names come back, verbs agree and sums are right."""

import random
from collections.abc import Callable

from weightsmith.train.settings import whole

PEOPLE = {"Anna": "she", "Clara": "she", "Maria": "she", "Ben": "he", "David": "he", "Tom": "he"}
ANIMALS = ("dog", "cat", "horse", "bird", "hen", "goat")
THINGS = ("apple", "pear", "stone", "book", "coin", "shell")
PLACES = ("garden", "river", "house", "tower", "bridge", "market")
KINDS = ("big", "young", "small", "quiet", "brown", "white")
DOINGS = ("sleep", "wait", "sing", "play", "rest", "listen")
MOST_THINGS = 9  # of one kind of thing at first


def corpus(bytes: int = 1_000_000, seed: int = 0) -> str:
    """Return a text of `bytes` bytes, a story on each line; the same seed gives the same text.

    >>> print(corpus(60, seed=1), end="")
    Clara has 2 stones and finds 8 more. Now she has 10 stones.
    """
    whole(bytes, "bytes", 1)
    whole(seed, "seed", 0)
    draw, lines, length = random.Random(seed), [], 0
    while length < bytes:
        lines.append(_story(draw))
        length += len(lines[-1]) + 1
    return "\n".join(lines)[: bytes - 1] + "\n"


def _story(draw: random.Random) -> str:
    parts: list[Callable[[random.Random, str], str]] = [_count, _look, _animals]
    name = draw.choice(list(PEOPLE))
    return " ".join(draw.choice(parts)(draw, name) for _ in range(draw.randint(2, 4)))


def _count(draw: random.Random, name: str) -> str:
    """Tell of a sum or a difference, which is right."""
    thing, first = draw.choice(THINGS), draw.randint(1, MOST_THINGS)
    if draw.random() < 0.5:
        second = draw.randint(1, MOST_THINGS)
        doing, result = f"finds {second} more", first + second
    else:
        second = draw.randint(0, first)
        doing, result = f"loses {second}", first - second
    return f"{name} has {_many(first, thing)} and {doing}. Now {PEOPLE[name]} has {_many(result, thing)}."


def _look(draw: random.Random, name: str) -> str:
    """Return a story whose pronoun agrees with its person."""
    animal, place, kind = draw.choice(ANIMALS), draw.choice(PLACES), draw.choice(KINDS)
    return f"{name} sees a {kind} {animal} at the {place}, and {PEOPLE[name]} {draw.choice(DOINGS)}s there too."


def _animals(draw: random.Random, name: str) -> str:
    """Tell of a verb that agrees with the noun, not with the place beside it."""
    one, other = draw.random() < 0.5, draw.random() < 0.5
    noun = draw.choice(ANIMALS) + ("" if one else "s")
    places = draw.choice(PLACES) + ("" if other else "s")
    verb = draw.choice(DOINGS) + ("s" if one else "")
    return f"The {draw.choice(KINDS)} {noun} near the {places} {verb}."


def _many(count: int, thing: str) -> str:
    return f"{count} {thing}" if count == 1 else f"{count} {thing}s"
