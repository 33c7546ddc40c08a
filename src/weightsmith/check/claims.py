"""The claims: about two transformers, then about one."""

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import NoneType
from typing import Any, ClassVar, Self, TypeAlias, cast

import numpy as np
import numpy.typing as npt

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
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import as_few, first_difference, labelled_language
from weightsmith.check.claim import HAS_FUNCTION, Claim, Failure, Quantity, Values, is_predicate
from weightsmith.check.divergence import Divergence, first_divergence
from weightsmith.check.entries import damaged_entry, function_text, language_text, short_text
from weightsmith.check.frame import Frame
from weightsmith.check.models import (
    NOT_ENDED,
    Model,
    answer_at,
    answer_text,
    answers_of,
    check_same_vocabulary,
    labels_of,
    refuse_chains,
    value_as_text,
)
from weightsmith.errors import InputError, brief, cut, listed, named, shown
from weightsmith.inspect.run import Run
from weightsmith.model import Chain, Transformer, needs_classes, value_text

Condition: TypeAlias = Callable[[Array], Truths]
ANSWERS = (str, bool, int, float, NoneType)  # types of the answers of transformers


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
                f"the two transformers have different classes: {' and '.join(_listed(T) for T in self.models)}; "
                "a claim about both needs the same"
            )

    def _check_readouts(self) -> None:
        """Refuse transformers without a common answer. One may have more answers: then the claim can be refuted."""
        if not set(answers_of(self.S)) & set(answers_of(self.T)):
            raise InputError(
                f"the two transformers can say nothing in common: {' and '.join(_listed(T) for T in self.models)}"
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
        return _named(r.transformer.classes, r.logits)


@dataclass(frozen=True, eq=False)
class _Single(Claim):
    """A claim about one transformer."""

    about = 1
    T: Model

    @property
    def models(self) -> tuple[Model, ...]:
        return (self.T,)


@dataclass(frozen=True, eq=False)
class Recognizes(_Single):
    """The decision is `yes` for the inputs of a language and for no others."""

    quantity = "decisions"
    kind = "recognizes"
    by_automata = True
    language: Language
    yes: str = "YES"

    def __post_init__(self) -> None:
        """Refuse a transformer without that class."""
        check_class(self.T, self.yes, "recognizes(…, yes={0!r}), or agrees_with(…) with a function that gives a class")

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare with the language; a chain that does not end refutes the claim."""
        wanted, said = self.language.expected(inputs), values[0]
        return ((said == self.T.classes.index(self.yes)) == wanted) & (said != NOT_ENDED), [said, wanted]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return the decision, and whether the input belongs to the language."""
        member = bool(evidence[1])
        belongs = "it belongs to it" if member else "it does not belong to it"
        return {_name(self.T): answer_text(self.run(self.T, tokens)), "the language": belongs}

    def first_failure(self, machines: Sequence[list[Moore]], within: Moore | None, budget: Budget) -> Failure:
        """Walk through each machine together with the automaton of the language."""
        assert self.language.automaton is not None
        yes, answers = 1 + self.T.classes.index(self.yes), len(answers_of(self.T))
        wanted = labelled_language(self.language.automaton, budget)
        ids = first_difference(
            machines[0], [wanted], lambda a, b: ((a == yes) != (b == 2)) | (a > answers), within, budget
        )
        return Failure(ids, [None])

    def described(self) -> dict[str, Any]:
        """Return the language and the class."""
        return {"language": self.language.described(), "yes": self.yes}

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Model], frame: Frame) -> Self:
        """Read the language."""
        (T,) = models
        given = data["function"] if cls.had_function(data) else read_described(data["language"])
        return cls(T, language(given, frame.vocabulary(T)), data["yes"], frame=frame)

    @classmethod
    def cited(cls, entries: Mapping[str, Any]) -> str:
        """Name the language."""
        yes = entries.get("yes")
        if not isinstance(yes, str):
            raise damaged_entry("yes", yes)
        return f"recognizes as {short_text(shown(yes))} the inputs {language_text('language', entries.get('language'))}"

    @classmethod
    def from_form(cls, models: Sequence[Model], form: Mapping[str, Any]) -> dict[str, Any]:
        """Read an expression and a class."""
        check_class(models[0], form["yes"], "{1} as the class that counts as YES")
        return {"predicate": form["regex"], "yes": form["yes"]}

    @classmethod
    def had_function(cls, data: Mapping[str, Any]) -> bool:
        """Return whether the language is a predicate."""
        return is_predicate(data.get("language"))

    @property
    def code(self) -> frozenset[str]:
        """The language, if it is a function."""
        return frozenset() if self.language.is_data else frozenset(["language"])

    @property
    def languages(self) -> dict[str, Language]:
        """The language of the claim, and that of its frame."""
        return {"language": self.language, **super().languages}


@dataclass(frozen=True, eq=False)
class _ByFunction(_Single):
    """A claim with a Python function; a certificate holds its source only."""

    not_data = HAS_FUNCTION
    verb: ClassVar[str]  # before the function, in a citation
    function: Callable[[Any], Any]

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Model], frame: Frame) -> Self:
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

    @classmethod
    def cited(cls, entries: Mapping[str, Any]) -> str:
        return f"{cls.verb} {function_text('function', entries.get('function'))}"


@dataclass(frozen=True, eq=False)
class AgreesWith(_ByFunction):
    """The decision is the value of a function of the input: one of the answers."""

    quantity = "decisions"
    kind = "agrees_with"
    verb = "agrees with"

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.function):
            raise InputError(f"{brief(self.function)} is not a function of an input that gives one of {self._answers}")

    @property
    def _answers(self) -> str:
        return _listed(self.T)

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Call the function once for each input."""
        known = _numbers(self.T)
        wanted = np.empty(len(values[0]), dtype=values[0].dtype)
        for i, tokens in enumerate(inputs.written()):
            answer = called(self.function, "the function", tokens)
            number = known(answer)
            if number is None:
                raise InputError(
                    f"the function gives {brief(answer)} for the input {named(input_text(tokens))}: "
                    f"it must give one of {self._answers}"
                )
            wanted[i] = number
        return values[0] == wanted, [values[0], wanted]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return the decision, and the value of the function."""
        return {
            _name(self.T): answer_text(self.run(self.T, tokens)),
            "the function": value_as_text(answer_at(self.T, int(evidence[1]))),
        }


@dataclass(frozen=True, eq=False)
class FinalVectors(_ByFunction):
    """A condition holds of the last vector of the stream."""

    quantity: ClassVar[Quantity] = "vectors"
    kind = "final_vectors"
    verb = "final vectors satisfy"

    T: Transformer

    def __post_init__(self) -> None:
        """Refuse chains, and what cannot be called."""
        refuse_chains("final_vectors", self.T)
        if not callable(self.function):
            raise InputError(f"{brief(self.function)} is not a function of vectors, an array (inputs, lanes)")

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Call the condition once, with all vectors."""
        holds = called(lambda vectors: np.asarray(self.function(vectors)), "the condition", values[0])
        if holds.dtype != np.bool_ or holds.shape != values[0].shape[:1]:
            raise InputError(
                f"the condition gives {holds.dtype} values of shape {holds.shape} for vectors of shape "
                f"{values[0].shape}: it must give one bool for each input, such as (vectors[:, 0] == 1)"
            )
        return holds, [values[0], holds]

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return the vector."""
        return {"the last vector": _named(self.T.lanes, cast(Run, self.run(self.T, tokens)).stream[-1, -1])}


def check_class(T: Model, yes: object, instead: str) -> None:
    """Refuse a class that does not exist; `instead` says what to write: {0} is a class, {1} its printable form."""
    if isinstance(T, Transformer):
        needs_classes(T, "a language")
    if yes not in T.classes:
        one = str(T.classes[min(1, len(T.classes) - 1)])  # the first class is often the negative one
        write = cut(instead.format(one, shown(one)))
        known = listed([str(name) for name in T.classes])
        raise InputError(f"the class {named(yes)} does not exist: the classes are {known}; write {write}")


def _name(model: Model) -> str:
    return "the chain" if isinstance(model, Chain) else "the transformer"


def _listed(model: Model) -> str:
    """Return the answers of a model, in a line."""
    if isinstance(model, Chain) and model.outputs > 1:
        return f"tuples of {model.outputs} of {listed(model.letters)}"
    return listed([value_text(value) for value in answers_of(model)])


def _numbers(model: Model) -> Callable[[object], int | None]:
    """Return the function from answers of a model to their numbers; it returns None for other values."""
    if isinstance(model, Chain):
        return model.answer_id
    ids = {answer: i for i, answer in enumerate(model.answers)}
    return lambda answer: ids.get(answer) if isinstance(answer, ANSWERS) else None


def _named(names: Sequence[str], values: Array) -> str:
    return ", ".join(f"{shown(name)}={x:g}" for name, x in zip(names, values, strict=True))
