"""Neurons that read one form, and their sum."""

from typing import NamedTuple, TypeAlias

import numpy as np

from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.space import TOO_LARGE, Integers

Kinks: TypeAlias = tuple[tuple[int, int, int], ...]  # slope · relu(direction · u − offset)


class Part(NamedTuple):
    """Some neurons of a cell that read one form."""

    form: Integers
    kinks: Kinks


def fired(kinks: Kinks, read: Integers) -> Integers:
    """Return the sum of neurons, for every number that they read."""
    total = np.zeros(read.shape, np.int64)
    largest = max(abs(int(read.min(initial=0))), abs(int(read.max(initial=0))))
    if sum(abs(slope) * (largest + abs(offset)) for _, offset, slope in kinks) >= TOO_LARGE:
        raise LemmaError("neurons fire with numbers that are too large")
    for direction, offset, slope in kinks:
        total += slope * np.maximum(direction * read - offset, 0)
    return total
