"""Activation patching: one run with some values of another."""

from collections.abc import Sequence
from typing import Any, Literal, TypeAlias

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError
from weightsmith.memory.places import block_at, neuron_at
from weightsmith.model import Transformer
from weightsmith.model.names import brief
from weightsmith.semantics import Run, run
from weightsmith.semantics.run import Sums

Sublayer: TypeAlias = Literal["attention", "feed-forward"]


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
    given. Everything behind the place is computed anew.
    """
    for each in (a, b):
        if not isinstance(each, Run):
            raise InputError(f"{each!r:.80} is not a run: write patch(run(T, …), run(T, …), block, after='attention')")
    block_at(a.transformer, block)
    if [after, head, neurons].count(None) != 2:
        raise InputError("say at which place: write after='attention' or 'feed-forward', or head=0, or neurons=[0]")
    _check_alike(a.transformer, b.transformer)
    rows = _positions(a, b, positions)
    kind, place, which, values, columns = _place(a, b, block, after, head, neurons)

    def change(here: str, there: int, number: int, old: Array) -> Array:
        if (here, there, number) != (kind, place, which):
            return old
        new = old.copy()
        new[np.ix_(rows, columns)] = values[np.ix_(rows, columns)]
        return new

    return run(a.transformer, a.tokens, sums=sums, change=change)


def _check_alike(S: Transformer, T: Transformer) -> None:
    for name in ("arithmetic", "lanes"):
        if getattr(S, name) != getattr(T, name):
            raise InputError(
                f"the transformers of the two runs differ in their {name}: values of one do not fit the other"
            )


def _place(
    a: Run, b: Run, block: int, after: Any, head: Any, neurons: Any
) -> tuple[str, int, int, Array, Sequence[int]]:
    """Give the place as the run knows it, b's values there, and which columns of them are wanted."""
    T, lanes = a.transformer, range(len(a.transformer.lanes))
    if block >= len(b.transformer.blocks):
        raise InputError(f"the second run has no block {block}: its transformer has {len(b.transformer.blocks)}")
    if after is not None:
        if after not in ("attention", "feed-forward"):
            raise InputError(f"after={brief(after)}: write 'attention' or 'feed-forward'")
        stage = 2 * block + (1 if after == "attention" else 2)
        return "stream", stage, 0, b.stream[stage], lanes
    if head is not None:
        count = min(len(a.heads[block]), len(b.heads[block]))
        if type(head) is not int or not 0 <= head < count:
            raise InputError(f"block {block} has no head {brief(head)} in both runs: it has {count}")
        return "head", block, head, b.heads[block][head].output, lanes
    if isinstance(neurons, str) or not isinstance(neurons, Sequence):
        raise InputError(f"neurons={brief(neurons)}: write a list of numbers or names, such as [0]")
    chosen = [neuron_at(T, block, neuron) for neuron in neurons]
    if a.activations[block].shape[1] != b.activations[block].shape[1]:
        raise InputError(f"block {block} does not have the same neurons in both runs")
    return "activations", block, 0, b.activations[block], chosen


def _positions(a: Run, b: Run, positions: Any) -> list[int]:
    both = min(len(a.tokens), len(b.tokens))
    if positions is None:
        if len(a.tokens) != len(b.tokens):
            raise InputError(
                f"the inputs have {len(a.tokens)} and {len(b.tokens)} tokens: write positions=[…], from 0 to {both - 1}"
            )
        return list(range(both))
    if isinstance(positions, str) or not isinstance(positions, Sequence):
        raise InputError(f"positions={brief(positions)}: write a list of positions, such as [0]")
    for position in positions:
        if type(position) is not int or not 0 <= position < both:
            raise InputError(f"position {brief(position)} is not in both runs: they share 0 to {both - 1}")
    return list(positions)
