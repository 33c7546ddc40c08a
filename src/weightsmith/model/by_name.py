"""Matrices and feed-forward layers built by name: from lane a to lane b, times 3; what each neuron reads and writes."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from types import MappingProxyType

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import ModelError, brief, listed, named, nearest_names
from weightsmith.model.block import GATED, Activation, FeedForward
from weightsmith.model.names import MAX_NAME, checked_text

NO_WEIGHTS: Mapping[str, float] = MappingProxyType({})


def matrix(to: Sequence[str], of: Sequence[str], entries: Mapping[tuple[str, str], float]) -> Array:
    """Return the matrix with a row for each name in `to`, a column for each name in `of`, and 0 where nothing is said.

    `entries[b, a] = 3` reads: b receives 3 times a.

    >>> matrix(to=["sum"], of=["a", "b"], entries={("sum", "a"): 1, ("sum", "b"): 3})
    array([[1., 3.]])
    """
    if not isinstance(entries, Mapping):
        raise ModelError(f"entries={brief(entries)}: write {{(to, of): 3}}, for example")
    for names in (to, of):
        if len(set(names)) != len(names):
            raise ModelError(f"a matrix has a name twice: {listed(list(names))}")
    rows, columns = ({name: i for i, name in enumerate(names)} for names in (to, of))
    result = np.zeros((len(to), len(of)))
    for entry, value in entries.items():
        if not isinstance(entry, tuple) or len(entry) != 2:
            raise ModelError(f"the matrix has an entry for {brief(entry)}: write {{(to, of): 3}}, for example")
        row, column = entry
        for name, index in ((row, rows), (column, columns)):
            if name not in index:
                names = list(index)
                hint = nearest_names(name, names) if isinstance(name, str) else ""
                raise ModelError(f"the matrix has no {named(name)}: {hint}it has {listed(names)}")
        if not is_number(value):
            raise ModelError(f"the matrix has {brief(value)} from {named(column)} to {named(row)}: write a number")
        try:
            result[rows[row], columns[column]] = value
        except OverflowError:
            raise ModelError(f"the matrix has {brief(value)}, which is too large: write a smaller number") from None
    return result


def is_number(value: object) -> bool:
    """Return whether a value is a single real number of Python or numpy."""
    if isinstance(value, Real):
        return not isinstance(value, bool)
    return isinstance(value, np.ndarray) and value.shape == () and value.dtype.kind in "iuf"


def check_lanes(names: Iterable[str], lanes: Sequence[str], who: str) -> None:
    """Refuse a name that is not that of a lane; `who` is the beginning of the sentence."""
    known = set(lanes)
    for name in names:
        if name not in known:
            text = name if isinstance(name, str) else brief(name)
            hint = nearest_names(text[:80], lanes)
            raise ModelError(f"{who} the lane {named(text)}, which is not there: {hint}write {listed(lanes)}")


@dataclass(frozen=True)
class Neuron:
    """act(Σ weight ⊗ lane ⊕ bias), written to lanes times a weight; act is relu unless the layer says otherwise.

    >>> Neuron(reads={"a": 1, "b": 1}, writes={"both": 1}, bias=-1, name="a and b").name
    'a and b'
    """

    reads: Mapping[str, float]  # lane → weight: the neuron's key, its row of W_1
    writes: Mapping[str, float]  # lane → weight: its value, its column of W_2
    bias: float = 0.0
    name: str = ""

    def __post_init__(self) -> None:
        """Refuse lanes without weights, a bias that is no number, a name that is no text."""
        if not is_number(self.bias):
            raise ModelError(f"Neuron(bias={brief(self.bias)}): write a number")
        checked_text(self.name, "the name of a neuron", most=MAX_NAME)
        for what in ("reads", "writes"):
            if not isinstance(weights := getattr(self, what), Mapping):
                raise ModelError(f"Neuron({what}={brief(weights)}): write lanes with their weights, such as {{'a': 1}}")

    @staticmethod
    def pair(lane: str, writes: Mapping[str, float]) -> "tuple[Neuron, Neuron]":
        """Return two neurons that read a lane of either sign: together they write weight ⊗ x, exactly.

        Of relu(x) and relu(−x) one is 0, so nothing is rounded twice.
        """
        return Neuron({lane: 1.0}, writes), Neuron({lane: -1.0}, {to: -weight for to, weight in writes.items()})


def feed_forward(
    lanes: Sequence[str],
    neurons: Iterable[Neuron],
    adds: Mapping[str, float] = NO_WEIGHTS,
    activation: Activation = "relu",
) -> FeedForward:
    """Return the feed-forward layer with these neurons, in this order, over these lanes.

    `adds` is what it adds to lanes at every position, whatever the neurons do: its b_2.

    >>> both = Neuron(reads={"a": 1, "b": 1}, writes={"both": 1}, bias=-1, name="a and b")
    >>> feed_forward(["a", "b", "both"], [both]).W_1
    array([[1., 1., 0.]])
    """
    if activation in GATED:
        raise ModelError(
            f"activation={brief(activation)} has a gate, which neurons do not: write FeedForward(W_1, …, W_3)"
        )
    if isinstance(neurons, Neuron):
        raise ModelError("neurons is a single one: write a list, feed_forward(lanes, [Neuron(…)])")
    listed_neurons = list(neurons)
    if not isinstance(adds, Mapping):
        raise ModelError(f"adds={brief(adds)}: write lanes with what is added to them, such as {{'a': 1}}")
    check_lanes(adds, lanes, "the layer adds to")
    for n, neuron in enumerate(listed_neurons):
        if not isinstance(neuron, Neuron):
            raise ModelError(f"neuron {n} is {brief(neuron)}: write Neuron(reads={{…}}, writes={{…}})")
        who = f"neuron {n}" + (f", {named(neuron.name)}," if neuron.name else "")
        check_lanes(neuron.reads, lanes, f"{who} reads")
        check_lanes(neuron.writes, lanes, f"{who} writes")
    numbers = [str(n) for n in range(len(listed_neurons))]
    numbered = list(zip(numbers, listed_neurons, strict=True))
    return FeedForward(
        W_1=matrix(numbers, lanes, {(n, lane): w for n, neuron in numbered for lane, w in neuron.reads.items()}),
        b_1=np.array([neuron.bias for neuron in listed_neurons]),
        W_2=matrix(lanes, numbers, {(lane, n): w for n, neuron in numbered for lane, w in neuron.writes.items()}),
        b_2=matrix(lanes, ["1"], {(lane, "1"): value for lane, value in adds.items()})[:, 0],
        activation=activation,
        names=tuple(neuron.name for neuron in listed_neurons),
    )
