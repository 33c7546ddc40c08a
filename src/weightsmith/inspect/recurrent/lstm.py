"""An LSTM of one layer as plain data, and its run on an input with every gate."""

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array, as_float64, immutable
from weightsmith.errors import InputError, ModelError, brief, listed
from weightsmith.inspect.probing.units import Reading, Unit
from weightsmith.inspect.recurrent.drawing import drawn
from weightsmith.inspect.run import Run
from weightsmith.model.names import checked_names, place_of
from weightsmith.model.tokens import known_tokens
from weightsmith.operators import meaning
from weightsmith.tables import Table, number

GATES = ("input gate", "forget gate", "candidate", "output gate")  # their order in the matrices, as in PyTorch
PARTS = ("input gate", "forget gate", "candidate", "cell", "output gate", "hidden")  # in the order of the computation


@dataclass(frozen=True, eq=False)
class LSTM:
    """A long short-term memory network of one layer, in float64.

    For each token x the gates are i, f, o = σ(W_x x + W_h h + b) and the candidate is g = tanh(W_x x + W_h h + b), each
    with its own rows. The cell becomes c = f·c + i·g, the hidden state h = o·tanh(c). Both are 0 before the first
    token. The logits are output·h + output_bias. Rows are those of i, f, g, o in this order, a row for each cell.
    """

    vocabulary: Sequence[str]
    embedding: Array  # (vocabulary, inputs)
    W_x: Array  # (4·cells, inputs)
    W_h: Array  # (4·cells, cells)
    b: Array  # (4·cells)
    output: Array  # (classes, cells)
    classes: Sequence[str] = ("NO", "YES")
    output_bias: Array | None = None  # (classes)
    cells: Sequence[str] = ()  # their names; numbers unless given
    name: str = "LSTM"

    def __post_init__(self) -> None:
        """Freeze the arrays and check their shapes."""
        words = tuple(self.vocabulary) if isinstance(self.vocabulary, str) else self.vocabulary
        self._set("vocabulary", checked_names(words, "vocabulary", printable=False))
        self._set("classes", checked_names(self.classes, "classes", printable=False))
        for name in ("embedding", "W_x", "W_h", "b", "output"):
            self._set(name, _frozen(getattr(self, name), name))
        size = len(self.b) // len(GATES) if self.b.ndim == 1 else 0
        cells = tuple(self.cells) if self.cells else tuple(f"cell {n}" for n in range(size))
        self._set("cells", checked_names(cells, "cells", printable=True))
        bias = np.zeros(len(self.classes)) if self.output_bias is None else self.output_bias
        self._set("output_bias", _frozen(bias, "output_bias"))
        inputs = self.embedding.shape[-1] if self.embedding.ndim == 2 else 0
        rows = len(GATES) * len(self.cells)
        wanted = {
            "embedding": (len(self.vocabulary), inputs),
            "W_x": (rows, inputs),
            "W_h": (rows, len(self.cells)),
            "b": (rows,),
            "output": (len(self.classes), len(self.cells)),
            "output_bias": (len(self.classes),),
        }
        for name, shape in wanted.items():
            found = getattr(self, name).shape
            if found != shape:
                raise ModelError(
                    f"LSTM({name}=…) has the shape {found}: for {len(self.cells)} cells, {inputs} inputs, "
                    f"{len(self.vocabulary)} tokens and {len(self.classes)} classes write {shape}"
                )

    def _set(self, name: str, value: object) -> None:
        object.__setattr__(self, name, value)

    @property
    def weights(self) -> int:
        """How many numbers it consists of."""
        arrays = (self.embedding, self.W_x, self.W_h, self.b, self.output, self.output_bias)
        return sum(array.size for array in arrays if array is not None)

    def run(self, tokens: str | Sequence[str]) -> "LSTMRun":
        """Run it on one input, and keep every gate."""
        read, n = known_tokens(self.vocabulary, tokens), len(self.cells)
        place = {token: i for i, token in enumerate(self.vocabulary)}
        cell, hidden, kept = np.zeros(n), np.zeros(n), list[list[Array]]()
        for token in read:
            z = self.W_x @ self.embedding[place[token]] + self.W_h @ hidden + self.b
            i, f, o = (_sigmoid(z[k * n : (k + 1) * n]) for k in (0, 1, 3))
            g = np.tanh(z[2 * n : 3 * n])
            cell = f * cell + i * g
            hidden = o * np.tanh(cell)
            kept.append([i, f, g, cell, o, hidden])
        return LSTMRun(self, read, immutable(np.array(kept).transpose(1, 0, 2)))

    def reading(self, tokens: str | Sequence[str]) -> Reading:
        """Return the cell state after each token, as `ws.tracking` reads it."""
        r = self.run(tokens)
        return Reading(r.tokens, tuple(Unit("cell", n) for n in range(len(self.cells))), r.part("cell"))

    def __repr__(self) -> str:
        """Return its sizes."""
        return (
            f"LSTM({len(self.vocabulary)} tokens, {len(self.cells)} cells, {len(self.classes)} classes, "
            f"{self.weights:,} weights)"
        )


@dataclass(frozen=True, eq=False, repr=False)
class LSTMRun:
    """One input through one LSTM, with every gate."""

    lstm: LSTM
    tokens: tuple[str, ...]
    values: Array = field(repr=False)  # (parts, positions, cells), the parts in the order of `PARTS`

    def part(self, name: str) -> Array:
        """Return a gate, the candidate, the cell or the hidden state, (positions, cells)."""
        if name not in PARTS:
            raise InputError(f"an LSTM has no {brief(name)}: write one of {listed(PARTS, most=9)}")
        found: Array = self.values[PARTS.index(name)]
        return found

    def at(self, part: str, position: int, cell: str | int) -> float:
        """Return one number: r.at("forget gate", 2, "mood")."""
        n = len(self.tokens)
        if type(position) is not int or not -n <= position < n:
            raise InputError(f"position={brief(position)}: the input has {n} tokens, write a number from 0 to {n - 1}")
        place = cell if type(cell) is int else place_of(str(cell), tuple(self.lstm.cells), "cell")
        if not 0 <= place < len(self.lstm.cells):
            raise InputError(f"cell={brief(cell)}: write a name, or a number from 0 to {len(self.lstm.cells) - 1}")
        return float(self.part(part)[position, place])

    @cached_property
    def logits(self) -> Array:
        """The logits after each token, (positions, classes)."""
        assert self.lstm.output_bias is not None  # 0 where none was given
        found: Array = self.part("hidden") @ self.lstm.output.T + self.lstm.output_bias
        return found

    @property
    def outputs(self) -> tuple[str, ...]:
        """The output after each token."""
        return tuple(self.lstm.classes[c] for c in np.argmax(self.logits, axis=1))

    @property
    def decision(self) -> str:
        """The output after the last token."""
        return self.outputs[-1]

    def table(self, *cells: str) -> Table:
        """Return gates, cell and hidden state of some cells over the tokens, of all cells unless named."""
        chosen = [place_of(cell, tuple(self.lstm.cells), "cell") for cell in cells] or range(len(self.lstm.cells))
        width = len(self.tokens)
        table = Table("", *(f"{i} {token}" for i, token in enumerate(self.tokens)), right=range(1, width + 1), lead=1)
        for n in chosen:
            table.add(self.lstm.cells[n], *[""] * width)
            for part, values in zip(PARTS, self.values, strict=True):
                table.add(
                    f"  {part}", *(number(float(x) + 0.0, np.inf, 3) for x in values[:, n]), ends=part == PARTS[-1]
                )
        table.add("output", *self.outputs)
        return table

    def svg(self, *cells: str, beside: Run | None = None) -> str:
        """Return a picture: gates, cell and hidden state over the tokens; the stream of a run at its last token."""
        names = tuple(self.lstm.cells)
        return drawn(self, [place_of(cell, names, "cell") for cell in cells] or None, beside)

    def save_html(self, path: str | os.PathLike[str], *, beside: Run | None = None) -> None:
        """Write a page that shows the run, takes other inputs, and shows a run of a transformer beside it."""
        meaning("save_lstm_html")(self, path, beside=beside)

    def __repr__(self) -> str:
        """Return the input and the decision."""
        return f"LSTMRun(tokens={self.tokens!r}, decision={self.decision!r})"

    def __str__(self) -> str:
        """Return all numbers as a table."""
        return str(self.table())

    def _repr_html_(self) -> str:
        """Return the picture, for notebooks."""
        return self.svg()


def _frozen(values: npt.ArrayLike, name: str) -> Array:
    """Return an array of finite numbers that cannot be written to."""
    try:
        array = as_float64(values)
    except (TypeError, ValueError):
        raise ModelError(f"LSTM({name}={brief(values)}): write an array of numbers") from None
    if not np.isfinite(array).all():
        raise ModelError(f"LSTM({name}=…) has a number that is not finite: every weight must be a finite number")
    return immutable(np.array(array))


def _sigmoid(z: Array) -> Array:
    """Return 1 / (1 + exp(−z)), without overflow."""
    found: Any = 0.5 * (1.0 + np.tanh(0.5 * z))
    return np.asarray(found)
