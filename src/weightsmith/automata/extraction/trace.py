"""The trace of an extraction: the machines of each step, which `weightsmith/verify.py` checks as a proof.

For each block: the classes of queries of each head, with a machine for each guess, and the products of these machines.
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np

from weightsmith.automata.extraction.exploring import Ints
from weightsmith.automata.extraction.moore import Moore

Path: TypeAlias = Sequence[tuple[int, Moore]]  # for each head: the number of its guess, and the product so far


@dataclass(frozen=True, eq=False)
class ReadingTrace:
    """The machine of a head for a class of queries and a guess, and the view of its product.

    For equal weights the guess is a set of weights. It is loose if their sums are not tracked.
    """

    view: Moore
    machine: Moore
    weights: tuple[float, ...] = ()
    loose: bool = False


@dataclass(eq=False)
class ClassTrace:
    """A class of queries of a head: their labels, a view that separates keys, and a reading for each guess."""

    queries: Ints
    view: Moore | None = None
    readings: list[ReadingTrace] = field(default_factory=list)


@dataclass(frozen=True, eq=False)
class PartTrace:
    """A machine after a block: the class of each head, the machine of its vectors, and the readings in the product."""

    classes: tuple[int, ...]
    own: Moore
    path: Path


@dataclass(eq=False)
class BlockTrace:
    """A block: its heads, and the machines after it with their parts.

    Empty without heads: the machines are those before the block, with other labels. With contexts, it has for each the
    machine of the stream after the block, and the traces of the blocks that follow.
    """

    heads: list[list[ClassTrace]] = field(default_factory=list)
    parts: list[PartTrace] = field(default_factory=list)
    machines: list[Moore] = field(default_factory=list)
    whole: Moore | None = None  # labels an input with 1 + its context
    contexts: "list[tuple[Moore, list[BlockTrace]]]" = field(default_factory=list)


@dataclass(eq=False)
class ProofTrace:
    """The trace of one transformer, block by block."""

    blocks: list[BlockTrace] = field(default_factory=list)

    @property
    def size(self) -> int:
        """The number of entries in the tables of its machines."""
        every = [*_with_those_in_contexts(self.blocks)]
        heads = [made for block in every for head in block.heads for made in head]
        machines = [
            machine for made in heads for reading in made.readings for machine in (reading.view, reading.machine)
        ]
        machines += [machine for block in every for part in block.parts for _, machine in part.path]
        machines += [machine for block in every for machine, _ in block.contexts]
        return sum(machine.table.size for machine in {id(machine): machine for machine in machines}.values())

    def to_json(self) -> dict[str, Any]:
        """Return JSON data: machines are in one list, and referred to by index."""
        pool = _Pool()
        blocks = [_block(block, pool) for block in self.blocks]
        return {"blocks": blocks, "machines": pool.entries}


def _with_those_in_contexts(blocks: Iterable[BlockTrace]) -> Iterator[BlockTrace]:
    for block in blocks:
        yield block
        for _, following in block.contexts:
            yield from _with_those_in_contexts(following)


class _Pool:
    """The list of machines, without duplicates."""

    def __init__(self) -> None:
        self.entries: list[dict[str, Any]] = []
        self._indices: dict[tuple[bytes, bytes], int] = {}

    def index(self, machine: Moore) -> int:
        key = machine.table.tobytes(), machine.labels.tobytes()
        if key not in self._indices:
            self._indices[key] = len(self.entries)
            labels = np.where(machine.labels < 0, machine.labels.max() + 1, machine.labels)  # NEVER gets one of its own
            self.entries.append({"table": machine.table.tolist(), "labels": labels.tolist()})
        return self._indices[key]


def _block(block: BlockTrace, pool: _Pool) -> dict[str, Any]:
    heads = [[_class(made, pool) for made in head] for head in block.heads]
    if block.whole is not None:
        contexts = [
            {"machine": pool.index(machine), "blocks": [_block(each, pool) for each in following]}
            for machine, following in block.contexts
        ]
        return {"heads": heads, "context": pool.index(block.whole), "contexts": contexts}
    joints: dict[tuple[int, ...], dict[str, Any]] = {}
    for part, machine in zip(block.parts, block.machines, strict=True) if block.heads else ():
        sizes = [len(head[which].readings) for head, which in zip(block.heads, part.classes, strict=True)]
        empty = {"classes": list(part.classes), "view": pool.index(part.own), "tree": [None] * sizes[0]}
        tree = joints.setdefault(part.classes, empty)["tree"]
        for (guess, up_to_there), size in zip(part.path[:-1], sizes[1:], strict=True):
            tree[guess] = tree[guess] or {"machine": pool.index(up_to_there), "tree": [None] * size}
            tree = tree[guess]["tree"]
        tree[part.path[-1][0]] = {"machine": pool.index(machine), "tree": []}
    return {"heads": heads, "joints": list(joints.values())}


def _class(made: ClassTrace, pool: _Pool) -> dict[str, Any]:
    readings = [_reading(reading, pool) for reading in made.readings]
    view = None if made.view is None else pool.index(made.view)
    return {"queries": made.queries.tolist(), "view": view, "readings": readings}


def _reading(made: ReadingTrace, pool: _Pool) -> dict[str, Any]:
    return {
        "view": pool.index(made.view),
        "machine": pool.index(made.machine),
        "weights": list(made.weights),
        "any_sum": made.loose,
    }
