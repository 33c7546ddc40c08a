"""Claims: statements about transformers for every input."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.check.frame import EVERY, Frame
from weightsmith.check.inputs import Inputs, Truths
from weightsmith.check.languages import Decided, Language, called, name_of, text
from weightsmith.errors import InputError, brief, listed, shown
from weightsmith.model import Transformer

Quantity: TypeAlias = Literal["decisions", "logits", "vectors"]
Values: TypeAlias = npt.NDArray[Any]
Condition: TypeAlias = Callable[[Array], Truths]

FUNCTION = "it holds a Python function: give a regular expression or Automaton(…) instead"


@dataclass(frozen=True, eq=False)
class Claim(ABC):
    """What is claimed; its fields are data, so that it can go to another machine."""

    quantity: ClassVar[Quantity]
    kind: ClassVar[str]
    frame: Frame = field(default=EVERY, kw_only=True)

    @property
    @abstractmethod
    def models(self) -> tuple[Transformer, ...]:
        """The transformers that it is about; the first one's vocabulary orders the inputs."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens of the inputs."""
        return self.frame.vocabulary(self.models[0])

    @abstractmethod
    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Say where the claim holds, and return what that was read off.

        The values are each model's decisions, logits or last vectors for the inputs.
        """

    def described(self) -> dict[str, Any]:
        """Return what a certificate says of it besides the models and the frame."""
        return {}

    @property
    def languages(self) -> dict[str, Language]:
        """The sets of inputs that were given for it, each with its name in a sentence."""
        return {} if self.frame.within is None else {"within": self.frame.within}

    @property
    def not_data(self) -> str | None:
        """Why ledgers, clusters and certificates cannot hold it; None where they can."""
        if any(isinstance(language, Decided) for language in self.languages.values()):
            return FUNCTION
        if not self.frame.countable:
            return (
                "no automaton decides its within: give an expression without lookaround and references, or Automaton(…)"
            )
        return None


@dataclass(frozen=True, eq=False)
class _Pair(Claim):
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
        if set(self.S.classes) != set(self.T.classes):
            raise InputError(
                f"the two transformers have different classes: {listed(self.S.classes)} and {listed(self.T.classes)}; "
                "a claim about both needs the same"
            )

    @property
    def models(self) -> tuple[Transformer, ...]:
        return self.S, self.T

    def _second(self, values: Values) -> Values:
        """Return the second model's logits in the first one's order of classes."""
        return values[..., [self.T.classes.index(name) for name in self.S.classes]]


@dataclass(frozen=True, eq=False)
class SameDecisions(_Pair):
    """Both decide alike."""

    quantity = "decisions"
    kind = "same_decisions"

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare the classes by name."""
        place = np.array([self.S.classes.index(name) for name in self.T.classes], dtype=np.int32)
        first, second = values[0], place[values[1]]
        return first == second, [first, second]


@dataclass(frozen=True, eq=False)
class SameLogits(_Pair):
    """Both give the same logits, bit for bit."""

    quantity = "logits"
    kind = "same_logits"

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Compare the logits of each class."""
        first, second = values[0], self._second(values[1])
        return (first == second).all(axis=-1), [first, second]


@dataclass(frozen=True, eq=False)
class _Single(Claim):
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

    def described(self) -> dict[str, Any]:
        """Return the language."""
        return {"language": self.language.described(), "yes": self.yes}

    @property
    def languages(self) -> dict[str, Language]:
        """That of the claim first."""
        return {"the expression": self.language, **super().languages}


def check_class(T: Transformer, yes: object, instead: str) -> None:
    """Refuse a class that does not exist; `instead` says how to write one that does, {0} or as it is shown {1}."""
    if yes not in T.classes:
        name = shown(yes) if isinstance(yes, str) else brief(yes)
        one = T.classes[min(1, len(T.classes) - 1)]  # the first one often says that nothing was found
        write = instead.format(one, shown(one))
        raise InputError(f"the class {name} does not exist: the classes are {listed(T.classes)}; write {write}")


@dataclass(frozen=True, eq=False)
class AgreesWith(_Single):
    """The decision is what a function gives for each input: one of the classes."""

    quantity = "decisions"
    kind = "agrees_with"
    function: Callable[[Any], str]
    not_data = FUNCTION

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.function):
            raise InputError(
                f"{brief(self.function)} is not a function of an input that gives one of {listed(self.T.classes)}"
            )

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Call the function once for each input."""
        place = {name: i for i, name in enumerate(self.T.classes)}
        wanted = np.empty(len(values[0]), dtype=np.int32)
        for i, tokens in enumerate(inputs.written()):
            answer = called(self.function, "the function", tokens)
            if not isinstance(answer, str) or answer not in place:
                raise InputError(
                    f"the function gives {brief(answer)} for the input {shown(text(tokens))}: "
                    f"it must give one of {listed(self.T.classes)}"
                )
            wanted[i] = place[answer]
        return values[0] == wanted, [values[0], wanted]

    def described(self) -> dict[str, Any]:
        """Return the function's name."""
        return {"function": name_of(self.function)}


@dataclass(frozen=True, eq=False)
class FinalVectors(_Single):
    """A condition holds of the last vector of the stream."""

    quantity: ClassVar[Quantity] = "vectors"
    kind = "final_vectors"
    condition: Condition
    not_data = FUNCTION

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.condition):
            raise InputError(f"{brief(self.condition)} is not a function of vectors, an array (inputs, lanes)")

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Ask of all vectors at once."""
        holds = called(lambda vectors: np.asarray(self.condition(vectors)), "the condition", values[0])
        if holds.dtype != np.bool_ or holds.shape != values[0].shape[:1]:
            raise InputError(
                f"the condition gives {holds.dtype} values of shape {holds.shape} for vectors of shape "
                f"{values[0].shape}: it must give one bool for each input, such as (vectors[:, 0] == 1)"
            )
        return holds, [values[0], holds]

    def described(self) -> dict[str, Any]:
        """Return the condition's name."""
        return {"condition": name_of(self.condition)}
