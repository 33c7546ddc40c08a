"""Certificates of machines: the lemmas that were shown, and the table they are about."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from weightsmith.programs.proof.lemmas import Lemma, numbered
from weightsmith.storage import refusals, write_json
from weightsmith.tables import Printed

MACHINE_FORMAT = "weightsmith machine certificate 1"


@dataclass(frozen=True)
class MachineCertificate(Printed):
    """The lemmas by which a chain writes the steps of a machine, for inputs up to a length and a number of steps.

    `stated` is the machine's table, and `model` the digest of the weights: with both everything can be derived again.
    """

    arithmetic: str
    vocabulary: Sequence[str]
    max_length: int
    max_steps: int
    lemmas: tuple[Lemma, ...]
    model: str = ""
    stated: Mapping[str, Any] = field(default_factory=dict, repr=False)

    def to_json(self) -> dict[str, Any]:
        """Return the certificate as data."""
        return {"format": MACHINE_FORMAT, **asdict(self), "vocabulary": list(self.vocabulary)}

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the certificate to a file: `replay_machine` derives it again."""
        with refusals("cannot write", path):
            write_json(Path(path), self.to_json(), entry_lines=True)

    def __str__(self) -> str:
        """Return the lemmas as numbered lines."""
        cases = sum(lemma.cases for lemma in self.lemmas)
        heading = (
            f"in {self.arithmetic}: every step is right on every input up to {self.max_length} tokens, for up to "
            f"{self.max_steps} steps, by {len(self.lemmas)} lemmas over {cases:,} cases"
        )
        return "\n".join([heading, *(f"  {line}" for line in numbered(self.lemmas))])
