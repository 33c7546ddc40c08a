"""Activation patching: one run with some values of another."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from weightsmith.errors import InputError, brief
from weightsmith.inspect.asked import Sublayer, check_alike, checked_run, positions_at, stage_at
from weightsmith.inspect.run import Run, Sums
from weightsmith.inspect.swaps import Swap, again
from weightsmith.model.lookup import block_at, neuron_at
from weightsmith.model.names import existing


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
    """Run a's transformer on a's input once more, with values of run b at one place of a block.

    The place is the stream after a sublayer (after="attention" or after="feed-forward"), what a head adds (head=0), or
    the activations of neurons (neurons=[0, "a name"]). `positions` are those at which b's values are taken, all unless
    given. Everything behind the place is computed anew. What was patched or ablated in run a stays so.
    """
    block_at(checked_run(a).transformer, block)
    if [after, head, neurons].count(None) != 2:
        raise InputError("say at which place: write after='attention' or 'feed-forward', or head=0, or neurons=[0]")
    check_alike(a, b, "arithmetic", "lanes")
    rows = positions_at(a, positions, b)
    return again(a, [_swap(a, b, int(block), after, head, neurons, rows)], sums)


def _swap(a: Run, b: Run, block: int, after: Any, head: Any, neurons: Any, rows: Sequence[int]) -> Swap:
    """Return b's values at the place that is meant."""
    T, lanes = a.transformer, range(len(a.transformer.lanes))
    if block >= len(b.transformer.blocks):
        raise InputError(f"the second run has no block {block}: its transformer has {len(b.transformer.blocks)}")
    if after is not None:
        stage = stage_at(T, block, after, "after")
        return Swap("stream", stage, 0, rows, lanes, b.stream[stage])
    if head is not None:
        count = min(len(a.heads[block]), len(b.heads[block]))
        i = existing(head, count, "head", f" in block {block} of both runs")
        return Swap("head", block, i, rows, lanes, b.heads[block][i].output)
    chosen = neurons_at(T, block, neurons)
    if a.activations[block].shape[1] != b.activations[block].shape[1]:
        raise InputError(f"block {block} does not have the same neurons in both runs")
    return Swap("activations", block, 0, rows, chosen, b.activations[block])


def neurons_at(T: Any, block: int, neurons: Any) -> list[int]:
    """Return the numbers of neurons, which are given by their numbers or names."""
    if isinstance(neurons, str) or not isinstance(neurons, Sequence | np.ndarray):
        raise InputError(f"neurons={brief(neurons)}: write a list of numbers or names, such as [0]")
    return [neuron_at(T, block, neuron) for neuron in neurons]
