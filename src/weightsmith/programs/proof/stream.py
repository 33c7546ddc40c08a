"""The stream of a transformer as forms: those of every lane after every sublayer, and their largest numbers."""

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic
from weightsmith.model import PositionTable, Transformer
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.meaning import Meaning

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
