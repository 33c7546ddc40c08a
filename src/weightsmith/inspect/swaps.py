"""Runs with values replaced at some sites: patching and ablation."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.inspect.run import Run, Sums
from weightsmith.inspect.run import run as run_anew
from weightsmith.model.sites import Site
from weightsmith.semantics.evaluation import Change, unchanged


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
    before: list[Array] = [np.zeros(0)]  # the stream one stage before

    def change(site: Site, values: Array) -> Array:
        for swap in swaps:
            if swap.site == site:
                values = swap.put(values, before[0])
        values = further(site, values)
        if site.in_stream:
            before[0] = values
        return values

    return change


def again(run: Run, swaps: Sequence[Swap], sums: Sums | None) -> Run:
    """Run the transformer of a run on its input again, with the swaps of the run and then these."""
    every = (*run.swaps, *swaps)
    result = run_anew(run.transformer, run.tokens, sums=sums, change=changing(every))
    return replace(result, swaps=every)
