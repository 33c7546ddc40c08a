"""Patterns over lanes, as mappings or arrays, and facts: neurons that were written for a pattern."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Weights
from weightsmith.errors import InputError, brief, named, shown
from weightsmith.model import FeedForward, Transformer, lane_index
from weightsmith.model.folds import selected
from weightsmith.model.frozen import NEURONS
from weightsmith.model.members import member, real
from weightsmith.model.transformer import checked
from weightsmith.rewrites.vectors import Pattern as Pattern
from weightsmith.rewrites.vectors import lane_pairs
from weightsmith.semantics.layers import run_neurons


def read_patterns(T: Transformer, patterns: Sequence[Pattern], names: Sequence[str]) -> Array:
    """Return patterns as (patterns, lanes); refuse unknown lanes, wrong shapes and numbers that are no members."""
    columns = {lane: j for j, lane in enumerate(T.lanes)}
    result = np.zeros((len(patterns), len(T.lanes)))
    for row, pattern, name in zip(result, patterns, names, strict=True):
        for lane, value in lane_pairs(T, pattern, name):
            column = columns[lane] if lane in columns else lane_index(T, lane)
            row[column] = value if type(value) is float else real(value, f"{name}, lane {shown(lane)}")
    for n, j in np.argwhere(~T.arithmetic.contains(result)).tolist():
        member(T.arithmetic, float(result[n, j]), f"{names[n]}, lane {shown(T.lanes[j])}")
    return result + 0.0


def read_keys(T: Transformer, patterns: Sequence[Pattern], names: Sequence[str]) -> Array:
    """Return keys; refuse one that is 0 on every lane, and a lane that is named and 0, which would not matter."""
    result = _not_empty(T, patterns, names)
    for lane, pattern, name in _named_zeros(patterns, names):
        other = next(other for other, value in pattern.items() if value != 0)
        both = f'"{named(other, 40)} and not {named(lane, 40)}"'
        raise InputError(
            f"{name}, lane {named(lane)}: a key has no weight where it is 0, so the neuron would fire whatever is "
            f"there; leave {named(lane, 40)} out if it does not matter, and for {both} write "
            f"Neuron(reads={{{brief(other, 40)}: 1, {brief(lane, 40)}: -1}}, writes={{…}})"
        )
    return result


def read_values(T: Transformer, patterns: Sequence[Pattern], names: Sequence[str]) -> Array:
    """Return values; refuse one that is 0 on every lane, and a lane that is named and 0, to which nothing is added."""
    result = _not_empty(T, patterns, names)
    for lane, _, name in _named_zeros(patterns, names):
        raise InputError(
            f"{name}, lane {named(lane)}: a value is added to the stream, and 0 adds nothing; leave it out"
        )
    return result


def _named_zeros(patterns: Sequence[Pattern], names: Sequence[str]) -> Iterator[tuple[str, Mapping[str, float], str]]:
    """Yield the lanes that a mapping sets to 0; arrays name no lanes."""
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


def read_margin(margin: Any) -> float:
    """Return a margin, which must be positive: at a threshold exactly at a rival, the least rounding error leaks."""
    number = real(margin, "margin")
    if number <= 0:
        raise InputError(
            f"margin={brief(margin)}: a threshold at the strongest rival leaks; write one above 0, such as 1.0"
        )
    return number


def by_lane(T: Transformer, values: Weights) -> dict[str, float]:
    """Return the nonzero values by lane."""
    return {T.lanes[j]: float(values[j]) for j in np.flatnonzero(values).tolist()}


@dataclass(frozen=True)
class Fact:
    """A key, and the value that a neuron adds to the stream where it reads the key.

    `response` is the neuron's pre-activation at its key: 1, unless something else has changed the weights. `margin`
    is its distance below 0 at the keys of the block's other facts, and where all lanes are 0.
    """

    name: str
    key: Pattern
    value: Pattern
    block: int | None = None
    neuron: int | None = None
    response: float | None = None
    margin: float | None = None


def facts(T: Transformer) -> list[Fact]:
    """List the facts of a model, block by block, with the values that they add at their keys."""
    return [fact for b, block in enumerate(checked(T).blocks) for fact in _facts(T, b, block.feed_forward)]


def _facts(T: Transformer, b: int, layer: FeedForward | None) -> list[Fact]:
    rows = fact_neurons(layer)
    if layer is None or layer.keys is None or not rows.size:
        return []
    A, keys = T.arithmetic, layer.keys[rows]
    responses = respond(A, layer, rows, np.vstack([keys, np.zeros(len(T.lanes))]))  # (keys and nothing, facts)
    own = np.diagonal(responses).copy()
    np.fill_diagonal(responses, -np.inf)
    margins = -responses.max(axis=0)
    result = []
    for i, n in enumerate(rows):
        value = A.multiply(activation(A, layer, int(n), keys[i]), layer.W_2[:, n])
        name = layer.names[n] if layer.names else ""
        key, added = by_lane(T, keys[i]), by_lane(T, value)
        result.append(Fact(name, key, added, b, int(n), float(own[i]), float(margins[i])))
    return result


def fact_neurons(layer: FeedForward | None) -> np.ndarray:
    """Return the numbers of the neurons that were written for a pattern."""
    if layer is None or layer.keys is None:
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(layer.keys.any(axis=1))


def respond(A: Arithmetic, layer: FeedForward, rows: np.ndarray, vectors: Array) -> Array:
    """Return the pre-activations (vectors, neurons) of some neurons."""
    return A.add(A.matvec(layer.W_1[rows], vectors), layer.b_1[rows])


def activation(A: Arithmetic, layer: FeedForward, neuron: int, vector: Array) -> float:
    """Return the activation of a neuron for a vector that it reads."""
    return float(run_neurons(A.core, selected(layer, NEURONS, [neuron]), vector)[0])
