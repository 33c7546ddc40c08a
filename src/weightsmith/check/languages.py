"""What a claim says of each input: by an automaton, a regular expression or a Python function."""

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.check.automaton import Automaton, compile_regex
from weightsmith.errors import InputError
from weightsmith.model.names import shown

Input: TypeAlias = str | tuple[str, ...]
Predicate: TypeAlias = Callable[[Any], bool]
Truths: TypeAlias = npt.NDArray[np.bool_]


def written(vocabulary: Sequence[str], ids: Sequence[int]) -> Input:
    """Give an input as one writes it: a text where every token is one character, else a tuple of tokens."""
    tokens = tuple(vocabulary[i] for i in ids)
    return "".join(tokens) if _characters(vocabulary) else tokens


def text(tokens: Input) -> str:
    """Give an input as a text."""
    return tokens if isinstance(tokens, str) else " ".join(tokens)


def _characters(vocabulary: Sequence[str]) -> bool:
    return all(len(token) == 1 for token in vocabulary)


def continuations(vocabulary: Sequence[str], stem: Sequence[int], depth: int) -> Iterator[Input]:
    """Give what a stem can be continued to by `depth` tokens, in vocabulary order."""
    start = tuple(vocabulary[i] for i in stem)
    rest = product(vocabulary, repeat=depth)
    if _characters(vocabulary):
        first = "".join(start)
        return (first + "".join(more) for more in rest)
    return (start + more for more in rest)


class Language(ABC):
    """A set of inputs."""

    @abstractmethod
    def expected(self, vocabulary: Sequence[str], stem: Sequence[int], depth: int) -> Truths:
        """Say of each continuation of a stem by `depth` tokens, in vocabulary order, whether it belongs to the set."""

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """Give what a certificate says of it."""


@dataclass(frozen=True, eq=False)
class Regular(Language):
    """A set that an automaton decides."""

    automaton: Automaton
    regex: str | None = None
    flags: int = 0

    def expected(self, vocabulary: Sequence[str], stem: Sequence[int], depth: int) -> Truths:
        """Walk through the automaton with all continuations at once."""
        state = self.automaton.start
        for token in stem:
            state = self.automaton.table[state, token]
        states = np.array([state])
        for _ in range(depth):
            states = self.automaton.table[states].reshape(-1)
        result: Truths = self.automaton.accepting[states]
        return result

    def described(self) -> dict[str, Any]:
        """Give the expression, or the whole table."""
        if self.regex is not None:
            return {"regex": self.regex, "flags": self.flags}
        a = self.automaton
        return {"automaton": {"table": a.table.tolist(), "accepting": a.accepting.tolist(), "start": int(a.start)}}


@dataclass(frozen=True, eq=False)
class Matching(Language):
    """A set given by an expression that no automaton decides: every input is matched."""

    pattern: re.Pattern[str]

    def expected(self, vocabulary: Sequence[str], stem: Sequence[int], depth: int) -> Truths:
        """Match every continuation."""
        match = self.pattern.fullmatch
        inputs = continuations(vocabulary, stem, depth)
        return np.array([match(text(tokens)) is not None for tokens in inputs], dtype=np.bool_)

    def described(self) -> dict[str, Any]:
        """Give the expression."""
        return {"regex": self.pattern.pattern, "flags": self.pattern.flags}


@dataclass(frozen=True, eq=False)
class Decided(Language):
    """A set given by a Python function, called once for each input."""

    predicate: Predicate

    def expected(self, vocabulary: Sequence[str], stem: Sequence[int], depth: int) -> Truths:
        """Call it for every continuation."""
        return np.array([self._says(tokens) for tokens in continuations(vocabulary, stem, depth)], dtype=np.bool_)

    def _says(self, tokens: Input) -> bool:
        answer = called(self.predicate, "the predicate", tokens)
        if not isinstance(answer, bool | np.bool_):
            raise InputError(
                f"the predicate gives {answer!r:.80} for the input {shown(text(tokens))}: it must give True or False"
            )
        return bool(answer)

    def described(self) -> dict[str, Any]:
        """Give its name: a function is not data."""
        return {"predicate": name_of(self.predicate)}


def called(function: Callable[[Any], Any], what: str, argument: Any) -> Any:
    """Call a function of the user's, and say with what it failed."""
    try:
        return function(argument)
    except Exception as error:
        example = f" for the input {shown(text(argument))}" if isinstance(argument, str | tuple) else ""
        raise InputError(f"{what} fails{example}: {type(error).__name__}: {error}") from error


def name_of(function: object) -> str:
    """Give a function's name."""
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__name__)}"


def language(given: object, vocabulary: tuple[str, ...]) -> Language:
    """Take a regular expression, an automaton or a Python function for a set of inputs over a vocabulary."""
    if isinstance(given, Language):
        return given
    if isinstance(given, Automaton):
        if given.table.shape[1] != len(vocabulary):
            raise InputError(
                f"the automaton reads {given.table.shape[1]} symbols and the vocabulary has {len(vocabulary)}: "
                "its table needs a column for each token, in vocabulary order"
            )
        return Regular(given)
    if isinstance(given, str):
        raise InputError(f"{given!r:.80} is a text: write re.compile({given!r:.80}) for a regular expression")
    if isinstance(given, re.Pattern):
        automaton = compile_regex(given, vocabulary)
        return Matching(given) if automaton is None else Regular(automaton, given.pattern, given.flags)
    if not callable(given):
        raise InputError(
            f"{given!r:.80} is not a set of inputs: write a function of an input, re.compile('…') or Automaton(…)"
        )
    return Decided(given)
