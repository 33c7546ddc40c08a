"""Feed-forward layers built by what each neuron reads and writes."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.model.block import FeedForward
from weightsmith.model.matrix import matrix


@dataclass(frozen=True)
class Neuron:
    """relu(Σ weight ⊗ lane ⊕ bias), written to lanes times a weight."""

    reads: Mapping[str, float]
    writes: Mapping[str, float]
    bias: float = 0.0
    name: str = ""


def pair(lane: str, writes: Mapping[str, float]) -> tuple[Neuron, Neuron]:
    """Read a lane of either sign: of relu(x) and relu(−x) one is 0, so together they write weight ⊗ x exactly."""
    return Neuron({lane: 1.0}, writes), Neuron({lane: -1.0}, {to: -weight for to, weight in writes.items()})


def layer(lanes: Sequence[str], neurons: Sequence[Neuron], adds: Mapping[str, float] | None = None) -> FeedForward:
    """Build the layer with these neurons, in this order; `adds` is what it adds to lanes everywhere."""
    places = [str(n) for n in range(len(neurons))]
    reads = {(places[n], lane): weight for n, neuron in enumerate(neurons) for lane, weight in neuron.reads.items()}
    writes = {(lane, places[n]): weight for n, neuron in enumerate(neurons) for lane, weight in neuron.writes.items()}
    return FeedForward(
        W_1=matrix(places, lanes, reads),
        b_1=np.array([neuron.bias for neuron in neurons]),
        W_2=matrix(lanes, places, writes),
        b_2=matrix(lanes, ["1"], {(lane, "1"): value for lane, value in (adds or {}).items()})[:, 0],
        names=tuple(neuron.name for neuron in neurons),
    )
