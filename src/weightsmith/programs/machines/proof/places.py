"""Lemmas about block 0: it adds up the moves of all steps, and says which counters are positive."""

from dataclasses import fields
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.model import Attention, Block, FeedForward, Head, Softmax, Transformer
from weightsmith.programs.machines.table import POSITIVE, ZERO, Counter, StepTable, place_name
from weightsmith.programs.proof.lemmas import Lemma, LemmaError

Reals: TypeAlias = npt.NDArray[np.float64]

KNOWN: dict[type, str] = {  # the parts of a model that are looked at; every other part must be as it is by default
    Transformer: (
        "arithmetic vocabulary lanes embedding blocks output classes mask flags provenance edits tokenizer description"
    ),
    Block: "attention feed_forward norm_placement origin",
    Attention: "heads",
    Head: "W_Q W_K W_V W_O weighting b_Q b_K b_V name",
    FeedForward: "W_1 b_1 W_2 b_2 activation names keys",
}


class Places:
    """Reads the places of all registers off the weights of block 0."""

    def __init__(self, T: Transformer, table: StepTable, max_length: int, max_steps: int) -> None:
        """Show the lemmas about block 0."""
        self.T, self.table, self.A = T, table, T.arithmetic.core
        self.max_length, self.read_steps = max_length, max_steps - 1  # the last token is not read
        self.lemmas: list[Lemma] = []
        self._form()
        self.E: Reals = np.asarray(T.embedding, np.float64)
        self._count()
        self._see_counters()

    def _form(self) -> None:
        """Check that the model has two blocks, and no part that the proof does not read."""
        T = self.T
        if len(T.blocks) != 2:
            raise LemmaError(f"the transformer has {len(T.blocks)} blocks, and not 2")
        parts: list[Any] = [T, *T.blocks]
        for block in T.blocks:
            heads = () if block.attention is None else block.attention.heads
            parts += [part for part in (block.attention, block.feed_forward, *heads) if part is not None]
        for part in parts:
            for field in fields(part):
                value, looked_at = getattr(part, field.name), KNOWN.get(type(part), "").split()
                if field.name not in looked_at and (isinstance(value, np.ndarray) or value != field.default):
                    raise LemmaError(f"{type(part).__name__}.{field.name} is not what it is by default")
        forwards = [block.feed_forward for block in T.blocks if block.feed_forward is not None]
        wanted = (
            ("a causal mask", T.mask == "causal"),
            ("the vocabulary of the machine", tuple(T.vocabulary) == self.table.vocabulary),
            ("the steps as classes", tuple(T.classes) == tuple(token.name for token in self.table.tokens)),
            ("relu", all(layer.activation == "relu" for layer in forwards)),
            ("a head that counts", T.blocks[0].attention is not None and len(T.blocks[0].attention.heads) == 1),
            ("neurons for rules", T.blocks[1].feed_forward is not None),
        )
        for what, there in wanted:
            if not there:
                raise LemmaError(f"the transformer has not {what}")
        self.lemmas.append(Lemma("the model", "two blocks without positions or norms", len(parts)))

    @cached_property
    def going(self) -> list[int]:
        """The tokens after which the machine goes on, by place in the vocabulary: the prompt first."""
        first = len(self.table.inputs)
        return [first, *(first + 1 + n for n, token in enumerate(self.table.tokens) if token.answer is None)]

    @cached_property
    def seen(self) -> list[int]:
        """The tokens that are ever read."""
        return [*range(len(self.table.inputs)), *self.going]

    def _move(self, token: int, register: int) -> int:
        """Return by how much a token moves a register."""
        number = token - len(self.table.inputs) - 1
        return self.table.tokens[number].moves[register] if number >= 0 else 0

    def _count(self) -> None:
        """Show that block 0 adds up the moves of the steps, and the inputs, exactly."""
        A, E = self.A, self.E[self.seen]
        head = _first(self.T)
        if not isinstance(head.weighting, Softmax) or head.weighting.shifted:
            raise LemmaError("block 0, head 0 is no plain softmax")
        is_input = np.arange(len(self.seen)) < len(self.table.inputs)
        e = A.exp(A.dot(affine(A, head.W_Q, E, head.b_Q)[:, None], affine(A, head.W_K, E, head.b_K)[None]))
        same = is_input[:, None] == is_input
        if (e != np.where(same, A.infinity, 0.0)).any():
            raise LemmaError("block 0, head 0: the exp of a score is not ∞ for tokens of one kind and 0 for others")
        top, none = np.array(A.infinity), np.array(0.0)
        if not (A.add(top, top) == top == A.add(top, none) and A.divide(top, top) == 1 and A.divide(none, top) == 0):
            raise LemmaError(f"in {self.T.arithmetic} the weights ∞ ⊘ (∞ ⊕ …) are not 1")
        self._require_members()
        self.lemmas.append(
            Lemma("block 0, head 0", "every weight is 1 for tokens of the same kind, and 0 for others", same.size)
        )
        self._assign(affine(A, head.W_V, E, head.b_V), np.asarray(head.W_O, np.float64))

    def _require_members(self) -> None:
        """Check that all sums of moves are members: then no sum of them is rounded."""
        places = [self.table.places(n, self.read_steps) for n in range(len(self.table.registers))]
        low, high = min(a for a, _ in places), max(self.max_length, *(b for _, b in places))
        sums = np.arange(low, high + 1, dtype=np.float64)
        missing = sums[self.T.arithmetic.round(sums) != sums]
        if len(missing):
            worst = int(missing[np.argmax(np.abs(missing))])
            raise LemmaError(f"a place can be {worst:,}, which {self.T.arithmetic} has not", abs(worst))
        self.lemmas.append(Lemma("block 0, head 0", f"sums of moves from {low} to {high} are exact", len(sums)))

    def _assign(self, values: Reals, W_O: Reals) -> None:
        """Find which sum each lane holds: that of a register's moves (its number), or of the inputs (−1)."""
        columns = {-1: (np.arange(len(self.seen)) < len(self.table.inputs)).astype(np.float64)}
        for n in range(len(self.table.registers)):
            columns[n] = np.array([self._move(token, n) for token in self.seen], np.float64)
        sums = list[int]()
        for d in range(values.shape[1]):
            found = next((n for n, one in columns.items() if n not in sums and (one == values[:, d]).all()), None)
            if found is None:
                raise LemmaError(f"block 0, head 0: value {d} is no move of a register")
            sums.append(found)
        self.lane_of: dict[int, int] = {}  # lane → register
        for lane in np.flatnonzero(W_O.any(axis=1)).tolist():
            (dims,) = np.nonzero(W_O[lane])
            if len(dims) > 1 or W_O[lane, dims[0]] != 1 or self.E[self.seen, lane].any():
                raise LemmaError(f"block 0, head 0: lane {self.T.lanes[lane]!r} does not hold one sum")
            self.lane_of[lane] = sums[dims[0]]
        self.lemmas.append(
            Lemma("block 0, head 0", "lanes hold the places of the registers and the index of inputs", values.size)
        )

    def _lanes(self, *registers: int) -> list[int]:
        return [lane for lane, register in self.lane_of.items() if register in registers]

    def _require_reads(self, W: npt.NDArray[Any], registers: tuple[int, ...], where: str, flags: bool = False) -> None:
        """Refuse rows of weights that read other places than those of some registers, or flags of counters."""
        allowed = {*self._lanes(*registers), *(self.flagged if flags else ())}
        for lane in np.flatnonzero(np.asarray(W).any(axis=0)).tolist():
            if lane in {*self.lane_of, *self.flagged} and lane not in allowed:
                raise LemmaError(f"{where} reads the lane {self.T.lanes[lane]!r}")

    def _see_counters(self) -> None:
        """Show that block 0 says of each counter whether it is positive, and that none falls below 0."""
        A, layer, table = self.A, self.T.blocks[0].feed_forward, self.table
        self.flagged: set[int] = set()
        self.flags: dict[int, dict[str, Reals]] = {}
        counters = [n for n, register in enumerate(table.registers) if isinstance(register, Counter)]
        nothing = np.zeros(len(self.T.lanes))
        for n in counters:
            self.flags[n] = {ZERO: nothing, POSITIVE: nothing}
            for (_, shows), number in table.rules.items():
                if table.tokens[number].moves[n] < 0 and shows[n] != POSITIVE:
                    raise LemmaError(f"a rule takes 1 from {place_name(table, n)} where it is 0")
        if layer is None:
            return
        W_1, W_2 = np.asarray(layer.W_1, np.float64), np.asarray(layer.W_2, np.float64)
        if np.asarray(layer.b_2).any():
            raise LemmaError("block 0, feed-forward: b_2 is not 0")
        for n in counters:
            lanes = self._lanes(n)
            mine = W_1[:, lanes].any(axis=1)
            others = [lane for lane in range(W_1.shape[1]) if lane not in lanes]
            written = np.flatnonzero(W_2[:, mine].any(axis=1))
            if W_1[mine][:, others].any() or W_2[written][:, ~mine].any() or {*written} & {*self.lane_of}:
                raise LemmaError(f"block 0, feed-forward: neurons of {place_name(table, n)} are not its own")
            low, high = table.places(n, self.read_steps)
            stream = np.zeros((high - low + 1, len(self.T.lanes)))
            stream[:, lanes] = np.arange(low, high + 1)[:, None]
            shown = np.zeros_like(stream)
            fired = A.activate("relu", affine(A, layer.W_1, stream, layer.b_1))
            shown[:, written] = A.matvec(W_2[written], fired)
            if (shown[1:] != shown[1:2]).any():
                raise LemmaError(f"block 0, feed-forward: positive values of {place_name(table, n)} look different")
            self.flags[n] = {ZERO: shown[0], POSITIVE: shown[min(1, high)]}
            self.flagged |= {int(lane) for lane in written}
            what = f"{place_name(table, n)} from {low} to {high} is 0 or positive"
            self.lemmas.append(Lemma("block 0, feed-forward", what, len(stream)))
        if (W_2.any(axis=1) & ~np.isin(np.arange(len(W_2)), list(self.flagged))).any():
            raise LemmaError("block 0, feed-forward: a lane is written that is no flag of a counter")


def _first(T: Transformer) -> Head:
    assert T.blocks[0].attention is not None
    return T.blocks[0].attention.heads[0]


def affine(A: Any, W: npt.NDArray[Any], x: Reals, b: npt.NDArray[Any] | None) -> Reals:
    """Return W x ⊕ b; lanes that no row reads are left out, for they add 0."""
    return _affine_over(np.flatnonzero(np.asarray(W).any(axis=0)), A, W, x, b)


def affine_at(A: Any, W: npt.NDArray[Any], x: Reals, b: npt.NDArray[Any] | None) -> Reals:
    """Return W x ⊕ b for one vector; numbers that are 0 are left out, for they add 0."""
    return _affine_over(np.flatnonzero(x), A, W, x, b)


def _affine_over(used: Any, A: Any, W: npt.NDArray[Any], x: Reals, b: npt.NDArray[Any] | None) -> Reals:
    bias = None if b is None else np.asarray(b, np.float64)
    found: Reals = A.affine(np.asarray(W[:, used], np.float64), x[..., used], bias)
    return found
