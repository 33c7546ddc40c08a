"""How often a transformer answers as the program under interchanges of its parts, and of nodes outside the circuit."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from weightsmith.inspect.components import Node
from weightsmith.model import Transformer
from weightsmith.train.interchange.pairs import Drawn, Lengths
from weightsmith.train.interchange.parts import Inputs, parts_of


@dataclass(frozen=True)
class Share:
    """Pairs of inputs after an interchange: how many have the right answer at every position that is judged.

    A position is not judged if the program has no clear answer there after the interchange.
    """

    pairs: int  # with a position that is judged
    partly: int  # of these, the pairs with a position that is not
    right: int
    changing: int  # the pairs on which the interchange changes an answer of the program
    changing_right: int

    @property
    def accuracy(self) -> float:
        """The share of all pairs; 0 without any."""
        return self.right / self.pairs if self.pairs else 0.0

    @property
    def accuracy_changing(self) -> float:
        """The share of the pairs on which the interchange changes an answer; 1 without any."""
        return self.changing_right / self.changing if self.changing else 1.0

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        return vars(self) | {"accuracy": self.accuracy, "accuracy_changing": self.accuracy_changing}


def percent(share: float) -> str:
    """Return a share in per cent, cut and not rounded: 100.0% only where it is 1."""
    return f"{int(1000 * share + 1e-9) / 10:.1f}%"


@dataclass(frozen=True)
class Interchange:
    """Interchanges of single nodes between pairs of inputs, by the name of the node.

    The pairs were drawn apart from those that are learnt. A short program has few pairs: then some are in both.

    A node in the circuit takes the value that it has on another input, and the answers must be those of the program
    whose part does so. A node outside the circuit must not change an answer.
    """

    parts: Mapping[str, Share]
    outside: Mapping[str, Share]

    @property
    def least(self) -> float:
        """The smallest accuracy of a part, also over the pairs alone on which the interchange changes an answer."""
        return min(min(one.accuracy, one.accuracy_changing) for one in self.parts.values())

    @property
    def least_outside(self) -> float:
        """The smallest accuracy of a node outside the circuit; 1 without any."""
        return min((one.accuracy for one in self.outside.values()), default=1.0)

    def __str__(self) -> str:
        """Return it as a sentence."""
        pairs = sum(one.pairs for one in (*self.parts.values(), *self.outside.values()))
        return (
            f"{pairs:,} interchanges: accuracy at least {percent(self.least)} in the circuit ({len(self.parts)} parts) "
            f"and {percent(self.least_outside)} outside ({len(self.outside)} nodes)"
        )

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        kinds = {"parts": self.parts, "outside": self.outside}
        return {kind: {name: one.to_json() for name, one in found.items()} for kind, found in kinds.items()}


def measure(S: Transformer, drawn: Drawn, mapping: Mapping[Node, Node]) -> Interchange:
    """Interchange each node of a transformer on the pairs that are measured; `mapping` has the node of each part."""
    inputs = {length: Inputs.of(S, found.ids) for length, found in drawn.inputs.items()}
    part_of = {node: part for part, node in mapping.items()}

    def interchanged(node: Node, lengths: Lengths) -> list[int]:
        """Return the counts of a `Share`; outside the circuit on the pairs of the parts, one after the other."""
        part = part_of.get(node, drawn.parts[(node.block + node.index) % len(drawn.parts)])
        pairs = drawn.measured[lengths, part]
        found = inputs[lengths.base].interchanged(node, pairs.bases, inputs[lengths.source], pairs.sources)
        wanted, changed = pairs.answers, pairs.changed
        if node not in part_of:
            wanted, changed = drawn.inputs[lengths.base].answers[pairs.bases], changed[:0]
        judged = wanted >= 0
        right = ((found == wanted) | ~judged).all(axis=1) & judged.any(axis=1)
        partly = judged.any(axis=1) & ~judged.all(axis=1)
        return [int(judged.any(axis=1).sum()), int(partly.sum()), int(right.sum()), len(changed), right[changed].sum()]

    names = {node: _share(drawn, node, interchanged) for node in parts_of(S)}
    return Interchange(
        {str(node): share for node, share in names.items() if node in part_of},
        {str(node): share for node, share in names.items() if node not in part_of},
    )


def _share(drawn: Drawn, node: Node, counts: Callable[[Node, Lengths], list[int]]) -> Share:
    return Share(*np.sum([counts(node, each) for each in drawn.lengths], axis=0).tolist())
