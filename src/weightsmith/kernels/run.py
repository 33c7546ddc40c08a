"""Fast runs of many inputs at once, equal to `semantics` bit for bit."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace
from typing import NoReturn

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.arithmetic.base import Elementary
from weightsmith.errors import ModelError
from weightsmith.kernels.carrier import Carried, function_table
from weightsmith.kernels.compiled import compiled
from weightsmith.kernels.layout import Layout
from weightsmith.kernels.linear import TILE_BYTES, WHOLE
from weightsmith.kernels.program import BlockProgram, HeadProgram, NormProgram, Program, Sparse, program
from weightsmith.model import (
    Alibi,
    AverageHard,
    LeftmostHard,
    Rotary,
    Softmax,
    Transformer,
    penalties,
    position_table,
    turns,
)
from weightsmith.model.names import shown
from weightsmith.semantics.reference import evaluate

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


class _Runner:
    """One run: the stream h, and scratch rows that are used again and again."""

    def __init__(self, p: Program, layout: Layout, watch: Watch | None) -> None:
        self.p, self.layout, self.watch = p, layout, watch
        self.c, self.rule = p.carrier, p.carrier.rule
        self.loops: SimpleNamespace = compiled(p.carrier)
        self.causal = p.transformer.mask == "causal"
        self.levels = (layout.widths, layout.offsets, self.causal)
        self.native = p.carrier.exact.ties >= 3
        self.columns = -(-layout.columns // WHOLE) * WHOLE  # rows are longer by WHOLE: see `attention`
        self.empty = 0
        self.scratch: dict[str, Carried] = {}

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
        logits = self._finite(self._matvec(self.p.output, last, "logits"), first)
        decisions = np.empty(self.columns + WHOLE, np.int32)
        self.loops.decide(logits, decisions)
        used = slice(self.layout.columns)
        return Columns(decisions[used], logits[:, used], h[:, used], self.empty)

    # The steps

    def _embedded(self) -> Carried:
        T, layout = self.p.transformer, self.layout
        table = position_table(T.positions, T.arithmetic, len(T.lanes), layout.widths.size)
        vectors = np.broadcast_to(T.embedding, (layout.widths.size, *T.embedding.shape))
        if table is not None:
            vectors = T.arithmetic.add(vectors, table[:, np.newaxis])
        h = np.zeros((len(T.lanes), self.columns + WHOLE), self.c.dtype)
        self.loops.embed(self.c.encode(vectors.swapaxes(1, 2)), layout.ids, layout.widths, layout.offsets, h)
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
        q, k, v = (self._matvec(getattr(head, name), seen, name) for name in ("W_Q", "W_K", "W_V"))
        if isinstance(head.rule, Rotary) and len(q):
            self._turn(head.rule, q)
            self._turn(head.rule, k)
        weights = self._rows("weights", self.layout.widths.size)
        self.loops.score(q, k, *self._spread(k), head.relative_keys, *self.levels, weights, self.rule)
        if isinstance(head.rule, Alibi):
            by_distance = penalties(head.rule, self.p.transformer.arithmetic, self.layout.widths.size)
            self.loops.penalise(weights, self.c.encode(by_distance), *self.levels, self.rule)
        self._weigh(head, self._finite(weights))
        mixed = self._rows("mixed", len(v))
        self.loops.mix(weights, v, *self._spread(v), head.relative_values, *self.levels, mixed, self.rule)
        return mixed

    def _turn(self, rotary: Rotary, x: Carried) -> None:
        first, second = (places.astype(np.int64) for places in rotary.pairs(len(x)))
        tables = turns(rotary, self.p.transformer.arithmetic, len(x), self.layout.widths.size)
        cos, sin = (self.c.share(self.c.encode(table)) for table in tables)
        self.loops.rotate(x, first, second, cos, sin, self.layout.widths, self.layout.offsets, self.rule)

    def _spread(self, x: Carried) -> tuple[Carried, int]:
        tiles = self._rows("tiles", self.layout.widths.size * len(x), self.layout.chunk)
        self.loops.spread(x, self.layout.widths, self.layout.offsets, self.layout.chunk, tiles)
        return tiles, self.layout.chunk

    def _weigh(self, head: HeadProgram, scores: Carried) -> None:
        """Turn scores into weights in place."""
        weighting, A = head.weighting, self.p.transformer.arithmetic
        counts = np.arange(1, self.layout.widths.size + 1)
        shares = self.c.encode(np.concatenate([[0.0], A.round(1 / counts)]))
        if not isinstance(weighting, Softmax):
            which = 0 if isinstance(weighting, AverageHard) else 1 if isinstance(weighting, LeftmostHard) else 2
            self.loops.choose(scores, *self.levels, which, shares)
            return
        if weighting.shifted:
            self.loops.shift(scores, *self.levels, self.rule)
        table = function_table(self.c, "exp")
        if table is not None:
            self.loops.look_up(scores, *self.levels, *table, self.rule)
        else:
            self._exponentiate(scores)
        empty = np.zeros(self.layout.columns, np.bool_)
        if weighting.empty != "uniform":
            shares[:] = 0
        wrong = self.loops.normalise(scores, *self.levels, empty, shares, self.c.exact, self.rule)
        if wrong >= 0:
            self._refuse(wrong)
        self.empty += int(empty.sum())
        if weighting.empty == "error" and empty.any():
            self._refuse(int(np.argmax(empty)))

    def _exponentiate(self, scores: Carried) -> None:
        """Do without a table; what is not visible stays 0, or it would grow from head to head until it overflows."""
        A, positions = self.p.transformer.arithmetic, self.layout.widths.size
        for t in range(positions):
            visible = scores[: t + 1 if self.causal else positions, self.layout.level(t)]
            visible[:] = self.c.encode(A._elementary("exp", self.c.decode(visible)))

    def _feed_forward(self, block: BlockProgram, h: Carried) -> None:
        if block.W_1 is None or block.W_2 is None:
            return
        seen = self._normed(block.feed_forward_norm, h) if block.before else h
        tile = TILE_BYTES // self.c.dtype.itemsize
        hidden = self._rows("hidden", block.W_1.rows, min(tile, self.columns))
        for a in range(0, self.columns, tile):  # a tile at a time: the neurons need not all be kept
            count = min(tile, self.columns - a)
            self._neurons(block, seen, a, hidden, count)
            self.loops.matvec(*block.W_2.entries, hidden, 0, h, a, count, False, True, self.rule)
        if not block.before:
            h[:] = self._normed(block.feed_forward_norm, h)

    def _neurons(self, block: BlockProgram, seen: Carried, a: int, hidden: Carried, count: int) -> None:
        """Set the first columns of `hidden` to the activations of those of `seen` from a on."""
        assert block.W_1 is not None
        function = block.function
        self.loops.matvec(*block.W_1.entries, seen, a, hidden, 0, count, function == "relu", False, self.rule)
        if function != "relu":
            self._activate(function, hidden, count)
        if block.W_3 is not None:
            gate = self._rows("gate", *hidden.shape)
            self.loops.matvec(*block.W_3.entries, seen, a, gate, 0, count, False, False, self.rule)
            self.loops.multiply_rows(hidden, gate, count, self.rule)

    def _activate(self, name: Elementary, hidden: Carried, count: int) -> None:
        table = function_table(self.c, name)
        if table is not None:
            self.loops.look_up_rows(hidden, count, *table, self.rule)
        else:
            A = self.p.transformer.arithmetic
            hidden[:, :count] = self.c.encode(A._elementary(name, self.c.decode(hidden[:, :count])))

    # Parts of steps

    def _rows(self, name: str, count: int, columns: int | None = None) -> Carried:
        """Give scratch rows, 0 at first; what had the name before is written over, so no memory is fetched anew."""
        width = (self.columns if columns is None else columns) + WHOLE
        if name not in self.scratch or self.scratch[name].size < count * width:
            self.scratch[name] = np.zeros(count * width, self.c.dtype)
        return self.scratch[name][: count * width].reshape(count, width)

    def _matvec(self, matrix: Sparse, x: Carried, name: str, into: Carried | None = None) -> Carried:
        out = self._rows(name, matrix.rows) if into is None else into
        self.loops.matvec(*matrix.entries, x, 0, out, 0, self.columns, False, into is not None, self.rule)
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

    def _finite(self, values: Carried, first: int = 0) -> Carried:
        """Refuse what only the machine's arithmetic can produce, in the columns from `first` on."""
        used = values[:, first : self.layout.columns]
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
