"""Certificates of compiled programs and formulas: the lemmas that were checked, and the statement they are about."""

import os
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weightsmith.programs.proof.lemmas import Lemma, numbered
from weightsmith.storage import refusals, write_json
from weightsmith.tables import Printed

PROGRAM_FORMAT = "weightsmith program certificate 1"


@dataclass(frozen=True)
class InType:
    """The margin of a softmax program in a machine type; without one nothing is promised there."""

    type: str
    margin: float | None  # the smallest, as a part of half the distance between two codes
    statement: str

    def __str__(self) -> str:
        """Return it as a line."""
        margin = "" if self.margin is None else f", margin {self.margin:.3g}"
        return f"in {self.type}: {self.statement}{margin}"


@dataclass(frozen=True)
class Certificate(Printed):
    """The lemmas by which a compiled program, or formula, is right on every input up to a length, or of every length.

    `stated` is the program with the form of each node in the weights, or the formula with that of each lane; `model` is
    the digest of the weights. With both everything can be derived again. The softmax backend has margins instead.
    """

    program: str
    arithmetic: str
    vocabulary: tuple[str, ...]
    safe_length: int | None  # None: every length
    lemmas: tuple[Lemma, ...]
    also: tuple[dict[str, Any], ...] = ()  # runs besides: up_to, inputs, holds
    types: tuple[InType, ...] = ()  # of the softmax backend: the margins in machine types
    model: str = ""
    stated: Mapping[str, Any] | None = field(default=None, repr=False)

    @property
    def inputs(self) -> int | None:
        """The number of inputs up to that length; None for every length."""
        if self.safe_length is None:
            return None
        return sum(int(len(self.vocabulary) ** n) for n in range(1, self.safe_length + 1))

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as data."""
        return {"format": PROGRAM_FORMAT, **asdict(self)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a file: `weightsmith check --replay FILE --model MODEL` derives it again."""
        with refusals("cannot write", path):
            write_json(Path(path), self.to_json(), entry_lines=True)

    def __str__(self) -> str:
        """Return the lemmas as numbered lines."""
        cases = sum(lemma.cases for lemma in self.lemmas)
        says, by = "right", f"{len(self.lemmas)} lemmas over {cases:,} cases"
        if self.stated is None:
            says, by = "decided as planned", f"{len(self.lemmas)} margins over {cases:,} codes"
        heading = (
            f"{self.program} in {self.arithmetic}: {says} at every position of every input "
            f"{'of any length' if self.safe_length is None else f'up to {self.safe_length} tokens'}, by {by}"
        )
        also = [*map(str, self.types), *(_ran(**one) for one in self.also)]
        return "\n".join([heading, *(f"  {line}" for line in [*numbered(self.lemmas), *also])])


def _ran(up_to: int, inputs: int, holds: bool) -> str:
    result = "" if holds else ", and refuted"
    return f"also run: all {inputs:,} inputs up to {up_to} tokens, every position, against the interpreter{result}"
