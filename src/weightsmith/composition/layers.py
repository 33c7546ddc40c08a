"""A Boolean function of values that are 0 or ∞, as feed-forward layers.

There is a neuron for each term of a sum of products, and the saturating sum of the terms is their disjunction. With
every term negated and ∞ added to the sum, the same layer is the negation. Three kinds of terms need only one neuron in
every arithmetic with saturating sums:

- no variable must be true: ∞ ⊖ x ⊖ y …, which is ∞ only if all are 0;
- one must be true: x ⊖ y ⊖ z …;
- two, and nothing else: (−∞ ⊕ x) ⊕ y; a sum that began with x would saturate and forget.

For other terms each x is scaled to a small unit whose multiples do not saturate. Whether this is exact depends on the
arithmetic and on the order of the lanes, so every neuron is evaluated under every assignment before it is used. Where
one layer is not exact, two are: the first one negates the variables, and then every term is of the first kind.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.composition.formula import Truth, assignments
from weightsmith.composition.terms import Term, sum_of_products
from weightsmith.model import Neuron

UNITS_TRIED = 12  # scaled units, each half of the one before


class Layer(NamedTuple):
    """The neurons of a feed-forward layer, and its biases by lane."""

    neurons: list[Neuron]
    adds: dict[str, float]


def one_layer(A: Arithmetic, truth: Truth, one: str, variables: Sequence[str], yes: str) -> Layer | None:
    """Return the layer that adds ∞ to the lane `yes` where the function is True; None if no single layer is exact.

    The lane `one` holds 1 and stands in front of the variables, which are lanes that hold 0 or ∞, in their order.
    """
    found = []
    for wanted, sign, constant in ((truth, 1.0, 0.0), (~truth, -1.0, A.infinity)):
        terms = sum_of_products(wanted)
        neurons = [_neuron(A, term, one, variables, yes, sign) for term in terms]
        exact = [neuron for neuron in neurons if neuron is not None]
        if len(exact) == len(terms):
            found.append(Layer(exact, {yes: constant}))
    return min(found, key=lambda layer: len(layer.neurons), default=None)


def two_layers(
    A: Arithmetic, truth: Truth, one: str, variables: Sequence[str], negated: Sequence[str], yes: str
) -> tuple[Layer, Layer]:
    """Return two layers that do so in every arithmetic: the lanes `negated` take ∞ where a variable is 0."""
    first = [Neuron({one: A.infinity, lane: -1.0}, {to: 1.0}) for lane, to in zip(variables, negated, strict=True)]
    sums = [(sum_of_products(truth), 1.0, 0.0), (sum_of_products(~truth), -1.0, A.infinity)]
    terms, sign, constant = min(sums, key=lambda each: len(each[0]))
    second = []
    for term in terms:
        forbidden = [negated[i] for i in term.positive] + [variables[i] for i in term.negative]
        second.append(Neuron({one: A.infinity, **dict.fromkeys(forbidden, -1.0)}, {yes: sign}))
    return Layer(first, {}), Layer(second, {yes: constant})


def _neuron(A: Arithmetic, term: Term, one: str, variables: Sequence[str], yes: str, sign: float) -> Neuron | None:
    """Return a neuron that writes ±∞ where the term is true and 0 elsewhere; None if there is none."""
    values = assignments(len(variables))
    true = values[:, list(term.positive)].all(axis=1) & ~values[:, list(term.negative)].any(axis=1)
    stream = np.column_stack([np.ones(len(values)), np.where(values, A.infinity, 0.0)])
    for reads, write in _recipes(A, term, one, variables):
        weights = [reads.get(lane, 0.0) for lane in (one, *variables)]
        written = A.multiply(write, A.activate("relu", A.dot(weights, stream)))
        if np.array_equal(written, np.where(true, A.infinity, 0.0)):
            return Neuron(reads, {yes: sign * write})
    return None


def _recipes(
    A: Arithmetic, term: Term, one: str, variables: Sequence[str]
) -> Iterator[tuple[Mapping[str, float], float]]:
    """Yield ways to read the variables, and the weight with which the result is written: the plain one, then units."""
    positive = len(term.positive)
    start = {0: {one: A.infinity}, 1: {}}.get(positive, {one: -A.infinity})
    yield _reads(start, term, variables, 1.0), 1.0
    if positive < 2:
        return  # the plain one is exact
    unit = 2.0 ** np.floor(np.log2(A.infinity / (positive + len(term.negative))))
    for _ in range(UNITS_TRIED):
        weight = float(A.round(unit / A.infinity))
        threshold = float(A.sum([float(A.multiply(weight, A.infinity))] * (positive - 1)))
        yield _reads({one: -threshold}, term, variables, weight), A.infinity
        unit /= 2


def _reads(start: Mapping[str, float], term: Term, variables: Sequence[str], weight: float) -> dict[str, float]:
    positive = dict.fromkeys((variables[i] for i in term.positive), weight)
    return {**start, **positive, **dict.fromkeys((variables[i] for i in term.negative), -weight)}
