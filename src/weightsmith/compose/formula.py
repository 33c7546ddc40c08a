"""Formulas over transformers, such as "S & ~T": a small parser of its own, which evaluates nothing else.

Precedence is Python's: ~ binds tightest, then &, then ^, then |.
"""

import re
from collections.abc import Mapping

from weightsmith.compose.boolean import both, either, exactly_one, negation
from weightsmith.errors import InputError, listed
from weightsmith.model import Transformer

_TOKEN = re.compile(r"\s*(?:([A-Za-z_][A-Za-z0-9_]*)|([~&^|()]))")
_BINARY = (("|", either), ("^", exactly_one), ("&", both))
_WORDS = {"and": "&", "or": "|", "xor": "^", "not": "~"}
_WORD = re.compile(r"\b(and|or|xor|not)\b", re.IGNORECASE)
MAX_FORMULA = 500


def compose(formula: str, parts: Mapping[str, Transformer]) -> Transformer:
    """Return the transformer that a formula means, with a name for each part.

    >>> from weightsmith import library, run
    >>> T = compose("S & ~R", {"S": library.contains("1"), "R": library.contains("0")})
    >>> run(T, "111").decision, run(T, "101").decision
    ('YES', 'NO')
    """
    if len(formula) > MAX_FORMULA:
        raise InputError(f"the formula has {len(formula)} characters, at most {MAX_FORMULA} are read")
    word = _WORD.search(formula)
    if word is not None:
        raise InputError(f"the formula {formula!r} has the word {word[0]!r}: write {_in_symbols(formula)!r}")
    reader = _Reader(formula, parts)
    result = reader.binary(0)
    if reader.next is not None:
        raise InputError(f"the formula {formula!r} goes on after it is complete, with {reader.next!r}")
    return result


def _in_symbols(formula: str) -> str:
    """Write ~ & ^ | for the words of a formula."""
    symbols = _WORD.sub(lambda word: _WORDS[word[0].lower()], formula)
    return re.sub(r"~\s+", "~", symbols)


class _Reader:
    """Read a formula from left to right, one token ahead."""

    def __init__(self, formula: str, parts: Mapping[str, Transformer]) -> None:
        self.formula, self.parts, self.place = formula, parts, 0
        self.next: str | None = None
        self.advance()

    def advance(self) -> None:
        rest = self.formula[self.place :]
        if not rest.strip():
            self.next = None
            return
        match = _TOKEN.match(rest)
        if match is None:
            raise InputError(f"the formula {self.formula!r} has {rest.strip()[0]!r}: write names, ~ & ^ | and brackets")
        self.place += match.end()
        self.next = match.group(1) or match.group(2)

    def binary(self, level: int) -> Transformer:
        if level == len(_BINARY):
            return self.unary()
        symbol, combine = _BINARY[level]
        result = self.binary(level + 1)
        while self.next == symbol:
            self.advance()
            result = combine(result, self.binary(level + 1))
        return result

    def unary(self) -> Transformer:
        token = self.next
        if token is None:
            raise InputError(f"the formula {self.formula!r} ends too early: a name is missing")
        self.advance()
        if token == "~":
            return negation(self.unary())
        if token == "(":
            result = self.binary(0)
            if self.next != ")":
                raise InputError(f"the formula {self.formula!r} has a bracket that is not closed")
            self.advance()
            return result
        if token not in self.parts:
            raise InputError(
                f"the formula {self.formula!r} has {token!r}, and the parts are {listed(list(self.parts)) or 'none'}: "
                f"write --let {token if token.isidentifier() else 'S'}=FILE"
            )
        return self.parts[token]
