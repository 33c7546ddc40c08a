"""Units of a model, and their values after every token: lanes at each stage, neurons, cells of an LSTM."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import shown
from weightsmith.inspect.run import Run
from weightsmith.model.sites import Site, present_stages, stage_site

UnitKind: TypeAlias = Literal["cell", "lane", "neuron"]


@dataclass(frozen=True)
class Unit:
    """One number of a model that changes from token to token."""

    kind: UnitKind
    place: int  # the number of the cell, of the lane, or of the neuron in its block
    site: Site | None = None  # of the stream: where a lane is read, or where a neuron's output is added
    name: str = ""  # of a lane, and of a neuron that has one

    def __post_init__(self) -> None:
        """Accept the name of a stage for the site."""
        if isinstance(self.site, str):
            object.__setattr__(self, "site", Site.parse(self.site) if self.site else None)

    @property
    def stage(self) -> str:
        """The name of the site; "" for a cell."""
        return "" if self.site is None else str(self.site)

    def __str__(self) -> str:
        """Return its name: "lane x after block 0 attention", "block 0, neuron 3"."""
        if self.site is None:
            return f"{self.kind} {self.place}"
        if self.kind == "lane":
            return f"lane {shown(self.name)} after {self.site}"
        return Site("neuron", self.site.block, self.place).label + (f" {shown(self.name)}" if self.name else "")


@dataclass(frozen=True, eq=False)
class Reading:
    """The value of every unit of a model after each token of an input."""

    tokens: tuple[str, ...]
    units: tuple[Unit, ...]
    values: Array = field(repr=False)  # (positions, units)


@runtime_checkable
class Readable(Protocol):
    """A model of any kind that can report the values of its units."""

    def reading(self, tokens: str | Sequence[str]) -> Reading:
        """Return the value of every unit after each token of an input."""


def reading_of(run: Run) -> Reading:
    """Return the lanes of a run at every present stage, and the neurons of every block.

    They are in the order of the computation: the neurons of a block before the lanes after its feed-forward layer.
    """
    T, units, columns = run.transformer, list[Unit](), list[Array]()
    for site in map(stage_site, present_stages(T)):
        layer = T.blocks[site.block].feed_forward if site.block is not None and site.kind == "feed-forward" else None
        if layer is not None and site.block is not None:
            names = layer.names or ("",) * len(layer.W_1)
            units += [Unit("neuron", n, site, name) for n, name in enumerate(names)]
            columns.append(run.activations[site.block])
        units += [Unit("lane", j, site, lane) for j, lane in enumerate(T.lanes)]
        columns.append(run.stream[site.stage])
    return Reading(run.tokens, tuple(units), np.concatenate(columns, axis=1))


def joined_readings(*readings: Reading) -> Reading:
    """Return the units of several models on the same tokens, side by side."""
    units = tuple(unit for reading in readings for unit in reading.units)
    return Reading(readings[0].tokens, units, np.concatenate([reading.values for reading in readings], axis=1))
