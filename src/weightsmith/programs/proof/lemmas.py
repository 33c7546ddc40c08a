"""Lemmas: statements about the weights of a compiled program that were checked over all codes."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from weightsmith.errors import InputError


class LemmaError(InputError):
    """A lemma that does not hold: the arithmetic is too small, or the weights are not those of the program."""

    def __init__(self, text: str, needs: int | None = None) -> None:
        """Take the failure, and the largest whole number that would have to be held."""
        super().__init__(text)
        self.needs = needs


@dataclass(frozen=True)
class Lemma:
    """One lemma that holds: its place, its statement, the number of cases, and the margin."""

    where: str
    statement: str
    cases: int
    margin: float | None = None  # a whole number of steps, or a part of half the distance between codes
    line: int | None = None


def numbered(lemmas: Sequence[Lemma]) -> Iterator[str]:
    """Yield lemmas as lines of text."""
    for number, lemma in enumerate(lemmas, start=1):
        margin = "" if lemma.margin is None else f", margin {lemma.margin:,}"
        line = "" if lemma.line is None else f" (line {lemma.line})"
        yield f"{number}. {lemma.where}{line}: {lemma.statement} [{lemma.cases:,} cases{margin}]"
