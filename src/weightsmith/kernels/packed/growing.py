"""Texts that grow, by the packed loops: every token is a level, and only the new levels are computed."""

from typing import NoReturn

import numpy as np

from weightsmith.kernels.packed.attention import Levels, Room
from weightsmith.kernels.packed.columns import Decisions
from weightsmith.kernels.packed.layout import Indices, batch
from weightsmith.kernels.packed.past import KeptPast, Numbers, table_length
from weightsmith.kernels.packed.program import HeadProgram, HeadTables, embedded
from weightsmith.kernels.packed.representation import Encoded
from weightsmith.kernels.packed.run import PackedRun
from weightsmith.kernels.packed.runner import Runner
from weightsmith.kernels.packed.scratch import aligned
from weightsmith.model import position_table
from weightsmith.semantics.evaluation import AnswerIds, Ids

TABLE_NUMBERS = 1 << 20  # of embedded tokens by position: larger tables are not made
MIN_TEXTS, MIN_SHARING = 256, 8  # texts, and how many have the same beginning on average, for reading it once to pay


class NewLevels(Runner):
    """One run of the levels that follow a past."""

    def __init__(self, engine: PackedRun, past: KeptPast, ids: Indices) -> None:
        """Append tokens, (positions, texts), to a past."""
        super().__init__(engine.program, engine.loops, batch(ids.T), None, False)
        self.past, self.before = past, past.length
        past.extend(ids)
        self.everywhere = past.levels(self.before, self.levels.chunk)

    def read(self) -> None:
        """Compute the new keys and values."""
        self._stream()

    def decide(self) -> Decisions:
        """Compute the new keys and values, and return the answer at each column."""
        decisions, _ = self._answers(self._stream(), 0)
        return decisions[: self.layout.columns]

    @property
    def positions(self) -> int:
        """How many positions there are, with those of the past."""
        return self.past.length

    def _embedded(self) -> Encoded:
        T, layout = self.p.transformer, self.layout
        length = table_length(T, self.past.room)
        h = aligned(len(T.lanes), self.width, self.c.dtype)
        if length * T.embedding.size <= TABLE_NUMBERS:
            self.loops.embed(embedded(self.p, length)[self.before :], layout.ids, self.levels, h)
            return h
        vectors = T.embedding[layout.ids.reshape(layout.widths.size, -1)]
        table = position_table(T.positions, T.arithmetic, len(T.lanes), self.positions)
        if table is not None:
            vectors = T.arithmetic.add(vectors, table[self.before :, np.newaxis])
        h[:, : layout.columns] = self.c.encode(vectors.reshape(-1, len(T.lanes)).T)
        return h

    def _tables(self, head: HeadProgram) -> HeadTables:
        return self.past.tables(head, self.before)

    def _joined(self, head: HeadProgram, kv: Encoded, room: Room) -> tuple[Encoded, Levels, Room]:
        kept = self.past.add(head, kv, self.before)
        return kept.kv, self.everywhere, room._replace(sizes=kept.sizes)

    def _refuse(self, column: int) -> NoReturn:
        level, text = divmod(column, self.past.texts)
        self._refuse_input(self.past.text(text, self.before + level + 1))


class StepsByKernels:
    """Texts of a causal transformer that grow by the packed loops: a `Stepper`, equal to the reference bit for bit."""

    def __init__(self, engine: PackedRun) -> None:
        """Begin without texts."""
        self.engine = engine
        self.past = KeptPast(engine.program, 0, 0)
        self.columns: Numbers = np.zeros(0, np.intp)  # of each text

    def begin(self, ids: Ids, more: int = 0) -> AnswerIds:
        """Read texts, (texts, positions); return the answer at the last position of each.

        `more` is how many tokens will follow, if that is known.
        """
        self.engine.ready()
        texts, positions = ids.shape
        if not texts:
            return np.zeros(0, np.intp)
        self.columns, levels = np.arange(texts), np.ascontiguousarray(ids.T, np.int64)
        self.past = self._shared(levels, positions + more)
        if positions > self.past.length + 1:
            NewLevels(self.engine, self.past, levels[self.past.length : -1]).read()
        return self.append(levels[-1])

    def _shared(self, levels: Indices, room: int) -> KeptPast:
        """Read beginnings that many texts share, each once; return a past that may have no positions."""
        positions, texts = levels.shape
        vocabulary, read = len(self.engine.transformer.vocabulary), 0
        of, first = np.zeros(texts, np.intp), np.zeros(1, np.intp)
        while texts >= MIN_TEXTS and read < positions - 1:
            _, index, which = np.unique(of * vocabulary + levels[read], return_index=True, return_inverse=True)
            if len(index) * MIN_SHARING > texts:
                break
            of, first, read = which, index, read + 1
        if not read:
            return KeptPast(self.engine.program, texts, room)
        past = KeptPast(self.engine.program, len(first), room)
        NewLevels(self.engine, past, levels[:read, first]).read()
        past.spread(of)
        return past

    def append(self, ids: Ids) -> AnswerIds:
        """Append one token to each text, (texts); return the answers at these tokens."""
        tokens = np.empty((1, len(ids)), np.int64)
        tokens[0, self.columns] = ids
        answers: AnswerIds = NewLevels(self.engine, self.past, tokens).decide()[self.columns].astype(np.intp)
        return answers

    def keep(self, chosen: Ids) -> None:
        """Go on with some of the texts only, by their numbers."""
        columns, count = self.columns[chosen], len(chosen)
        outside = columns >= count
        holes = np.setdiff1d(np.arange(count), columns)
        self.past.move(columns[outside], holes)
        columns[outside] = holes
        self.columns, self.past.texts = columns, count
