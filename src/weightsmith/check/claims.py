"""The claims: about two transformers, then about one."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, ClassVar, Self, TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata import (
    Input,
    Inputs,
    Language,
    Truths,
    called,
    input_text,
    language,
    read_described,
    source_of,
)
from weightsmith.check.claim import HAS_FUNCTION, Claim, Quantity, Values, is_predicate
from weightsmith.check.frame import Frame
from weightsmith.check.verdict import Divergence, first_difference
from weightsmith.errors import InputError, brief, cut, listed, named, shown
from weightsmith.inspect.run import Run
from weightsmith.model import Transformer, Value, needs_classes, value_text

Condition: TypeAlias = Callable[[Array], Truths]
ANSWERS = (str, bool, int, float, NoneType)  # kinds of what a transformer may say


@dataclass(frozen=True, eq=False)
class _Pair(Claim):
    """A claim about two transformers."""

    about = 2
    S: Transformer
    T: Transformer

    def __post_init__(self) -> None:
        mine, other = (self.frame.vocabulary(T) for T in self.models)
        if set(mine) != set(other):
            more = tuple(token for token in (*mine, *other) if (token in mine) != (token in other))
            one_has_more = set(mine) < set(other) or set(other) < set(mine)
            hint = f", but for what follows each input: suffix={brief(more)}" if one_has_more else ""
            raise InputError(
                f"the two transformers have different vocabulary: {listed(mine)} and {listed(other)}; "
                f"a claim about both needs the same{hint}"
            )
        if self.S.readout is not None or self.T.readout is not None:
            self._check_readouts()
        elif set(self.S.classes) != set(self.T.classes):
            raise InputError(
                f"the two transformers have different classes: {listed(self.S.classes)} and {listed(self.T.classes)}; "
                "a claim about both needs the same"
            )

    def _check_readouts(self) -> None:
        """Refuse transformers that have nothing to say in common; where one can say more, a claim may be refuted."""
        if not set(self.S.answers) & set(self.T.answers):
            said = (listed([value_text(value) for value in T.answers]) for T in self.models)
            raise InputError(f"the two transformers can say nothing in common: {' and '.join(said)}")

    @property
    def models(self) -> tuple[Transformer, ...]:
        return self.S, self.T

    @abstractmethod
    def _said(self, r: Run) -> str:
        """Return what a run says."""

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        return {
            "the first": self._said(self.run(self.S, tokens)),
            "the second": self._said(self.run(self.T, tokens)),
        }

    def divergence(self, tokens: Input) -> Divergence | None:
        return first_difference(self.run(self.S, tokens), self.run(self.T, tokens))

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Transformer], frame: Frame) -> Self:
        S, T = models
        return cls(S, T, frame=frame)


@dataclass(frozen=True, eq=False)
class SameDecisions(_Pair):
    """Both decide alike."""

    quantity = "decisions"
    kind = "same_decisions"

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare the classes by name, or what readouts say by value."""
        known = {value: n for n, value in enumerate(self.S.answers)}
        more = len(known)  # what the first cannot say
        place = np.array([known.get(value, more + n) for n, value in enumerate(self.T.answers)], dtype=np.int32)
        first, second = values[0], place[values[1]]
        return first == second, [first, second]

    def _said(self, r: Run) -> str:
        return _answer(r.decision)


@dataclass(frozen=True, eq=False)
class SameLogits(_Pair):
    """Both give the same logits, bit for bit."""

    quantity = "logits"
    kind = "same_logits"

    def _check_readouts(self) -> None:
        for T in self.models:
            needs_classes(T, "same_logits")

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare the logits of each class."""
        first, second = values[0], values[1][..., [self.T.classes.index(name) for name in self.S.classes]]
        return (first == second).all(axis=-1), [first, second]

    def _said(self, r: Run) -> str:
        return _named(r.transformer.classes, r.logits)


@dataclass(frozen=True, eq=False)
class _Single(Claim):
    """A claim about one transformer."""

    about = 1
    T: Transformer

    @property
    def models(self) -> tuple[Transformer, ...]:
        return (self.T,)


@dataclass(frozen=True, eq=False)
class Recognizes(_Single):
    """The decision is `yes` for the inputs of a language and for no others."""

    quantity = "decisions"
    kind = "recognizes"
    language: Language
    yes: str = "YES"

    def __post_init__(self) -> None:
        """Refuse a transformer that cannot say so."""
        check_class(self.T, self.yes, "recognizes(…, yes={0!r}), or agrees_with(…) with a function that gives a class")

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare with the language."""
        wanted = self.language.expected(inputs)
        return (values[0] == self.T.classes.index(self.yes)) == wanted, [values[0], wanted]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Repeat what the language said."""
        member = bool(evidence[1])
        belongs = "it belongs to it" if member else "it does not belong to it"
        return {"the transformer": self.run(self.T, tokens).decision, "the language": belongs}

    def described(self) -> dict[str, Any]:
        """Return the language."""
        return {"language": self.language.described(), "yes": self.yes}

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Transformer], frame: Frame) -> Self:
        """Read the language."""
        (T,) = models
        given = data["function"] if cls.had_function(data) else read_described(data["language"])
        return cls(T, language(given, frame.vocabulary(T)), data["yes"], frame=frame)

    @classmethod
    def had_function(cls, data: Mapping[str, Any]) -> bool:
        """Look at the language."""
        return is_predicate(data.get("language"))

    @property
    def code(self) -> frozenset[str]:
        """The language, if it is a function."""
        return frozenset() if self.language.is_data else frozenset(["language"])

    @property
    def languages(self) -> dict[str, Language]:
        """That of the claim first."""
        return {"the expression": self.language, **super().languages}


@dataclass(frozen=True, eq=False)
class _ByFunction(_Single):
    """A claim with a Python function in it, of which a file holds the source alone."""

    not_data = HAS_FUNCTION
    function: Callable[[Any], Any]

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Transformer], frame: Frame) -> Self:
        (T,) = models
        return cls(T, data["function"], frame=frame)

    @classmethod
    def had_function(cls, data: Mapping[str, Any]) -> bool:
        return True

    @property
    def code(self) -> frozenset[str]:
        return frozenset(["function"])

    def described(self) -> dict[str, Any]:
        return {"function": source_of(self.function)}


@dataclass(frozen=True, eq=False)
class AgreesWith(_ByFunction):
    """The decision is what a function gives for each input: one of the answers."""

    quantity = "decisions"
    kind = "agrees_with"

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.function):
            raise InputError(f"{brief(self.function)} is not a function of an input that gives one of {self._answers}")

    @property
    def _answers(self) -> str:
        return listed([value_text(value) for value in self.T.answers])

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Call the function once for each input."""
        place = {value: i for i, value in enumerate(self.T.answers)}
        wanted = np.empty(len(values[0]), dtype=np.int32)
        for i, tokens in enumerate(inputs.written()):
            answer = called(self.function, "the function", tokens)
            if not isinstance(answer, ANSWERS) or answer not in place:
                raise InputError(
                    f"the function gives {brief(answer)} for the input {named(input_text(tokens))}: "
                    f"it must give one of {self._answers}"
                )
            wanted[i] = place[answer]
        return values[0] == wanted, [values[0], wanted]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Repeat what the function gave."""
        answers = self.run(self.T, tokens).decision, self.T.answers[int(evidence[1])]
        return dict(zip(("the transformer", "the function"), map(_answer, answers), strict=True))


@dataclass(frozen=True, eq=False)
class FinalVectors(_ByFunction):
    """A condition holds of the last vector of the stream."""

    quantity: ClassVar[Quantity] = "vectors"
    kind = "final_vectors"

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.function):
            raise InputError(f"{brief(self.function)} is not a function of vectors, an array (inputs, lanes)")

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Ask of all vectors at once."""
        holds = called(lambda vectors: np.asarray(self.function(vectors)), "the condition", values[0])
        if holds.dtype != np.bool_ or holds.shape != values[0].shape[:1]:
            raise InputError(
                f"the condition gives {holds.dtype} values of shape {holds.shape} for vectors of shape "
                f"{values[0].shape}: it must give one bool for each input, such as (vectors[:, 0] == 1)"
            )
        return holds, [values[0], holds]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return the vector: the condition says nothing more."""
        return {"the last vector": _named(self.T.lanes, self.run(self.T, tokens).stream[-1, -1])}


def check_class(T: Transformer, yes: object, instead: str) -> None:
    """Refuse a class that does not exist; `instead` says how to write one that does, {0} or as it is shown {1}."""
    needs_classes(T, "a language")
    if yes not in T.classes:
        one = T.classes[min(1, len(T.classes) - 1)]  # the first one often says that nothing was found
        write = cut(instead.format(one, shown(one)))
        raise InputError(f"the class {named(yes)} does not exist: the classes are {listed(T.classes)}; write {write}")


def _answer(value: Value) -> str:
    """Return what a transformer says as a text; a class as it is."""
    return value if isinstance(value, str) else value_text(value)


def _named(names: Sequence[str], values: Array) -> str:
    return ", ".join(f"{shown(name)}={x:g}" for name, x in zip(names, values, strict=True))
