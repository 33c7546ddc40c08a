"""The weights follow the statement: sublayer by sublayer, and nothing is rounded.

The forms are read off the weights. For every head: its score is factor · (query − key) + shift; where the difference
reaches the boundary exp(score) is ∞ and otherwise 0, so every weight is ∞ ⊘ ∞ = 1 or 0, and the head adds up just the
values at the selected positions. For every neuron: what it reads; for all neurons together: what they add, for every
number that they can read. For every sum on the way: that it stays among the whole numbers that the arithmetic holds.
"""

import numpy as np

from weightsmith.model import Block, PositionTable, Readout, Transformer
from weightsmith.programs.budget import in_force
from weightsmith.programs.proof.certificate import InType
from weightsmith.programs.proof.grid import Grid
from weightsmith.programs.proof.holding import Table, Variable
from weightsmith.programs.proof.layers import Layers
from weightsmith.programs.proof.lemmas import Lemma, LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.program_data import Data
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.writing import statement_data
from weightsmith.programs.values import Value, exact

SAYS = "every code that the output can have stands for its value"


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
