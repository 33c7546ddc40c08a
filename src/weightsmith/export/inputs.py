"""The inputs that an exported model and its original are run on."""

from collections.abc import Iterator, Sequence
from itertools import product
from typing import Any

import numpy as np

from weightsmith.inspect.run import NUMBERS_AT_ONCE
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids, numbers_held

MOST_INPUTS = 10_000  # all inputs are run up to the length that has at most this many
RANDOM_INPUTS = 200  # longer ones besides
RANDOM_LENGTH = 64  # tokens that they have at most
MOST_PRODUCTS = 5 * 10**9  # multiplications for all short inputs, and for random ones: a large model is run on fewer


def inputs(
    T: Transformer, seed: int = 0, up_to: int | None = None, most: int | None = None
) -> Iterator[tuple[Ids, bool]]:
    """Yield inputs by length, in parts that fit into memory: all short ones, at most `most`, and random longer ones.

    With each part comes True if all inputs of its length are among them. No input is longer than `up_to`.
    """
    most = MOST_INPUTS if most is None else most
    symbols, end = len(T.vocabulary), min(T.max_length or RANDOM_LENGTH, up_to or RANDOM_LENGTH)
    length, total, weights = 0, 0, max(T.weights, 1)
    while length < end and total + symbols ** (length + 1) <= most:
        if (total + symbols ** (length + 1)) * (length + 1) * weights > MOST_PRODUCTS:
            break
        length, total = length + 1, total + symbols ** (length + 1)
        everything = np.array(list(product(range(symbols), repeat=length)))
        yield from ((part, True) for part in parts(T, everything))
    longest = min(end, RANDOM_LENGTH)
    if longest > length:
        generator = np.random.default_rng(seed)
        count = int(np.clip(MOST_PRODUCTS // (weights * longest), 3, RANDOM_INPUTS))
        sizes = np.unique(np.linspace(longest, length + 1, count).astype(int), return_counts=True)
        for size, times in zip(*sizes, strict=True):
            yield from ((part, False) for part in parts(T, generator.integers(0, symbols, (times, size))))


def parts(T: Transformer, ids: Ids) -> Iterator[Ids]:
    """Yield inputs of one length in parts that fit into memory."""
    at_once = max(1, NUMBERS_AT_ONCE // 4 // numbers_held(T, ids.shape[1]))
    for first in range(0, len(ids), at_once):
        yield ids[first : first + at_once]


def some(given: Sequence[tuple[Ids, Any]], most: int) -> list[tuple[Ids, Any]]:
    """Return about `most` of the inputs with their values, the same share of each part."""
    step = -(-sum(len(ids) for ids, _ in given) // most)
    return [(ids[::step], beside[::step]) for ids, beside in given]


def some_inputs(T: Transformer, most: int = 300) -> list[Ids]:
    """Return about `most` inputs of a transformer, by length."""
    return [ids for ids, _ in some([(ids, ids) for ids, _ in inputs(T)], most)]
