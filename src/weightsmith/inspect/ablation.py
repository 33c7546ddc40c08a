"""Ablation: a run without what a head, a sublayer, a block or some neurons add."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import overload

import numpy as np

from weightsmith.errors import InputError, ModelError, shown
from weightsmith.inspect.asked import Sublayer, Target, checked_run, positions_at, stage_at, target
from weightsmith.inspect.patch import neurons_at
from weightsmith.inspect.run import Run, Sums
from weightsmith.inspect.swaps import Swap, again
from weightsmith.model import Transformer
from weightsmith.model.lookup import attention_at, attention_stage, block_at, feed_forward_stage, head_at, layer_at
from weightsmith.tables import Table, Tabled, number


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
    """Run a run's transformer on its input once more, without a part of it.

    The part is a head (head=1: it adds nothing), a sublayer (sublayer="attention" or "feed-forward": the stream passes
    as if it were absent, its norm included), neurons (neurons=[0, "a name"]: their activations are 0) or, with none of
    these, the whole block. `positions` are those at which it is left out, all unless given. What was patched or ablated
    in the run stays so.
    """
    T = checked_run(run).transformer
    there, b = block_at(T, block), int(block)
    if [head, sublayer, neurons].count(None) < 2:
        raise InputError("say one thing to leave out: head=0, sublayer='attention', neurons=[0], or the block alone")
    rows = positions_at(run, positions)
    lanes, count = range(len(T.lanes)), len(run.tokens)
    if head is not None:
        nothing = np.zeros((count, len(lanes)))
        return again(run, [Swap("head", b, head_at(T, b, head), rows, lanes, nothing)], sums)
    if neurons is not None:
        chosen = neurons_at(T, b, neurons)
        silent = np.zeros((count, len(layer_at(T, b).W_1)))
        return again(run, [Swap("activations", b, 0, rows, chosen, silent)], sums)
    if sublayer is None:
        stages = [attention_stage(b), feed_forward_stage(b)]
    else:
        stages = [stage_at(T, b, sublayer, "sublayer")]
        if (there.attention if sublayer == "attention" else there.feed_forward) is None:
            raise InputError(f"block {b} has no {sublayer} to leave out")
    return again(run, [Swap("stream", stage, 0, rows, lanes, None) for stage in stages], sums)


@dataclass(frozen=True)
class Ablation:
    """What a run says without one head, or without one feed-forward layer."""

    block: int
    head: int | None  # None for the feed-forward layer
    decision: str
    logit: float  # of the class, or its difference to that of another
    change: float  # against the run

    def __str__(self) -> str:
        """Name what was left out."""
        return f"block {self.block}, " + ("feed-forward" if self.head is None else f"head {self.head}")


@dataclass(frozen=True, eq=False)
class Ablations(Tabled, Sequence[Ablation]):
    """A run without each of its heads and feed-forward layers in turn."""

    run: Run = field(repr=False)
    target: Target
    logit: float  # of the run
    rows: tuple[Ablation, ...]

    def __len__(self) -> int:
        """Return how many they are."""
        return len(self.rows)

    @overload
    def __getitem__(self, place: int) -> Ablation: ...
    @overload
    def __getitem__(self, place: slice) -> tuple[Ablation, ...]: ...
    def __getitem__(self, place: int | slice) -> Ablation | tuple[Ablation, ...]:
        """Return one of them, or some."""
        return self.rows[place]

    def table(self) -> Table:
        """Return them as a table below the run itself; decisions that are other ones stand out."""
        infinity = self.run.transformer.arithmetic.infinity
        result = Table("without", "decision", str(self.target), "change", right=[2, 3])
        result.add("nothing", shown(self.run.decision), number(self.logit, infinity), "", style="faint")
        for row in self.rows:
            change = number(row.change, infinity)
            cells = (shown(row.decision), number(row.logit, infinity), f"+{change}" if row.change > 0 else change)
            result.add(str(row), *cells, style="" if row.decision == self.run.decision else "new")
        return result


def ablations(run: Run, wanted: str | None = None, over: str | None = None, *, sums: Sums | None = None) -> Ablations:
    """Ablate every head and every feed-forward layer in turn; return what each run then says.

    The logit is that of `wanted`, which is the run's decision unless given, or the difference to that of `over`.
    """
    T = checked_run(run).transformer
    asked = target(T, run.decision if wanted is None else wanted, over)
    logit, rows = float(asked.of(run.logits)), []
    for b, i in _parts(T):
        try:
            found = ablate(run, block=b, head=i, sublayer="feed-forward" if i is None else None, sums=sums)
        except ModelError as error:
            what = "feed-forward" if i is None else f"head {i}"
            raise ModelError(f"without block {b}, {what}: {error}") from None
        now = float(asked.of(found.logits))
        rows.append(Ablation(b, i, found.decision, now, now - logit))
    return Ablations(run, asked, logit, tuple(rows))


def _parts(T: Transformer) -> Iterator[tuple[int, int | None]]:
    """Go through the heads and feed-forward layers, as block and head."""
    for b, block in enumerate(T.blocks):
        if block.attention is not None:
            yield from ((b, i) for i in range(len(attention_at(T, b).heads)))
        if block.feed_forward is not None:
            yield b, None
