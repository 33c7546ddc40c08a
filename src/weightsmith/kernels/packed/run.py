"""Fast runs of many inputs at once, equal to `semantics` bit for bit."""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any, NoReturn

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Activation, Array
from weightsmith.errors import ModelError, shown
from weightsmith.kernels.packed.attention import AFTER, ALL, BEFORE
from weightsmith.kernels.packed.carrier import Carried, function_table
from weightsmith.kernels.packed.compiled import compiled
from weightsmith.kernels.packed.instructions import PACK_BYTES
from weightsmith.kernels.packed.layout import Layout
from weightsmith.kernels.packed.linear import TILE_BYTES, WHOLE
from weightsmith.kernels.packed.program import (
    BlockProgram,
    HeadProgram,
    NormProgram,
    Program,
    Sparse,
    embedded,
    program,
    shares,
)
from weightsmith.kernels.packed.rules import Place
from weightsmith.model import Softmax, Transformer, Weighting
from weightsmith.model.positions import Rotation
from weightsmith.semantics.reference import evaluate

TILE = 2048  # columns of neurons that are kept together, where they are not `relu`
KEPT_BYTES = 32 << 20
Decisions = npt.NDArray[np.int32]
Watch = Callable[[Array], None]


@dataclass(frozen=True, eq=False)
class Columns:
    """What a run gives for each of its columns, as if the input ended there.

    Without a causal mask it cannot end earlier: decisions and logits mean something at the last position only.
    """

    decisions: Decisions  # (columns): places among the classes
    logits: Carried  # (classes, columns)
    vectors: Carried  # (lanes, columns): the last of the stream
    empty_softmax: int  # rows of attention without weight, over all columns


def run_columns(T: Transformer, layout: Layout, watch: Watch | None = None) -> Columns:
    """Run a transformer on every column; `watch` sees the stream (lanes, columns) after each sublayer."""
    return _Runner(program(T), layout, watch).run()


class _Scratch(threading.local):
    """Memory that each thread keeps for its next run: to fetch it anew takes as long as many a run."""

    def __init__(self) -> None:
        self.named: dict[str, npt.NDArray[np.uint8]] = {}

    def rows(self, name: str, count: int, width: int, dtype: np.dtype[Any]) -> Carried:
        """Return rows that hold anything; what had the name before is written over."""
        size = count * width * dtype.itemsize
        if name not in self.named or self.named[name].size < size:
            self.named[name] = np.empty(size, np.uint8)
        return self.named[name][:size].view(dtype).reshape(count, width)

    def shrink(self) -> None:
        """Keep no more than what a check's run takes."""
        if sum(kept.size for kept in self.named.values()) > KEPT_BYTES:
            self.named.clear()


_scratch = _Scratch()


class _Runner:
    """One run: the stream h, and scratch rows that are used again and again.

    The columns beyond those of the layout are unused, but hold members of the arithmetic.
    """

    def __init__(self, p: Program, layout: Layout, watch: Watch | None) -> None:
        self.p, self.layout, self.watch = p, layout, watch
        self.c, self.rule = p.carrier, p.carrier.rule
        self.loops: SimpleNamespace = compiled(p.carrier)
        self.causal = p.transformer.mask == "causal"
        self.levels = (layout.widths, layout.offsets, self.causal)
        self.native = p.carrier.exact.ties >= 3
        self.columns = -(-layout.columns // WHOLE) * WHOLE  # rows are longer by WHOLE: see `attention`
        self.pack = PACK_BYTES // self.c.dtype.itemsize
        self.chunk = layout.chunk(self.pack)
        self.nothing: Carried = np.zeros(0, self.c.dtype)
        self.empty = 0

    def run(self) -> Columns:
        h = self._embedded()
        self._seen(h)
        for block in self.p.blocks:
            self._attention(block, h)
            self._seen(h)
            self._feed_forward(block, h)
            self._seen(h)
        first = 0 if self.causal else int(self.layout.offsets[-1])  # of the columns at which an input can end
        last = self._normed(self.p.final_norm, h, first)
        logits = np.zeros((self.p.output.rows, self.columns + WHOLE), self.c.dtype)
        self._finite(self._matvec(self.p.output, last, "", into=logits), first)
        decisions = np.empty(self.columns + WHOLE, np.int32)
        self.loops.decide(logits, decisions)
        _scratch.shrink()
        used = slice(self.layout.columns)
        return Columns(decisions[used], logits[:, used], h[:, used], self.empty)

    # The steps

    def _embedded(self) -> Carried:
        T, layout = self.p.transformer, self.layout
        h = np.zeros((len(T.lanes), self.columns + WHOLE), self.c.dtype)
        self.loops.embed(embedded(T, layout.widths.size), layout.ids, layout.widths, layout.offsets, h)
        return h

    def _attention(self, block: BlockProgram, h: Carried) -> None:
        if not block.attention:
            return
        seen = self._normed(block.attention_norm, h) if block.before else h
        total: Carried | None = None
        for head in block.heads:
            mixed = self._mixed(head, seen)
            if len(block.heads) == 1:
                self._matvec(head.W_O, mixed, "", into=h)
            elif total is None:
                total = self._matvec(head.W_O, mixed, "total")
            else:
                self._matvec(head.W_O, mixed, "", into=total)
        if len(block.heads) != 1:
            total = np.zeros_like(h) if total is None else total
            self.loops.accumulate(h, total, block.b_O, self.rule)
        if not block.before:
            h[:] = self._normed(block.attention_norm, h)

    def _mixed(self, head: HeadProgram, seen: Carried) -> Carried:
        rows, size, positions = self._matvec(head.W_QKV, seen, "qkv"), head.size, self.layout.widths.size
        q, k, v = rows[:size], rows[size : 2 * size], rows[2 * size :]
        rotation = head.scheme.rotation(self.p.transformer.arithmetic, size, positions)
        if rotation is not None:
            self._rotate(rotation, q)
            self._rotate(rotation, k)
        penalties = head.scheme.penalties(self.p.transformer.arithmetic, positions)
        by_distance = self.nothing if penalties is None else self.c.encode(penalties)
        tiles = self._rows("tiles", positions * (len(k) + len(v)), -(-self.chunk // self.pack) * self.pack)
        out, empty = self._rows("mixed", len(v)), np.zeros(self.layout.columns, np.bool_)
        table, place = function_table(self.c, "exp") or (self.nothing, Place(0, 0, 0))
        parts = shares(self.c, positions, head.weighting)

        def attend(stage: int, scores: Carried) -> None:
            wrong = self.loops.attend(
                q, k, v, tiles, self.chunk, head.relative_keys, head.relative_values, by_distance, head.kind,
                table, place, parts, *self.levels, stage, scores, out, empty, self.c.exact, self.rule,
            )  # fmt: skip
            if wrong >= 0:
                self._refuse(wrong)

        if table.size:
            attend(ALL, out)
        else:
            scores = self._rows("scores", positions)
            attend(BEFORE, scores)
            self._exponentiate(head.weighting, scores)
            attend(AFTER, scores)
        out[:, self.layout.columns :] = 0
        self.empty += int(empty.sum())
        if isinstance(head.weighting, Softmax) and head.weighting.empty == "error" and empty.any():
            self._refuse(int(np.argmax(empty)))
        return out

    def _rotate(self, turns: Rotation, x: Carried) -> None:
        first, second = (coordinates.astype(np.int64) for coordinates in (turns.first, turns.second))
        cos, sin = (self.c.share(self.c.encode(table)) for table in (turns.cos, turns.sin))
        self.loops.rotate(x, first, second, cos, sin, self.layout.widths, self.layout.offsets, self.rule)

    def _exponentiate(self, weighting: Weighting, scores: Carried) -> None:
        """Do without a table."""
        A, positions = self.p.transformer.arithmetic, self.layout.widths.size
        for t in range(positions):
            level = self.layout.level(t)
            visible = scores[: t + 1 if self.causal else positions]
            self._finite(visible, level.start, level.stop)
            if isinstance(weighting, Softmax):
                x = self.c.decode(visible[:, level])
                x = A.subtract(x, x.max(axis=0)) if weighting.shifted else x
                visible[:, level] = self.c.encode(A._elementary("exp", x))

    def _feed_forward(self, block: BlockProgram, h: Carried) -> None:
        if block.W_1 is None or block.W_2 is None:
            return
        seen = self._normed(block.feed_forward_norm, h) if block.before else h
        if block.function == "relu" and block.W_3 is None:
            hidden = self._rows("hidden", block.W_1.rows, TILE_BYTES // self.c.dtype.itemsize)
            self.loops.feed_forward(
                *block.W_1.entries, *block.W_2.entries, seen, hidden, h, self.columns, self.rule
            )  # fmt: skip
        else:
            hidden = self._rows("hidden", block.W_1.rows, TILE)
            for a in range(0, self.columns, TILE):
                count = min(TILE, self.columns - a)
                self._neurons(block, seen, a, hidden, count)
                self.loops.matvec(*block.W_2.entries, hidden, 0, h, a, count, True, self.rule)
        if not block.before:
            h[:] = self._normed(block.feed_forward_norm, h)

    def _neurons(self, block: BlockProgram, seen: Carried, a: int, hidden: Carried, count: int) -> None:
        """Set the first columns of `hidden` to the activations of those of `seen` from a on."""
        assert block.W_1 is not None
        self.loops.matvec(*block.W_1.entries, seen, a, hidden, 0, count, False, self.rule)
        self._activate(block.function, hidden, count)
        if block.W_3 is not None:
            gate = self._rows("gate", block.W_3.rows, TILE)
            self.loops.matvec(*block.W_3.entries, seen, a, gate, 0, count, False, self.rule)
            self.loops.multiply_rows(hidden, gate, count, self.rule)

    def _activate(self, name: Activation, hidden: Carried, count: int) -> None:
        if name == "relu":
            np.maximum(hidden[:, :count], 0, out=hidden[:, :count])
            return
        table = function_table(self.c, name)
        if table is not None:
            self.loops.look_up_rows(hidden, count, *table, self.rule)
        else:
            A = self.p.transformer.arithmetic
            hidden[:, :count] = self.c.encode(A._elementary(name, self.c.decode(hidden[:, :count])))

    # Parts of steps

    def _rows(self, name: str, count: int, columns: int | None = None) -> Carried:
        return _scratch.rows(name, count, self.columns + WHOLE if columns is None else columns, self.c.dtype)

    def _matvec(self, matrix: Sparse, x: Carried, name: str, into: Carried | None = None) -> Carried:
        out = self._rows(name, matrix.rows) if into is None else into
        self.loops.matvec(*matrix.entries, x, 0, out, 0, self.columns, into is not None, self.rule)
        return out

    def _normed(self, norm: NormProgram | None, h: Carried, first: int = 0) -> Carried:
        if norm is None:
            return h
        out, n = h.copy(), norm
        wrong = self.loops.norm(
            h, out, n.lanes, first, self.layout.columns, n.m, n.eps, n.centred, n.gain, n.bias, self.c.exact
        )
        if wrong >= 0:
            self._refuse(wrong)
        return out

    def _seen(self, h: Carried) -> None:
        self._finite(h)
        if self.watch is not None:
            self.watch(self.c.decode(h[:, : self.layout.columns]))

    def _finite(self, values: Carried, first: int = 0, end: int | None = None) -> Carried:
        """Refuse what only the machine's arithmetic can produce, in the columns from `first` on."""
        used = values[:, first : self.layout.columns if end is None else end]
        if self.native and not np.isfinite(used).all():
            self._refuse(first + int(np.argwhere(~np.isfinite(used))[0][-1]))
        return values

    def _refuse(self, column: int) -> NoReturn:
        """Let the reference say what is wrong with the input that ends in a column, or that it is in."""
        T, ids = self.p.transformer, self.layout.input_at(column, whole=not self.causal)
        separator = "" if all(len(token) == 1 for token in T.vocabulary) else " "
        name = shown(separator.join(T.vocabulary[i] for i in ids))
        try:
            evaluate(T, np.array(ids))
        except ModelError as error:
            raise ModelError(f"on the input {name}: {error}") from None
        raise AssertionError(f"the fast run refuses {name}, which the reference takes")
