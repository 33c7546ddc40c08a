"""Claims: statements about transformers for every input."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.check.languages import Language, Truths, called, continuations, name_of, text
from weightsmith.errors import InputError, ModelError
from weightsmith.model import Transformer
from weightsmith.model.names import brief, listed, shown

Quantity: TypeAlias = Literal["decisions", "logits", "vectors"]
Values: TypeAlias = npt.NDArray[Any]
Condition: TypeAlias = Callable[[Array], Truths]


@dataclass(frozen=True, eq=False)
class Claim(ABC):
    """What is claimed; its fields are data, so that it can go to another machine."""

    quantity: ClassVar[Quantity]
    kind: ClassVar[str]

    @property
    @abstractmethod
    def models(self) -> tuple[Transformer, ...]:
        """The transformers that it is about; the first one's vocabulary orders the inputs."""

    @property
    def vocabulary(self) -> tuple[str, ...]:
        """The tokens of the inputs."""
        return tuple(self.models[0].vocabulary)

    @abstractmethod
    def judge(self, values: Sequence[Values], stem: Sequence[int], depth: int) -> tuple[Truths, list[Values]]:
        """Say where the claim holds, and give what that was read off.

        The values are each model's decisions, logits or last vectors for all continuations of a stem by `depth`
        tokens, in vocabulary order.
        """

    def described(self) -> dict[str, Any]:
        """Give what a certificate says of it besides the models."""
        return {}

    @property
    def portable(self) -> bool:
        """Whether it consists of data only."""
        return True


@dataclass(frozen=True, eq=False)
class _Pair(Claim):
    S: Transformer
    T: Transformer

    def __post_init__(self) -> None:
        for place, T in (("first", self.S), ("second", self.T)):
            checked_model(T, place)
        for what in ("vocabulary", "classes"):
            mine, other = getattr(self.S, what), getattr(self.T, what)
            if set(mine) != set(other):
                raise InputError(
                    f"the two transformers have different {what}: {listed(mine)} and {listed(other)}; "
                    "a claim about both needs the same"
                )

    @property
    def models(self) -> tuple[Transformer, ...]:
        return self.S, self.T

    def _second(self, values: Values) -> Values:
        """Give the second model's logits in the first one's order of classes."""
        return values[..., [self.T.classes.index(name) for name in self.S.classes]]


@dataclass(frozen=True, eq=False)
class SameDecisions(_Pair):
    """Both decide alike."""

    quantity = "decisions"
    kind = "same_decisions"

    def judge(self, values: Sequence[Values], stem: Sequence[int], depth: int) -> tuple[Truths, list[Values]]:
        """Compare the classes by name."""
        place = np.array([self.S.classes.index(name) for name in self.T.classes], dtype=np.int32)
        first, second = values[0], place[values[1]]
        return first == second, [first, second]


@dataclass(frozen=True, eq=False)
class SameLogits(_Pair):
    """Both give the same logits, bit for bit."""

    quantity = "logits"
    kind = "same_logits"

    def judge(self, values: Sequence[Values], stem: Sequence[int], depth: int) -> tuple[Truths, list[Values]]:
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
        if self.yes not in self.T.classes:
            name = shown(self.yes) if isinstance(self.yes, str) else brief(self.yes)
            raise InputError(
                f"the class {name} does not exist: the classes are {listed(self.T.classes)}; "
                f"write recognizes(…, yes={self.T.classes[-1]!r}), or agrees_with for more than two"
            )

    def judge(self, values: Sequence[Values], stem: Sequence[int], depth: int) -> tuple[Truths, list[Values]]:
        """Compare with the language."""
        wanted = self.language.expected(self.vocabulary, stem, depth)
        return (values[0] == self.T.classes.index(self.yes)) == wanted, [values[0], wanted]

    def described(self) -> dict[str, Any]:
        """Give the language."""
        return {"language": self.language.described(), "yes": self.yes}

    @property
    def portable(self) -> bool:
        """Whether it is given without a function."""
        return "predicate" not in self.language.described()


@dataclass(frozen=True, eq=False)
class AgreesWith(_Single):
    """The decision is what a function gives for each input: one of the classes, which are tokens."""

    quantity = "decisions"
    kind = "agrees_with"
    function: Callable[[Any], str]

    def __post_init__(self) -> None:
        """Refuse classes that are not tokens."""
        other = [name for name in self.T.classes if name not in self.T.vocabulary]
        if other:
            raise InputError(
                f"agrees_with needs classes that are tokens, and {listed(other)} is not in the vocabulary; "
                "for YES and NO write recognizes"
            )
        if not callable(self.function):
            raise InputError(f"{self.function!r:.80} is not a function of an input that gives a token")

    def judge(self, values: Sequence[Values], stem: Sequence[int], depth: int) -> tuple[Truths, list[Values]]:
        """Call the function once for each input."""
        place = {name: i for i, name in enumerate(self.T.classes)}
        wanted = np.empty(len(values[0]), dtype=np.int32)
        for i, tokens in enumerate(continuations(self.vocabulary, stem, depth)):
            answer = called(self.function, "the function", tokens)
            if not isinstance(answer, str) or answer not in place:
                raise InputError(
                    f"the function gives {answer!r:.80} for the input {shown(text(tokens))}: "
                    f"it must give one of {listed(self.T.classes)}"
                )
            wanted[i] = place[answer]
        return values[0] == wanted, [values[0], wanted]

    def described(self) -> dict[str, Any]:
        """Give the function's name."""
        return {"function": name_of(self.function)}

    @property
    def portable(self) -> bool:
        """A function is not data."""
        return False


@dataclass(frozen=True, eq=False)
class FinalVectors(_Single):
    """A condition holds of the last vector of the stream."""

    quantity: ClassVar[Quantity] = "vectors"
    kind = "final_vectors"
    condition: Condition

    def __post_init__(self) -> None:
        """Refuse what cannot be called."""
        if not callable(self.condition):
            raise InputError(f"{self.condition!r:.80} is not a function of vectors, an array (inputs, lanes)")

    def judge(self, values: Sequence[Values], stem: Sequence[int], depth: int) -> tuple[Truths, list[Values]]:
        """Ask of all vectors at once."""
        holds = called(lambda vectors: np.asarray(self.condition(vectors)), "the condition", values[0])
        if holds.dtype != np.bool_ or holds.shape != values[0].shape[:1]:
            raise InputError(
                f"the condition gives {holds.dtype} values of shape {holds.shape} for vectors of shape "
                f"{values[0].shape}: it must give one bool for each input, such as (vectors[:, 0] == 1)"
            )
        return holds, [values[0], holds]

    def described(self) -> dict[str, Any]:
        """Give the condition's name."""
        return {"condition": name_of(self.condition)}

    @property
    def portable(self) -> bool:
        """A function is not data."""
        return False


def checked_model(T: object, place: str) -> Transformer:
    """Refuse what is not a transformer."""
    if not isinstance(T, Transformer):
        raise ModelError(f"the {place} argument, {T!r:.80}, is not a transformer: write load('model.safetensors')")
    return T
