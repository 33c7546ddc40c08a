"""The stream of a transformer as forms, and its heads.

`Stream` reads the forms of every lane after every sublayer off the weights, with their largest numbers. `Heads` checks
that each head selects at a boundary of the program, and adds up just the values at the selected positions: its score is
factor · (query − key) + shift. Where the difference reaches the boundary exp(score) is ∞, and otherwise 0: every weight
is ∞ ⊘ ∞ = 1 or 0.
"""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic
from weightsmith.model import Attention, Head, PositionTable, Softmax, Transformer
from weightsmith.programs.proof.counting import sides
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.selectors import Boundary
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.statement import Gathered

Reals = npt.NDArray[np.float64]
EXACT = 2.0**53  # up to which sums of whole numbers are exact in float64
AT_ONCE = 1 << 20  # numbers that are computed at once


class Stream:
    """Reads forms off the weights, and notes the largest number that may occur."""

    def __init__(self, T: Transformer, meaning: Meaning) -> None:
        """Begin with the embedding."""
        self.T, self.meaning, self.stated, self.space = T, meaning, meaning.stated, meaning.space
        self.lemmas: list[Lemma] = []
        self._needs, self._lacking = 0, ""
        self._at: dict[int, Reals] = {}
        self.A = T.arithmetic
        self.capacity = capacity(self.A)

    def _embedding(self) -> None:
        T, space = self.T, self.space
        assert isinstance(T.positions, PositionTable)
        tokens, positions = np.asarray(T.embedding, np.float64), np.asarray(T.positions.values, np.float64)
        self._whole(tokens, "the embedding")
        self._whole(positions, "the positions")
        forms = np.zeros((len(T.lanes), space.size))
        forms[:, space.of_tokens] = (tokens - tokens[:1]).T
        forms[:, space.of_index] = (positions - positions[:1]).T
        forms[:, -1] = tokens[0] + positions[0]
        self.ends = np.zeros((2, space.cells))
        for lane, cells in enumerate(self.stated.lanes):
            for cell, factor in cells:
                forms[lane, space.of_cells.start + cell] = factor
                codes = self.meaning.codes_of(cell)
                self.ends[:, cell] = codes[0], codes[-1]
        self.times = np.array([cell.time for cell in self.stated.cells], np.int64)
        self.forms = forms
        self._held(self._reach(self._lanes(0)), lambda lane: f"lane {T.lanes[lane]!r} of the embedding")
        self.lemmas.append(
            Lemma("embedding", "every lane holds whole numbers for token and position", tokens.size + positions.size)
        )

    def _lanes(self, time: int) -> Reals:
        """Return the forms of the lanes after a sublayer."""
        if time not in self._at:
            found = self.forms.copy()
            found[:, self.space.of_cells][:, self.times > time] = 0
            self._at[time] = found
        return self._at[time]

    def _reach(self, forms: Reals) -> Reals:
        """Return the largest absolute value that forms can have."""
        space = self.space
        features = forms[..., : space.of_cells.start]  # each begins with 0
        low = forms[..., -1] + np.minimum.reduceat(features, (0, space.tokens), axis=-1).sum(axis=-1)
        high = forms[..., -1] + np.maximum.reduceat(features, (0, space.tokens), axis=-1).sum(axis=-1)
        if space.cells:
            cells = forms[..., space.of_cells]
            up, down = np.maximum(cells, 0), np.minimum(cells, 0)
            low += up @ self.ends[0] + down @ self.ends[1]
            high += up @ self.ends[1] + down @ self.ends[0]
        return np.asarray(np.maximum(-low, high))

    def _held(self, reaches: Reals, where: Callable[[int], str]) -> None:
        """Note absolute values beyond those that are held exactly: the largest is named when all has been seen."""
        if not reaches.size:
            return
        place = int(np.argmax(reaches))
        largest = int(reaches.flat[place]) if reaches.flat[place] < 2.0**200 else 1 << 200
        if largest > self.capacity and largest > self._needs:
            self._needs = largest
            self._lacking = (
                f"{where(place)}: a number as large as {largest:,} may occur, and {self.A} holds whole numbers up to "
                f"{self.capacity:,}"
            )

    def _whole(self, weights: Reals, where: str) -> None:
        if not np.isfinite(weights).all() or (weights != np.floor(weights)).any():
            raise LemmaError(f"{where}: a weight is no whole number")

    def _read(self, rows: Reals, bias: Reals | None, time: int, where: Callable[[int], str]) -> Reals:
        """Return the forms that rows of weights read, every partial sum of which is held."""
        self._whole(rows, where(0))
        lanes = self._lanes(time)
        found = np.zeros((len(rows), self.space.size))
        used = np.flatnonzero(rows.any(axis=0))
        at_once = max(1, AT_ONCE // max(1, len(used) * self.space.size))
        for start in range(0, len(rows), at_once):
            some = slice(start, start + at_once)
            parts = rows[some][:, used, None] * lanes[used]
            totals = np.cumsum(parts, axis=1)
            self._require_exact(np.abs(parts).sum(axis=1), where(start))
            if len(used):
                reach = self._reach(parts) if len(used) == 1 else self._reach(np.concatenate([parts, totals], axis=1))
                reach = reach.max(axis=1)
                self._held(reach, lambda n, start=start: where(start + n))  # type: ignore[misc]
                found[some] = totals[:, -1]
        if bias is not None and bias.any():
            self._whole(bias, where(0))
            found[:, -1] += bias
            self._held(self._reach(found) * (bias != 0), where)
        return found

    def _require_exact(self, sizes: Reals, where: str) -> None:
        if sizes.size and not sizes.max() < EXACT:
            raise LemmaError(f"{where}: numbers are too large to be read", 1 << 200)

    def _written(self) -> list[int]:
        """Return the cells that lanes hold."""
        return [int(n) for n in np.flatnonzero(self.forms[:, self.space.of_cells].any(axis=0))]


def capacity(A: Arithmetic) -> int:
    """Return the largest whole number up to which all whole numbers are members."""
    return int(min(A.infinity, 2.0**A.precision))


def wide(weights: npt.ArrayLike) -> Reals:
    """Return weights in float64."""
    return np.asarray(weights, np.float64)


def wide_bias(bias: npt.ArrayLike | None) -> Reals | None:
    """Return a bias in float64, if there is one."""
    return None if bias is None else np.asarray(bias, np.float64)


class Heads(Stream):
    """Checks attention."""

    def _attention(self, b: int, attention: Attention | None) -> None:
        """Check the sums of a block; without attention it has none, which is right where nothing is selected."""
        space, time, positions = self.space, 2 * b, self.stated.positions
        cells = [n for n in self._written() if self.times[n] == time + 1]
        boundaries: dict[bytes, tuple[Boundary, Integers, Integers]] = {}
        wanted: dict[bytes, Reals] = {}
        for number in cells:
            made = self.stated.cells[number].made
            assert isinstance(made, Gathered)
            factors = self.forms[:, space.of_cells.start + number]
            for boundary, sign in made.heads:
                key, query = sides(space, boundary)
                name = key.tobytes() + query.tobytes() + f"{boundary.refused} {boundary.selected}".encode()
                boundaries[name] = boundary, key, query
                added = np.outer(factors, sign * made.value.astype(np.float64))
                wanted[name] = wanted[name] + added if name in wanted else added
        written: dict[bytes, Reals] = {}
        partial = np.zeros(len(self.T.lanes))
        for h, head in enumerate(attention.heads if attention is not None else ()):
            where = f"block {b} head {h}"
            name = self._selects(head, boundaries, time, where)
            sums = self._sums(head, time, where)
            written[name] = written[name] + sums if name in written else sums
            partial = partial + self._reach(sums) * positions
            self._held(partial, lambda _, where=where: f"{where}, the sum over {positions} positions")  # type: ignore[misc]
        if attention is not None and attention.b_O is not None and attention.b_O.any():
            raise LemmaError(f"block {b}: the attention has a bias that the program has not")
        nothing = np.zeros((len(self.T.lanes), space.size))
        for name in wanted | written:
            wrong = wanted.get(name, nothing) != written.get(name, nothing)
            if wrong.any():
                lane = int(np.argmax(wrong.any(axis=1)))
                raise LemmaError(f"block {b}: lane {self.T.lanes[lane]!r} does not get the sums of the program")
        self._held(
            self._reach(self._lanes(time + 1)), lambda lane: f"block {b}, lane {self.T.lanes[lane]!r} after attention"
        )
        if wanted or written:
            self.lemmas.append(
                Lemma(
                    f"block {b} attention",
                    "every lane gets the sums of the program, and no sum leaves the range",
                    len(self.T.lanes) * len(wanted | written),
                )
            )

    def _selects(
        self, head: Head, boundaries: dict[bytes, tuple[Boundary, Integers, Integers]], time: int, where: str
    ) -> bytes:
        """Return the boundary at which a head selects: read off its scores."""
        if head.weighting != Softmax() or head.positions is not None or head.strict:
            raise LemmaError(f"{where} has another weighting, or positions of its own, or is strict")
        key, query = self._score(head, time, where)
        for name, (boundary, of_key, of_query) in boundaries.items():
            found = _scaled(boundary, of_key, of_query, key, query)
            if found is None:
                continue
            factor, shift = found
            low, high = factor * boundary.refused + shift, factor * boundary.selected + shift
            every = not boundary.of
            if self._exp(high) == self.A.infinity and (every or self._exp(low) == 0):
                says = f"every score is at least {high}, whose exp is ∞, or at most {low}, whose exp is 0"
                says = f"every score is {high}, whose exp is ∞" if every else says
                margin = None if every else factor * (boundary.selected - boundary.refused)
                self.lemmas.append(Lemma(where, says, 1 if every else 2, margin))
                return name
        if self._lacking:  # then scores are not known
            raise LemmaError(self._lacking, self._needs)
        raise LemmaError(
            f"{where}: its scores are not ∞ on the selected side of a boundary of the program and 0 on the other"
        )

    def _exp(self, score: int) -> float:
        return float(self.A.exp(float(score))) if abs(score) <= self.capacity else np.nan

    def _score(self, head: Head, time: int, where: str) -> tuple[Reals, Reals]:
        """Return score = query − key as two forms: in every product one factor is a constant."""
        queries = self._read(wide(head.W_Q), wide_bias(head.b_Q), time, lambda d: f"{where}, query {d}")
        keys = self._read(wide(head.W_K), wide_bias(head.b_K), time, lambda d: f"{where}, key {d}")
        key, query = np.zeros(self.space.size), np.zeros(self.space.size)
        parts = []
        for q, k in zip(queries, keys, strict=True):
            if not q[:-1].any():
                part = k * q[-1]
                key = key - part
            elif not k[:-1].any():
                part = q * k[-1]
                query = query + part
            else:
                raise LemmaError(f"{where}: a product of two things that vary is no difference")
            parts += [part, key, query]
        self._require_exact(np.abs(np.array(parts)), where)
        alone, of_keys, of_queries = self._reach(np.array(parts)).reshape(-1, 3).T
        self._held(np.append(alone, of_keys + of_queries), lambda _: f"{where}, the score")
        return key, query

    def _sums(self, head: Head, time: int, where: str) -> Reals:
        """Return the sums of a head for every lane."""
        values = self._read(wide(head.W_V), wide_bias(head.b_V), time, lambda d: f"{where}, value {d}")
        positions, output = self.stated.positions, wide(head.W_O)
        self._whole(output, where)
        self._held(self._reach(values) * positions, lambda _: f"{where}, the sum of its values")
        total = np.zeros((len(output), self.space.size))
        for d in range(output.shape[1]):
            total = total + output[:, d, None] * values[d]
            self._require_exact(np.abs(total), where)
            self._held(self._reach(total) * positions, lambda _: f"{where}, what it writes")
        return total


def _scaled(
    boundary: Boundary, of_key: Integers, of_query: Integers, key: Reals, query: Reals
) -> tuple[int, int] | None:
    """Return factor and shift for which query − key is factor · (the boundary's difference) + shift."""
    shift = query[-1] - key[-1]
    theirs, ours = np.append(of_key[:-1], of_query[:-1]), np.append(key[:-1], query[:-1])
    if not boundary.of:
        return None if ours.any() else (1, int(shift))
    place = int(np.argmax(theirs != 0))
    if not theirs[place] or ours[place] % theirs[place]:
        return None
    factor = int(ours[place] // theirs[place])
    if factor <= 0 or not np.array_equal(ours, factor * theirs):
        return None
    return factor, int(shift) - factor * int(of_query[-1] - of_key[-1])
