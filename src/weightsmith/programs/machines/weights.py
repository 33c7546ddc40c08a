"""A machine's table as the weights of a transformer: two blocks, a head that counts, and a head for each tape.

Lanes hold the token (its kind, state, moves and what it writes), and what is found out:

- Block 0, one head: every token sees the tokens of its own kind, inputs or steps. Their scores are ∞ and the others
  are −∞, so that every weight is 1 or 0. The sum of the moves of all steps is the *place* of a register; the number of
  input tokens is the index of an input token. Neurons say of a counter whether it is positive.
- Block 1, a head for each tape: the query is the place p of the tape's head. A token stands for the cell c that it
  wrote, an input token for its own. The score is −2u|p − c|, where u is the distance between ∞ and the member before
  it: with d = 4u(p − c) it is min(d, 0) − d/2, and (d ⊕ ∞) ⊖ ∞ is min(d, 0). All tokens without a cell score −u and
  hold a blank. So the rightmost of the best is the last token that wrote on the cell, or else a blank.
- Block 1, a neuron for each rule: 1 if the state and everything that is read fit. It votes for the next token.

Nothing depends on absolute positions.
"""

from collections.abc import Iterator
from functools import lru_cache
from math import frexp

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import LawError
from weightsmith.model import (
    Attention,
    Block,
    FeedForward,
    Head,
    Neuron,
    RightmostHard,
    Softmax,
    Transformer,
    feed_forward,
    matrix,
)
from weightsmith.programs.machines.table import POSITIVE, ZERO, Counter, StepTable, Tape, place_name

INPUT, STEP, INDEX = "input", "step", "index"


class MachineWeights:
    """The weights of a machine in an arithmetic."""

    def __init__(self, table: StepTable, arithmetic: Arithmetic) -> None:
        """Name the lanes; refuse an arithmetic that lacks a number which the weights need."""
        self.table, self.A = table, arithmetic
        self.up, self.unit = saturating_score(arithmetic), distance_below_infinity(arithmetic)
        for number in (1.0, 2.0, 2 * self.unit, 4 * self.unit):
            if not arithmetic.contains(number):
                raise LawError(f"{arithmetic} lacks the number {number:g}, which the weights need")
        self.names = [place_name(table, n) for n in range(len(table.registers))]
        self.lanes = tuple(self._lanes())

    def _lanes(self) -> Iterator[str]:
        yield from (INPUT, STEP, INDEX)
        yield from (f"state {state}" for state in self.table.states)
        for name, register in zip(self.names, self.table.registers, strict=True):
            yield from (f"{name} move", f"{name} place")
            if isinstance(register, Counter):
                yield f"{name} is positive"
            else:
                yield from (f"{name} writes {symbol}" for symbol in register.symbols)
                yield from (f"{name} reads {symbol}" for symbol in register.symbols)
        yield from (f"next {token.name}" for token in self.table.tokens)

    def transformer(self) -> Transformer:
        """Return the transformer; its classes are the tokens of steps."""
        tokens = [token.name for token in self.table.tokens]
        return Transformer(
            arithmetic=self.A,
            vocabulary=self.table.vocabulary,
            lanes=self.lanes,
            embedding=self._embedding(),
            blocks=(
                Block(Attention((self._counting(),)), self._signs()),
                Block(Attention(tuple(self._readers())) if self._tapes else None, self._rules()),
            ),
            output=matrix(tokens, self.lanes, {(name, f"next {name}"): 1 for name in tokens}),
            classes=tokens,
        )

    @property
    def _tapes(self) -> list[tuple[str, Tape]]:
        pairs = zip(self.names, self.table.registers, strict=True)
        return [(name, register) for name, register in pairs if isinstance(register, Tape)]

    def _embedding(self) -> npt.NDArray[np.float64]:
        table, entries = self.table, dict[tuple[str, str], float]()
        entries[table.prompt, f"state {table.start}"] = 1
        for name, tape in self._tapes:
            entries[table.prompt, f"{name} writes {tape.blank}"] = 1
        for symbol in table.inputs:
            entries[symbol, INPUT] = 1
            for name, tape in self._tapes:
                entries[symbol, f"{name} writes {symbol if tape.input else tape.blank}"] = 1
        for token in table.tokens:
            entries[token.name, STEP] = 1
            if token.answer is None:
                entries[token.name, f"state {token.state}"] = 1
            for name, register, written, move in zip(
                self.names, table.registers, token.writes, token.moves, strict=True
            ):
                entries[token.name, f"{name} move"] = move
                if isinstance(register, Tape):
                    entries[token.name, f"{name} writes {register.blank if written is None else written}"] = 1
        return matrix(table.vocabulary, self.lanes, entries)

    def _counting(self) -> Head:
        """Return the head that adds up the tokens of one kind."""
        sums = {INDEX: INPUT, **{f"{name} place": f"{name} move" for name in self.names}}
        kinds = ["inputs", "steps"]  # a query is 1 for its own kind and −1 for the other
        return Head(
            matrix(kinds, self.lanes, {("inputs", INPUT): 2.0, ("steps", INPUT): -2.0}),
            matrix(kinds, self.lanes, {("inputs", INPUT): self.up, ("steps", INPUT): -self.up}),
            matrix(list(sums), self.lanes, dict.fromkeys(sums.items(), 1)),
            matrix(self.lanes, list(sums), {(lane, lane): 1 for lane in sums}),
            Softmax(),
            b_Q=np.array([-1.0, 1.0]),
            b_K=np.array([0.0, self.up]),
            name="adds up the moves of all steps",
        )

    def _signs(self) -> FeedForward | None:
        """Return the neurons that say whether a counter is positive."""
        neurons = [
            Neuron({f"{name} place": 1}, {f"{name} is positive": sign}, bias, f"{name} {word}")
            for name, register in zip(self.names, self.table.registers, strict=True)
            if isinstance(register, Counter)
            for sign, bias, word in ((1, 0, "above 0"), (-1, -1, "above 1"))
        ]
        return feed_forward(self.lanes, neurons) if neurons else None

    def _readers(self) -> Iterator[Head]:
        """Yield the head that reads a tape, for each tape."""
        most, u = float(self.A.infinity), self.unit
        for name, tape in self._tapes:
            kinds = [INPUT] * tape.input + [STEP] * tape.written
            cell = {(lane, sign) for lane, sign in ((INDEX, 1), (INPUT, -1)) if tape.input}
            cell |= {(lane, sign) for lane, sign in ((f"{name} place", 1), (f"{name} move", -1)) if tape.written}
            dims = ["4p", "-4c", "up", "down", "-2p", "2c"]
            of_kind = {"4p": 4 * u, "up": most, "down": -most, "-2p": 2 * u, "2c": u}
            keys = {(dim, kind): factor for kind in kinds for dim, factor in of_kind.items()}
            for lane, sign in cell:
                keys["-4c", lane] = -4 * u * sign
                keys["2c", lane] = keys.get(("2c", lane), 0.0) + 2 * u * sign
            places = {("4p", f"{name} place"): 1.0, ("-2p", f"{name} place"): -1.0}
            symbols = list(tape.symbols)
            yield Head(
                matrix(dims, self.lanes, places),
                matrix(dims, self.lanes, keys),
                matrix(symbols, self.lanes, {(one, f"{name} writes {one}"): 1 for one in symbols}),
                matrix(self.lanes, symbols, {(f"{name} reads {one}", one): 1 for one in symbols}),
                RightmostHard(),
                b_Q=np.array([0.0, 1.0, 1.0, 1.0, 0.0, 1.0]),
                b_K=np.array([0.0, 0.0, 0.0, 0.0, 0.0, -u]),
                name=f"reads the {name}",
            )

    def _rules(self) -> FeedForward:
        """Return a neuron for each rule."""
        neurons = []
        for (state, shows), number in self.table.rules.items():
            reads, wanted = {f"state {state}": 1.0}, 1
            for name, register, shown in zip(self.names, self.table.registers, shows, strict=True):
                if isinstance(register, Tape):
                    reads[f"{name} reads {shown}"] = 1.0
                else:
                    reads[f"{name} is positive"] = {ZERO: -1.0, POSITIVE: 1.0}[shown]
                wanted += shown != ZERO or isinstance(register, Tape)
            token = self.table.tokens[number].name
            name = f"{state} on {' '.join(shows)} → {token}"
            neurons.append(Neuron(reads, {f"next {token}": 1.0}, 1 - wanted, name))
        return feed_forward(self.lanes, neurons)


@lru_cache(maxsize=64)
def saturating_score(A: Arithmetic) -> int:
    """Return the least whole score whose exp is ∞ while that of its negative is 0."""
    for score in range(1, int(min(A.infinity, 4096)) + 1):
        if A.contains(score) and A.exp(score) == A.infinity and A.exp(-score) == 0:
            return score
    raise LawError(f"{A} lacks a score whose exp is ∞ while that of its negative is 0")


@lru_cache(maxsize=64)
def distance_below_infinity(A: Arithmetic) -> float:
    """Return the distance between ∞ and the member before it, a power of 2: all its multiples up to ∞ are members."""
    unit = 2.0 ** (frexp(A.infinity)[1] - 1)
    while A.contains(A.infinity - unit / 2):
        unit /= 2
    return unit
