"""The changes of a run by `ablate` and `patch`, as a page carries them: the page makes the same ones."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from weightsmith.errors import InputError
from weightsmith.inspect import Run
from weightsmith.inspect.patch import Swap
from weightsmith.model.sites import Site

MOST_SINGLE = 64  # values that a page lists one by one


def page_changes(run: Run) -> list[dict[str, Any]]:
    """Return the changes of a run, in their order; none if it was not changed.

    A part is off, a value of the stream is set, or values are taken from another input of the same model. Any other
    values, such as those of another model, are written down.
    """
    if run.changed and not run.swaps:
        raise InputError(
            "this run was changed on its way by a function, which a page does not have: write ws.ablate(r, …) or "
            "ws.patch(r, …), or show ws.run(T, …)"
        )
    return [change for swap in run.swaps for change in _changes(run, swap)]


def _changes(run: Run, swap: Swap) -> Iterator[dict[str, Any]]:
    """Yield the changes that are a swap."""
    T, site = run.transformer, str(swap.site)
    every = len(swap.positions) == len(run.tokens) and sorted(swap.positions) == list(range(len(run.tokens)))
    positions = None if every else [int(position) for position in swap.positions]
    columns = [int(column) for column in swap.columns]
    if swap.values is None:
        yield {"kind": "off", "site": site, "positions": positions}
        return
    source = swap.source
    if source is not None and not source.changed and source.transformer == T:
        same = len(source.tokens) == len(run.tokens)
        where = positions if same else [int(position) for position in swap.positions]
        taken = {"kind": "take", "positions": where, "input": list(source.tokens)}
        if swap.site.kind == "activations":
            for neuron in columns:
                yield {**taken, "site": str(Site("neuron", swap.site.block, neuron)), "lanes": None}
        else:
            lanes = None if columns == list(range(len(T.lanes))) else [T.lanes[lane] for lane in columns]
            yield {**taken, "site": site, "lanes": lanes}
        return
    values = np.asarray(swap.values, np.float64)[np.ix_(swap.positions, columns)]
    if not values.any() and swap.site.kind == "activations":
        for neuron in columns:
            yield {"kind": "off", "site": str(Site("neuron", swap.site.block, neuron)), "positions": positions}
    elif not values.any() and swap.site.kind == "head" and len(set(columns)) == len(T.lanes):
        yield {"kind": "off", "site": site, "positions": positions}
    elif swap.site.in_stream and values.size <= MOST_SINGLE:
        for place, position in enumerate(swap.positions):
            for n, lane in enumerate(columns):
                cell = {"position": int(position), "lane": T.lanes[lane], "value": float(values[place, n])}
                yield {"kind": "set", "site": site, **cell}
    else:
        written = {"positions": [int(position) for position in swap.positions], "columns": columns}
        yield {"kind": "values", "site": site, **written, "values": values.tolist()}
