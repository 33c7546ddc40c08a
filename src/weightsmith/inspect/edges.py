"""The edges of a transformer: every one, those whose ends share a lane, and those that are live."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice, product

import numpy as np

from weightsmith.errors import InputError, brief
from weightsmith.inspect.components import Edge, Input, Node, ReadAndWritten, read_at, writers, written_at
from weightsmith.inspect.cuts import Cutting
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import NUMBERS_AT_ONCE, Ids, numbers_held

MOST_INPUTS = 50_000
MOST_CUTS = 20_000  # edges that are cut on every input


def edges(T: Transformer, neurons: bool = False) -> Iterator[Edge]:
    """Yield every pair of a writer and an input that reads the stream after it, whether or not they share a lane."""
    sources = writers(T, neurons)
    readers = [node for node in sources if node.kind in ("head", "mlp", "neuron")]
    for target in [*readers, Node("unembed")]:
        inputs: tuple[Input, ...] = ("q", "k", "v") if target.kind == "head" else ("in",)
        for source in sources:
            if written_at(source) <= read_at(T, target):
                yield from (Edge(source, target, each) for each in inputs)


def connected_edges(T: Transformer, neurons: bool = False) -> list[Edge]:
    """Return the edges whose ends share a lane; to cut another edge changes nothing."""
    found = ReadAndWritten(T)
    return [edge for edge in edges(T, neurons) if found.shared(edge).any()]


@dataclass(frozen=True)
class Live:
    """An edge that matters, with a witness: an input, and a position at which the answer changes when it is cut."""

    edge: Edge
    witness: tuple[str, ...]
    position: int


def live_edges(
    T: Transformer, up_to: int, candidates: Sequence[Edge] | None = None, *, neurons: bool = False
) -> tuple[list[Live], list[Edge]]:
    """Cut each edge on every input up to a length; return those that matter, with the first witness, and the others.

    By default these are the edges whose ends share a lane; with `neurons`, those of single neurons instead of layers.
    """
    check_inputs(T, up_to)
    waiting, found = list(connected_edges(T, neurons) if candidates is None else candidates), dict[Edge, Live]()
    if len(waiting) > MOST_CUTS:
        less = "neurons=False, or a smaller model" if neurons else "a smaller model"
        raise InputError(f"{len(waiting):,} edges share a lane, and at most {MOST_CUTS:,} are cut: write {less}")
    grouped = sorted(waiting, key=lambda edge: (edge.target.block, edge.target.kind, edge.source))
    for ids in _inputs(T, up_to):
        cutting = Cutting(T, ids)
        for edge in [edge for edge in grouped if edge not in found]:
            differs = np.argwhere(cutting.cut([edge]) != cutting.answers)
            if len(differs):
                n, position = differs[0].tolist()
                found[edge] = Live(edge, tuple(T.vocabulary[token] for token in ids[n]), position)
    return [found[edge] for edge in waiting if edge in found], [edge for edge in waiting if edge not in found]


def check_inputs(T: Transformer, up_to: int) -> None:
    """Refuse too many inputs, before one is made."""
    most = T.max_length
    if most is not None and up_to > most:
        raise InputError(f"up_to={brief(up_to)}: the transformer reads at most {most} tokens: write up_to={most}")
    count = longest = 0
    while longest < up_to and count <= MOST_INPUTS:
        longest += 1
        count += len(T.vocabulary) ** longest
    if count > MOST_INPUTS:
        fewer = f"write up_to={longest - 1}" if longest > 1 else "write a model with a smaller vocabulary"
        raise InputError(
            f"up_to={brief(up_to)}: there are {count:,} inputs up to length {longest}, and edges are cut on at most "
            f"{MOST_INPUTS:,}: {fewer}"
        )


def _inputs(T: Transformer, up_to: int) -> Iterator[Ids]:
    """Yield every input up to a length, the shortest first, as many at once as memory allows."""
    for length in range(1, up_to + 1):
        every = product(range(len(T.vocabulary)), repeat=length)
        most = max(1, NUMBERS_AT_ONCE // numbers_held(T, length))
        while some := list(islice(every, most)):
            yield np.array(some)
