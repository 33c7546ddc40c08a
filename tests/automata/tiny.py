"""Tiny limits of the extraction, so that each of them is reached with tiny models."""

from dataclasses import fields
from random import Random

from weightsmith.automata.extraction.limits import Limits

TINY = (1, 2, 3, 5, 8)
GIVES_UP = {"contexts", "counted_keys", "ages"}  # if these are tiny, most is unknown
NAMES = [field.name for field in fields(Limits) if field.name not in GIVES_UP]


def all_tiny(number: int) -> Limits:
    """Return limits that are all the same, but for those without which nothing is known."""
    return Limits(**dict.fromkeys(NAMES, number))


def some_tiny(seed: int) -> Limits:
    """Return limits of which each is tiny or as it is: if all are, one hides what another does."""
    random = Random(seed)
    return Limits(
        **{
            name: random.randint(1, 40) if name == "sums" else random.choice(TINY)
            for name in NAMES
            if random.random() < 0.4
        }
    )


def limits_of(seed: int) -> Limits:
    """Return the limits as they are, and for every other model tiny ones: all of them, or some."""
    if seed % 2 == 0:
        return Limits()
    return all_tiny(TINY[seed // 8 % len(TINY)]) if seed % 8 == 1 else some_tiny(seed)
