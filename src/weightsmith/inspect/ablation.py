"""Ablation: a run without a head, a sublayer, a block or some neurons."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from math import nan
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, ModelError, position_of
from weightsmith.inspect.arguments import (
    Sublayer,
    Target,
    checked_run,
    checked_sublayer,
    neurons_at,
    positions_at,
    usual_target,
)
from weightsmith.inspect.output import answer, answer_at, answers_of, numbers_of_evaluation, numbers_of_run
from weightsmith.inspect.patch import Swap, again, can_go_on, stream_of_several
from weightsmith.inspect.run import NUMBERS_AT_ONCE, Run, Sums
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer, value_text
from weightsmith.model.lookup import block_at, head_at, layer_at
from weightsmith.model.readout import code_text
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import numbers_held
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
    """The decision of a run without one head, or without one feed-forward layer, and a number of its output."""

    block: int
    head: int | None  # None for the feed-forward layer
    decision: Any  # NO_VALUE, shown as ?, for a code without a value
    value: float  # the logit or the value of the target; NaN without one
    change: float  # of the value, against the run
    code: tuple[float, ...] | None = None  # in the lanes of the readout

    @property
    def logit(self) -> float:
        """The logit of the class, or its difference to that of another: the value."""
        return self.value

    def __str__(self) -> str:
        """Name the part that was left out."""
        return _site(self.block, self.head).label


@dataclass(frozen=True, eq=False)
class Ablations(TabledRows[Ablation]):
    """A run without each of its heads and feed-forward layers in turn."""

    run: Run = field(repr=False)
    target: Target | None  # None: the whole code of a readout with several lanes
    value: float  # of the run; NaN without a target
    rows: tuple[Ablation, ...]
    position: int = -1  # at which the output is read

    @property
    def logit(self) -> float:
        """The logit of the class in the run, or its difference to that of another: the value."""
        return self.value

    def table(self) -> Table:
        """Return the rows as a table below the run itself; changed decisions stand out."""
        infinity, here = self.run.transformer.arithmetic.infinity, position_of(self.position, len(self.run.tokens))
        decision = answer_at(self.run, here)
        if self.target is None:
            result = Table("without", "decision", "code")
            result.add(
                "nothing", value_text(decision), code_text(numbers_of_run(self.run, here).tolist()), style="faint"
            )
        else:
            result = Table("without", "decision", str(self.target), "change", right=[2, 3])
            result.add("nothing", value_text(decision), number(self.value, infinity), "", style="faint")
        for row in self.rows:
            cells = [code_text(row.code)] if self.target is None and row.code is not None else _cells(row, infinity)
            result.add(str(row), value_text(row.decision), *cells, style="" if row.decision == decision else "new")
        return result


def _cells(row: Ablation, infinity: float) -> list[str]:
    change = number(row.change, infinity)
    return [number(row.value, infinity), f"+{change}" if row.change > 0 else change]


def ablations(
    run: Run, wanted: str | None = None, over: str | None = None, *, position: int = -1, sums: Sums | None = None
) -> Ablations:
    """Ablate every head and every feed-forward layer in turn; return the decision and logit of each run.

    The logit is that of `wanted`, by default the run's decision, or its difference to that of `over`. Of a readout it
    is the value of a lane, by default of its only one; with several lanes the rows show the whole code. The output is
    read at `position`, by default the last one.
    """
    T, here = checked_run(run).transformer, position_of(position, len(run.tokens))
    asked = usual_target(run, wanted, over, here)
    value, rows = nan if asked is None else float(asked.of(numbers_of_run(run, here))), []
    for (b, i), numbers in zip(_parts(T), _ablated(run, here, sums), strict=True):
        now = nan if asked is None else float(asked.of(numbers))
        decision = answer(T, int(answers_of(T, numbers)))
        code = None if T.readout is None else tuple(numbers.tolist())
        rows.append(Ablation(b, i, decision, now, now - value, code))
    return Ablations(run, asked, value, tuple(rows), position)


def _ablated(run: Run, here: int, sums: Sums | None) -> Iterator[Array]:
    """Yield the numbers of the output without each part, in the order of `_parts`.

    Runs without the heads of one block go on together from the entry of the block.
    """
    T = run.transformer
    most = max(1, NUMBERS_AT_ONCE // numbers_held(T, len(run.tokens)))
    for b, block in enumerate(T.blocks):
        count = len(block.attention.heads) if block.attention is not None else 0
        for first in range(0, count, most):
            some = range(first, min(first + most, count))
            try:
                if not can_go_on(run, sums):
                    raise ModelError("")
                yield from _without_heads(run, b, some, here, sums)
            except ModelError:  # one by one: an error names its part
                yield from (_without(run, b, i, here, sums) for i in some)
        if block.feed_forward is not None:
            yield _without(run, b, None, here, sums)


def _without(run: Run, b: int, i: int | None, here: int, sums: Sums | None) -> Array:
    """Return the numbers of the output without one part."""
    try:
        if i is None and can_go_on(run, sums):  # the stream passes from one block to the next
            engine = engine_for(run.transformer, sums)
            stream = stream_of_several(run, Site("attention", b).stage, 1, engine)
            found: Array = numbers_of_evaluation(run.transformer, engine.onward([*stream, stream[-1]]), here, sums)[0]
            return found
        ablated = ablate(run, block=b, head=i, sublayer="feed-forward" if i is None else None, sums=sums)
    except ModelError as error:
        raise ModelError(f"without {_site(b, i).label}: {error}") from None
    return numbers_of_run(ablated, here)


def _without_heads(run: Run, b: int, some: range, here: int, sums: Sums | None) -> Array:
    """Return the numbers of the output without each of some heads of a block."""
    engine = engine_for(run.transformer, sums)

    def silenced(site: Site, values: Array) -> Array:
        if site.kind != "head" or site.block != b or site.index is None or site.index not in some:
            return values
        new = values.copy()
        new[some.index(site.index)] = 0.0
        return new

    silenced.sites = frozenset(Site("head", b, i) for i in some)  # type: ignore[attr-defined]  # see `may_change`
    stream = stream_of_several(run, 2 * b, len(some), engine)
    return numbers_of_evaluation(run.transformer, engine.onward(stream, change=silenced), here, sums)


def _site(block: int, head: int | None) -> Site:
    return Site("feed-forward", block) if head is None else Site("head", block, head)


def _parts(T: Transformer) -> Iterator[tuple[int, int | None]]:
    """Yield the heads and feed-forward layers, as block and head."""
    for b, block in enumerate(T.blocks):
        if block.attention is not None:
            yield from ((b, i) for i in range(len(block.attention.heads)))
        if block.feed_forward is not None:
            yield b, None
