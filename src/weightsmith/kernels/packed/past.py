"""Keys and values of texts that grow together.

A text is a column of every level. Each head keeps its keys and values as rows (key size + value size, columns), level
after level; the columns of a level lie `stride` apart from those of the next. A text that has ended leaves a hole,
which the last text fills: this costs as much as the texts that have ended, not as those that go on.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import numpy.typing as npt

from weightsmith.kernels.packed.attention import Levels
from weightsmith.kernels.packed.carrier import Carrier
from weightsmith.kernels.packed.layout import Indices
from weightsmith.kernels.packed.linear import COLUMN_PADDING
from weightsmith.kernels.packed.program import HeadProgram, HeadTables, Program
from weightsmith.kernels.packed.representation import Encoded
from weightsmith.kernels.packed.scratch import aligned
from weightsmith.model import Transformer, check_length
from weightsmith.model.positions import rounded_up

Numbers = npt.NDArray[np.intp]


@dataclass(eq=False)
class Kept:
    """What one head keeps."""

    kv: Encoded  # (key size + value size, columns)
    sizes: Encoded  # (key size): the largest absolute value of the keys


class KeptPast:
    """The past of texts that grow together."""

    def __init__(self, p: Program, texts: int, positions: int) -> None:
        """Make room for texts of some positions; longer ones make more room."""
        self.p, self.texts, self.stride, self.length = p, texts, texts, 0
        self.tokens = np.zeros((0, texts), np.int64)  # (positions, texts): see `text`
        self.heads = [head for block in p.blocks for head in block.heads]
        self._make_room(positions, np.arange(texts))

    def reserve(self, positions: int) -> None:
        """Make room for texts of some positions; refuse those beyond the position table."""
        if positions > self.room:
            check_length(self.p.transformer, positions)
            self._make_room(max(positions, 2 * self.room), np.arange(self.texts))

    def _make_room(self, positions: int, chosen: Numbers) -> None:
        """Set the room, with the columns `chosen` of each level one after the other."""
        most, c = self.p.transformer.max_length, self.p.carrier
        self.room = positions if most is None else min(positions, most)
        old = {} if self.length == 0 else self.kept
        there = (np.arange(self.length)[:, np.newaxis] * self.stride + chosen).reshape(-1)
        self.stride = self.texts = len(chosen)
        self.kept: dict[HeadProgram, Kept] = {}
        for head in self.heads:
            kv = aligned(head.W_QKV.rows - head.size, self.room * self.stride + COLUMN_PADDING, c.dtype)
            if old:
                kv[:, : there.size] = old[head].kv[:, there]
            self.kept[head] = Kept(kv, old[head].sizes if old else np.zeros(head.size, c.dtype))
        tokens = np.zeros((self.room, self.stride), np.int64)
        if old:
            tokens[: self.length] = self.tokens[: self.length, chosen]
        self.tokens = tokens
        self.offsets: Indices = np.arange(self.room, dtype=np.int64) * self.stride

    def extend(self, ids: Indices) -> None:
        """Append the tokens of new levels, (positions, texts)."""
        positions = self.length + len(ids)
        self.reserve(positions)
        self.tokens[self.length : positions, : self.texts] = ids
        self.length = positions

    def text(self, column: int, end: int) -> list[int]:
        """Return the first tokens of a text."""
        tokens: list[int] = self.tokens[:end, column].tolist()
        return tokens

    def add(self, head: HeadProgram, kv: Encoded, first: int) -> Kept:
        """Append the keys and values of the levels from `first` on, (rows, columns), one after the other."""
        kept = self.kept[head]
        for t in range(first, self.length):
            here = (t - first) * self.texts
            kept.kv[:, t * self.stride : t * self.stride + self.texts] = kv[:, here : here + self.texts]
        return kept

    def levels(self, first: int, chunk: int) -> Levels:
        """Return where all levels lie, for queries of those from `first` on."""
        widths = np.full(self.length, self.texts, np.int64)
        return Levels(widths, self.offsets[: self.length], chunk, 1, first)

    def tables(self, head: HeadProgram, first: int) -> HeadTables:
        """Return the tables of a head, for columns of the position `first` and later."""
        return head_tables(head, self.p.carrier, table_length(self.p.transformer, self.room)).behind(first)

    def move(self, texts: Numbers, holes: Numbers) -> None:
        """Move texts into the columns `holes`."""
        levels = self.offsets[: self.length, np.newaxis]
        there, here = ((levels + columns).reshape(-1) for columns in (texts, holes))
        for kept in self.kept.values():
            kept.kv[:, here] = kept.kv[:, there]
        self.tokens[: self.length, holes] = self.tokens[: self.length, texts]

    def spread(self, chosen: Numbers) -> None:
        """Go on with the texts of these columns, some of them several times."""
        self._make_room(self.room, chosen)


def table_length(T: Transformer, positions: int) -> int:
    """Return for how many positions tables are made: a power of 2, so that few are, or all that there are."""
    most = T.max_length
    return rounded_up(positions) if most is None else min(rounded_up(positions), most)


@lru_cache(maxsize=256)
def head_tables(head: HeadProgram, c: Carrier, positions: int) -> HeadTables:
    """Return the tables of a head: see `HeadProgram.tables`."""
    return head.tables(c, positions)
