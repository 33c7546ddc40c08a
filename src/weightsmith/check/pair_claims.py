"""Claims that two transformers have the same answers, or the same logits."""

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from weightsmith.automata import Input, Inputs, Truths
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import as_few, first_difference
from weightsmith.check.claim import Claim, Failure, Values
from weightsmith.check.divergence import Divergence, first_divergence
from weightsmith.check.frame import Frame
from weightsmith.check.models import (
    NOT_ENDED,
    Model,
    answer_text,
    answers_line,
    answers_of,
    check_same_vocabulary,
    labels_of,
    named_numbers,
    refuse_chains,
)
from weightsmith.errors import InputError
from weightsmith.inspect.run import Run
from weightsmith.model import Transformer, needs_classes


@dataclass(frozen=True, eq=False)
class _Pair(Claim):
    """A claim about two transformers."""

    about = 2
    S: Model
    T: Model

    def __post_init__(self) -> None:
        check_same_vocabulary(self.frame.vocabulary(self.S), self.frame.vocabulary(self.T))
        if any(isinstance(T, Transformer) and T.readout is not None for T in self.models):
            self._check_readouts()
        elif set(self.S.classes) != set(self.T.classes):
            raise InputError(
                f"the two transformers have different classes: {' and '.join(answers_line(T) for T in self.models)}; "
                "a claim about both needs the same"
            )

    def _check_readouts(self) -> None:
        """Refuse transformers without a common answer. One may have more answers: then the claim can be refuted."""
        if not set(answers_of(self.S)) & set(answers_of(self.T)):
            raise InputError(
                f"the two transformers can say nothing in common: {' and '.join(answers_line(T) for T in self.models)}"
            )

    @property
    def models(self) -> tuple[Model, ...]:
        return self.S, self.T

    @abstractmethod
    def _said(self, r: Any) -> str:
        """Return the answer of a run, as a text."""

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        return {
            "the first": self._said(self.run(self.S, tokens)),
            "the second": self._said(self.run(self.T, tokens)),
        }

    def divergence(self, tokens: Input) -> Divergence | None:
        first, second = self.run(self.S, tokens), self.run(self.T, tokens)
        return first_divergence(first, second) if isinstance(first, Run) and isinstance(second, Run) else None

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Model], frame: Frame) -> Self:
        S, T = models
        return cls(S, T, frame=frame)


@dataclass(frozen=True, eq=False)
class SameDecisions(_Pair):
    """Both make the same decision."""

    quantity = "decisions"
    kind = "same_decisions"
    by_automata = True

    @cached_property
    def _answer_ids(self) -> npt.NDArray[np.int32]:
        """For each answer of T its number among those of S; answers that S does not have get higher numbers."""
        ids = {answer: n for n, answer in enumerate(answers_of(self.S))}
        return np.array([ids.get(answer, len(ids) + n) for n, answer in enumerate(answers_of(self.T))], np.int32)

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare the classes by name, or the values of readouts; a chain that does not end refutes the claim."""
        first, ended = values[0], values[1] != NOT_ENDED
        second = np.where(ended, self._answer_ids[values[1]], NOT_ENDED).astype(first.dtype)
        return (first == second) & ended, [first, second]

    def first_failure(self, machines: Sequence[list[Moore]], within: Moore | None, budget: Budget) -> Failure:
        """Walk through the machines of both, joined into one for each model where that stays small."""
        answer_ids = np.concatenate([[-1], self._answer_ids, [-2]])  # the last for a chain that does not end
        most = len(answers_of(self.S))
        few = [as_few(each, labels_of(T), budget) for each, T in zip(machines, self.models, strict=True)]
        ids = first_difference(few[0], few[1], lambda a, b: (a - 1 != answer_ids[b]) | (a > most), within, budget)
        return Failure(ids, [each[0] if len(each) == 1 else None for each in few])

    def _said(self, r: Any) -> str:
        return answer_text(r)


@dataclass(frozen=True, eq=False)
class SameLogits(_Pair):
    """Both give the same logits, bit for bit."""

    quantity = "logits"
    kind = "same_logits"

    S: Transformer
    T: Transformer

    def __post_init__(self) -> None:
        """Refuse chains, and models without a common vocabulary."""
        refuse_chains("same_logits", *self.models)
        super().__post_init__()

    def _check_readouts(self) -> None:
        for T in (self.S, self.T):
            needs_classes(T, "same_logits")

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare the logits of each class."""
        first, second = values[0], values[1][..., [self.T.classes.index(name) for name in self.S.classes]]
        return (first == second).all(axis=-1), [first, second]

    def _said(self, r: Any) -> str:
        return named_numbers(r.transformer.classes, r.logits)
