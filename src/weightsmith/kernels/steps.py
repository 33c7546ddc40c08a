"""Texts that grow by one token a step: what chains and generation run.

By definition a step is a run of the whole text. A causal transformer keeps the keys and values of the positions before,
and computes one position a step; the numbers are the same.
"""

from typing import Protocol

import numpy as np

from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import NOTHING, AnswerIds, Ids, Past, Sums
from weightsmith.semantics.reference import Reference


class Stepper(Protocol):
    """Texts of one length, which grow together."""

    def begin(self, ids: Ids) -> AnswerIds:
        """Read texts, (texts, positions); return the answer at the last position of each."""

    def append(self, ids: Ids) -> AnswerIds:
        """Append one token to each text, (texts); return the answers at these tokens."""

    def keep(self, chosen: Ids) -> None:
        """Go on with some of the texts only, by their numbers."""


class StepsByReference:
    """Texts that grow by runs that return every value."""

    def __init__(self, T: Transformer, sums: Sums | None = None, cache: bool = True) -> None:
        """Choose the engine; without `cache`, or without a causal mask, every step runs the whole text."""
        self.engine: Reference = engine_for(T, sums)
        self.cached = cache and T.mask == "causal"
        self.past: Past = NOTHING
        self.ids: Ids = np.zeros((0, 0), np.intp)

    def begin(self, ids: Ids) -> AnswerIds:
        """Read texts, (texts, positions); return the answer at the last position of each."""
        self.past, self.ids = NOTHING, ids
        return self._answers(ids)

    def append(self, ids: Ids) -> AnswerIds:
        """Append one token to each text, (texts); return the answers at these tokens."""
        self.ids = np.hstack([self.ids, ids[:, np.newaxis]])
        return self._answers(self.ids[:, -1:] if self.cached else self.ids)

    def _answers(self, ids: Ids) -> AnswerIds:
        found = self.engine.evaluate(ids, self.past)
        if self.cached:
            self.past = found.past
        return self.engine.last_answers(found)

    def keep(self, chosen: Ids) -> None:
        """Go on with some of the texts only, by their numbers."""
        self.ids = self.ids[chosen]
        blocks = [[(keys[chosen], values[chosen]) for keys, values in heads] for heads in self.past.blocks]
        self.past = Past(self.past.length, blocks)


def stepper(T: Transformer, sums: Sums | None = None, by_definition: bool = False) -> Stepper:
    """Return the fastest way to let texts of a transformer grow, or the one that runs the whole text at each step."""
    return StepsByReference(T, sums, cache=not by_definition)
