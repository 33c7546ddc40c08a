"""The weights follow the statement: sublayer by sublayer, and nothing is rounded.

The forms are read off the weights. For every head: its score is factor · (query − key) + shift; where the difference
reaches the boundary exp(score) is ∞ and otherwise 0, so every weight is ∞ ⊘ ∞ = 1 or 0, and the head adds up just the
values at the selected positions. For every neuron: what it reads; for all neurons together: what they add, for every
number that they can read. For every sum on the way: that it stays among the whole numbers that the arithmetic holds.
"""

import numpy as np

from weightsmith.model import Block, FeedForward, PositionTable, Readout, Transformer
from weightsmith.model.block import first_window, new_arrays
from weightsmith.programs.budget import in_force
from weightsmith.programs.proof.certificate import InType
from weightsmith.programs.proof.grid import Grid
from weightsmith.programs.proof.heads import Heads, wide
from weightsmith.programs.proof.holding import Table, Variable
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.neurons import fired
from weightsmith.programs.proof.program_data import Data
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.statement import Layered
from weightsmith.programs.proof.writing import statement_data
from weightsmith.programs.values import Value, exact

SAYS = "every code that the output can have stands for its value"


class Layers(Heads):
    """Checks feed-forward layers."""

    def _feed_forward(self, b: int, layer: FeedForward | None) -> None:
        space, time, where = self.space, 2 * b + 1, f"block {b} feed-forward"
        wanted: dict[bytes, Integers] = {}
        codes: dict[bytes, Integers] = {}
        for number in self._written():
            made = self.stated.cells[number].made
            if self.times[number] != 2 * b + 2:
                continue
            assert isinstance(made, Layered)
            factors = self.forms[:, space.of_cells.start + number].astype(np.int64)
            for part in made.parts:
                varying = part.form.copy()
                varying[-1] = 0
                name = varying.tobytes()
                codes[name] = space.codes(part.form) - part.form[-1]
                added = np.outer(factors, fired(part.kinks, codes[name] + part.form[-1]))
                wanted[name] = wanted[name] + added if name in wanted else added
        if layer is None:
            if any(one.any() for one in wanted.values()):
                raise LemmaError(f"block {b} has no neurons, and the program needs them")
            return
        if layer.activation != "relu" or layer.b_2.any() or layer.W_3 is not None:
            raise LemmaError(f"{where}: another activation than relu, or a bias after it")
        found, cases = self._neurons(layer, codes, time, where)
        for name, by_lane in wanted.items():
            if not np.array_equal(found[name], by_lane):
                raise LemmaError(f"{where}: its neurons do not give what the program wants for every number")
        self._held(self._reach(self._lanes(time + 1)), lambda lane: f"{where}, lane {self.T.lanes[lane]!r}")
        self.lemmas.append(Lemma(where, "for every number that is read the neurons add what the program wants", cases))

    def _neurons(
        self, layer: FeedForward, codes: dict[bytes, Integers], time: int, where: str
    ) -> tuple[dict[bytes, Integers], int]:
        """Return, for every form that neurons read, the numbers that they add to each lane."""
        count, cases = len(self.T.lanes), 0
        found = {name: np.zeros((count, len(of)), np.int64) for name, of in codes.items()}
        largest = {name: np.zeros(count) for name in codes}
        output = wide(layer.W_2)
        self._whole(output, where)
        reads = self._read(wide(layer.W_1), wide(layer.b_1), time, lambda n: f"{where}, neuron {n}").astype(np.int64)
        for n, read in enumerate(reads):
            bias, read[-1] = int(read[-1]), 0
            name, sign = read.tobytes(), 1
            if name not in codes:
                name, sign = (-read).tobytes(), -1
            if name not in codes:
                raise LemmaError(f"{where}, neuron {n}: it reads what the program does not read here")
            lanes = np.flatnonzero(output[:, n])
            weights = output[lanes, n]
            firing = np.maximum(sign * codes[name] + bias, 0)
            self._held(float(firing.max()) * np.abs(weights), lambda _, n=n: f"{where}, neuron {n}")  # type: ignore[misc]
            self._require_exact(float(firing.max()) * np.abs(weights), where)
            found[name][lanes] += np.outer(weights.astype(np.int64), firing)
            largest[name][lanes] = np.maximum(largest[name][lanes], np.abs(found[name][lanes]).max(axis=1))
            cases += len(firing)
        total = sum(largest.values(), np.zeros(count))
        self._held(total, lambda lane: f"{where}, what lane {self.T.lanes[lane]!r} gets")
        return found, cases


class Proof(Layers):
    """Checks a transformer against the meaning of a program; `lemmas` are all those that hold."""

    def __init__(self, T: Transformer, meaning: Meaning) -> None:
        """Check everything, the embedding first."""
        super().__init__(T, meaning)
        self._require_kind()
        self._embedding()
        for b, block in enumerate(T.blocks):
            in_force().check()
            self._require_plain(b, block)
            self._attention(b, block.attention)
            self._feed_forward(b, block.feed_forward)
        self._readout()
        if self._lacking:
            raise LemmaError(self._lacking, self._needs)
        first, *rest = self.lemmas
        self.lemmas = [first, *meaning.lemmas, *rest]

    @property
    def classes(self) -> dict[str, Value]:
        """Nothing: a readout gives the values."""
        return {}

    @property
    def types(self) -> tuple[InType, ...]:
        """Nothing: the proof is exact."""
        return ()

    def data(self) -> Data:
        """Return the statement with its program as data."""
        return statement_data(self.meaning)

    def _require_kind(self) -> None:
        T, stated = self.T, self.stated
        if T.mask != ("causal" if stated.causal else "full"):
            raise LemmaError(f"the model's mask is {T.mask}, and another is stated")
        if T.final_norm is not None or T.flags or T.readout is None:
            raise LemmaError("the model has a final norm, flags, or no readout")
        if not isinstance(T.positions, PositionTable) or len(T.positions.values) != stated.positions:
            raise LemmaError(f"the model has no table of {stated.positions} positions")
        if len(T.vocabulary) != len(stated.vocabulary) or len(T.lanes) != len(stated.lanes):
            raise LemmaError("the model has another number of tokens or lanes than is stated")
        for lane in stated.lanes:
            for cell, _ in lane:
                if self.stated.cells[cell].time > 2 * len(T.blocks):
                    raise LemmaError(f"{self.stated.cells[cell].name}: a cell that no block writes")

    def _require_plain(self, b: int, block: Block) -> None:
        if block.attention_norm is not None or block.feed_forward_norm is not None or block.parallel:
            raise LemmaError(f"block {b} has a norm, or is parallel")
        if names := new_arrays(block):
            raise LemmaError(f"block {b} has the array {names[0]}, which the program has not")
        if first_window(block) is not None:
            raise LemmaError(f"block {b} has a head with a window, which the program has not")

    def _readout(self) -> None:
        """Check that for all that the output can be, the readout has its code and says its value."""
        readout, meaning = self.T.readout, self.meaning
        assert readout is not None
        lanes = [list(self.T.lanes).index(name) for name in readout.lanes]
        self._require_exact(np.abs(self.forms[lanes]), "the readout")
        grid = Grid(self.space, meaning.layered, meaning.values, [meaning.output])
        wanted = grid.ask(meaning.output)
        forms = [self.forms[lane].astype(np.int64) for lane in lanes]
        if len(forms) == 1:
            said = grid.ask(_table(forms[0], readout))
            meaning.require_equal(grid, wanted.numbers(), said.numbers(), "the readout says {} for {}")
            self.lemmas.append(Lemma("readout", SAYS, grid.cases))
            return
        codes = [grid.ask_form(form) for form in forms]
        columns = [wanted.numbers(), *(grid.array(one) for one in codes)]
        rows = np.unique(grid.rows(*columns), axis=0)
        table = dict(readout.entries)
        for number, *code in rows.tolist():
            key = tuple(map(float, code))
            value = meaning.values.known[number]
            if key not in table:
                raise LemmaError(f"the readout has no entry for {list(code)}, which stands for {value!r}")
            if exact(table[key]) != value:
                raise LemmaError(f"the readout does not say {value!r} for the code {list(code)}")
        self.lemmas.append(Lemma("readout", SAYS, len(rows)))


def _table(form: Integers, readout: Readout) -> Table:
    """Return a readout of one lane as a table."""
    entries = [(int(code[0]), value) for code, value in readout.entries if code[0] == int(code[0])]
    codes = np.array([code for code, _ in entries], np.int64)
    values = {value: number for number, value in enumerate(dict.fromkeys(exact(value) for _, value in entries))}
    classes = np.array([values[exact(value)] for _, value in entries], np.int64)
    return Table((Variable(form, codes, classes),), np.arange(len(values)), tuple(values))
