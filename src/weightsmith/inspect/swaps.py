"""Runs done once more with other values at some places: what patching and ablation are."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.inspect.run import Run, Sums
from weightsmith.inspect.run import run as run_anew
from weightsmith.semantics.evaluation import Change, unchanged


@dataclass(frozen=True, eq=False)
class Swap:
    """Values put in at one place of a run, at some positions and in some columns."""

    kind: Literal["stream", "head", "activations"]
    place: int  # the stage of the stream, or the block
    head: int  # 0 where it is not a head
    positions: Sequence[int]
    columns: Sequence[int]  # lanes or neurons
    values: Array | None  # (positions, columns); None: the stream as it was one stage before

    def put(self, old: Array, before: Array) -> Array:
        """Return the values with those that are put in; both may have further axes in front."""
        rows, columns = np.ix_(self.positions, self.columns)
        given = before if self.values is None else self.values
        new = old.copy()
        new[..., rows, columns] = given[..., rows, columns]
        return new


def last_swap(run: Run, kind: str, place: int, head: int, position: int) -> Swap | None:
    """Return what decides the values at a place and position, or None where the run itself computed them."""
    made: tuple[Swap, ...] = run.swaps
    for swap in reversed(made):
        if (swap.kind, swap.place, swap.head) == (kind, place, head) and position in swap.positions:
            return swap
    return None


def changing(swaps: Sequence[Swap], further: Change = unchanged) -> Change:
    """Return the change that puts values in, in order, and then makes a further one."""
    before: list[Array] = [np.zeros(0)]  # the stream one stage before

    def change(kind: str, place: int, head: int, values: Array) -> Array:
        for swap in swaps:
            if (swap.kind, swap.place, swap.head) == (kind, place, head):
                values = swap.put(values, before[0])
        values = further(kind, place, head, values)
        if kind == "stream":
            before[0] = values
        return values

    return change


def again(run: Run, swaps: Sequence[Swap], sums: Sums | None) -> Run:
    """Run a run's transformer on its input once more, with what was put in before, and then with these swaps."""
    every = (*run.swaps, *swaps)
    result = run_anew(run.transformer, run.tokens, sums=sums, change=changing(every))
    return replace(result, swaps=every)
