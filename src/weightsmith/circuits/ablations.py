"""Methods that change one edge at a time, exactly: zero ablation, mean ablation, activation patching.

Each runs the model with one source replaced for one reader, as `JointCutting` does. The score of an edge is the mean
over the pairs of how far that moves the difference between the clean and the corrupted answer: between their logits, or
for a readout between the squared distances to their codes, which would be the same difference of logits.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.circuits.pairs import Pair, grouped
from weightsmith.inspect.components import Edge, Node
from weightsmith.inspect.edges import connected_edges, edges
from weightsmith.inspect.joint_cuts import JointCutting, Outputs
from weightsmith.model import Transformer

Values = Callable[[Sequence["Batch"]], Sequence[Outputs | None]]


@dataclass(frozen=True)
class Batch:
    """The pairs of one length."""

    clean: JointCutting
    corrupted: JointCutting
    positions: Any  # (pairs,)

    def difference(self, numbers: Array) -> Array:
        """Return how much more the output at each pair's position is the clean answer than the corrupted one."""
        here = np.arange(len(self.positions)), self.positions
        ours, theirs = self.clean.answers[here], self.corrupted.answers[here]
        found = numbers[here]
        T = self.clean.T
        if T.readout is None:
            rows = np.arange(len(found))
            return np.asarray(found[rows, ours] - found[rows, theirs])
        codes = np.array([code for code, _ in T.readout.entries])
        distances = [((found - codes[which]) ** 2).sum(axis=-1) for which in (theirs, ours)]
        return np.asarray(distances[0] - distances[1])


def batches(T: Transformer, pairs: Sequence[Pair]) -> list[Batch]:
    """Run the pairs, those of one length at once."""
    groups = sorted(grouped(T, pairs), key=lambda group: group.clean.shape[1])
    return [Batch(JointCutting(T, each.clean), JointCutting(T, each.corrupted), each.positions) for each in groups]


def zero_ablation(T: Transformer, pairs: Sequence[Pair]) -> Mapping[Edge, float]:
    """Score each edge by what changes when its source writes 0 for its reader."""
    return _scores(T, pairs, lambda found: [None] * len(found))


def mean_ablation(T: Transformer, pairs: Sequence[Pair]) -> Mapping[Edge, float]:
    """Score each edge by what changes when its source writes its mean over the clean inputs, at each position."""
    return _scores(T, pairs, _means)


def activation_patching(T: Transformer, pairs: Sequence[Pair]) -> Mapping[Edge, float]:
    """Score each edge by what changes when its source writes what it writes on the corrupted input."""
    return _scores(T, pairs, lambda found: [batch.corrupted.outputs() for batch in found])


def _scores(T: Transformer, pairs: Sequence[Pair], values: Values) -> dict[Edge, float]:
    found = batches(T, pairs)
    written = values(found)
    before = [batch.difference(batch.clean.numbers()) for batch in found]
    scores = dict.fromkeys(edges(T), 0.0)  # an edge whose ends share no lane changes nothing
    for edge in connected_edges(T):
        moved = [
            np.abs(batch.difference(batch.clean.numbers([edge], there)) - old)
            for batch, there, old in zip(found, written, before, strict=True)
        ]
        scores[edge] = float(np.concatenate(moved).mean())
    return scores


def _means(found: Sequence[Batch]) -> list[Outputs]:
    """Return the mean of what each component writes at each position, over the inputs that have it, for each batch."""
    A = found[0].clean.T.arithmetic.core
    longest = max(batch.clean.ids.shape[1] for batch in found)
    outputs = [batch.clean.outputs() for batch in found]
    means = dict[Node, Array]()
    for node in outputs[0]:
        total, count = np.zeros((longest, outputs[0][node].shape[-1])), np.zeros((longest, 1))
        for there in outputs:
            inputs, length, _ = there[node].shape
            total[:length] += np.asarray(there[node], np.float64).sum(axis=0)
            count[:length] += inputs
        means[node] = A.encoded(A.round(total / count))
    return [
        {node: np.broadcast_to(mean[: batch.clean.ids.shape[1]], there[node].shape) for node, mean in means.items()}
        for batch, there in zip(found, outputs, strict=True)
    ]
