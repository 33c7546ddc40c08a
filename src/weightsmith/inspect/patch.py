"""Activation patching: one run with some values of another, or with values of one's own, and swaps in general."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import InputError, brief, existing
from weightsmith.inspect.arguments import (
    Place,
    check_alike,
    checked_place,
    checked_run,
    lanes_at,
    neurons_at,
    numbers_at,
    positions_at,
)
from weightsmith.inspect.run import Run, Sums
from weightsmith.inspect.run import run as run_anew
from weightsmith.model.lookup import block_at, head_at
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import Change, unchanged
from weightsmith.semantics.reference import Reference


@dataclass(frozen=True, eq=False)
class Swap:
    """Values that replace those of a run at one site, at some positions and in some columns."""

    site: Site
    positions: Sequence[int]
    columns: Sequence[int]  # lanes or neurons
    values: Array | None  # (positions, columns); None: the stream one stage before
    source: Run | None = None  # the run that the values come from

    def put(self, old: Array, before: Array) -> Array:
        """Return the old values with these in their place; both arrays may have further axes in front."""
        rows, columns = np.ix_(self.positions, self.columns)
        source = before if self.values is None else self.values
        new = old.copy()
        new[..., rows, columns] = source[..., rows, columns]
        return new


def last_swap(run: Run, site: Site, position: int) -> Swap | None:
    """Return the last swap at a site and position; None where the run computed the values itself."""
    made: tuple[Swap, ...] = run.swaps
    return next((swap for swap in reversed(made) if swap.site == site and position in swap.positions), None)


def replaced(run: Run, site: Site, position: int) -> tuple[frozenset[int], bool]:
    """Return the columns that hold put-in values at a site of the stream, and whether the sublayer was left out."""
    columns, left_out = frozenset[int](), False
    for swap in run.swaps:
        if swap.site == site and position in swap.positions:
            left_out = left_out or swap.values is None
            columns = columns - {*swap.columns} if swap.values is None else columns | {*swap.columns}
    return columns, left_out


def changing(swaps: Sequence[Swap], further: Change = unchanged) -> Change:
    """Return the change that makes swaps in order, and then a further change."""
    if further is unchanged and not swaps:
        return unchanged
    before: list[Array] = [np.zeros(0)]  # the stream one stage before

    def change(site: Site, values: Array) -> Array:
        for swap in swaps:
            if swap.site == site:
                values = swap.put(values, before[0])
        values = further(site, values)
        if site.in_stream:
            before[0] = values
        return values

    if further is unchanged:
        change.sites = frozenset(swap.site for swap in swaps)  # type: ignore[attr-defined]  # see `may_change`
    return change


def again(run: Run, swaps: Sequence[Swap], sums: Sums | None) -> Run:
    """Run the transformer of a run on its input again, with the swaps of the run and then these."""
    every = (*run.swaps, *swaps)
    result = run_anew(run.transformer, run.tokens, sums=sums, change=changing(every))
    return replace(result, swaps=every)


def can_go_on(run: Run, sums: Sums | None) -> bool:
    """Return whether its stream, until some stage, is that of a run with these sums: it has no changes of its own."""
    return not run.changed and (run.sums == sums or not isinstance(run.transformer.arithmetic, Native))


def stream_of_several(run: Run, stage: int, count: int, engine: Reference) -> list[Array]:
    """Return the stream of a run until a stage, for several continuations; that of the last stage may be changed."""
    shape, stream = (count, *run.stream.shape[1:]), run.stream[: stage + 1]
    every = [np.broadcast_to(engine.A.encoded(each), shape) for each in stream]
    return [*every[:-1], every[-1].copy()]


def patch(
    a: Run,
    b: Run | Mapping[str, float],
    block: int | None = None,
    *,
    after: Place | None = None,
    head: int | None = None,
    neurons: Sequence[int | str] | None = None,
    lanes: Sequence[str] | None = None,
    positions: Sequence[int] | None = None,
    sums: Sums | None = None,
) -> Run:
    """Run a's transformer on a's input again, with values of run b at one site, or with numbers for some lanes.

    The site is the stream after a sublayer (after="attention" or after="feed-forward"), the output of a head (head=0),
    or the activations of neurons (neurons=[0, "a name"]), each of a block; or the stream after the embedding
    (after="embedding", without a block). `lanes` are those that are taken, all by default, and `positions` those at
    which values are replaced, all by default. Instead of run b, a dictionary sets lanes to numbers:
    patch(a, {"x": 1.5}, 0, after="attention", positions=[2]). Everything behind the site is computed again. Patches and
    ablations of run a stay.
    """
    T = checked_run(a).transformer
    if [after, head, neurons].count(None) != 2:
        raise InputError("say at which place: write after='attention' or 'feed-forward', or head=0, or neurons=[0]")
    if after is not None and checked_place(after) == "embedding":
        if block is not None:
            raise InputError(f"block={brief(block)}: the embedding belongs to no block; write after='embedding' alone")
    else:
        block_at(T, block)
    if isinstance(b, Mapping):
        return again(a, [_set(a, b, block, after, head, neurons, lanes, positions_at(a, positions))], sums)
    check_alike(a, b, "arithmetic", "lanes")
    rows = positions_at(a, positions, b)
    return again(a, [_swap(a, b, block, after, head, neurons, lanes, rows)], sums)


def _set(
    a: Run, given: Mapping[str, float], block: Any, after: Any, head: Any, neurons: Any, lanes: Any, rows: Sequence[int]
) -> Swap:
    """Return numbers for lanes, the same at each position."""
    T = a.transformer
    if neurons is not None:
        raise InputError("a dictionary sets lanes: write after='attention' or head=0 instead of neurons")
    if lanes is not None:
        raise InputError(f"lanes={brief(lanes)}: the dictionary names the lanes already; leave lanes out")
    columns, numbers = numbers_at(T, given)
    values = np.zeros((len(a.tokens), len(T.lanes)))
    values[:, columns] = numbers
    site = Site(after, block) if after is not None else Site("head", block, head_at(T, block, head))
    return Swap(site, rows, columns, values)


def _swap(a: Run, b: Run, block: Any, after: Any, head: Any, neurons: Any, lanes: Any, rows: Sequence[int]) -> Swap:
    """Return b's values at the site."""
    T = a.transformer
    if block is not None and block >= len(b.transformer.blocks):
        raise InputError(f"the second run has no block {block}: its transformer has {len(b.transformer.blocks)}")
    if neurons is not None and lanes is not None:
        raise InputError(f"lanes={brief(lanes)} with neurons: activations have no lanes; leave lanes out")
    chosen = lanes_at(T, lanes)
    if after is not None:
        site = Site(after, block)
        return Swap(site, rows, chosen, b.stream[site.stage], b)
    if head is not None:
        count = min(len(a.heads[block]), len(b.heads[block]))
        i = existing(head, count, "head", f" in block {block} of both runs")
        return Swap(Site("head", block, i), rows, chosen, b.heads[block][i].output, b)
    chosen = neurons_at(T, block, neurons)
    if a.activations[block].shape[1] != b.activations[block].shape[1]:
        raise InputError(f"block {block} does not have the same neurons in both runs")
    return Swap(Site("activations", block), rows, chosen, b.activations[block], b)
