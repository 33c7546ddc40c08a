"""Patterns and values over lanes: read from what a person writes, checked, and given back by name."""

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.errors import InputError, brief, shown
from weightsmith.model import Transformer, lane_index

Pattern: TypeAlias = Mapping[str, float] | npt.ArrayLike


def read_patterns(T: Transformer, patterns: Sequence[Pattern], names: Sequence[str]) -> Array:
    """Return patterns as (patterns, lanes); refuse unknown lanes, other shapes and what is not a member."""
    places = {lane: j for j, lane in enumerate(T.lanes)}
    result = np.zeros((len(patterns), len(T.lanes)))
    for row, pattern, name in zip(result, patterns, names, strict=True):
        for lane, value in _pairs(T, pattern, name):
            place = places[lane] if lane in places else lane_index(T, lane)
            row[place] = value if type(value) is float else real(value, f"{name}, lane {shown(lane)}")
    for n, j in np.argwhere(~T.arithmetic.contains(result)).tolist():
        member(T.arithmetic, float(result[n, j]), f"{names[n]}, lane {shown(T.lanes[j])}")
    return result + 0.0


def _pairs(T: Transformer, pattern: Pattern, name: str) -> Iterable[tuple[str, object]]:
    if isinstance(pattern, Mapping):
        return pattern.items()
    values = np.asarray(pattern, dtype=object)
    if values.shape != (len(T.lanes),):
        raise InputError(
            f"{name} has shape {values.shape}, and there are {len(T.lanes)} lanes: "
            "write a number for each, or a mapping such as {lane: number}"
        )
    return zip(T.lanes, values, strict=True)


def read_keys(T: Transformer, patterns: Sequence[Pattern], names: Sequence[str]) -> Array:
    """Return keys; refuse one that is 0 on every lane, and a lane that is named and 0, which would not matter."""
    result = _not_empty(T, patterns, names)
    for lane, pattern, name in _named_zeros(patterns, names):
        other = next(other for other, value in pattern.items() if value != 0)
        both = f'"{shown(other)} and not {shown(lane)}"'
        raise InputError(
            f"{name}, lane {shown(lane)}: a key has no weight where it is 0, so the neuron would fire whatever is "
            f"there; leave {shown(lane)} out if it does not matter, and for {both} write "
            f"Neuron(reads={{{other!r}: 1, {lane!r}: -1}}, writes={{…}})"
        )
    return result


def read_values(T: Transformer, patterns: Sequence[Pattern], names: Sequence[str]) -> Array:
    """Return values; refuse one that is 0 on every lane, and a lane that is named and 0, to which nothing is added."""
    result = _not_empty(T, patterns, names)
    for lane, _, name in _named_zeros(patterns, names):
        raise InputError(
            f"{name}, lane {shown(lane)}: a value is added to the stream, and 0 adds nothing; leave it out"
        )
    return result


def _named_zeros(patterns: Sequence[Pattern], names: Sequence[str]) -> Iterator[tuple[str, Mapping[str, float], str]]:
    """Find the lanes that a person named and gave the number 0; arrays name none."""
    for pattern, name in zip(patterns, names, strict=True):
        if isinstance(pattern, Mapping):
            yield from ((lane, pattern, name) for lane, value in pattern.items() if value == 0)


def _not_empty(T: Transformer, patterns: Sequence[Pattern], names: Sequence[str]) -> Array:
    result = read_patterns(T, patterns, names)
    for n in np.flatnonzero(~result.any(axis=1)).tolist():
        instead = f"{{{T.lanes[0]!r}: 1.0}}"
        raise InputError(
            f"{names[n]} is 0 on every lane: write a number that is not 0 for some lane, such as {instead}"
        )
    return result


def member(A: Arithmetic, value: Any, what: str) -> float:
    """Return a number that is a member, or say which member is nearest."""
    number = real(value, what)
    if not A.contains(number):
        raise InputError(f"{what}: {value!r} is not a member of {A}; the nearest member is {float(A.round(number))!r}")
    return number


def read_margin(margin: Any) -> float:
    """Return a margin, which must be positive: at a threshold exactly at a rival, the least rounding error leaks."""
    number = real(margin, "margin")
    if number <= 0:
        raise InputError(f"margin={margin!r}: a threshold at the strongest rival leaks; write one above 0, such as 1.0")
    return number


def real(value: Any, what: str) -> float:
    """Return a finite number; refuse truth values, texts and nan."""
    if isinstance(value, bool | np.bool_) or not isinstance(value, int | float | np.integer | np.floating):
        raise InputError(f"{what}: {brief(value)} is not a number: write one such as 1.0")
    try:
        number = float(value)
    except OverflowError:
        number = math.inf
    if not math.isfinite(number):
        raise InputError(f"{what}: {brief(value)} is not a finite number: write one such as 1.0")
    return number


def by_lane(T: Transformer, values: Array) -> dict[str, float]:
    """Return what is not 0, by the names of the lanes."""
    return {T.lanes[j]: float(values[j]) for j in np.flatnonzero(values).tolist()}
