"""Single units of a model, and what each holds after every token: lanes at each stage, neurons, cells."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Literal, Protocol, TypeAlias, runtime_checkable

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import shown
from weightsmith.inspect.run import Run
from weightsmith.model.lookup import feed_forward_stage, present_stages

UnitKind: TypeAlias = Literal["cell", "lane", "neuron"]


@dataclass(frozen=True)
class Unit:
    """One number of a model that changes from token to token."""

    kind: UnitKind
    place: int  # which cell, which lane, which neuron of its block
    stage: str = ""  # of a lane: after what; of a neuron: the stage that it adds to
    name: str = ""  # of a lane, and of a neuron that has one

    def __str__(self) -> str:
        """Say which it is."""
        match self.kind:
            case "cell":
                return f"cell {self.place}"
            case "lane":
                return f"lane {shown(self.name)} after {self.stage}"
            case _:
                block = self.stage.removesuffix(" feed-forward")
                return f"{block}, neuron {self.place}" + (f" {shown(self.name)}" if self.name else "")


@dataclass(frozen=True, eq=False)
class Reading:
    """What every unit of a model holds after each token of an input."""

    tokens: tuple[str, ...]
    units: tuple[Unit, ...]
    values: Array = field(repr=False)  # (positions, units)


@runtime_checkable
class Readable(Protocol):
    """A model of any kind, whose units can be read."""

    def reading(self, tokens: str | Sequence[str]) -> Reading:
        """Return what every unit holds after each token of an input."""


def reading_of(run: Run) -> Reading:
    """Return the lanes of a run at every stage whose sublayer is there, and the neurons of every block.

    They stand in the order in which they are computed: the neurons of a block before the lanes that they add to.
    """
    T, units, columns = run.transformer, list[Unit](), list[Array]()
    for s in present_stages(T):
        stage = run.stages[s]
        for b, block in enumerate(T.blocks):
            layer = block.feed_forward
            if layer is not None and feed_forward_stage(b) == s:
                names = layer.names or ("",) * len(layer.W_1)
                units += [Unit("neuron", n, stage, name) for n, name in enumerate(names)]
                columns.append(run.activations[b])
        units += [Unit("lane", j, stage, lane) for j, lane in enumerate(T.lanes)]
        columns.append(run.stream[s])
    return Reading(run.tokens, tuple(units), np.concatenate(columns, axis=1))


def joined_readings(*readings: Reading) -> Reading:
    """Return the units of several models that have read the same tokens, side by side."""
    units = tuple(unit for reading in readings for unit in reading.units)
    return Reading(readings[0].tokens, units, np.concatenate([reading.values for reading in readings], axis=1))
