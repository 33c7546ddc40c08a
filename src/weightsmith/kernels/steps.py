"""Texts that grow by one token a step: what chains and generation run.

By definition a step is a run of the whole text. A causal transformer keeps the keys and values of the positions before,
and computes one position a step; the numbers are the same.

| stepper | engine | a step |
| --- | --- | --- |
| `StepsByReference` | the reference, or BLAS in `Native` | one position; without a causal mask the whole text |
| `packed.StepsByKernels` | packed kernels | one position |
| `StepsByWholeRuns` | packed kernels | the whole text, without a causal mask |
"""

from typing import TYPE_CHECKING, Protocol

import numpy as np

from weightsmith.kernels.engines import engine_for, packed_if_worthwhile
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import (
    NOTHING,
    AnswerIds,
    Ids,
    Past,
    Sums,
    kept_numbers,
    numbers_held,
    products_of_run,
)
from weightsmith.semantics.reference import Reference

if TYPE_CHECKING:
    from weightsmith.kernels.packed import PackedRun

STEP_WORK = 60_000  # products: the reference takes about as long for one of a step's calls on few texts
KEPT_NUMBERS = 1 << 22  # keys and values of the texts that the kernels let grow together: they stay near the processor
HELD_NUMBERS = 1 << 26  # numbers of the texts that the reference or BLAS lets grow together


class Stepper(Protocol):
    """Texts of one length, which grow together."""

    def begin(self, ids: Ids, more: int = 0) -> AnswerIds:
        """Read texts, (texts, positions); return the answer at the last position of each.

        `more` is how many tokens will follow, if that is known.
        """

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

    def begin(self, ids: Ids, more: int = 0) -> AnswerIds:
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


class StepsByWholeRuns:
    """Texts that grow by packed runs of the whole text."""

    def __init__(self, engine: "PackedRun") -> None:
        """Begin without texts."""
        self.engine = engine
        self.ids: Ids = np.zeros((0, 0), np.intp)

    def begin(self, ids: Ids, more: int = 0) -> AnswerIds:
        """Read texts, (texts, positions); return the answer at the last position of each."""
        self.ids = ids
        return self.engine.results(ids, "decisions").astype(np.intp)

    def append(self, ids: Ids) -> AnswerIds:
        """Append one token to each text, (texts); return the answers at these tokens."""
        return self.begin(np.hstack([self.ids, ids[:, np.newaxis]]))

    def keep(self, chosen: Ids) -> None:
        """Go on with some of the texts only, by their numbers."""
        self.ids = self.ids[chosen]


class StepsBySize:
    """Texts that grow by the reference, until there is so much work that loading the kernels is worth it."""

    def __init__(self, T: Transformer, sums: Sums | None) -> None:
        """Begin with the reference."""
        self.T, self.sums = T, sums
        self.slow = StepsByReference(T, sums)
        self.fast: Stepper | None = None

    def begin(self, ids: Ids, more: int = 0) -> AnswerIds:
        """Read texts, (texts, positions); return the answer at the last position of each."""
        texts, length = ids.shape
        if self._is_worthwhile(texts, length, length) and self.fast is not None:
            return self.fast.begin(ids, more)
        return self.slow.begin(ids)

    def append(self, ids: Ids) -> AnswerIds:
        """Append one token to each text, (texts); return the answers at these tokens."""
        if self.fast is not None:
            return self.fast.append(ids)
        length = self.slow.ids.shape[1] + 1
        if self._is_worthwhile(len(ids), length, 1 if self.slow.cached else length) and self.fast is not None:
            return self.fast.begin(np.hstack([self.slow.ids, ids[:, np.newaxis]]), length)
        return self.slow.append(ids)

    def keep(self, chosen: Ids) -> None:
        """Go on with some of the texts only, by their numbers."""
        (self.slow if self.fast is None else self.fast).keep(chosen)

    def _is_worthwhile(self, texts: int, positions: int, new: int) -> bool:
        """Choose the kernels for texts, of whose positions the last ones are new, if there is enough work."""
        products = products_of_run(self.T, positions) * new // positions
        engine = packed_if_worthwhile(self.T, self.sums, texts * products + STEP_WORK)
        if engine is not None:
            self.fast = _by_kernels(engine)
        return engine is not None


def _by_kernels(engine: "PackedRun") -> Stepper:
    if engine.transformer.mask != "causal":
        return StepsByWholeRuns(engine)
    from weightsmith.kernels.packed.growing import StepsByKernels  # here, because it loads Numba

    return StepsByKernels(engine)


def stepper(T: Transformer, sums: Sums | None = None, by_definition: bool = False) -> Stepper:
    """Return the fastest way to let texts of a transformer grow, or the one that runs the whole text at each step."""
    if by_definition:
        return StepsByReference(T, sums, cache=False)
    if type(engine_for(T, sums)) is not Reference:  # BLAS: its sums are not those of the kernels
        return StepsByReference(T, sums)
    return StepsBySize(T, sums)


def texts_at_once(T: Transformer, positions: int, sums: Sums | None = None) -> int:
    """Return how many texts should grow together to some positions."""
    if type(engine_for(T, sums)) is not Reference:
        return max(1, HELD_NUMBERS // max(1, numbers_held(T, positions)))
    return max(1, KEPT_NUMBERS // max(1, kept_numbers(T, positions)))
