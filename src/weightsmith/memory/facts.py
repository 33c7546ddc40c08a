"""Facts: neurons that were written for a pattern, read back from a model."""

from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.memory.patterns import Pattern, by_lane
from weightsmith.model import FeedForward, Transformer
from weightsmith.model.places import checked


@dataclass(frozen=True)
class Fact:
    """A key and what a neuron adds to the stream there.

    `response` is the neuron's pre-activation at its key: 1, unless something else has changed the weights. `margin`
    says how far below 0 it stays at the keys of the block's other facts, and where all lanes are 0.
    """

    name: str
    key: Pattern
    value: Pattern
    block: int | None = None
    neuron: int | None = None
    response: float | None = None
    margin: float | None = None


def facts(T: Transformer) -> list[Fact]:
    """List the facts that were written, block by block; their values are what they add at their keys."""
    return [fact for b, block in enumerate(checked(T).blocks) for fact in _facts(T, b, block.feed_forward)]


def _facts(T: Transformer, b: int, layer: FeedForward | None) -> list[Fact]:
    places = fact_places(layer)
    if layer is None or layer.keys is None or not places.size:
        return []
    A, keys = T.arithmetic, layer.keys[places]
    responses = respond(A, layer, places, np.vstack([keys, np.zeros(len(T.lanes))]))  # (keys and nothing, facts)
    own = np.diagonal(responses).copy()
    np.fill_diagonal(responses, -np.inf)
    margins = -responses.max(axis=0)
    result = []
    for i, n in enumerate(places):
        value = A.multiply(activation(A, layer, int(n), own[i], keys[i]), layer.W_2[:, n])
        name = layer.names[n] if layer.names else ""
        key, added = by_lane(T, keys[i]), by_lane(T, value)
        result.append(Fact(name, key, added, b, int(n), float(own[i]), float(margins[i])))
    return result


def fact_places(layer: FeedForward | None) -> np.ndarray:
    """Return the neurons that were written for a pattern."""
    if layer is None or layer.keys is None:
        return np.zeros(0, dtype=np.intp)
    return np.flatnonzero(layer.keys.any(axis=1))


def respond(A: Arithmetic, layer: FeedForward, places: np.ndarray, vectors: Array) -> Array:
    """Return the pre-activations (vectors, neurons) of some neurons."""
    return A.add(A.matvec(layer.W_1[places], vectors), layer.b_1[places])


def activation(A: Arithmetic, layer: FeedForward, neuron: int, response: float, vector: Array) -> float:
    """Return what a neuron multiplies its value by, given its pre-activation and what it reads."""
    result = A.activate(layer.function, response)
    if layer.W_3 is not None and layer.b_3 is not None:
        result = A.multiply(result, A.add(A.dot(layer.W_3[neuron], vector), layer.b_3[neuron]))
    return float(result)
