"""Languages: sets of inputs, given by an automaton, a regular expression, a name or a Python function."""

import inspect
import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, ClassVar, TypeAlias

import numpy as np

from weightsmith.automata.automaton import Automaton
from weightsmith.automata.expressions import read_pattern
from weightsmith.automata.inputs import Input, Inputs, Truths, input_text
from weightsmith.automata.named import Named, dyck, equal_runs, majority, modulo, parity, parse_named, read_named
from weightsmith.automata.regular import compile_regex
from weightsmith.errors import InputError, brief, cut, named, shown

__all__ = ["Named", "dyck", "equal_runs", "majority", "modulo", "parity", "parse_named"]  # those for users

Predicate: TypeAlias = Callable[[Any], bool]
Describing: TypeAlias = str | re.Pattern[str] | Automaton | Named | Predicate  # a set of inputs
MAX_SOURCE = 20_000  # characters of a function that a certificate shows
FLAGS = int(re.A | re.I | re.L | re.M | re.S | re.U | re.X)  # that a description may have


class Language(ABC):
    """A set of inputs, with its automaton and its expression where it has them."""

    automaton: Automaton | None
    pattern: re.Pattern[str] | None
    is_data: ClassVar[bool] = True  # whether a certificate can hold it

    @abstractmethod
    def expected(self, inputs: Inputs) -> Truths:
        """Return for each input whether it belongs to the set."""

    @abstractmethod
    def described(self) -> dict[str, Any]:
        """Return the entry of a certificate for it, which `read_described` reads."""

    @abstractmethod
    def __str__(self) -> str:
        """Return a description, to be written after "inputs"."""


@dataclass(frozen=True, eq=False)
class Regular(Language):
    """A set that an automaton decides."""

    automaton: Automaton
    pattern: re.Pattern[str] | None = None

    def expected(self, inputs: Inputs) -> Truths:
        """Run the automaton on all continuations at once."""
        state = self.automaton.start
        for token in inputs.stem:
            state = self.automaton.table[state, token]
        states = np.array([state])
        for _ in range(inputs.depth):
            states = self.automaton.table[states].reshape(-1)
        result: Truths = self.automaton.accepting[states if inputs.chosen is None else states[inputs.chosen]]
        return result

    def described(self) -> dict[str, Any]:
        """Return the expression, or the whole table."""
        if self.pattern is not None:
            return {"regex": self.pattern.pattern, "flags": self.pattern.flags}
        a = self.automaton
        return {"automaton": {"table": a.table.tolist(), "accepting": a.accepting.tolist(), "start": int(a.start)}}

    def __str__(self) -> str:
        """Name the expression."""
        return "that the automaton accepts" if self.pattern is None else f"that match {shown(self.pattern.pattern)}"


@dataclass(frozen=True, eq=False)
class Matching(Language):
    """An expression without an automaton: `re` matches every input."""

    pattern: re.Pattern[str]
    automaton: None = field(default=None, init=False)

    def expected(self, inputs: Inputs) -> Truths:
        """Match every input."""
        match = self.pattern.fullmatch
        return np.array([match(input_text(tokens)) is not None for tokens in inputs.written()], dtype=np.bool_)

    def described(self) -> dict[str, Any]:
        """Return the expression."""
        return {"regex": self.pattern.pattern, "flags": self.pattern.flags}

    def __str__(self) -> str:
        """Name the expression."""
        return f"that match {shown(self.pattern.pattern)}"


@dataclass(frozen=True, eq=False)
class Counted(Language):
    """A language by name that no automaton decides at all lengths; one decides it up to each length."""

    named: Named
    vocabulary: tuple[str, ...]
    automaton: None = field(default=None, init=False)
    pattern: None = field(default=None, init=False)

    def expected(self, inputs: Inputs) -> Truths:
        """Run the automaton of the inputs up to this length, or the definition where it is too large."""
        automaton = self.named.automaton(self.vocabulary, inputs.length)
        if automaton is not None:
            return Regular(automaton).expected(inputs)
        return np.array([self.named.contains(tokens) for tokens in inputs.written()], dtype=np.bool_)

    def described(self) -> dict[str, Any]:
        """Return the name and the arguments."""
        return self.named.described()

    def __str__(self) -> str:
        """Name it."""
        return f"of {shown(str(self.named))}"


@dataclass(frozen=True, eq=False)
class Decided(Language):
    """A Python function, called once for each input."""

    predicate: Predicate
    automaton: None = field(default=None, init=False)
    pattern: None = field(default=None, init=False)
    is_data: ClassVar[bool] = False

    def expected(self, inputs: Inputs) -> Truths:
        """Call it for every input."""
        return np.array([self._says(tokens) for tokens in inputs.written()], dtype=np.bool_)

    def _says(self, tokens: Input) -> bool:
        answer = called(self.predicate, "the predicate", tokens)
        if not isinstance(answer, bool | np.bool_):
            raise InputError(
                f"the predicate gives {brief(answer)} for the input {named(input_text(tokens))}: "
                "it must give True or False"
            )
        return bool(answer)

    def described(self) -> dict[str, Any]:
        """Return its source."""
        return {"predicate": source_of(self.predicate)}

    def __str__(self) -> str:
        """Name the function."""
        return f"for which {name_of(self.predicate).rpartition('.')[2]} is true"


def read_described(given: Mapping[str, Any]) -> re.Pattern[str] | Automaton | Named:
    """Return the expression, the automaton or the named language, from its entry in a certificate."""
    if "named" in given:
        return read_named(given)
    if "regex" in given:
        if type(given["flags"]) is not int or given["flags"] & ~FLAGS:
            raise TypeError(f"flags={brief(given['flags'])}")
        return re.compile(given["regex"], given["flags"])
    table = given["automaton"]
    return Automaton(table["table"], table["accepting"], table["start"])


def description_of(given: object) -> dict[str, Any]:
    """Return the entry of a certificate for a set of inputs over any vocabulary."""
    if isinstance(given, Language | Named):
        return given.described()
    if isinstance(given, Automaton):
        return Regular(given).described()
    if isinstance(given, str | re.Pattern):
        return Matching(read_pattern(given)).described()
    return Decided(_checked_predicate(given)).described()


def called(function: Callable[[Any], Any], what: str, argument: Any) -> Any:
    """Return the value of a function of the user, or raise an error that names the input."""
    try:
        return function(argument)
    except Exception as error:
        example = f" for the input {named(input_text(argument))}" if isinstance(argument, str | tuple) else ""
        raise InputError(f"{what} fails{example}: {type(error).__name__}: {cut(str(error))}") from error


def name_of(function: object) -> str:
    """Return a function's name."""
    return f"{getattr(function, '__module__', '?')}.{getattr(function, '__qualname__', type(function).__name__)}"


def source_of(function: object) -> dict[str, Any]:
    """Return the entry of a certificate for a function: its name and its source, which is never run."""
    try:
        source: str | None = inspect.getsource(function)  # type: ignore[arg-type]
    except (OSError, TypeError):  # typed at a prompt, built in, an object that can be called
        source = None
    return {"code": "Python", "name": name_of(function), "source": source and source[:MAX_SOURCE]}


def language(given: object, vocabulary: tuple[str, ...]) -> Language:
    """Return the language of a regular expression, an automaton or a Python function over a vocabulary."""
    if isinstance(given, Language):
        return given
    if isinstance(given, Automaton):
        if given.table.shape[1] != len(vocabulary):
            raise InputError(
                f"the automaton reads {given.table.shape[1]} symbols and the vocabulary has {len(vocabulary)}: "
                "its table needs a column for each token, in vocabulary order"
            )
        return Regular(given)
    if isinstance(given, Named):
        decided = given.automaton(vocabulary)
        return Counted(given, vocabulary) if decided is None else Regular(decided)
    if isinstance(given, str | re.Pattern):
        pattern = read_pattern(given)
        automaton = compile_regex(pattern, vocabulary)
        return Matching(pattern) if automaton is None else Regular(automaton, pattern)
    return Decided(_checked_predicate(given))


def _checked_predicate(given: object) -> Predicate:
    if not callable(given):
        raise InputError(
            f"{brief(given)} is not a set of inputs: write a regular expression such as '(0|1)*11', Automaton(…) "
            "or a function of an input"
        )
    return given
