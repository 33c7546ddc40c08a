"""Ablation: a run without a head, a sublayer, a block or some neurons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from weightsmith.errors import InputError, ModelError, shown
from weightsmith.inspect.arguments import (
    Sublayer,
    Target,
    checked_run,
    checked_sublayer,
    neurons_at,
    positions_at,
    target,
)
from weightsmith.inspect.patch import Swap, again
from weightsmith.inspect.run import Run, Sums
from weightsmith.model import Transformer
from weightsmith.model.lookup import block_at, head_at, layer_at
from weightsmith.model.sites import Site
from weightsmith.tables import Table, TabledRows, number


def ablate(
    run: Run,
    *,
    block: int,
    head: int | None = None,
    sublayer: Sublayer | None = None,
    neurons: Sequence[int | str] | None = None,
    positions: Sequence[int] | None = None,
    sums: Sums | None = None,
) -> Run:
    """Run a run's transformer on its input again, without a part of it.

    The part is a head (head=1: its output is 0), a sublayer (sublayer="attention" or "feed-forward": the stream passes
    as if it were absent, its norm included), neurons (neurons=[0, "a name"]: their activations are 0) or, with none of
    these, the whole block. `positions` are those at which it is left out, all by default. Patches and ablations of the
    run stay.
    """
    T = checked_run(run).transformer
    there, b = block_at(T, block), int(block)
    if [head, sublayer, neurons].count(None) < 2:
        raise InputError("say one thing to leave out: head=0, sublayer='attention', neurons=[0], or the block alone")
    rows = positions_at(run, positions)
    lanes, count = range(len(T.lanes)), len(run.tokens)
    if head is not None:
        nothing = np.zeros((count, len(lanes)))
        return again(run, [Swap(Site("head", b, head_at(T, b, head)), rows, lanes, nothing)], sums)
    if neurons is not None:
        chosen = neurons_at(T, b, neurons)
        silent = np.zeros((count, len(layer_at(T, b).W_1)))
        return again(run, [Swap(Site("activations", b), rows, chosen, silent)], sums)
    left_out: list[Sublayer] = ["attention", "feed-forward"]
    if sublayer is not None:
        left_out = [checked_sublayer(sublayer, "sublayer")]
        if (there.attention if sublayer == "attention" else there.feed_forward) is None:
            raise InputError(f"block {b} has no {sublayer} to leave out")
    return again(run, [Swap(Site(name, b), rows, lanes, None) for name in left_out], sums)


@dataclass(frozen=True)
class Ablation:
    """The decision and logit of a run without one head, or without one feed-forward layer."""

    block: int
    head: int | None  # None for the feed-forward layer
    decision: str
    logit: float  # of the class, or its difference to that of another
    change: float  # against the run

    def __str__(self) -> str:
        """Name the part that was left out."""
        return _site(self.block, self.head).label


@dataclass(frozen=True, eq=False)
class Ablations(TabledRows[Ablation]):
    """A run without each of its heads and feed-forward layers in turn."""

    run: Run = field(repr=False)
    target: Target
    logit: float  # of the run
    rows: tuple[Ablation, ...]

    def table(self) -> Table:
        """Return the rows as a table below the run itself; changed decisions stand out."""
        infinity = self.run.transformer.arithmetic.infinity
        result = Table("without", "decision", str(self.target), "change", right=[2, 3])
        result.add("nothing", shown(self.run.decision), number(self.logit, infinity), "", style="faint")
        for row in self.rows:
            change = number(row.change, infinity)
            cells = (shown(row.decision), number(row.logit, infinity), f"+{change}" if row.change > 0 else change)
            result.add(str(row), *cells, style="" if row.decision == self.run.decision else "new")
        return result


def ablations(run: Run, wanted: str | None = None, over: str | None = None, *, sums: Sums | None = None) -> Ablations:
    """Ablate every head and every feed-forward layer in turn; return the decision and logit of each run.

    The logit is that of `wanted`, by default the run's decision, or its difference to that of `over`.
    """
    T = checked_run(run).transformer
    asked = target(T, run.decision if wanted is None else wanted, over)
    logit, rows = float(asked.of(run.logits)), []
    for b, i in _parts(T):
        try:
            ablated = ablate(run, block=b, head=i, sublayer="feed-forward" if i is None else None, sums=sums)
        except ModelError as error:
            raise ModelError(f"without {_site(b, i).label}: {error}") from None
        now = float(asked.of(ablated.logits))
        rows.append(Ablation(b, i, ablated.decision, now, now - logit))
    return Ablations(run, asked, logit, tuple(rows))


def _site(block: int, head: int | None) -> Site:
    return Site("feed-forward", block) if head is None else Site("head", block, head)


def _parts(T: Transformer) -> Iterator[tuple[int, int | None]]:
    """Yield the heads and feed-forward layers, as block and head."""
    for b, block in enumerate(T.blocks):
        if block.attention is not None:
            yield from ((b, i) for i in range(len(block.attention.heads)))
        if block.feed_forward is not None:
            yield b, None
