"""Activation patching: one run with some values of another, and swaps of values in general."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import InputError, existing
from weightsmith.inspect.arguments import Sublayer, check_alike, checked_run, checked_sublayer, neurons_at, positions_at
from weightsmith.inspect.run import Run, Sums
from weightsmith.inspect.run import run as run_anew
from weightsmith.model.lookup import block_at
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
    b: Run,
    block: int,
    *,
    after: Sublayer | None = None,
    head: int | None = None,
    neurons: Sequence[int | str] | None = None,
    positions: Sequence[int] | None = None,
    sums: Sums | None = None,
) -> Run:
    """Run a's transformer on a's input again, with values of run b at one site of a block.

    The site is the stream after a sublayer (after="attention" or after="feed-forward"), the output of a head (head=0),
    or the activations of neurons (neurons=[0, "a name"]). `positions` are those at which b's values are taken, all by
    default. Everything behind the site is computed again. Patches and ablations of run a stay.
    """
    block_at(checked_run(a).transformer, block)
    if [after, head, neurons].count(None) != 2:
        raise InputError("say at which place: write after='attention' or 'feed-forward', or head=0, or neurons=[0]")
    check_alike(a, b, "arithmetic", "lanes")
    rows = positions_at(a, positions, b)
    return again(a, [_swap(a, b, int(block), after, head, neurons, rows)], sums)


def _swap(a: Run, b: Run, block: int, after: Any, head: Any, neurons: Any, rows: Sequence[int]) -> Swap:
    """Return b's values at the site."""
    T, lanes = a.transformer, range(len(a.transformer.lanes))
    if block >= len(b.transformer.blocks):
        raise InputError(f"the second run has no block {block}: its transformer has {len(b.transformer.blocks)}")
    if after is not None:
        site = Site(checked_sublayer(after, "after"), block)
        return Swap(site, rows, lanes, b.stream[site.stage])
    if head is not None:
        count = min(len(a.heads[block]), len(b.heads[block]))
        i = existing(head, count, "head", f" in block {block} of both runs")
        return Swap(Site("head", block, i), rows, lanes, b.heads[block][i].output)
    chosen = neurons_at(T, block, neurons)
    if a.activations[block].shape[1] != b.activations[block].shape[1]:
        raise InputError(f"block {block} does not have the same neurons in both runs")
    return Swap(Site("activations", block), rows, chosen, b.activations[block])
