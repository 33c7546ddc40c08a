"""The proof that a transformer decides a temporal formula, at every position of inputs of every length.

The formula of each lane is stated, and nothing of it is believed. By induction over sublayers, every lane holds the
truth of its formula as 0 or 1:

- the embedding holds formulas without the past, token by token;
- a head writes one formula O f, Y f or f S g: for all that a key can hold, its score and its value are computed, and it
  looks at a key with f, at the one before, or at the last with g or without f (see `_once`, `_previous`, `_since`);
- neurons write a connective: for all that the lanes which they read can hold, they add its truth.

Every sum is computed in the arithmetic, in the order of the lanes. H f is the opposite of O !f.
"""

from collections.abc import Iterable, Mapping

import numpy as np
import numpy.typing as npt

from weightsmith.model import FeedForward, Head, LeftmostHard, RightmostHard, Softmax, Transformer
from weightsmith.model.block import first_window, new_arrays
from weightsmith.programs.ltl.formulas import Connective, Formula, Past
from weightsmith.programs.ltl.reading import parse_ltl
from weightsmith.programs.proof.formula_cases import Cases, FormulaLanes, Reals, Truths, Writer, plain
from weightsmith.programs.proof.lemmas import Lemma, LemmaError


class FormulaProof(FormulaLanes):
    """Checks a transformer against the formulas of its lanes; `lemmas` are all those that hold."""

    def __init__(self, T: Transformer, formula: Formula, lanes: Mapping[str, Formula]) -> None:
        """Check every sublayer, and the decision."""
        super().__init__(T)
        self.A, self.formula = T.arithmetic, formula
        self.lemmas: list[Lemma] = []
        self._require_kind(lanes)
        self.lanes = {lane: lanes[lane] for lane in T.lanes if lane in lanes}
        self.index = {lane: n for n, lane in enumerate(T.lanes)}
        self.ready = dict.fromkeys(self.lanes, 0)  # the sublayer after which a lane holds its formula
        self._note_writers()
        self._embedding()
        for b, block in enumerate(T.blocks):
            for h, head in enumerate(() if block.attention is None else block.attention.heads):
                self._head(b, h, head)
            if block.feed_forward is not None:
                self._feed_forward(b, block.feed_forward)
        self._decision()

    def _require_kind(self, lanes: Mapping[str, Formula]) -> None:
        T = self.T
        if (
            T.mask != "causal"
            or T.positions is not None
            or T.final_norm is not None
            or T.flags
            or T.readout is not None
        ):
            raise LemmaError("the model has a full mask, positions, a final norm, flags or a readout")
        if T.classes != ("NO", "YES") or not set(lanes) <= set(T.lanes):
            raise LemmaError("the model has other classes than NO and YES, or other lanes than are stated")
        for b, block in enumerate(T.blocks):
            if block.attention_norm is not None or block.feed_forward_norm is not None or block.parallel:
                raise LemmaError(f"block {b} has a norm, or is parallel")
            if block.attention is not None and block.attention.b_O is not None and block.attention.b_O.any():
                raise LemmaError(f"block {b} adds a bias to its heads")
            if names := new_arrays(block):
                raise LemmaError(f"block {b} has the array {names[0]}, which the formula has not")
            if first_window(block) is not None:
                raise LemmaError(f"block {b} has a head with a window, which the formula has not")
            layer = block.feed_forward
            if layer is not None and (layer.activation != "relu" or layer.b_2.any() or layer.W_3 is not None):
                raise LemmaError(f"block {b}: another activation than relu, or a bias after it")

    def _note_writers(self) -> None:
        """Find the one sublayer that writes each lane."""
        for b, block in enumerate(self.T.blocks):
            heads: Iterable[Head] = () if block.attention is None else block.attention.heads
            layers: Iterable[FeedForward] = () if block.feed_forward is None else [block.feed_forward]
            writes = [(2 * b + 1, head.W_O) for head in heads] + [(2 * b + 2, layer.W_2) for layer in layers]
            for time, weights in writes:
                for lane in (self.T.lanes[n] for n in np.flatnonzero(np.asarray(weights).any(axis=1)).tolist()):
                    if self.ready.get(lane) != 0:
                        raise LemmaError(f"lane {lane!r} is written twice, or not stated")
                    self.ready[lane] = time
                    if time % 2:
                        self.writers[lane] = self._writer(lane, b)

    def _writer(self, lane: str, block: int) -> Writer:
        formula = self.lanes[lane]
        opposite = isinstance(formula, Connective) and formula.symbol == "!"
        inner = formula.parts[0] if isinstance(formula, Connective) else formula
        if not isinstance(inner, Past) or (isinstance(formula, Connective) and not opposite):
            raise LemmaError(f"lane {lane!r}: a head writes a formula that does not speak of the past")
        past, turned = plain(inner)
        return Writer(past, block, opposite != turned)

    # Sublayers

    def _embedding(self) -> None:
        embedding = np.asarray(self.T.embedding, np.float64)
        for lane, formula in self.lanes.items():
            column = embedding[:, self.index[lane]]
            if self.ready[lane]:
                if not (column == column[0]).all():
                    raise LemmaError(f"lane {lane!r}: the embedding is no constant, and a sublayer writes it")
                continue
            if not np.array_equal(column, self.cases([formula], 0).truth(formula, 0)):
                raise LemmaError(f"lane {lane!r}: the embedding does not hold {formula}")
        self.lemmas.append(Lemma("embedding", "every lane holds the truth of its formula", embedding.size))

    def _read(self, weights: Reals, bias: float, cases: Cases, time: int, where: str) -> Reals:
        """Return a row of weights for all cases: a fold in the order of the lanes, then the bias."""
        total = np.zeros(cases.count)
        for n in np.flatnonzero(weights).tolist():
            lane = self.T.lanes[n]
            if lane not in self.lanes or self.ready[lane] > time:
                raise LemmaError(f"{where} reads lane {lane!r}, which holds nothing yet")
            held = cases.truth(self.lanes[lane], (time + 1) // 2).astype(np.float64)
            total = self.A.add(total, self.A.multiply(weights[n], held))
        return np.asarray(self.A.add(total, bias) if bias else total, np.float64)

    def _read_by(self, weights: Reals) -> list[Formula]:
        lanes = [self.T.lanes[n] for n in np.flatnonzero(weights.reshape(-1, weights.shape[-1]).any(axis=0)).tolist()]
        return [self.lanes[lane] for lane in lanes if lane in self.lanes]

    def _require_written(self, lane: str, added: Reals, wanted: Truths, where: str) -> None:
        start = float(self.T.embedding[0, self.index[lane]])
        if not np.array_equal(self.A.add(start, added), wanted.astype(np.float64)):
            raise LemmaError(f"{where} does not write {self.lanes[lane]} to lane {lane!r}")

    def _head(self, b: int, h: int, head: Head) -> None:
        """Check a head for all that a key can hold: its score, its value, and its writes."""
        where = f"block {b} head {h}"
        W_O = np.asarray(head.W_O, np.float64)
        if head.positions is not None or W_O.shape[1] != 1 or np.asarray(head.W_Q).any():
            raise LemmaError(f"{where} has positions, several values, or queries that vary")
        lanes = [self.T.lanes[n] for n in np.flatnonzero(W_O[:, 0]).tolist()]
        formulas = {self.writers[lane].formula for lane in lanes}
        if len(formulas) != 1:
            raise LemmaError(f"{where} writes another number of formulas than one")
        (past,) = formulas
        rows = np.concatenate([np.asarray(head.W_K, np.float64), np.asarray(head.W_V, np.float64)])
        cases = self.cases([*past.parts, *self._read_by(rows)], b)
        holds = [cases.truth(part, b) for part in past.parts]
        scores = self._scores(head, cases, 2 * b, where)
        values = self._read(rows[-1], _bias(head.b_V, 0), cases, 2 * b, where)
        written = self._values(values, holds[-1], where)
        check = {"Y": self._previous, "O": self._once, "S": self._since}[past.operator]
        says = check(head, past, holds, scores, written.get(True, 0.0), where)
        for lane in lanes:
            weight, opposite = float(W_O[self.index[lane], 0]), self.writers[lane].opposite
            added = np.array([self.A.multiply(weight, one) for one in (*written.values(), 0.0)])
            self._require_written(lane, added, np.array([*written, False]) != opposite, where)
        self.lemmas.append(Lemma(where, f"{past}: {says}", cases.count))

    def _scores(self, head: Head, cases: Cases, time: int, where: str) -> Reals:
        total = np.zeros(cases.count)
        for d, row in enumerate(np.asarray(head.W_K, np.float64)):
            key = self._read(row, _bias(head.b_K, d), cases, time, where)
            total = self.A.add(total, self.A.multiply(_bias(head.b_Q, d), key))
        return np.asarray(total, np.float64)

    def _values(self, values: Reals, holds: Truths, where: str) -> dict[bool, float]:
        """Return the value of keys at which the last part holds, and of the others; each must be one number."""
        found = {True: np.unique(values[holds]), False: np.unique(values[~holds])}
        if any(len(one) > 1 for one in found.values()):
            raise LemmaError(f"{where}: its value is no function of the formula")
        return {truth: float(one[0]) for truth, one in found.items() if len(one)}

    def _previous(self, head: Head, past: Past, holds: list[Truths], scores: Reals, value: float, where: str) -> str:
        if head.weighting != RightmostHard() or not head.strict or not (scores == scores[0]).all():
            raise LemmaError(f"{where} does not look at the position before")
        return "it looks at the position before, because all scores are equal"

    def _once(self, head: Head, past: Past, holds: list[Truths], scores: Reals, value: float, where: str) -> str:
        if head.strict != past.strict:
            raise LemmaError(f"{where} is strict where the formula is not, or the other way round")
        on, off = scores[holds[0]], scores[~holds[0]]
        if head.weighting in (LeftmostHard(), RightmostHard()):
            if len(on) and len(off) and on.min() <= off.max():
                raise LemmaError(f"{where} does not prefer keys at which the formula holds")
            return "it looks at a key at which the formula holds, if there is one"
        A, infinity = self.A, float(self.A.infinity)
        sums = A.add(infinity, infinity) == infinity == A.add(infinity, 0.0) and A.add(value, value) == value
        parts = A.divide(infinity, infinity) == 1 and A.divide(0.0, infinity) == 0
        exps = (A.exp(on) == infinity).all() and (A.exp(off) == 0).all()
        if head.weighting != Softmax() or not (sums and parts and exps):
            raise LemmaError(f"{where}: its weights are not 1 where the formula holds and 0 elsewhere")
        return "every weight is ∞ ⊘ ∞ = 1 where it holds and 0 elsewhere, and sums saturate"

    def _since(self, head: Head, past: Past, holds: list[Truths], scores: Reals, value: float, where: str) -> str:
        if head.weighting != RightmostHard() or head.strict != past.strict:
            raise LemmaError(f"{where} does not look at the last of the largest keys")
        stops = ~holds[0] | holds[1]
        high, low = np.unique(scores[stops]), scores[~stops]
        if len(high) > 1 or (len(high) and len(low) and low.max() >= high[0]):
            raise LemmaError(f"{where} does not look at the last key with the second part or without the first")
        return "it looks at the last key with the second part or without the first, if there is one"

    def _feed_forward(self, b: int, layer: FeedForward) -> None:
        """Check that the neurons of each lane add the truth of its formula, for all that they can read."""
        where, count = f"block {b} feed-forward", 0
        W_1, W_2 = np.asarray(layer.W_1, np.float64), np.asarray(layer.W_2, np.float64)
        for lane in (self.T.lanes[n] for n in np.flatnonzero(W_2.any(axis=1)).tolist()):
            neurons = np.flatnonzero(W_2[self.index[lane]])
            formula = self.lanes[lane]
            cases = self.cases([formula, *self._read_by(W_1[neurons])], b + 1)
            total = np.zeros(cases.count)
            for n in neurons:
                fired = np.maximum(self._read(W_1[n], float(layer.b_1[n]), cases, 2 * b + 1, where), 0.0)
                total = self.A.add(total, self.A.multiply(W_2[self.index[lane], n], fired))
            self._require_written(lane, total, cases.truth(formula, b + 1), where)
            count += cases.count
        self.lemmas.append(
            Lemma(where, "for all that they can read, the neurons add the truth of their formulas", count)
        )

    def _decision(self) -> None:
        T, blocks = self.T, len(self.T.blocks)
        weights = np.asarray(T.output, np.float64)
        cases = self.cases([self.formula, *self._read_by(weights)], blocks)
        no, yes = (
            self._read(row, _bias(T.output_bias, n), cases, 2 * blocks, "the output") for n, row in enumerate(weights)
        )
        if not np.array_equal(yes > no, cases.truth(self.formula, blocks)):
            raise LemmaError(f"the output is not YES where {self.formula} holds and NO elsewhere")
        self.lemmas.append(Lemma("output", f"YES where {self.formula} holds, and NO elsewhere", cases.count))


def _bias(bias: npt.ArrayLike | None, n: int) -> float:
    return 0.0 if bias is None else float(np.asarray(bias)[n])


def prove_formula(T: Transformer, formula: str, lanes: Mapping[str, str]) -> FormulaProof:
    """Return the proof that a transformer decides a formula, from the formulas of its lanes as texts."""
    read = {lane: parse_ltl(text, T.vocabulary) for lane, text in lanes.items()}
    return FormulaProof(T, parse_ltl(formula, T.vocabulary), read)
