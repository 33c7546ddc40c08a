"""Pairs of a clean and a corrupted input, and what a method that looks for a circuit gets and returns."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from weightsmith.inspect.edges import Edge
from weightsmith.model import Transformer


@dataclass(frozen=True)
class Pair:
    """A clean and a corrupted input of the same length, and the position at which their answers are compared."""

    clean: tuple[str, ...]
    corrupted: tuple[str, ...]
    position: int


class Method(Protocol):
    """A method of circuit discovery: it scores every edge of `inspect.edges.edges(T)`; larger means more important."""

    def __call__(self, T: Transformer, pairs: Sequence[Pair]) -> Mapping[Edge, float]:
        """Return the score of every edge."""
