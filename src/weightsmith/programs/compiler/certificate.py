"""Certificates of compiled programs: the lemmas that were checked, and what follows from them."""

from dataclasses import asdict, dataclass
from typing import Any

from weightsmith.programs.compiler.lemmas import Lemma, numbered


@dataclass(frozen=True)
class InType:
    """What is known of a portable program in a machine type; without a margin nothing is promised there."""

    type: str
    margin: float | None  # what is left of half the distance between two codes, where least is left
    statement: str

    def __str__(self) -> str:
        """Return it as a line."""
        margin = "" if self.margin is None else f", margin {self.margin:.3g}"
        return f"in {self.type}: {self.statement}{margin}"


@dataclass(frozen=True)
class Certificate:
    """Says that a compiled program is right on every input up to a length, and by which lemmas."""

    program: str
    arithmetic: str
    vocabulary: tuple[str, ...]
    safe_length: int
    lemmas: tuple[Lemma, ...]
    also: tuple[dict[str, Any], ...] = ()  # what was run besides: up_to, inputs, holds
    types: tuple[InType, ...] = ()  # of a portable program: what machine types leave

    @property
    def inputs(self) -> int:
        """How many inputs there are up to that length."""
        return sum(len(self.vocabulary) ** n for n in range(1, self.safe_length + 1))

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as data."""
        return asdict(self)

    def __str__(self) -> str:
        """Return the lemmas as numbered lines."""
        heading = (
            f"{self.program} in {self.arithmetic}: right at every position of every input up to {self.safe_length} "
            f"tokens, by {len(self.lemmas)} lemmas over {sum(lemma.cases for lemma in self.lemmas):,} cases"
        )
        also = [*map(str, self.types), *(_ran(**one) for one in self.also)]
        return "\n".join([heading, *(f"  {line}" for line in [*numbered(self.lemmas), *also])])


def _ran(up_to: int, inputs: int, holds: bool) -> str:
    result = "" if holds else ", and refuted"
    return f"also run: all {inputs:,} inputs up to {up_to} tokens, every position, against the interpreter{result}"
