"""A plan as the weights of a transformer.

Truth is 0 or 1 in a lane. Whoever reads a lane reads its opposite as well, 1 ⊖ x, by a weight −1 and a bias 1.

- O f: a head that looks at the leftmost of the largest keys; key and value are f.
- f S g: at the rightmost; the key is (∞·¬f, ∞·g) and the query (1, 1), so that the score saturates at ∞ where g holds
  or f does not; the value is g. Where there is no such position, it looks at one at which g does not hold.
- Y f: a strict head at the rightmost of equal keys; the value is f. Of strict variants the heads are strict.
- a cube of p positive literals: relu(Σ positive ⊖ Σ negative ⊕ (1 − p)) is 1 where all of them hold and 0 elsewhere.
  Every ⊕ is monotone, so it is enough that the sums up to p are exact; where p is beyond that, some positive literals
  are read as the opposite of a *complement lane*, which whoever writes the lane writes too.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, require
from weightsmith.errors import LawError
from weightsmith.model import (
    Attention,
    Block,
    Head,
    LeftmostHard,
    Neuron,
    RightmostHard,
    Softmax,
    Transformer,
    Weighting,
    feed_forward,
    matrix,
)
from weightsmith.programs.ltl.plan import ALWAYS, HeadPlan, Literal, NeuronPlan, Plan

ALWAYS_NEEDED = ("symmetric", "zero product", "unit product")
FOR_SINCE = ("saturation", "cancellation")
FOR_SOFT = ("exp of −∞", "saturation", "cancellation")
NOTHING = "nothing"  # the one lane of a formula that needs none


class Written:
    """Writes the weights of a plan in an arithmetic."""

    def __init__(self, plan: Plan, arithmetic: Arithmetic, soft: bool) -> None:
        """Refuse an arithmetic that lacks a law which this plan needs."""
        self.plan, self.A, self.soft = plan, arithmetic, soft
        _check_laws(plan, arithmetic, soft)
        self.infinity = float(arithmetic.infinity)
        self.cubes = self._readable(most_counted(arithmetic))
        self.lanes = self._lanes()

    def transformer(self, provenance: Sequence[str]) -> Transformer:
        """Return the transformer."""
        plan, vocabulary = self.plan, self.plan.vocabulary
        ones: dict[tuple[str, str], float] = {}
        for lane in self.lanes:
            complement = lane in self.complements.values()
            original = next((one for one, other in self.complements.items() if other == lane), lane)
            there = plan.letters.get(original, frozenset())
            ones |= {(token, lane): 1.0 for token in vocabulary if (token in there) != complement}
        return Transformer(
            arithmetic=self.A,
            vocabulary=vocabulary,
            lanes=self.lanes,
            embedding=matrix(vocabulary, self.lanes, ones),
            positions=None,
            blocks=[self._block(depth) for depth in range(1, plan.blocks + 1)],
            output=matrix(["NO", "YES"], self.lanes, _weights(plan.result, "YES")),
            output_bias=np.array([0.0, _bias(plan.result)]) if _bias(plan.result) else None,
            provenance=tuple(provenance),
        )

    def _lanes(self) -> list[str]:
        """Return the lanes in the order in which they are written, each before its complement."""
        plan = self.plan
        order = sorted(plan.texts, key=lambda lane: (plan.depths[lane], list(plan.texts).index(lane)))
        lanes = [each for lane in order for each in (lane, self.complements.get(lane)) if each is not None]
        return lanes or [NOTHING]

    def _readable(self, most: int) -> list[NeuronPlan]:
        """Return the neurons, with complement lanes for positive literals where there are more than can be counted."""
        self.complements: dict[str, str] = {}
        result = []
        for neuron in self.plan.neurons:
            positive = [literal for literal in neuron.reads if literal.positive]
            known = [literal for literal in positive if literal.lane in self.complements]
            others = [literal for literal in positive if literal not in known]
            changed = [*known, *others][: max(0, len(positive) - most)]
            for literal in changed:
                assert literal.lane is not None
                self.complements.setdefault(literal.lane, f"complement of {literal.lane}")
            reads = [Literal(self.complements[str(one.lane)], False) if one in changed else one for one in neuron.reads]
            result.append(NeuronPlan(tuple(reads), neuron.lane))
        return result

    def _writes(self, lane: str) -> dict[str, float]:
        """Return what is added to lanes where a truth is written: 1 to its lane, −1 to its complement."""
        other = self.complements.get(lane)
        return {lane: 1.0} if other is None else {lane: 1.0, other: -1.0}

    def _block(self, depth: int) -> Block:
        plan = self.plan
        heads = [head for head in plan.heads if plan.depths[head.lane] == depth]
        neurons = [neuron for neuron in self.cubes if plan.depths[neuron.lane] == depth]
        said = [f"head {i}: {plan.texts[head.lane]}" for i, head in enumerate(heads)]
        said += [f"neurons: {plan.texts[lane]}" for lane in dict.fromkeys(neuron.lane for neuron in neurons)]
        layer = feed_forward(self.lanes, [self._neuron(neuron) for neuron in neurons]) if neurons else None
        return Block(Attention([self._head(head) for head in heads]), layer, origin=_shortened("; ".join(said), 2000))

    def _neuron(self, neuron: NeuronPlan) -> Neuron:
        positive = sum(literal.positive for literal in neuron.reads)
        reads = {str(literal.lane): 1.0 if literal.positive else -1.0 for literal in neuron.reads}
        name = _shortened(self.plan.texts[neuron.lane], 200)
        return Neuron(reads, self._writes(neuron.lane), bias=1.0 - positive, name=name)

    def _head(self, head: HeadPlan) -> Head:
        """Return the head of an operator."""
        value, infinity, scale = head.reads[-1], self.infinity, 1.0
        keys: list[tuple[Literal, float]] = []
        how: Weighting = RightmostHard()
        if head.operator == "O" and self.soft:  # −∞ ⊕ ∞ ⊕ ∞ is ∞, and every weight is ∞ ⊘ ∞ = 1
            keys, how, scale = [(ALWAYS, -infinity), (value, infinity), (value, infinity)], Softmax(), infinity
        elif head.operator == "O":
            keys, how = [(value, 1.0)], LeftmostHard()
        elif head.operator == "S":
            keys = [(~head.reads[0], infinity), (value, infinity)]
        W_K, b_K = self._read(keys)
        W_V, b_V = self._read([(value, scale)])
        back = float(self.A.divide(1.0, scale))  # from ∞ to 1
        written = {(lane, "truth"): sign * back for lane, sign in self._writes(head.lane).items()}
        return Head(
            W_Q=np.zeros_like(W_K),
            W_K=W_K,
            W_V=W_V,
            W_O=matrix(self.lanes, ["truth"], written),
            weighting=how,
            b_Q=np.ones(len(W_K)),
            b_K=b_K if b_K.any() else None,
            b_V=b_V if b_V.any() else None,
            strict=head.strict or head.operator == "Y",
            name=_shortened(self.plan.texts[head.lane], 200),
        )

    def _read(self, literals: Sequence[tuple[Literal, float]]) -> tuple[Array, Array]:
        """Return the matrix and the bias that read literals, each times a number; one row of 0 where there are none."""
        rows = [str(n) for n in range(max(1, len(literals)))]
        entries: dict[tuple[str, str], float] = {}
        for row, (literal, scale) in zip(rows, literals, strict=False):
            entries |= {key: scale * weight for key, weight in _weights(literal, row).items()}
        biases = [scale * _bias(literal) for literal, scale in literals] or [0.0]
        return matrix(rows, self.lanes, entries), np.array(biases)


def _weights(literal: Literal, row: str) -> Mapping[tuple[str, str], float]:
    return {} if literal.lane is None else {(row, literal.lane): 1.0 if literal.positive else -1.0}


def _bias(literal: Literal) -> float:
    return float(literal.positive if literal.lane is None else not literal.positive)


def most_counted(A: Arithmetic) -> int:
    """Return up to which number, at most 2^16, all whole numbers are members, so that sums of ones are exact."""
    numbers = np.arange(1.0, (1 << 16) + 1)
    exact = A.round(numbers) == numbers
    return len(numbers) if exact.all() else int(np.argmin(exact))


def _check_laws(plan: Plan, A: Arithmetic, soft: bool) -> None:
    """Refuse an arithmetic that lacks a law which the formula needs."""
    operators = {head.operator for head in plan.heads}
    names = ALWAYS_NEEDED + (FOR_SINCE if "S" in operators else ()) + (FOR_SOFT if soft and "O" in operators else ())
    require(A, tuple(dict.fromkeys(names)), "a temporal formula", "write arithmetic=Fixed(4, 4)")
    if soft and "O" in operators:
        infinity = A.infinity
        if float(A.exp(infinity)) != infinity or float(A.multiply(infinity, A.divide(1.0, infinity))) != 1:
            raise LawError(
                f"O and H by soft attention need exp(∞) = ∞ and ∞ ⊗ (1 ⊘ ∞) = 1, which {A} lacks: write soft=False, or "
                "arithmetic=Fixed(4, 4)"
            )


def _shortened(text: str, most: int) -> str:
    shown = text if text.isprintable() else repr(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
