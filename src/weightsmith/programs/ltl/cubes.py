"""Connectives as disjoint cubes: the ways in which a formula holds, no two at once, by as few literals as it takes."""

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial, reduce
from typing import TypeAlias

from weightsmith.errors import InputError
from weightsmith.programs.budget import in_force
from weightsmith.programs.ltl.formulas import Connective, Formula, Past, Token, Truth
from weightsmith.programs.ltl.meaning import connected

MOST_CUBES = 1 << 14


@dataclass(frozen=True)
class Letters:
    """Holds where one of these tokens stands."""

    tokens: frozenset[str]


@dataclass(frozen=True)
class Lane:
    """Holds where a lane is 1."""

    name: str


Variable: TypeAlias = Letters | Lane
Cube: TypeAlias = tuple[tuple[Variable, bool], ...]
Tree: TypeAlias = "bool | Variable | tuple[str, tuple[Tree, ...]]"  # connectives over variables
Found: TypeAlias = Callable[[Past], Tree]  # the lane that holds a temporal operator


@dataclass(frozen=True)
class Cubes:
    """The disjoint cubes of a formula, and those of its opposite."""

    holds: tuple[Cube, ...]
    fails: tuple[Cube, ...]


def disjoint_cubes(formula: Formula, vocabulary: Sequence[str], found: Found) -> Cubes:
    """Return the cubes of a formula over letters, and over the lanes that hold its temporal operators.

    Case by case: one variable is taken to hold, then not to hold, until the rest is decided. Of letters it is known
    that exactly one token stands at a position.
    """
    every = frozenset(vocabulary)
    return _Cases().cubes(_tree(formula, every, found), every)


def tokens_of(cubes: Sequence[Cube], vocabulary: Sequence[str]) -> frozenset[str]:
    """Return the tokens for which one of some cubes of letters holds."""
    return frozenset(
        token
        for token in vocabulary
        for cube in cubes
        if all(isinstance(letters, Letters) and (token in letters.tokens) == holds for letters, holds in cube)
    )


class _Cases:
    """Goes through the cases, and counts them."""

    def __init__(self) -> None:
        self.count = 0

    def cubes(self, tree: Tree, possible: frozenset[str]) -> Cubes:
        self.count += 1
        in_force().check()
        if self.count > MOST_CUBES:
            raise InputError(
                f"a connective of the formula falls into more than {MOST_CUBES:,} cases, each a neuron: "
                "write a shorter one"
            )
        if isinstance(tree, bool):
            return Cubes(((),), ()) if tree else Cubes((), ((),))
        variable = _most_frequent(tree)
        found = []
        for case in (True, False):
            left = possible
            if isinstance(variable, Letters):
                left = possible & variable.tokens if case else possible - variable.tokens
            found.append(self.cubes(_given(tree, variable, case, left), left))
        yes, no = found
        if yes == no:  # it makes no difference
            return yes
        if not (yes.fails or no.fails) or not (yes.holds or no.holds):
            return Cubes(((),), ()) if yes.holds else Cubes((), ((),))
        holds = [((variable, case), *cube) for case, part in ((True, yes), (False, no)) for cube in part.holds]
        fails = [((variable, case), *cube) for case, part in ((True, yes), (False, no)) for cube in part.fails]
        return Cubes(tuple(holds), tuple(fails))


def _tree(formula: Formula, vocabulary: frozenset[str], found: Found) -> Tree:
    """Return a formula as connectives over variables; a part without temporal operators is one variable, or decided."""
    match formula:
        case Truth(value):
            return value
        case Token(name):
            return _decided(Letters(frozenset({name})), vocabulary)
        case Past():
            return found(formula)
        case Connective(symbol, parts):
            inner = _chain(formula, symbol) if symbol in ("&", "|") else list(parts)
            return _joined(symbol, [_tree(part, vocabulary, found) for part in inner], vocabulary)


def _chain(formula: Formula, symbol: str) -> list[Formula]:
    """Return the parts of f & g & h."""
    if isinstance(formula, Connective) and formula.symbol == symbol:
        return [inner for part in formula.parts for inner in _chain(part, symbol)]
    return [formula]


def _joined(symbol: str, parts: list[Tree], vocabulary: frozenset[str]) -> Tree:
    """Return a connective of trees, in which letters are one variable."""
    letters = [part for part in parts if isinstance(part, bool | Letters)]
    others = [part for part in parts if not isinstance(part, bool | Letters)]
    if not letters or (others and symbol not in ("&", "|")):
        return _simple(symbol, tuple(parts))
    tokens = []
    for token in vocabulary:
        here = [part if isinstance(part, bool) else token in part.tokens for part in letters]
        if reduce(partial(connected, symbol), here) if symbol in ("&", "|") else connected(symbol, *here):
            tokens.append(token)
    known = _decided(Letters(frozenset(tokens)), vocabulary)
    return _simple(symbol, (known, *others)) if others else known


def _given(tree: Tree, variable: Variable, case: bool, possible: frozenset[str]) -> Tree:
    """Return the rest of a tree for a known variable, and the possible tokens."""
    if tree == variable and not isinstance(tree, bool):
        return case
    if isinstance(tree, tuple):
        return _simple(tree[0], tuple(_given(part, variable, case, possible) for part in tree[1]))
    return _decided(tree, possible)


def _decided(tree: Tree, possible: frozenset[str]) -> Tree:
    if isinstance(tree, Letters):
        if possible <= tree.tokens:
            return True
        if not possible & tree.tokens:
            return False
    return tree


def _simple(symbol: str, parts: tuple[Tree, ...]) -> Tree:
    """Return a connective without the parts that are decided."""
    if symbol in ("&", "|"):
        absorbing = symbol == "|"
        if absorbing in parts:
            return absorbing
        rest = tuple(part for part in parts if not isinstance(part, bool))
        return not absorbing if not rest else rest[0] if len(rest) == 1 else (symbol, rest)
    if all(isinstance(part, bool) for part in parts):
        return connected(symbol, *parts)  # type: ignore[arg-type]
    if symbol == "!":
        inner = parts[0]
        return inner[1][0] if isinstance(inner, tuple) and inner[0] == "!" else (symbol, parts)
    left, right = parts
    if symbol == "->":
        if left is False or right is True:
            return True
        return right if left is True else _simple("!", (left,)) if right is False else (symbol, parts)
    same = symbol == "<->"
    for known, other in ((left, right), (right, left)):
        if isinstance(known, bool):
            return other if known == same else _simple("!", (other,))
    return (symbol, parts)


def _most_frequent(tree: Tree) -> Variable:
    """Return the variable that occurs most often, the first of these."""
    counts: Counter[Variable] = Counter()
    waiting: list[Tree] = [tree]
    while waiting:
        part = waiting.pop()
        if isinstance(part, tuple):
            waiting += reversed(part[1])
        elif not isinstance(part, bool):
            counts[part] += 1
    return max(counts, key=counts.__getitem__)
