"""With what a check is done: cores, memory, a ledger, a cluster, and who is told how far it is."""

import os
from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from weightsmith.errors import InputError, brief

MEMORY = 1 << 30
Progress: TypeAlias = Callable[[int, int], None]  # inputs done, inputs in all
File: TypeAlias = str | os.PathLike[str]


@dataclass(frozen=True)
class Options:
    """What every check takes besides the claim and the length; nothing of it changes the verdict."""

    workers: int | None = None
    memory: int = MEMORY
    ledger: File | None = None
    cluster: str | None = None
    progress: Progress | None = None

    def __post_init__(self) -> None:
        """Refuse what is none."""
        if self.workers is not None and (type(self.workers) is not int or self.workers < 1):
            raise InputError(f"workers={brief(self.workers)}: write how many cores to use, 1 or more")
        if type(self.memory) is not int or self.memory < 1 << 20:
            raise InputError(f"memory={brief(self.memory)}: write a number of bytes, a million or more")
        if self.ledger is not None and (not isinstance(self.ledger, str | os.PathLike) or not str(self.ledger)):
            raise InputError(f"ledger={brief(self.ledger)}: write the name of a file")
        if self.cluster is not None and (not isinstance(self.cluster, str) or not self.cluster):
            raise InputError(
                f"cluster={brief(self.cluster)}: write the address of a scheduler, such as 'tcp://127.0.0.1:8786'"
            )
