"""Claims about the answers of one transformer, and about its last vectors."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from types import NoneType
from typing import Any, ClassVar, Self, TypeAlias, cast

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
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import first_difference, labelled_language
from weightsmith.check.claim import HAS_FUNCTION, Claim, Failure, Quantity, Values, is_predicate
from weightsmith.check.entries import damaged_entry, function_text, language_text, short_text
from weightsmith.check.frame import Frame
from weightsmith.check.models import (
    NOT_ENDED,
    Model,
    answer_at,
    answer_text,
    answers_line,
    answers_of,
    named_numbers,
    refuse_chains,
    value_as_text,
)
from weightsmith.errors import InputError, brief, cut, listed, named, shown
from weightsmith.inspect.run import Run
from weightsmith.model import Chain, Transformer, needs_classes

Condition: TypeAlias = Callable[[Array], Truths]
ANSWERS = (str, bool, int, float, NoneType)  # types of the answers of transformers


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
        return answers_line(self.T)

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
        return {"the last vector": named_numbers(self.T.lanes, cast(Run, self.run(self.T, tokens)).stream[-1, -1])}


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


def _numbers(model: Model) -> Callable[[object], int | None]:
    """Return the function from answers of a model to their numbers; it returns None for other values."""
    if isinstance(model, Chain):
        return model.answer_id
    ids = {answer: i for i, answer in enumerate(model.answers)}
    return lambda answer: ids.get(answer) if isinstance(answer, ANSWERS) else None
