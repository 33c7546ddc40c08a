"""Attribution of edges by gradients: one clean run and its gradients score all edges at once.

The score of an edge is the change of what its source writes, from the clean to the corrupted run, times the gradient at
the input that reads it. To first order, this is the change of the metric if that input alone reads the corrupted
source. The methods load PyTorch when they are called.
"""

from collections.abc import Iterator, Mapping, Sequence
from typing import Literal, TypeAlias

from weightsmith.circuits import lazy
from weightsmith.circuits.pairs import Pair, grouped
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.export.capabilities import require_packages
from weightsmith.inspect.components import Edge
from weightsmith.inspect.edges import edges
from weightsmith.model import Transformer

Towards: TypeAlias = Literal["corrupted", "zero"]
MOST_STEPS = 1000


def edge_attribution_patching(
    T: Transformer, pairs: Sequence[Pair], *, towards: Towards = "corrupted"
) -> Mapping[Edge, float]:
    """Score every edge by (corrupted − clean output of the source) · gradient at the input that reads it.

    The gradient is that of the logit of the clean run's answer minus the logit of the corrupted run's answer, at the
    position of the pair; where they are the same, minus the largest other logit of the clean run. With a readout, it is
    that of the codes, projected on the line from the corrupted to the clean code: 1 at the clean one, 0 at the
    corrupted one; equal codes give 0.

    The score is the mean magnitude over all pairs. `towards="zero"` compares with a source that writes nothing, as
    ablation does.
    """
    return _scores(T, pairs, 0, towards)


def edge_integrated_gradients(
    T: Transformer, pairs: Sequence[Pair], *, steps: int = 5, towards: Towards = "corrupted"
) -> Mapping[Edge, float]:
    """Score every edge as `edge_attribution_patching` does, with the mean gradient of runs between clean and corrupted.

    The input of the first block moves in a straight line from its clean to its corrupted value, or to 0. The line is
    divided into `steps` equal parts, and the model is run at the middle of each.
    """
    return _scores(T, pairs, whole_number(steps, "steps", 1, MOST_STEPS), towards)


def _scores(T: Transformer, pairs: Sequence[Pair], steps: int, towards: Towards) -> Mapping[Edge, float]:
    """Return the score of every edge; without steps, from the gradient of the clean run."""
    if towards not in ("corrupted", "zero"):
        raise InputError(f"towards={brief(towards)}: write 'corrupted' or 'zero'")
    batched = list(batches(T, pairs))
    found = dict.fromkeys(edges(T), 0.0)
    for batch, tapped in batched:
        for edge, scores in lazy.scores_of_pairs(tapped, batch, steps, towards, list(found)).items():
            found[edge] += float(scores.abs().sum())
    return {edge: score / len(pairs) for edge, score in found.items()}


def batches(T: Transformer, pairs: Sequence[Pair]) -> "Iterator[tuple[lazy.Batch, lazy.Tapped]]":
    """Yield pairs of one length at a time, with the transformer as a module; refuse pairs that do not fit it."""
    groups = grouped(T, pairs)
    require_packages("PyTorch")
    tapped = lazy.Tapped(T)
    for group in groups:
        yield lazy.Batch.of(group.clean, group.corrupted, group.positions), tapped
