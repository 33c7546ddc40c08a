"""What makes a compiled program right on every input: lemmas, each checked on the weights over all codes.

The forms are read off the weights again. For every head: its score is factor · (query − key) + shift; where the
difference reaches the boundary exp(score) is ∞ and otherwise 0, so every weight is ∞ ⊘ ∞ = 1 or 0, and the head adds up
just the values at the selected positions. For every neuron: what it reads; for all neurons together: what they add,
code by code. For every sum on the way: that it stays among the whole numbers that the arithmetic holds, so that
nothing is rounded.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array
from weightsmith.model import Attention, FeedForward, Head, PositionTable, Softmax, Transformer
from weightsmith.programs.compiler.boundaries import EVERY, Boundary, selection
from weightsmith.programs.compiler.forms import NOTHING, Form
from weightsmith.programs.compiler.lemmas import Lemma, LemmaError
from weightsmith.programs.compiler.placing import Lanes
from weightsmith.programs.compiler.plan import Gathered, Plan
from weightsmith.programs.compiler.symbols import Integers
from weightsmith.programs.compiler.weights import readable


@dataclass(eq=False, repr=False)
class Proof:
    """Checks a transformer against its plan; `lemmas` are those that hold."""

    T: Transformer
    plan: Plan
    lanes: Lanes
    lemmas: list[Lemma] = field(default_factory=list)
    _by_time: dict[int, list[Form]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Check everything, the embedding first."""
        self._needs, self._lacking = 0, ""
        self.A = self.T.arithmetic
        self.capacity = capacity(self.A)
        self._embedding()
        for b, block in enumerate(self.T.blocks):
            self._attention(b, block.attention)
            if block.feed_forward is not None:
                self._feed_forward(b, block.feed_forward)
            elif any(one.cell.time == 2 * b + 2 for one in self.plan.layered):
                raise LemmaError(f"block {b} has no neurons, and the program needs them")
        self._readout()
        if self._lacking:
            raise LemmaError(self._lacking, self._needs)

    def _embedding(self) -> None:
        T, lanes = self.T, self.lanes.lanes
        sizes = self.plan.sizes
        tokens = np.array([lane.token or (0,) * sizes.tokens for lane in lanes]).T
        places = np.array([lane.index or (0,) * sizes.positions for lane in lanes]).T
        assert isinstance(T.positions, PositionTable)
        if not np.array_equal(T.embedding, tokens) or not np.array_equal(T.positions.values, places):
            raise LemmaError("the embedding, or the positions, are not the features of the program")
        for number, lane in enumerate(lanes):
            self._held([lane.by(0).reach], f"lane {self.lanes.names[number]!r} of the embedding")
        self.lemmas.append(
            Lemma("embedding", "every lane holds its feature of token and position", tokens.size + places.size)
        )

    def _held(self, numbers: Iterable[int], where: str) -> None:
        """Note absolute values beyond those that are held exactly: the largest is named when all has been seen."""
        largest = max(numbers, default=0)
        if largest > self.capacity and largest > self._needs:
            self._needs = largest
            self._lacking = (
                f"{where}: a number as large as {largest:,} may occur, and {self.A} holds whole numbers up to "
                f"{self.capacity:,}"
            )

    def _read(self, row: Array, bias: float, time: int, where: str) -> Form:
        """Return the form that a row of weights reads, every partial sum of which is held."""
        total, partial = NOTHING, list[int]()
        lanes = self._lanes_at(time)
        for place in np.flatnonzero(row):
            part = lanes[place] * whole(row[place], where)
            total = total + part if partial else part
            partial += [part.reach] if total is part else [part.reach, total.reach]
        if bias:
            total = total.plus(whole(bias, where))
            partial.append(total.reach)
        self._held(partial, where)
        return total

    def _lanes_at(self, time: int) -> list[Form]:
        if time not in self._by_time:
            self._by_time[time] = [lane.by(time) for lane in self.lanes.lanes]
        return self._by_time[time]

    def _attention(self, b: int, attention: Attention | None) -> None:
        """Check what is gathered; a block without attention gathers nothing, which may be just what is selected."""
        gathered = [one for one in self.plan.gathered if one.cell.time == 2 * b + 1]
        if attention is None:
            if gathered:
                self._gathers(b, gathered, {})
            return
        boundaries = list(dict.fromkeys(boundary for one in gathered for boundary in one.heads))
        written: dict[Boundary, list[Form]] = {}
        partial = [0] * len(self.lanes.lanes)
        for h, head in enumerate(attention.heads):
            where = f"block {b} head {h}"
            boundary = self._selects(head, boundaries, 2 * b, where)
            sums = self._sums(head, 2 * b, where)
            before = written.get(boundary)
            written[boundary] = sums if before is None else [x + y for x, y in zip(before, sums, strict=True)]
            positions = self.plan.sizes.positions
            partial = [one + form.reach * positions for one, form in zip(partial, sums, strict=True)]
            self._held(partial, f"{where}, the sum over {positions} positions")
        if attention.b_O is not None and attention.b_O.any():
            raise LemmaError(f"block {b}: the attention has a bias that the program has not")
        self._gathers(b, gathered, written)

    def _selects(self, head: Head, boundaries: Sequence[Boundary], time: int, where: str) -> Boundary:
        """Return the boundary at which a head selects: read off its scores."""
        if head.weighting != Softmax() or head.positions is not None:
            raise LemmaError(f"{where} has another weighting, or positions of its own")
        key, query = self._score(head, time, where)
        for boundary in boundaries:
            found = _scaled(boundary, key, query)
            if found is None:
                continue
            factor, shift = found
            low, high = factor * boundary.refused + shift, factor * boundary.selected + shift
            every = boundary == EVERY
            if self._exp(high) == self.A.infinity and (every or self._exp(low) == 0):
                cases = 1 if every else (len(key.codes) * len(query.codes))
                margin = None if every else factor * (boundary.selected - boundary.refused)
                self.lemmas.append(
                    Lemma(
                        where,
                        f"every score is at least {high}, whose exp is ∞, or at most {low}, whose exp is 0",
                        cases,
                        margin,
                    )
                    if not every
                    else Lemma(where, f"every score is {high}, whose exp is ∞", cases)
                )
                return boundary
        if self._lacking:  # so that scores cannot be told
            raise LemmaError(self._lacking, self._needs)
        raise LemmaError(
            f"{where}: its scores are not ∞ on the selected side of a boundary of the program and 0 on the other"
        )

    def _exp(self, score: int) -> float:
        return float(self.A.exp(float(score))) if abs(score) <= self.capacity else np.nan

    def _score(self, head: Head, time: int, where: str) -> tuple[Form, Form]:
        """Return score = query − key as two forms: in every product one factor is a constant."""
        zeros = np.zeros(len(head.W_Q))
        b_Q, b_K = (zeros if bias is None else bias for bias in (head.b_Q, head.b_K))
        key, query, partial = NOTHING, NOTHING, list[int]()
        for d in range(len(head.W_Q)):
            q = self._read(head.W_Q[d], b_Q[d], time, f"{where}, query {d}")
            k = self._read(head.W_K[d], b_K[d], time, f"{where}, key {d}")
            if q.is_constant:
                part = k * q.constant
                key = key - part
            elif k.is_constant:
                part = q * k.constant
                query = query + part
            else:
                raise LemmaError(f"{where}: a product of two things that vary is no difference")
            partial += [part.reach, query.reach + key.reach]
        self._held(partial, f"{where}, the score")
        return key, query

    def _sums(self, head: Head, time: int, where: str) -> list[Form]:
        """Return what a head adds up for every lane."""
        b_V = np.zeros(len(head.W_V)) if head.b_V is None else head.b_V
        values = [
            self._read(row, bias, time, f"{where}, value {d}")
            for d, (row, bias) in enumerate(zip(head.W_V, b_V, strict=True))
        ]
        positions = self.plan.sizes.positions
        self._held([value.reach * positions for value in values], f"{where}, the sum of its values")
        found = []
        for row in head.W_O:
            total = NOTHING
            for d in np.flatnonzero(row):
                total = values[d] * whole(row[d], where) + total
                self._held([total.reach * positions], f"{where}, what it writes")
            found.append(total)
        return found

    def _gathers(self, b: int, gathered: Sequence[Gathered], written: dict[Boundary, list[Form]]) -> None:
        """Check that every lane gets the cells of the program, and nothing else."""
        for one in gathered:
            cases, holds = selection(one.pairs, one.heads)
            if not holds:
                raise LemmaError(f"block {b}, {one.source}: its heads do not select what the program selects")
            line = None if one.place is None else one.place.line
            statement = f"its heads select just what the program selects, {one.low} to {one.high} positions"
            self.lemmas.append(Lemma(f"block {b}, {one.source}", statement, cases, None, line))
        boundaries = {*written, *(boundary for one in gathered for boundary in one.heads)}
        for lane, form in enumerate(self.lanes.lanes):
            factors = dict(form.cells)
            held = [(one, factors[one.cell]) for one in gathered if one.cell in factors]
            for boundary in boundaries:
                wanted = NOTHING
                for one, factor in held:
                    wanted = wanted + one.value * (factor * one.heads.get(boundary, 0))
                found = written.get(boundary)
                if (NOTHING if found is None else found[lane]) != wanted:
                    raise LemmaError(f"block {b}: lane {self.lanes.names[lane]!r} does not get the sums of the program")
            self._held([form.by(2 * b + 1).reach], f"block {b}, lane {self.lanes.names[lane]!r} after attention")
        self.lemmas.append(
            Lemma(
                f"block {b} attention",
                "every lane gets the sums of the program, and no sum leaves the range",
                len(self.lanes.lanes),
            )
        )

    def _feed_forward(self, b: int, layer: FeedForward) -> None:
        time, where = 2 * b + 1, f"block {b} feed-forward"
        if layer.activation != "relu" or layer.b_2.any():
            raise LemmaError(f"{where}: another activation than relu, or a bias after it")
        wanted: dict[Form, list[Integers]] = {}
        codes: dict[Form, Integers] = {}
        for one in self.plan.layered:
            if one.cell.time != 2 * b + 2:
                continue
            factors = [dict(lane.cells).get(one.cell, 0) for lane in self.lanes.lanes]
            for part in one.parts:
                codes[part.form.varying] = part.codes - part.form.constant
                before = wanted.get(part.form.varying, [np.zeros(len(part.codes), np.int64)] * len(factors))
                wanted[part.form.varying] = [x + f * part.wanted for x, f in zip(before, factors, strict=True)]
        found, cases = self._neurons(layer, codes, time, where)
        for form, by_lane in wanted.items():
            if any(not np.array_equal(x, y) for x, y in zip(found[form], by_lane, strict=True)):
                raise LemmaError(f"{where}: its neurons do not give what the program wants for every code")
        for lane, form in enumerate(self.lanes.lanes):
            self._held([form.by(2 * b + 2).reach], f"{where}, lane {self.lanes.names[lane]!r}")
        self.lemmas.append(Lemma(where, "for every code the neurons add what the program wants", cases))

    def _neurons(
        self, layer: FeedForward, codes: dict[Form, Integers], time: int, where: str
    ) -> tuple[dict[Form, list[Integers]], int]:
        """Return, for every form that neurons read, what they add to each lane, code by code."""
        count = len(self.lanes.lanes)
        found = {form: [np.zeros(len(of), np.int64) for _ in range(count)] for form, of in codes.items()}
        largest = {form: [0] * count for form in codes}
        for n, (row, bias) in enumerate(zip(layer.W_1, layer.b_1, strict=True)):
            read = self._read(row, bias, time, f"{where}, neuron {n}")
            form = read.varying if read.varying in codes else -read.varying
            if form not in codes:
                raise LemmaError(f"{where}, neuron {n}: it reads what the program does not read here")
            sign = 1 if form == read.varying else -1
            fired = np.maximum(sign * codes[form] + read.constant, 0)
            for lane in map(int, np.flatnonzero(layer.W_2[:, n])):
                weight = whole(layer.W_2[lane, n], where)
                self._held([int(fired.max()) * abs(weight)], f"{where}, neuron {n}")
                found[form][lane] = found[form][lane] + weight * fired
                largest[form][lane] = max(largest[form][lane], int(np.abs(found[form][lane]).max()))
        for lane in range(count):
            total = sum(of[lane] for of in largest.values())
            self._held([total], f"{where}, what lane {self.lanes.names[lane]!r} gets")
        return found, sum(len(of) for of in codes.values()) * max(1, len(layer.W_1))

    def _readout(self) -> None:
        readout = self.T.readout
        assert readout is not None
        table = dict(readout.entries)
        places = [self.lanes.lanes.index(form.varying) for form in self.plan.outputs]
        wanted = dict.fromkeys(places)
        if tuple(readout.lanes) != tuple(self.lanes.names[place] for place in wanted):
            raise LemmaError("the readout reads other lanes than those of the output")
        for codes, value in self.plan.table:
            code = tuple(float(c - f.constant) for c, f in zip(codes, self.plan.outputs, strict=True))
            code = code[:1] if len(wanted) < len(places) else code
            if code not in table or table[code] != readable(value):
                raise LemmaError(f"the readout does not say {value!r} for the code {code}")
        self.lemmas.append(
            Lemma("readout", "every code that the output can have stands for its value", len(self.plan.table))
        )


def capacity(A: Arithmetic) -> int:
    """Return the largest whole number up to which all whole numbers are members."""
    return int(min(A.infinity, 2.0**A.precision))


def whole(weight: float, where: str) -> int:
    """Return a weight as a whole number."""
    if weight != int(weight):
        raise LemmaError(f"{where}: the weight {weight} is no whole number")
    return int(weight)


def _scaled(boundary: Boundary, key: Form, query: Form) -> tuple[int, int] | None:
    """Return factor and shift for which query − key is factor · (the boundary's difference) + shift."""
    shift = query.constant - key.constant
    if boundary == EVERY:
        return (1, shift) if key.is_constant and query.is_constant else None
    if boundary.key.is_constant and boundary.query.is_constant:
        return None
    ours, theirs = (query, boundary.query) if boundary.key.is_constant else (key, boundary.key)
    factor, rest = divmod(ours.factor, theirs.factor) if theirs.factor else (0, 1)
    if rest or factor <= 0 or boundary.key * factor != key.varying or boundary.query * factor != query.varying:
        return None
    return factor, shift
