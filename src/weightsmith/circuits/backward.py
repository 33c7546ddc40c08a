"""Backward passes through a run of circuit discovery: gradients of its metric, and the scores of edges.

This module loads PyTorch; `lazy` has its names.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Self, TypeVar

import torch
from torch import Tensor

from weightsmith.circuits.gradients import Towards
from weightsmith.circuits.tapped import Tapped, TappedRun
from weightsmith.inspect.components import Edge, Input, Node, read_at
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids

Name = TypeVar("Name", bound=str)  # of an input


@dataclass(frozen=True)
class Batch:
    """Pairs of one length: ids of their inputs, (pairs, positions), and the position of each."""

    clean: Tensor
    corrupted: Tensor
    positions: Tensor

    @classmethod
    def of(cls, clean: Ids, corrupted: Ids, positions: Ids) -> Self:
        """Return pairs as tensors."""
        return cls(*(torch.tensor(each, dtype=torch.int64) for each in (clean, corrupted, positions)))


def metric(T: Transformer, clean: Tensor, corrupted: Tensor, positions: Tensor) -> Tensor:
    """Return the directions of the metric in the outputs, (pairs, positions, …): the metric is their product."""
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


def gradients(run: TappedRun, direction: Tensor, at: Sequence[Tensor]) -> list[Tensor]:
    """Return the gradients of the metric at some values of a run; 0 where it does not depend on them."""
    found = torch.autograd.grad((run.numbers * direction).sum(), list(at), allow_unused=True, retain_graph=True)
    return [torch.zeros_like(value) if each is None else each for each, value in zip(found, at, strict=True)]


def scores_of_pairs(
    tapped: Tapped, batch: Batch, steps: int, towards: Towards, wanted: Sequence[Edge]
) -> dict[Edge, Tensor]:
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


def norms_at_parts(tapped: Tapped, batch: Batch) -> Iterator[tuple[str, list[float]]]:
    """Yield the name of each part of the clean run, in the order of its blocks, with the norms for each pair."""
    run, other = tapped.run(batch.clean), tapped.run(batch.corrupted)
    direction = metric(tapped.T, run.numbers.detach(), other.numbers.detach(), batch.positions)
    parts: list[tuple[tuple[Node, str], Tensor]] = [*run.projected.items()]
    parts += [((node, "in"), run.copies[node, "in"]) for node in run.neurons]
    parts += [((node, "neurons"), value) for node, value in run.neurons.items()]
    parts.sort(key=lambda each: (each[0][0].block, each[0][0].kind == "mlp"))
    for (part, _), each in zip(parts, gradients(run, direction, [value for _, value in parts]), strict=True):
        for (node, name), gradient in _by_head(part, each):
            yield f"{node}.{name}", gradient.flatten(1).norm(dim=1).tolist()


def _by_head(part: tuple[Node, Name], gradient: Tensor) -> Iterator[tuple[tuple[Node, Name], Tensor]]:
    """Yield the gradients at each input of a group of heads, or at that of another component."""
    node, name = part
    if node.kind != "head":
        yield part, gradient
        return
    for i, each in enumerate(gradient.unbind(1)):
        yield (Node("head", node.block, node.index + i), name), each


def _along_the_stream(tapped: Tapped, run: TappedRun) -> Callable[[int, Tensor, Sequence[Node]], Sequence[Tensor]]:
    """Return a function from the gradient at a stage to that at what sources write, along the stream alone.

    It is the same, but for what is on the way: norms after sublayers, and sums that end at ±∞.
    """
    if not tapped.spreads and not tapped.ended:
        return lambda stage, gradient, sources: [gradient] * len(sources)
    leaves = {node: value.detach().requires_grad_() for node, value in run.outputs.items()}
    stream = tapped.streams(leaves)
    return lambda stage, gradient, sources: torch.autograd.grad(
        stream[stage], [leaves[node] for node in sources], gradient, retain_graph=True
    )
