"""Formulas over transformers, such as "S & ~T": read into a small tree by a parser that evaluates nothing else.

Precedence is Python's: ~ binds tightest, then &, then ^, then |.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import chain
from typing import TypeAlias, TypeVar

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief

Truth: TypeAlias = npt.NDArray[np.bool_]
Formula: TypeAlias = "str | Operation"  # a name, or an operation on formulas

Folded = TypeVar("Folded")

MAX_FORMULA = 500  # characters
_TOKEN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)|([~&^|()]))")
_PRECEDENCE = {"|": 1, "^": 2, "&": 3, "~": 4}
_WORDS = {"and": "&", "or": "|", "xor": "^", "not": "~"}
_WORD = re.compile(r"\b(and|or|xor|not)\b", re.IGNORECASE)


@dataclass(frozen=True)
class Operation:
    """~ of one formula, or & ^ | of several."""

    symbol: str
    parts: tuple[Formula, ...]


def read(text: str) -> Formula:
    """Return the tree of a formula.

    Operators wait on a stack until their right part is complete, so that no nesting is too deep.

    >>> read("S & ~T & R")
    Operation(symbol='&', parts=('S', Operation(symbol='~', parts=('T',)), 'R'))
    """
    _refuse_words_and_what_is_no_formula(text)
    done: list[Formula] = []
    waiting: list[str] = []
    name_is_next = True
    for token in _tokens(text):
        if name_is_next:
            if token in ("&", "^", "|", ")"):
                raise InputError(f"the formula {brief(text, 120)} has {brief(token)} where a name must stand")
            (waiting if token in ("~", "(") else done).append(token)
            name_is_next = token in ("~", "(")
        elif token in ("&", "^", "|"):
            while waiting and _PRECEDENCE.get(waiting[-1], 0) >= _PRECEDENCE[token]:
                _apply(waiting.pop(), done)
            waiting.append(token)
            name_is_next = True
        elif "(" not in waiting:
            raise InputError(f"the formula {brief(text, 120)} goes on after it is complete, with {brief(token)}")
        elif token != ")":
            raise InputError(f"the formula {brief(text, 120)} has a bracket that is not closed")
        else:
            while (symbol := waiting.pop()) != "(":
                _apply(symbol, done)
    if name_is_next:
        raise InputError(f"the formula {brief(text, 120)} ends too early: a name is missing")
    if "(" in waiting:
        raise InputError(f"the formula {brief(text, 120)} has a bracket that is not closed")
    while waiting:
        _apply(waiting.pop(), done)
    return done[0]


def names(formula: Formula) -> list[str]:
    """Return the names in a formula, each once, in the order in which they first appear."""
    return list(dict.fromkeys(folded(formula, lambda name: [name], lambda symbol, parts: list(chain(*parts)))))


def truth_table(formula: Formula, variables: Sequence[str]) -> Truth:
    """Return the truth table of a formula; in assignment m, variable i is bit i of m."""
    values: dict[str, Truth] = dict(zip(variables, assignments(len(variables)).T, strict=True))
    return folded(formula, values.__getitem__, _value)


def assignments(count: int) -> Truth:
    """Return every assignment to some variables, (2^count, count), in the order of truth tables."""
    return (np.arange(1 << count)[:, np.newaxis] >> np.arange(count) & 1).astype(np.bool_)


def folded(
    formula: Formula, of_name: Callable[[str], Folded], of_parts: Callable[[str, list[Folded]], Folded]
) -> Folded:
    """Fold a formula: `of_name` gives the value of a name, `of_parts` that of an operation.

    Parts wait on a stack, so that no nesting is too deep for Python.
    """
    waiting: list[tuple[Formula, bool]] = [(formula, False)]
    done: list[Folded] = []
    while waiting:
        part, complete = waiting.pop()
        if isinstance(part, str):
            done.append(of_name(part))
        elif complete:
            first = len(done) - len(part.parts)
            done[first:] = [of_parts(part.symbol, done[first:])]
        else:
            waiting += [(part, True), *((inner, False) for inner in reversed(part.parts))]
    return done[0]


def _value(symbol: str, parts: list[Truth]) -> Truth:
    operations = {"~": np.logical_not, "&": np.logical_and, "^": np.logical_xor, "|": np.logical_or}
    result: Truth = operations[symbol](parts[0]) if symbol == "~" else operations[symbol].reduce(parts)
    return result


def _refuse_words_and_what_is_no_formula(text: str) -> None:
    if not isinstance(text, str):
        raise InputError(f"the formula is {brief(text, 120)}: write a text, such as 'S & ~T'")
    if len(text) > MAX_FORMULA:
        raise InputError(f"the formula has {len(text)} characters, at most {MAX_FORMULA} are read")
    word = _WORD.search(text)
    if word is not None:
        symbols = re.sub(r"~\s+", "~", _WORD.sub(lambda found: _WORDS[found[0].lower()], text))
        raise InputError(f"the formula {brief(text, 120)} has the word {brief(word[0])}: write {brief(symbols)}")


def _tokens(text: str) -> Iterator[str]:
    start = 0
    while rest := text[start:].strip():
        match = _TOKEN.match(text, start)
        if match is None:
            raise InputError(f"the formula {brief(text, 120)} has {brief(rest[0])}: write names, ~ & ^ | and brackets")
        start = match.end()
        yield match.group(1) or match.group(2)


def _apply(symbol: str, done: list[Formula]) -> None:
    """Put an operation in the place of its parts; ~~S is S, and S & T & R is one operation on three."""
    right = done.pop()
    if symbol == "~":
        doubled = isinstance(right, Operation) and right.symbol == "~"
        done.append(right.parts[0] if doubled else Operation("~", (right,)))  # type: ignore[union-attr]
        return
    parts = [
        inner
        for part in (done.pop(), right)
        for inner in (part.parts if isinstance(part, Operation) and part.symbol == symbol else (part,))
    ]
    done.append(Operation(symbol, tuple(parts)))
