"""A formula's circuit as the weights of a transformer.

Truth is 0 or 1 in a lane, and every reader of a lane can read its opposite, 1 ⊖ x, by a weight −1 and a bias 1.

- O f: a head that looks at the leftmost of the largest keys; key and value are f.
- f S g: at the rightmost; the key is (∞·¬f, ∞·g) and the query (1, 1): the score saturates at ∞ where g holds or f does
  not; the value is g. Where there is no such position, it looks at one at which g does not hold.
- Y f: a strict head at the rightmost of equal keys; the value is f. Heads of strict variants are strict.
- a cube of p positive literals: relu(Σ positive ⊖ Σ negative ⊕ (1 − p)) is 1 where all of them hold and 0 elsewhere.
  Every ⊕ is monotone, so it is enough that the sums up to p are exact; where p is beyond that, some positive literals
  are read as the opposite of a *complement lane*, which every writer of the lane writes too.
"""

from collections.abc import Sequence

import numpy as np

from weightsmith.arithmetic import Arithmetic, require
from weightsmith.errors import LawError
from weightsmith.model import LeftmostHard, RightmostHard, Softmax, Transformer, Weighting
from weightsmith.programs.circuit.assembly import BlockRows, HeadRows, Lanes, NeuronRow, Row, assemble
from weightsmith.programs.circuit.circuit import OneKeyHead, Part
from weightsmith.programs.circuit.forms import Cell, Form
from weightsmith.programs.listing import NOTHING
from weightsmith.programs.ltl.planner import ALWAYS, FormulaPlan

ALWAYS_NEEDED = ("symmetric", "zero product", "unit product")
FOR_SINCE = ("saturation", "cancellation")
FOR_SOFT = ("exp of −∞", "saturation", "cancellation")


class FormulaWeights:
    """The weights of a formula's circuit in an arithmetic."""

    def __init__(self, plan: FormulaPlan, vocabulary: Sequence[str], arithmetic: Arithmetic, soft: bool) -> None:
        """Choose the lanes; refuse an arithmetic that lacks a law which this circuit needs."""
        self.plan, self.circuit, self.A, self.soft = plan, plan.circuit, arithmetic, soft
        self.vocabulary = tuple(vocabulary)
        self.heads = [head for head in plan.circuit.heads if isinstance(head, OneKeyHead)]
        _check_laws(self.heads, arithmetic, soft)
        self.complements: dict[Cell, str] = {}
        most = most_counted(arithmetic)
        self.cubes = [
            (layer.cell, part, self._swapped(part, most)) for layer in self.circuit.layers for part in layer.parts
        ]
        self.lanes = self._lanes()

    def transformer(self, provenance: Sequence[str]) -> Transformer:
        """Return the transformer."""
        blocks = [self._rows(b).block() for b in range(self.circuit.depth)]
        (result,) = self.circuit.outputs
        output = np.array([self.lanes.row(Form()), self.lanes.row(result)])
        bias = np.array([0.0, result.constant]) if result.constant else None
        return assemble(
            self.circuit, self.lanes, blocks, self.A, self.vocabulary, provenance, output=output, output_bias=bias
        )

    def heads_at(self, block: int) -> list[OneKeyHead]:
        """Return the heads of a block."""
        return [head for head in self.heads if head.cell.time == 2 * block + 1]

    def cubes_at(self, block: int) -> list[tuple[Cell, Part, list[Cell]]]:
        """Return the neurons of a block: their cell, and the cells that they read by their complements."""
        return [one for one in self.cubes if one[0].time == 2 * block + 2]

    def _swapped(self, part: Part, most: int) -> list[Cell]:
        """Return the positive literals beyond those that can be counted: they get complement lanes."""
        positive = [cell for cell, factor in part.form.cells if factor == 1]
        known = [cell for cell in positive if cell in self.complements]
        others = [cell for cell in positive if cell not in self.complements]
        changed = [*known, *others][: max(0, len(positive) - most)]
        for cell in changed:
            self.complements.setdefault(cell, f"complement of {cell.name}")
        return changed

    def _lanes(self) -> Lanes:
        """Return a lane for each cell, in the order in which they are written, each before its complement."""
        forms, names = list[Form](), list[str]()
        for cell in sorted(self.circuit.cells, key=lambda cell: (cell.time + 1) // 2):
            letters = self.plan.letters.get(cell, frozenset())
            for factor, name in ((1, cell.name), (-1, self.complements.get(cell))):
                if name is not None:
                    tokens = tuple(int((token in letters) == (factor == 1)) for token in self.vocabulary)
                    forms.append(Form(tokens, cells=((cell, factor),)))
                    names.append(name)
        return Lanes(tuple(forms or [Form()]), tuple(names or [NOTHING]))

    def _rows(self, block: int) -> BlockRows:
        heads, cubes, texts = self.heads_at(block), self.cubes_at(block), self.plan.texts
        said = [f"head {i}: {texts[head.cell]}" for i, head in enumerate(heads)]
        said += [f"neurons: {texts[cell]}" for cell in dict.fromkeys(cell for cell, _, _ in cubes)]
        origin = _shortened("; ".join(said), 2000)
        return BlockRows(origin, [self._head(head) for head in heads], [self._neuron(*cube) for cube in cubes])

    def _neuron(self, cell: Cell, part: Part, swapped: Sequence[Cell]) -> NeuronRow:
        weights, ((_, offset, _),) = self.lanes.row(part.form), part.kinks
        for other in swapped:  # x is read as 1 − its complement
            weights[self.lanes.names.index(other.name)] = 0.0
            weights[self.lanes.names.index(self.complements[other])] = -1.0
        read = Row(weights, float(len(swapped) - offset))
        return NeuronRow(_shortened(self.plan.texts[cell], 200), read, self.lanes.writes(cell))

    def _head(self, head: OneKeyHead) -> HeadRows:
        """Return the head of an operator."""
        infinity, scale = float(self.A.infinity), 1.0
        keys = [(key, infinity if head.saturated else 1.0) for key in head.keys]
        how: Weighting = LeftmostHard() if head.leftmost else RightmostHard()
        if head.leftmost and self.soft:  # −∞ ⊕ ∞ ⊕ ∞ is ∞, and every weight is ∞ ⊘ ∞ = 1
            keys, how, scale = [(ALWAYS, -infinity), *[(head.value, infinity)] * 2], Softmax(), infinity
        back = float(self.A.divide(1.0, scale))  # from ∞ to 1
        rows = [self._row(form, factor) for form, factor in keys] or [self._row(Form(), 1.0)]
        return HeadRows(
            _shortened(self.plan.texts[head.cell], 200),
            [Row(self.lanes.row(Form()), 1.0)] * len(rows),
            rows,
            [self._row(head.value, scale)],
            [[sign * back for sign in self.lanes.writes(head.cell)]],
            how,
            head.strict,
            zero_biases=False,
        )

    def _row(self, literal: Form, factor: float) -> Row:
        weights = [factor * one if one else 0.0 for one in self.lanes.row(literal)]  # and no −0
        return Row(weights, factor * literal.constant if literal.constant else 0.0)


def most_counted(A: Arithmetic) -> int:
    """Return up to which number, at most 2^16, all whole numbers are members, so that sums of ones are exact."""
    numbers = np.arange(1.0, (1 << 16) + 1)
    exact = A.round(numbers) == numbers
    return len(numbers) if exact.all() else int(np.argmin(exact))


def _check_laws(heads: Sequence[OneKeyHead], A: Arithmetic, soft: bool) -> None:
    """Refuse an arithmetic that lacks a law which the formula needs."""
    soft = soft and any(head.leftmost for head in heads)
    since = any(head.saturated for head in heads)
    names = ALWAYS_NEEDED + (FOR_SINCE if since else ()) + (FOR_SOFT if soft else ())
    require(A, tuple(dict.fromkeys(names)), "a temporal formula", "write arithmetic=Fixed(4, 4)")
    if soft:
        infinity = A.infinity
        if float(A.exp(infinity)) != infinity or float(A.multiply(infinity, A.divide(1.0, infinity))) != 1:
            raise LawError(
                f"O and H by soft attention need exp(∞) = ∞ and ∞ ⊗ (1 ⊘ ∞) = 1, which {A} lacks: write soft=False, or "
                "arithmetic=Fixed(4, 4)"
            )


def _shortened(text: str, most: int) -> str:
    shown = text if text.isprintable() else repr(text)
    return shown if len(shown) <= most else f"{shown[: most - 1]}…"
