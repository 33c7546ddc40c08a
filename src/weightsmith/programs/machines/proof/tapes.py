"""Lemmas about the heads of block 1: each finds the content of the cell on which a tape's head stands."""

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.model import Head, RightmostHard
from weightsmith.programs.machines.proof.places import Places, Reals, affine
from weightsmith.programs.machines.table import Tape, place_name
from weightsmith.programs.proof.lemmas import Lemma, LemmaError

Whole: TypeAlias = npt.NDArray[np.int64]
AT_ONCE = 1 << 20  # numbers that are computed at once
MOST_CASES = 1 << 27


@dataclass(frozen=True)
class Keys:
    """The distinct keys of a head, and the cell that each stands for."""

    vectors: Reals
    cells: Whole
    has_cell: npt.NDArray[np.bool_]


class Tapes(Places):
    """Reads what each tape shows off the heads of block 1."""

    def _read_tapes(self) -> list[dict[str, Reals]]:
        """Return what the head of each tape writes, for each symbol that it can find."""
        tapes = [n for n, register in enumerate(self.table.registers) if isinstance(register, Tape)]
        attention = self.T.blocks[1].attention
        heads = () if attention is None else attention.heads
        if len(heads) != len(tapes):
            raise LemmaError(f"block 1 has {len(heads)} heads for {len(tapes)} tapes")
        return [self._read(n, head, i) for i, (n, head) in enumerate(zip(tapes, heads, strict=True))]

    def _read(self, n: int, head: Head, i: int) -> dict[str, Reals]:
        """Show that a head finds the content of the cell on which the tape's head stands; return what it writes."""
        table, where = self.table, f"block 1, head {i}"
        if not isinstance(head.weighting, RightmostHard):
            raise LemmaError(f"{where} does not read the rightmost of the best")
        self._require_reads(head.W_Q, (n,), where)
        self._require_reads(head.W_K, (n, -1), where)
        self._require_reads(head.W_V, (), where)
        queries, places = self._queries(n, head)
        keys = self._keys(n, head)
        cases = len(queries) * len(keys.vectors)
        if cases > MOST_CASES:
            raise LemmaError(f"{where} has {cases:,} pairs of queries and keys, more than {MOST_CASES:,}")
        margin, rows = np.inf, max(1, AT_ONCE // len(keys.vectors))
        for start in range(0, len(queries), rows):
            some = slice(start, start + rows)
            margin = min(margin, self._compare(queries[some], places[some], keys, where))
        found = dict[str, Reals]()
        for token in self.seen:
            value = self.A.matvec(np.asarray(head.W_O, np.float64), affine(self.A, head.W_V, self.E[token], head.b_V))
            symbol = self._symbol(n, token)
            if (found.setdefault(symbol, value) != value).any():
                raise LemmaError(f"{where}: tokens that write {symbol!r} have different values")
        statement = f"the last token that wrote on the cell under the {place_name(table, n)}'s head, or a blank"
        self.lemmas.append(Lemma(where, statement, cases, margin))
        return found

    def _symbol(self, n: int, token: int) -> str:
        """Return what a token writes on a tape; a token without a cell stands for a blank."""
        tape, inputs = self.table.registers[n], self.table.inputs
        assert isinstance(tape, Tape)
        if token < len(inputs):
            return inputs[token] if tape.input else tape.blank
        written = self.table.tokens[token - len(inputs) - 1].writes[n] if token > len(inputs) else None
        return written if tape.written and written is not None else tape.blank

    def _queries(self, n: int, head: Head) -> tuple[Reals, Whole]:
        """Return the distinct queries, each with the place that it asks for."""
        used = np.flatnonzero(np.asarray(head.W_Q).any(axis=0))
        bases = np.unique(self.E[self.going][:, used], axis=0)
        low, high = self.table.places(n, self.read_steps)
        places = np.tile(np.arange(low, high + 1), len(bases))
        stream = np.zeros((len(places), len(self.T.lanes)))
        stream[:, used] = np.repeat(bases, high - low + 1, axis=0)
        stream[:, self._lanes(n)] = places[:, None]
        rows = np.unique(np.c_[affine(self.A, head.W_Q, stream, head.b_Q), places], axis=0)
        return rows[:, :-1], rows[:, -1].astype(np.int64)

    def _keys(self, n: int, head: Head) -> Keys:
        """Return the distinct keys of all tokens at all places."""
        tape, inputs = self.table.registers[n], len(self.table.inputs)
        assert isinstance(tape, Tape)
        used, (low, high) = np.flatnonzero(np.asarray(head.W_K).any(axis=0)), self.table.places(n, self.read_steps)
        streams, cells = list[Reals](), list[Reals]()
        known = set[tuple[bytes, int, bool]]()
        for token in self.seen:
            move, is_input = self._move(token, n), token < inputs
            key = (self.E[token, used].tobytes(), move, is_input)
            if key in known:
                continue
            known.add(key)
            place = np.arange(1, self.max_length + 1) if is_input else np.arange(low, high + 1)
            place = place if token != inputs else np.zeros(1, np.int64)
            stream = np.tile(self.E[token], (len(place), 1))
            stream[:, self._lanes(-1 if is_input else n)] = place[:, None]
            has_cell = tape.input if is_input else tape.written and token != inputs
            streams.append(stream)
            cells.append(np.c_[place - (1 if is_input else move), np.full(len(place), has_cell)])
        vectors = affine(self.A, head.W_K, np.concatenate(streams), head.b_K)
        labels = np.concatenate(cells)
        labels[labels[:, 1] == 0, 0] = 0
        rows = np.unique(np.c_[vectors, labels], axis=0)
        return Keys(rows[:, :-2], rows[:, -2].astype(np.int64), rows[:, -1] == 1)

    def _compare(self, queries: Reals, places: Whole, keys: Keys, where: str) -> float:
        """Show that the right cell scores best, then tokens without a cell; return the smallest difference."""
        scores = self.A.dot(queries[:, None], keys.vectors[None])
        right = keys.has_cell & (keys.cells == places[:, None])
        wrong, blank = keys.has_cell & ~right, np.broadcast_to(~keys.has_cell, right.shape)
        least = np.where(right, scores, np.inf).min(axis=1)
        most = np.where(right, scores, -np.inf).max(axis=1)
        blanks = np.where(blank, scores, np.inf).min(axis=1), np.where(blank, scores, -np.inf).max(axis=1)
        others = np.where(wrong, scores, -np.inf).max(axis=1)
        bad = ((least < most) & right.any(axis=1)) | (least <= blanks[1]) | (blanks[0] <= others)
        if bad.any():
            place = int(places[np.argmax(bad)])
            needs = 4 * int(np.abs(keys.cells).max(initial=abs(place)))
            raise LemmaError(f"{where}: at place {place} another cell than its own scores as high", needs)
        return float(min((least - blanks[1]).min(), (blanks[0] - others).min()))
