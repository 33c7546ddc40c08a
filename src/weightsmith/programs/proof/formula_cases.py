"""Truths of formulas, over tokens and over the lanes that heads write: in all cases, whether or not they occur."""

from collections.abc import Iterable
from itertools import product
from typing import NamedTuple, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.model import Transformer
from weightsmith.programs.ltl.formulas import Connective, Formula, Past, Token, Truth
from weightsmith.programs.proof.lemmas import LemmaError

MOST_CASES = 1 << 18
Truths = npt.NDArray[np.bool_]
Reals = npt.NDArray[np.float64]
Atom: TypeAlias = str | Past  # a lane that a head writes, or a formula that none writes


class Writer(NamedTuple):
    """A lane that a head writes: its formula, its block, and whether the lane holds the opposite."""

    formula: Past
    block: int
    opposite: bool


class FormulaLanes:
    """The lanes of a transformer that heads write, and the formulas that they tell."""

    def __init__(self, T: Transformer) -> None:
        """Start without writers."""
        self.T = T
        self.writers: dict[str, Writer] = {}
        self._known: dict[tuple[Past, int], tuple[Atom, bool]] = {}

    def resolved(self, past: Past, before: int) -> tuple[Atom, bool]:
        """Return the lane, written before a block, that tells a formula, and whether it is 1 where that holds.

        A formula that no head writes is an atom itself: it may be true or false.
        """
        if (past, before) not in self._known:
            wanted, turned = plain(past)
            found: tuple[Atom, bool] = wanted, not turned
            for lane, writer in self.writers.items():
                same = writer.formula.operator == wanted.operator and writer.formula.strict == wanted.strict
                if same and writer.block < before and self._equal(writer.formula.parts, wanted.parts, writer.block):
                    found = lane, writer.opposite == turned
                    break
            self._known[past, before] = found
        return self._known[past, before]

    def _equal(self, ours: tuple[Formula, ...], theirs: tuple[Formula, ...], before: int) -> bool:
        cases = self.cases([*ours, *theirs], before)
        return all(
            np.array_equal(cases.truth(a, before), cases.truth(b, before)) for a, b in zip(ours, theirs, strict=True)
        )

    def cases(self, formulas: Iterable[Formula], before: int) -> "Cases":
        """Return all combinations of a token and of the lanes that formulas depend on."""
        atoms: dict[Atom, None] = {}
        waiting = list(formulas)
        while waiting:
            formula = waiting.pop()
            if isinstance(formula, Past):
                atoms[self.resolved(formula, before)[0]] = None
            elif isinstance(formula, Connective):
                waiting += formula.parts
        return Cases(self, list(atoms))


class Cases:
    """All combinations of a token and of the truths of some lanes."""

    def __init__(self, lanes: "FormulaLanes", atoms: list[Atom]) -> None:
        """Refuse too many."""
        self.lanes, vocabulary = lanes, lanes.T.vocabulary
        self.count = len(vocabulary) << len(atoms)
        if self.count > MOST_CASES:
            raise LemmaError(f"{len(vocabulary):,} tokens and {len(atoms)} truths have too many combinations")
        rows = list(product(vocabulary, *[(False, True)] * len(atoms)))
        self.tokens = np.array([row[0] for row in rows], object)
        self.atoms = {atom: np.array([row[1 + n] for row in rows], np.bool_) for n, atom in enumerate(atoms)}

    def truth(self, formula: Formula, before: int) -> Truths:
        """Return the truth of a formula in every case."""
        match formula:
            case Truth(value):
                return np.full(self.count, value)
            case Token(name):
                return np.asarray(self.tokens == name, np.bool_)
            case Past():
                lane, holds = self.lanes.resolved(formula, before)
                return self.atoms[lane] if holds else ~self.atoms[lane]
        left, right = (self.truth(part, before) for part in (formula.parts[0], formula.parts[-1]))
        found = {
            "!": ~left,
            "&": left & right,
            "|": left | right,
            "^": left ^ right,
            "->": ~left | right,
            "<->": left == right,
        }
        return np.asarray(found[formula.symbol], np.bool_)


def plain(past: Past) -> tuple[Past, bool]:
    """Return H f as the opposite of O !f."""
    if past.operator != "H":
        return past, False
    return Past("O", (Connective("!", past.parts),), past.strict), True
