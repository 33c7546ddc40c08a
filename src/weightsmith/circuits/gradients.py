"""Attribution of edges by gradients: one clean run and its gradients score all edges at once.

The score of an edge is what its source writes differently in the corrupted run, times the gradient at the input that
reads it. To first order, so much changes if this input alone sees the corrupted source. The methods load PyTorch when
they are called.
"""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

import numpy as np

from weightsmith.circuits.pairs import Pair
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.export.capabilities import require_packages
from weightsmith.inspect.edges import Edge, Input, Node, edges, read_at
from weightsmith.model import Transformer
from weightsmith.model.tokens import read_tokens, token_ids

if TYPE_CHECKING:
    from torch import Tensor

    from weightsmith.circuits.tapped import Tapped, TappedRun

Towards: TypeAlias = Literal["corrupted", "zero"]
MOST_STEPS = 1000


@dataclass(frozen=True)
class Batch:
    """Pairs of one length: ids of their inputs, (pairs, positions), and the position of each."""

    clean: "Tensor"
    corrupted: "Tensor"
    positions: "Tensor"


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

    What enters the first block goes from its clean to its corrupted value, or to 0, in so many steps; each is run at
    its middle.
    """
    return _scores(T, pairs, whole_number(steps, "steps", 1, MOST_STEPS), towards)


def _scores(T: Transformer, pairs: Sequence[Pair], steps: int, towards: Towards) -> Mapping[Edge, float]:
    """Return the score of every edge; without steps, from the gradient of the clean run."""
    if towards not in ("corrupted", "zero"):
        raise InputError(f"towards={brief(towards)}: write 'corrupted' or 'zero'")
    batched = list(batches(T, pairs))
    found = dict.fromkeys(edges(T), 0.0)
    for batch, tapped in batched:
        for edge, scores in scores_of_pairs(tapped, batch, steps, towards, list(found)).items():
            found[edge] += float(scores.abs().sum())
    return {edge: score / len(pairs) for edge, score in found.items()}


def batches(T: Transformer, pairs: Sequence[Pair]) -> "Iterator[tuple[Batch, Tapped]]":
    """Yield pairs of one length at a time, with the transformer as a module; refuse pairs that do not fit it."""
    if not isinstance(T, Transformer):
        raise InputError(f"{brief(T)} is not a transformer: of a compiled program write P.transformer")
    if isinstance(pairs, str | Pair) or not isinstance(pairs, Sequence) or not pairs:
        raise InputError(f"pairs={brief(pairs)}: write a list of at least one Pair(clean, corrupted, position)")
    by_length: dict[int, list[tuple[Any, Any, int]]] = {}
    for n, pair in enumerate(pairs):
        if not isinstance(pair, Pair):
            raise InputError(f"pairs[{n}]={brief(pair)}: write Pair(clean, corrupted, position)")
        clean, corrupted = (token_ids(T, read_tokens(T, each)) for each in (pair.clean, pair.corrupted))
        if len(clean) != len(corrupted):
            raise InputError(
                f"pairs[{n}] has {len(clean)} clean and {len(corrupted)} corrupted tokens: write inputs of one length"
            )
        position = whole_number(pair.position, f"pairs[{n}].position", 0, len(clean) - 1)
        by_length.setdefault(len(clean), []).append((clean, corrupted, position))
    require_packages("PyTorch")
    import torch  # here, because it may be missing

    from weightsmith.circuits.tapped import Tapped

    tapped = Tapped(T)
    for group in by_length.values():
        yield Batch(*(torch.tensor(np.array(each), dtype=torch.int64) for each in zip(*group, strict=True))), tapped


def metric(T: Transformer, clean: "Tensor", corrupted: "Tensor", positions: "Tensor") -> "Tensor":
    """Return the directions of the metric in the outputs, (pairs, positions, …): the metric is their product."""
    import torch

    rows = torch.arange(len(positions))
    a, b = clean[rows, positions], corrupted[rows, positions]
    if T.readout is None:
        best = a.argmax(-1, keepdim=True)
        runner_up = a.scatter(-1, best, -torch.inf).argmax(-1, keepdim=True)
        other = b.argmax(-1, keepdim=True)
        other = torch.where(other == best, runner_up, other)
        direction = torch.zeros_like(a).scatter(-1, other, -1.0).scatter_add(-1, best, torch.ones_like(a))
    else:
        direction = (a - b) / ((a - b) ** 2).sum(-1, keepdim=True).clamp(min=1e-300)
    found = torch.zeros_like(clean)
    found[rows, positions] = direction
    return found


def gradients(run: "TappedRun", direction: "Tensor", at: "Sequence[Tensor]") -> "list[Tensor]":
    """Return the gradients of the metric at some values of a run; 0 where it does not depend on them."""
    import torch

    found = torch.autograd.grad((run.numbers * direction).sum(), list(at), allow_unused=True, retain_graph=True)
    return [torch.zeros_like(value) if each is None else each for each, value in zip(found, at, strict=True)]


def scores_of_pairs(
    tapped: "Tapped", batch: Batch, steps: int, towards: Towards, wanted: Sequence[Edge]
) -> "dict[Edge, Tensor]":
    """Return the scores of every edge, with their signs, for each pair."""
    clean, corrupted = tapped.run(batch.clean), tapped.run(batch.corrupted)
    direction = metric(tapped.T, clean.numbers.detach(), corrupted.numbers.detach(), batch.positions)
    moved = {
        node: (-value if towards == "zero" else corrupted.outputs[node] - value).detach()
        for node, value in clean.outputs.items()
    }
    starts = [node for node in clean.outputs if node.kind in ("embed", "pos_embed")]
    runs = [clean] if not steps else []
    for step in range(steps):
        share = (step + 0.5) / steps
        runs.append(tapped.run(batch.clean, {node: clean.outputs[node] + share * moved[node] for node in starts}))
    sources: dict[tuple[Node, Input], list[Node]] = {}
    for edge in wanted:
        sources.setdefault((edge.target, edge.input), []).append(edge.source)
    found: dict[Edge, Tensor] = {}
    for run in runs:
        passed_back = _along_the_stream(tapped, run)
        at = zip(run.copies, gradients(run, direction, list(run.copies.values())), strict=True)
        for (target, name), gradient in (each for reader, whole in at for each in _by_head(reader, whole)):
            own = sources[target, name]
            for source, each in zip(own, passed_back(read_at(tapped.T, target), gradient, own), strict=True):
                score = (moved[source] * each).sum((1, 2)) / len(runs)
                edge = Edge(source, target, name)
                found[edge] = found[edge] + score if edge in found else score
    return found


def _by_head(reader: tuple[Node, Input], gradient: "Tensor") -> "Iterator[tuple[tuple[Node, Input], Tensor]]":
    """Yield the gradients at each input of a group of heads, or at that of another component."""
    node, name = reader
    if node.kind != "head":
        yield reader, gradient
        return
    for i, each in enumerate(gradient.unbind(1)):
        yield (Node("head", node.block, node.index + i), name), each


def _along_the_stream(
    tapped: "Tapped", run: "TappedRun"
) -> "Callable[[int, Tensor, Sequence[Node]], Sequence[Tensor]]":
    """Return a function from the gradient at a stage to that at what sources write, along the stream alone.

    It is the same, but for what is on the way: norms after sublayers, and sums that end at ±∞.
    """
    if not tapped.spreads and not tapped.ended:
        return lambda stage, gradient, sources: [gradient] * len(sources)
    import torch

    leaves = {node: value.detach().requires_grad_() for node, value in run.outputs.items()}
    stream = tapped.streams(leaves)
    return lambda stage, gradient, sources: torch.autograd.grad(
        stream[stage], [leaves[node] for node in sources], gradient, retain_graph=True
    )
