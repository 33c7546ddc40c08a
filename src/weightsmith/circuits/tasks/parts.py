"""What the programs of the benchmark are put together from."""

from collections.abc import Hashable
from typing import Any

from weightsmith.programs import rasp
from weightsmith.programs.rasp import Comparison, Selector, SOp

EQ, LT, LEQ, GT, GEQ = Comparison.EQ, Comparison.LT, Comparison.LEQ, Comparison.GT, Comparison.GEQ
tokens, indices = rasp.tokens, rasp.indices
Values = tuple[Hashable, ...]


def everywhere() -> Selector:
    """Select every position."""
    return rasp.Select(tokens, tokens, Comparison.TRUE)


def before() -> Selector:
    """Select the positions before this one."""
    return rasp.Select(indices, indices, LT)


def so_far() -> Selector:
    """Select the positions up to this one."""
    return rasp.Select(indices, indices, LEQ)


def after() -> Selector:
    """Select the positions after this one."""
    return rasp.Select(indices, indices, GT)


def same(values: SOp | None = None) -> Selector:
    """Select the positions that have the same value as this one."""
    return rasp.Select(tokens if values is None else values, tokens if values is None else values, EQ)


def where_true(flag: SOp) -> Selector:
    """Select the positions at which a flag is true."""
    return rasp.Select(flag, rasp.Full(True), EQ)


def is_any(*values: Hashable) -> SOp:
    """Return whether the token is one of some."""
    return rasp.Map(lambda token: token in values, tokens)


def count(selector: Selector) -> SOp:
    """Count the selected positions."""
    return rasp.SelectorWidth(selector)


def length() -> SOp:
    """Count all positions."""
    return count(everywhere())


def gather(selector: Selector, values: SOp, default: Any = None) -> SOp:
    """Return the value of the one selected position."""
    return rasp.Aggregate(selector, values, default=default)


def at(place: SOp | int, values: SOp = tokens, default: Any = None) -> SOp:
    """Return the value at a place, which may be another one for each position."""
    place = place if isinstance(place, SOp) else rasp.Full(place)
    return gather(rasp.Select(indices, place, EQ), values, default)


def earlier(steps: int, values: SOp = tokens, default: Any = "-") -> SOp:
    """Return the value some steps before this position, or after it where `steps` is negative."""
    return at(indices - steps, values, default)


def rank(keys: SOp) -> SOp:
    """Return the place that each position has when they are sorted by a key; equal keys keep their order."""
    ties = rasp.Select(keys, keys, EQ) & before()
    return count(rasp.Select(keys, keys, LT) | ties)


def in_order(values: SOp, keys: SOp) -> SOp:
    """Return the values sorted by their keys."""
    return gather(rasp.Select(rank(keys), indices, EQ), values)
