"""The task of strict IIT: answer as the program does, also under interchanges; other nodes must not matter."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt
import torch
from torch import Tensor
from torch.nn import functional

from weightsmith.inspect.components import Node
from weightsmith.train.interchange.dense import Dense
from weightsmith.train.interchange.pairs import Drawn, Lengths, Table
from weightsmith.train.interchange.parts import NONE
from weightsmith.train.loop import Batch

PADDING = NONE  # behind a base that is shorter than its source
CHANGING = 0.5  # share of the trained interchanges that change an answer, if there are any
SAME_LENGTH = 0.5  # share of the batches whose sources are as long as their bases
Rows = npt.NDArray[np.intp]


@dataclass(frozen=True, eq=False)
class Interchanges:
    """Pairs of a base and a source. Half of each batch interchanges parts, the other half nodes outside the circuit.

    A batch is (ids, labels). `ids` are (rows, 2, positions): the base and the source. `labels` are (rows, 3,
    positions): the number of the node in `nodes`, at every position; the answers to the base under the interchange; the
    answers to the source. What is shorter than the source is padded with −1.
    """

    drawn: Drawn
    vocabulary: tuple[str, ...]
    classes: tuple[str, ...]
    nodes: Sequence[Node]  # of the dense transformer
    parts: Sequence[Node | None]  # of the program, for each node; None outside the circuit
    strictness: float  # the weight of the loss outside the circuit

    @property
    def longest(self) -> int:
        """The length of the longest input."""
        return max(self.drawn.inputs)

    @property
    def data(self) -> tuple[str, list[Tensor]]:
        """What kind of data it is, and all of it."""
        tables = [pairs for table in (self.drawn.learnt, self.drawn.measured) for pairs in table.values()]
        arrays = [array for pairs in tables for array in (pairs.bases, pairs.sources, pairs.answers)]
        inputs = [array for found in self.drawn.inputs.values() for array in (found.ids, found.answers)]
        kind = f"interchanges {[*map(str, self.nodes)]} {[*map(str, self.parts)]} {self.strictness!r}"
        return kind, [torch.from_numpy(np.ascontiguousarray(array)) for array in (*inputs, *arrays)]

    @cached_property
    def _inside(self) -> list[int]:
        return [n for n, part in enumerate(self.parts) if part is not None]

    @cached_property
    def _outside(self) -> list[int]:
        return [n for n, part in enumerate(self.parts) if part is None]

    def batch(self, random: np.random.Generator, size: int) -> Batch:
        """Return rows of one pair of lengths."""
        return self._batch(self.drawn.learnt, self._lengths(random), random, size)

    def _lengths(self, random: np.random.Generator) -> Lengths:
        """Draw two lengths; longer ones more often, since they have more inputs."""
        every = self.drawn.lengths
        if random.random() < SAME_LENGTH:
            every = [each for each in every if each.base == each.source]
        weights = np.array([each.base for each in every], np.float64)
        return every[random.choice(len(every), p=weights / weights.sum())]

    def learnt(self, size: int) -> list[Batch]:
        """Return the same rows every time, of what is learnt from."""
        return self._fixed(self.drawn.learnt, size)

    def validation(self, size: int) -> list[Batch]:
        """Return the same rows every time, of the pairs that are measured."""
        return self._fixed(self.drawn.measured, size)

    def _fixed(self, table: Table, size: int) -> list[Batch]:
        random = np.random.default_rng(1)
        return [self._batch(table, lengths, random, size) for lengths in self.drawn.lengths]

    def _batch(self, table: Table, lengths: Lengths, random: np.random.Generator, size: int) -> Batch:
        base, source = (self.drawn.inputs[length] for length in lengths)
        inside = -(-size // 2) if self._outside else size
        which = random.choice(self._inside, inside)
        rows = [self._pair(table, lengths, n, random) for n in which]
        bases = np.array([row[0] for row in rows], np.intp)
        sources = np.array([row[1] for row in rows], np.intp)
        wanted = np.stack([row[2] for row in rows])
        if self._outside:
            rest = size - inside
            which = np.concatenate([which, random.choice(self._outside, rest)])
            more = random.integers(len(base.ids), size=rest)
            bases, wanted = np.concatenate([bases, more]), np.concatenate([wanted, base.answers[more]])
            sources = np.concatenate([sources, random.integers(len(source.ids), size=rest)])
        pad = ((0, 0), (0, lengths.source - lengths.base))
        ids = np.stack([np.pad(base.ids[bases], pad, constant_values=PADDING), source.ids[sources]], axis=1)
        numbers = np.repeat(which[:, None], lengths.source, axis=1)
        labels = [numbers, np.pad(wanted, pad, constant_values=PADDING), source.answers[sources]]
        return torch.from_numpy(ids), torch.from_numpy(np.stack(labels, axis=1))

    def _pair(self, table: Table, lengths: Lengths, n: int, random: np.random.Generator) -> tuple[int, int, Rows]:
        part = self.parts[n]
        assert part is not None
        pairs = table[lengths, part]
        changing = len(pairs.changed) and random.random() < CHANGING
        row = int(random.choice(pairs.changed) if changing else random.integers(len(pairs)))
        return int(pairs.bases[row]), int(pairs.sources[row]), pairs.answers[row]

    def loss(self, model: Dense, batch: Batch) -> Tensor:
        """Return the losses of the answers to sources, of interchanges, and of nodes outside the circuit, added."""
        ids, labels = batch
        length, which = int((ids[0, 0] >= 0).sum()), labels[:, 0, 0]
        clean, kept = model.interchanged(ids[:, 1], {})
        put = model.putting(kept, list(self.nodes), which, length)
        logits, _ = model.interchanged(ids[:, 0, :length], put)
        inside = torch.tensor([part is not None for part in self.parts])[which]
        wanted = labels[:, 1, :length]
        loss = functional.cross_entropy(clean.flatten(0, 1), labels[:, 2].flatten())
        loss = loss + _cross_entropy(logits[inside], wanted[inside])
        return loss + self.strictness * _cross_entropy(logits[~inside], wanted[~inside])

    def tokens_in(self, batch: Batch) -> int:
        """Count the tokens of bases and sources."""
        return int((batch[0] >= 0).sum())


def _cross_entropy(logits: Tensor, wanted: Tensor) -> Tensor:
    """Return the mean over the positions at which the program has a clear answer; 0 without any."""
    total = functional.cross_entropy(logits.flatten(0, 1), wanted.flatten(), ignore_index=PADDING, reduction="sum")
    return total / (wanted >= 0).sum().clamp(min=1)
