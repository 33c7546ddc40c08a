"""Inputs with the values of a model's units, and with a value of a feature for every position."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, cut, named
from weightsmith.inspect.probing.rules import Explained, Measure, Positions, ShareRight
from weightsmith.inspect.probing.units import Readable, Reading, Unit, reading_of
from weightsmith.inspect.run import Run, run
from weightsmith.model import Transformer

Feature: TypeAlias = Callable[[Any], Sequence[Any]]  # of a run, or a reading: a value for each position


@dataclass(frozen=True, eq=False)
class Labelled:
    """The positions of some inputs, one after the other."""

    inputs: tuple[tuple[str, ...], ...]
    units: tuple[Unit, ...]
    values: Array  # (positions, units)
    feature: tuple[Any, ...]

    @property
    def tokens(self) -> list[str]:
        """The tokens of all inputs."""
        return [token for tokens in self.inputs for token in tokens]

    @property
    def positions(self) -> Positions:
        """The position of each token in its input."""
        return np.concatenate([np.arange(len(tokens)) for tokens in self.inputs])

    def numbers(self, two: tuple[Any, ...]) -> Array:
        """Return the feature as numbers: 0 and 1 for the lower and the higher of two values."""
        return np.array([float(value == two[1]) if two else float(value) for value in self.feature])


def label(
    model: Transformer | Readable, feature: Feature, inputs: Sequence[str | Sequence[str]], name: str, what: str
) -> Labelled:
    """Run a model on inputs, and compute the feature at each position."""
    if isinstance(inputs, str) or not isinstance(inputs, Sequence):
        raise InputError(f"{what}={brief(inputs)}: write a list of inputs")
    if not inputs:
        raise InputError(f"{what} is empty: write at least one input")
    pairs = [read_with(model, feature, tokens, name) for tokens in inputs]
    for reading, _ in pairs:
        if reading.units != pairs[0][0].units:
            text = named(" ".join(reading.tokens))
            raise InputError(f"the model has other units for {text} than before: it must have the same for every input")
    return Labelled(
        tuple(reading.tokens for reading, _ in pairs),
        pairs[0][0].units,
        np.concatenate([reading.values for reading, _ in pairs]),
        tuple(value for _, values in pairs for value in values),
    )


def read_with(
    model: Transformer | Readable, feature: Feature, tokens: str | Sequence[str], name: str
) -> tuple[Reading, list[Any]]:
    """Return the values of the units along an input, and the feature at each position."""
    seen: Run | Reading = run(model, tokens) if isinstance(model, Transformer) else model.reading(tokens)
    if not isinstance(seen, Run | Reading):
        raise InputError(f"the model reads {brief(seen)}: its method reading must give an inspect.Reading")
    text = named(" ".join(seen.tokens))
    try:
        values = list(feature(seen))
    except Exception as error:  # raised by the feature
        raise InputError(f"{name} fails for {text}: {type(error).__name__}: {cut(str(error))}") from error
    if len(values) != len(seen.tokens):
        raise InputError(
            f"{name} gives {len(values)} values for {text}, which has {len(seen.tokens)} tokens: give one for each"
        )
    return reading_of(seen) if isinstance(seen, Run) else seen, values


def check_apart(chosen: Labelled, held: Labelled) -> None:
    """Refuse held-out inputs on which rules are fitted."""
    used = set(chosen.inputs)
    for n, tokens in enumerate(held.inputs):
        if tokens in used:
            raise InputError(
                f"held_out[{n}], {named(' '.join(tokens))}, is also in inputs: what is measured must not be chosen on; "
                "leave it out of one of them"
            )


def values_of(chosen: Labelled, held: Labelled, name: str) -> tuple[tuple[Any, ...], Measure]:
    """Return the two values of a feature, the lower first, and its measure; () if it has more than two values."""
    try:
        found = list(dict.fromkeys(chosen.feature))
    except TypeError:
        raise InputError(f"{name} gives {brief(chosen.feature[0])}: give two different values, or numbers") from None
    if len(found) == 1:
        raise InputError(f"{name} is {brief(found[0])} everywhere in inputs: write inputs in which it changes")
    if len(found) == 2:
        new = [value for value in held.feature if value not in found]
        if not new:
            try:
                return tuple(sorted(found)), ShareRight()
            except TypeError:  # two values that cannot be compared
                return tuple(found), ShareRight()
        found += new[:1]
    for value in (*chosen.feature, *held.feature):
        if not isinstance(value, int | float | np.integer | np.floating) or not np.isfinite(float(value)):
            few = ", ".join(brief(each) for each in found[:4])
            raise InputError(f"{name} has the values {few}…: give two different values, or finite numbers")
    return (), Explained()
