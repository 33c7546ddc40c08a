"""Formulas: tokens, truths, connectives, and operators that speak of the past."""

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

from weightsmith.errors import InputError, brief

Symbol: TypeAlias = Literal["!", "&", "|", "^", "->", "<->"]
Operator: TypeAlias = Literal["Y", "O", "H", "S"]
RESERVED = frozenset({"Y", "O", "H", "S", "true", "false"})
DEEPEST = 200  # formulas within formulas

_BINDING = {"<->": 1, "->": 2, "|": 3, "^": 4, "&": 5, "S": 6, "!": 7}
_PLAIN = re.compile(r"\w+")


@dataclass(frozen=True)
class Truth:
    """`true` holds everywhere, `false` nowhere."""

    value: bool

    def __str__(self) -> str:
        """Return it as it is written."""
        return "true" if self.value else "false"


@dataclass(frozen=True)
class Token:
    """Holds where this token stands."""

    name: str

    def __str__(self) -> str:
        """Return the token; in quotes where it could be taken for something else."""
        if _PLAIN.fullmatch(self.name) and self.name not in RESERVED:
            return self.name
        escaped = self.name.replace("\\", "\\\\").replace('"', '\\"')
        return f'"{escaped}"'


@dataclass(frozen=True)
class Connective:
    """`!` of one formula, or another connective of two."""

    symbol: Symbol
    parts: "tuple[Formula, ...]"

    def __post_init__(self) -> None:
        """Refuse another number of parts, and other symbols."""
        if self.symbol not in get_args(Symbol):
            raise InputError(f"Connective({brief(self.symbol)}): write one of ! & | ^ -> <->")
        _check_parts(self.parts, 1 if self.symbol == "!" else 2, self.symbol)

    def __str__(self) -> str:
        """Return it with no more brackets than are needed."""
        own = _BINDING[self.symbol]
        if self.symbol == "!":
            return "!" + _bracketed(self.parts[0], own)
        to_the_right = self.symbol == "->"  # a -> b -> c is a -> (b -> c)
        left, right = _bracketed(self.parts[0], own + to_the_right), _bracketed(self.parts[1], own + (not to_the_right))
        return f"{left} {self.symbol} {right}"


@dataclass(frozen=True)
class Past:
    """An operator that speaks of the past; a `strict` one leaves out the position itself.

    `Y f`: f held at the position before, which there is. `O f`: f holds here or held once before. `H f`: f holds here
    and always did before. `f S g`: g holds here or held once before, and f since then.
    """

    operator: Operator
    parts: "tuple[Formula, ...]"
    strict: bool = False

    def __post_init__(self) -> None:
        """Refuse another number of parts, and other operators. Y has no strict variant: it is one."""
        if self.operator not in get_args(Operator):
            raise InputError(f"Past({brief(self.operator)}): write one of Y O H S")
        _check_parts(self.parts, 2 if self.operator == "S" else 1, self.operator)
        if type(self.strict) is not bool or (self.strict and self.operator == "Y"):
            raise InputError(f"Past({self.operator!r}, strict={brief(self.strict)}): only O, H and S are strict or not")

    def __str__(self) -> str:
        """Return it with no more brackets than are needed."""
        sign = f"{self.operator}{'<' if self.strict else ''}"
        if self.operator == "S":
            left, right = self.parts
            return f"{_bracketed(left, 7)} {sign} {_bracketed(right, 7)}"
        inner = _bracketed(self.parts[0], 7)
        return f"{sign}{'' if inner.startswith('(') else ' '}{inner}"


Formula: TypeAlias = Truth | Token | Connective | Past


def parts_of(formula: Formula) -> tuple[Formula, ...]:
    """Return the formulas that a formula is made of."""
    return formula.parts if isinstance(formula, Connective | Past) else ()


def in_order(formula: Formula) -> list[Formula]:
    """Return every formula within a formula once, each after its parts; refuse one that is nested too deep."""
    found: dict[Formula, None] = {}

    def visit(part: Formula, depth: int) -> None:
        if depth > DEEPEST:
            raise InputError(f"the formula is nested more than {DEEPEST} deep: say it in fewer steps")
        if part not in found:
            for inner in parts_of(part):
                visit(inner, depth + 1)
            found[part] = None

    visit(formula, 0)
    return list(found)


def temporal_depth(formula: Formula) -> int:
    """Return how deep operators that speak of the past are nested."""
    depths: dict[Formula, int] = {}
    for part in in_order(formula):
        inner = max((depths[each] for each in parts_of(part)), default=0)
        depths[part] = inner + isinstance(part, Past)
    return depths[formula]


def tokens_in(formula: Formula) -> set[str]:
    """Return the tokens that a formula names."""
    return {part.name for part in in_order(formula) if isinstance(part, Token)}


def _check_parts(parts: object, count: int, symbol: str) -> None:
    if not isinstance(parts, tuple) or len(parts) != count or not all(isinstance(part, Formula) for part in parts):
        wanted = "a formula" if count == 1 else "two formulas"
        raise InputError(f"{symbol} of {brief(parts)}: write a tuple of {wanted}")


def _bracketed(formula: Formula, binding: int) -> str:
    """Return a part of a formula, in brackets where it binds less than its context."""
    if isinstance(formula, Connective):
        own = _BINDING[formula.symbol]
    else:
        own = _BINDING["S"] if isinstance(formula, Past) and formula.operator == "S" else _BINDING["!"]
    return f"({formula})" if own < binding else str(formula)
