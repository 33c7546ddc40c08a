"""Activation patching: one run with some values of another."""

from collections.abc import Sequence
from typing import Any

from weightsmith.errors import InputError, existing
from weightsmith.inspect.arguments import Sublayer, check_alike, checked_run, checked_sublayer, neurons_at, positions_at
from weightsmith.inspect.run import Run, Sums
from weightsmith.inspect.swaps import Swap, again
from weightsmith.model.places import block_at
from weightsmith.model.sites import Site


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
