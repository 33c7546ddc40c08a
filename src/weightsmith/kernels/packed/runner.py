"""One run, step by step."""

from collections.abc import Callable
from typing import NoReturn

import numpy as np

from weightsmith.arithmetic import Activation, Array
from weightsmith.errors import ModelError, named
from weightsmith.kernels.packed.attention import Levels, Room, Rows, Stage
from weightsmith.kernels.packed.carrier import function_table
from weightsmith.kernels.packed.columns import Columns, Decisions, Start
from weightsmith.kernels.packed.compiled import Loops
from weightsmith.kernels.packed.floats import Machine
from weightsmith.kernels.packed.instructions import SIMD_BYTES
from weightsmith.kernels.packed.layout import Layout
from weightsmith.kernels.packed.linear import COLUMN_PADDING, TILE_BYTES, Matrix
from weightsmith.kernels.packed.norms import Norm
from weightsmith.kernels.packed.program import (
    BlockProgram,
    HeadProgram,
    HeadTables,
    Program,
    embedded,
)
from weightsmith.kernels.packed.representation import Encoded, TableIndex
from weightsmith.kernels.packed.scratch import NEURON_COLUMNS, Scratch, aligned
from weightsmith.kernels.packed.weighing import Weigher
from weightsmith.model import Softmax, Weighting, tokens_text
from weightsmith.semantics.reference import Reference

Watch = Callable[[Array], None]
Give = Callable[[int, Encoded], None]
_scratch = Scratch()


class Runner:
    """One run: the stream h, and scratch rows that are reused.

    The columns beyond those of the layout are unused, but hold members of the arithmetic.
    """

    def __init__(
        self, p: Program, loops: Loops, layout: Layout, watch: Watch | None, every: bool, give: Give | None = None
    ) -> None:
        """Prepare what all steps share."""
        self.p, self.loops, self.layout, self.watch, self.every, self.give = p, loops, layout, watch, every, give
        self.c, self.constants = p.carrier, p.carrier.constants
        self.causal = p.transformer.mask == "causal"
        self.columns = -(-layout.columns // COLUMN_PADDING) * COLUMN_PADDING  # and rows have as much padding
        self.width = self.columns + COLUMN_PADDING
        self.simd = SIMD_BYTES // self.c.dtype.itemsize
        self.levels = Levels(layout.widths, layout.offsets, layout.chunk(self.simd), 1, 0)
        self.nothing: Encoded = np.zeros(0, self.c.dtype)
        self.sizes = self._rows("sizes", 1, TILE_BYTES // SIMD_BYTES)[0]
        self.empty = 0
        # Shared by the heads: two threads wait for each other while they are in Python
        self.exponentials = function_table(self.c, "exp") or (self.nothing, TableIndex(0, 0, 0))
        self.rooms: dict[tuple[int, int], Room] = {}

    @property
    def positions(self) -> int:
        """How many positions there are."""
        return self.layout.widths.size

    def run(self, start: Start | None = None) -> Columns:
        """Return the results of all columns."""
        h = self._stream(start)
        first = 0 if self.causal or self.every else int(self.layout.offsets[-1])  # of the columns that are read off
        decisions, logits = self._answers(h, first)
        _scratch.shrink()
        used = slice(self.layout.columns)
        return Columns(decisions[used], logits[:, used], h[:, used], self.empty, self.c.decode)

    def _stream(self, start: Start | None = None) -> Encoded:
        """Return the stream after the last block."""
        begin, h = (0, self._embedded()) if start is None else start
        self._seen(h, begin)
        for b, block in enumerate(self.p.blocks[begin // 2 :], begin // 2):
            if begin <= 2 * b:
                entry = h.copy() if block.reads_entry else h
                self._attention(block, h)
                self._seen(h, 2 * b + 1)
            else:
                entry = h
            self._feed_forward(block, h, entry)
            self._seen(h, 2 * b + 2)
        return h

    def _answers(self, h: Encoded, first: int) -> tuple[Decisions, Encoded]:
        """Return the decisions and logits of the columns from `first` on."""
        last = self._normed(self.p.final_norm, h, first)
        logits = np.zeros((self.p.output.rows, self.width), self.c.dtype)
        if self.p.transformer.readout is not None:
            return self._read_out(last), logits
        self._finite(self._matvec(self.p.output, last, "", into=logits), first)
        decisions = np.empty(self.width, np.int32)
        self.loops.decide(logits, decisions)
        return decisions, logits

    def _read_out(self, last: Encoded) -> Decisions:
        T = self.p.transformer
        assert T.readout is not None
        codes = self.c.decode(last[[T.lanes.index(lane) for lane in T.readout.lanes], : self.layout.columns])
        return T.readout.answer_ids(codes.T).astype(np.int32)

    # The steps

    def _embedded(self) -> Encoded:
        T, layout = self.p.transformer, self.layout
        h = aligned(len(T.lanes), self.width, self.c.dtype)
        self.loops.embed(embedded(self.p, layout.widths.size), layout.ids, self.levels, h)
        return h

    def _attention(self, block: BlockProgram, h: Encoded) -> None:
        if not block.attention:
            return
        seen = self._normed(block.attention_norm, h) if block.before else h
        total: Encoded | None = None
        for head in block.heads:
            mixed = self._mixed(head, seen)
            if len(block.heads) == 1:
                self._matvec(head.W_O, mixed, "", into=h)
            elif total is None:
                total = self._matvec(head.W_O, mixed, "heads")
            else:
                self._matvec(head.W_O, mixed, "", into=total)
        if len(block.heads) != 1:
            total = np.zeros_like(h) if total is None else total
            self.loops.accumulate(h, total, block.b_O, self.constants)
        if not block.before:
            h[:] = self._normed(block.attention_norm, h)

    def _mixed(self, head: HeadProgram, seen: Encoded) -> Encoded:
        size, tables = head.size, self._tables(head)
        qkv = self._matvec(head.W_QKV, seen, "qkv")
        if tables.rotation is not None:
            self.loops.rotate(qkv[:size], *tables.rotation, self.levels, self.constants)
            self.loops.rotate(qkv[size : 2 * size], *tables.rotation, self.levels, self.constants)
        out = self._rows("mixed", len(qkv) - 2 * size)
        table, index = self.exponentials
        room = self._room(size, len(out))
        room.empty.fill(False)
        kv, levels, room = self._joined(head, qkv[size:], room)
        levels = levels._replace(ahead=self._ahead(head.strict))
        weigher = Weigher(int(head.kind), table, index, tables.equal_parts)
        given = Rows(qkv[:size], kv, out), levels, tables.distances, weigher, room

        def attend(stage: Stage) -> None:
            wrong = self.loops.attend(*given, int(stage), self.c.rounding, self.constants)
            if wrong >= 0:
                self._refuse(wrong)

        if table.size:
            attend(Stage.ALL)
        else:
            attend(Stage.BEFORE)
            self._exponentiate(head.weighting, room.scores, levels.ahead)
            attend(Stage.AFTER)
        out[:, self.layout.columns :] = 0
        empty = int(np.count_nonzero(room.empty))
        self.empty += empty
        if empty and isinstance(head.weighting, Softmax) and head.weighting.empty == "error":
            self._refuse(int(np.argmax(room.empty)))
        return out

    def _tables(self, head: HeadProgram) -> HeadTables:
        """Return the tables of a head for the positions of this run."""
        return head.tables(self.c, self.positions)

    def _joined(self, head: HeadProgram, kv: Encoded, room: Room) -> tuple[Encoded, Levels, Room]:
        """Return the keys and values that a head sees, where they lie, and a room that knows their sizes."""
        return kv, self.levels, room._replace(sizes=np.zeros(head.size, self.c.dtype))

    def _room(self, keys: int, values: int) -> Room:
        if (keys, values) not in self.rooms:
            self.rooms.clear()  # one at a time, as the bytes of a run are counted
            self.rooms[keys, values] = self._new_room(keys, values)
        return self.rooms[keys, values]

    def _new_room(self, keys: int, values: int) -> Room:
        positions, simd = self.positions, self.simd
        repeated = positions if self.layout.widths.min() < self.levels.chunk else 0
        return Room(
            tiles=self._rows("tiles", repeated * (keys + values), -(-self.levels.chunk // simd) * simd),
            scores=self._rows("scores", 0 if self.exponentials[0].size else positions),
            weights=self._rows("weights", positions, simd),
            total=self._rows("total", 1, simd),
            queries=self._rows("queries", keys, simd),
            bounded=np.zeros(keys, np.int8),
            shifts=np.zeros(keys, self.c.dtype),
            sizes=self.nothing,
            addresses=np.zeros((2, positions), np.int64),
            empty=np.zeros(self.layout.columns, np.bool_),
        )

    def _ahead(self, strict: bool) -> int:
        """Return how many positions a head sees beyond those before its own."""
        return 0 if strict else 1 if self.causal else self.positions

    def _exponentiate(self, weighting: Weighting, scores: Encoded, ahead: int) -> None:
        """Replace scores by exponentials, without a table."""
        A, positions = self.p.transformer.arithmetic, self.positions
        before = positions - self.layout.widths.size
        for t in range(max(before, 1 - ahead), positions):  # the first position may see nothing
            level = self.layout.level(t - before)
            visible = scores[: min(t + ahead, positions)]
            self._finite(visible, level.start, level.stop)
            if isinstance(weighting, Softmax):
                x = self.c.decode(visible[:, level])
                x = A.subtract(x, x.max(axis=0)) if weighting.shifted else x
                visible[:, level] = self.c.encode(A._elementary("exp", x))

    def _feed_forward(self, block: BlockProgram, h: Encoded, source: Encoded) -> None:
        if block.W_1 is None or block.W_2 is None:
            return
        seen = self._normed(block.feed_forward_norm, source) if block.before else source
        if block.function == "relu" and block.W_3 is None:
            hidden = self._rows("hidden", block.W_1.rows, TILE_BYTES // self.c.dtype.itemsize)
            self._apply(block.W_1, seen, 0, h, 0, self.columns, True, block.W_2, hidden)
        else:
            hidden = self._rows("hidden", block.W_1.rows, NEURON_COLUMNS)
            for a in range(0, self.columns, NEURON_COLUMNS):
                count = min(NEURON_COLUMNS, self.columns - a)
                self._neurons(block, seen, a, hidden, count)
                self._apply(block.W_2, hidden, 0, h, a, count, True)
        if not block.before:
            h[:] = self._normed(block.feed_forward_norm, h)

    def _neurons(self, block: BlockProgram, seen: Encoded, a: int, hidden: Encoded, count: int) -> None:
        """Set the first columns of `hidden` to the activations for the columns of `seen` from a on."""
        assert block.W_1 is not None
        self._apply(block.W_1, seen, a, hidden, 0, count, False)
        self._activate(block.function, hidden, count)
        if block.W_3 is not None:
            gate = self._rows("gate", block.W_3.rows, NEURON_COLUMNS)
            self._apply(block.W_3, seen, a, gate, 0, count, False)
            self.loops.multiply_rows(hidden, gate, count, self.constants)

    def _activate(self, name: Activation, hidden: Encoded, count: int) -> None:
        if name == "relu":
            np.maximum(hidden[:, :count], 0, out=hidden[:, :count])
            return
        table = function_table(self.c, name)
        if table is not None:
            self.loops.look_up_rows(hidden, count, *table, self.constants)
        else:
            A = self.p.transformer.arithmetic
            hidden[:, :count] = self.c.encode(A._elementary(name, self.c.decode(hidden[:, :count])))

    # Parts of steps

    def _rows(self, name: str, count: int, columns: int | None = None) -> Encoded:
        return _scratch.rows(name, count, self.width if columns is None else columns, self.c.dtype)

    def _matvec(self, M: Matrix, x: Encoded, name: str, into: Encoded | None = None) -> Encoded:
        out = self._rows(name, M.rows) if into is None else into
        self._apply(M, x, 0, out, 0, self.columns, into is not None)
        return out

    def _apply(
        self, M: Matrix, x: Encoded, first: int, out: Encoded, target: int, count: int, into: bool,
        second: Matrix | None = None, hidden: Encoded | None = None,
    ) -> None:  # fmt: skip
        """Set columns of out to M x ⊕ bias, or to a layer of neurons: see `linear.apply`."""
        second, hidden = (self.p.none if second is None else second), (out if hidden is None else hidden)
        self.loops.apply(M, second, x, first, hidden, out, target, count, into, self.sizes, self.constants)

    def _normed(self, norm: Norm | None, h: Encoded, first: int = 0) -> Encoded:
        if norm is None:
            return h
        out, column = h.copy(), np.empty(norm.lanes.size)
        wrong = self.loops.norm(h, out, norm, column, first, self.layout.columns, self.c.rounding)
        if wrong >= 0:
            self._refuse(wrong)
        return out

    def _seen(self, h: Encoded, stage: int) -> None:
        self._finite(h)
        if self.give is not None:
            self.give(stage, h)
        if self.watch is not None:
            self.watch(self.c.decode(h[:, : self.layout.columns]))

    def _finite(self, values: Encoded, first: int = 0, end: int | None = None) -> Encoded:
        """Refuse infinities and NaN, which only `Native` produces, in the columns from `first` on."""
        used = values[:, first : self.layout.columns if end is None else end]
        if self.c.representation is Machine and not np.isfinite(used).all():
            self._refuse(first + int(np.argwhere(~np.isfinite(used))[0][-1]))
        return values

    def _refuse(self, column: int) -> NoReturn:
        """Raise the error of the reference for the input that ends in a column, or that contains it."""
        self._refuse_input(self.layout.input_at(column, whole=not self.causal))

    def _refuse_input(self, ids: list[int]) -> NoReturn:
        T = self.p.transformer
        name = named(tokens_text(T.vocabulary, (T.vocabulary[i] for i in ids)))
        try:
            reference = Reference(T)
            found = reference.evaluate(np.array(ids))
            if self.every:
                reference.read_answers(found.stream[-1])
        except ModelError as error:
            raise ModelError(f"on the input {name}: {error}") from None
        raise AssertionError(f"the fast run refuses {name}, which the reference takes")
