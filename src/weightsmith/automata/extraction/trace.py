"""What an extraction was made from, step by step: enough for somebody else to check it.

For each block: the classes of queries of each head with a machine for each guess, and how these were put together.
`weightsmith/verify.py` says why this is a proof, and checks it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.rows import Ints

Path: TypeAlias = Sequence[tuple[int, Moore]]  # for each head: which of its guesses, and the machine up to there


@dataclass(frozen=True, eq=False)
class ReadingMade:
    """A machine of a head for a class of queries and a guess, and the view that it was walked through with.

    For equal parts the guess is one of some weights. It is loose where their sums were left out: all come to the same.
    """

    view: Moore
    machine: Moore
    weights: tuple[float, ...] = ()
    loose: bool = False


@dataclass(eq=False)
class ClassMade:
    """A class of queries of a head: their labels, a view that tells keys apart, and a reading for each guess."""

    queries: Ints
    view: Moore | None = None
    readings: list[ReadingMade] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class PartMade:
    """The vectors of a class, for each head which of its classes, and the readings that were put together with them."""

    classes: tuple[int, ...]
    own: Moore
    path: Path


@dataclass(eq=False)
class BlockMade:
    """A block: its heads, and for each machine that came out what it is made from.

    Without heads there is nothing to know: the machines are those before the block, with other labels.
    """

    heads: list[list[ClassMade]] = field(default_factory=list)
    parts: list[PartMade] = field(default_factory=list)
    machines: list[Moore] = field(default_factory=list)


@dataclass(eq=False)
class ProofTrace:
    """Everything that was made of one transformer, block by block."""

    blocks: list[BlockMade] = field(default_factory=list)

    @property
    def size(self) -> int:
        """How many numbers the tables of its machines have."""
        heads = [made for block in self.blocks for head in block.heads for made in head]
        machines = [
            machine for made in heads for reading in made.readings for machine in (reading.view, reading.machine)
        ]
        machines += [machine for block in self.blocks for part in block.parts for _, machine in part.path]
        return sum(machine.table.size for machine in {id(machine): machine for machine in machines}.values())

    def to_json(self) -> dict[str, Any]:
        """Return it as data: machines stand in one list, and are named by their places there."""
        pool = _Pool()
        blocks = [_block(block, pool) for block in self.blocks]
        return {"blocks": blocks, "machines": pool.entries}


class _Pool:
    """Machines, each once."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._places: dict[tuple[bytes, bytes], int] = {}

    def place(self, machine: Moore) -> int:
        key = machine.table.tobytes(), machine.labels.tobytes()
        if key not in self._places:
            self._places[key] = len(self.entries)
            labels = np.where(machine.labels < 0, machine.labels.max() + 1, machine.labels)  # NEVER gets one of its own
            self.entries.append({"table": machine.table.tolist(), "labels": labels.tolist()})
        return self._places[key]


def _block(block: BlockMade, pool: _Pool) -> dict[str, Any]:
    joints: dict[tuple[int, ...], dict[str, Any]] = {}
    for part, machine in zip(block.parts, block.machines, strict=True) if block.heads else ():
        sizes = [len(head[which].readings) for head, which in zip(block.heads, part.classes, strict=True)]
        empty = {"classes": list(part.classes), "view": pool.place(part.own), "tree": [None] * sizes[0]}
        tree = joints.setdefault(part.classes, empty)["tree"]
        for (guess, up_to_there), size in zip(part.path[:-1], sizes[1:], strict=True):
            tree[guess] = tree[guess] or {"machine": pool.place(up_to_there), "tree": [None] * size}
            tree = tree[guess]["tree"]
        tree[part.path[-1][0]] = {"machine": pool.place(machine), "tree": []}
    heads = [[_class(made, pool) for made in head] for head in block.heads]
    return {"heads": heads, "joints": list(joints.values())}


def _class(made: ClassMade, pool: _Pool) -> dict[str, Any]:
    readings = [_reading(reading, pool) for reading in made.readings]
    view = None if made.view is None else pool.place(made.view)
    return {"queries": made.queries.tolist(), "view": view, "readings": readings}


def _reading(made: ReadingMade, pool: _Pool) -> dict[str, Any]:
    return {
        "view": pool.place(made.view),
        "machine": pool.place(made.machine),
        "weights": list(made.weights),
        "any_sum": made.loose,
    }
