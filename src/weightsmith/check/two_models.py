"""The values of two models for the same inputs, where the second goes on from a stage of the first.

Verdicts, counts, counterexamples and digests are those of two separate runs.
"""

from collections.abc import Callable, Iterator, Sequence
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from weightsmith.automata import Inputs
from weightsmith.check.claim import Quantity, Values
from weightsmith.errors import ModelError
from weightsmith.kernels.engines import engine_for
from weightsmith.kernels.packed import Columns, Handover, Layout, PackedRun, batch, handover, ranks, tree

if TYPE_CHECKING:
    from weightsmith.check.examine import Reader

MIN_INPUTS = 256  # of a check from which on comparing the weights pays
MAX_UNSHARED_COLUMNS = 1 << 16  # of a batch without shared prefixes
Both: TypeAlias = tuple[Values, Values]


def handover_of(readers: Sequence["Reader"], positions: int, inputs: int) -> Handover | None:
    """Return what two models share, in a check of so many inputs that have at most so many positions."""
    if inputs < MIN_INPUTS or len(readers) != 2 or readers[0].suffix != readers[1].suffix:
        return None
    first, second = (engine_for(reader.model, "left", every_value=False) for reader in readers)
    if not isinstance(first, PackedRun) or not isinstance(second, PackedRun):
        return None
    return handover(first, second, positions)


def shares_prefixes(reader: "Reader", quantity: Quantity, asked: Sequence[Inputs]) -> bool:
    """Return whether to run a tree of shared prefixes: the model is causal, and most prefixes are inputs."""
    if reader.model.mask == "full" or reader.suffix or quantity == "outputs":
        return False
    return sum(len(inputs) * inputs.length for inputs in asked) >= columns_below(asked)


def columns_below(asked: Sequence[Inputs]) -> int:
    """Count the columns of all continuations of the common prefix."""
    return sum(len(asked[0].vocabulary) ** k for k in range(1, asked[-1].depth + 1))


def tree_of(asked: Sequence[Inputs]) -> Layout:
    """Lay out the common prefix and all its continuations."""
    return tree(len(asked[0].vocabulary), asked[0].stem, asked[-1].depth)


def read_tree(columns: Columns, layout: Layout, quantity: Quantity, inputs: Inputs) -> Values:
    """Return a quantity of inputs from the run of a tree."""
    values = columns.values(quantity, layout.level(inputs.length - 1))
    result: Values = np.empty_like(values, order="C")
    result[ranks(len(inputs.vocabulary), inputs.depth)] = values
    return result if inputs.chosen is None else result[inputs.chosen]


def values_of_both(
    shared: Handover, reader: "Reader", quantity: Quantity, asked: Sequence[Inputs],
    apart: Callable[[Sequence[Inputs]], Iterator[tuple[Values, ...]]],
) -> Iterator[tuple[Values, ...]]:  # fmt: skip
    """Yield a quantity of both models for inputs of growing length with a common prefix.

    Where a model refuses an input, both run `apart`: that decides which of them refuses which input, and how.
    """
    if shares_prefixes(reader, quantity, asked):
        layout = tree_of(asked)
        try:
            both = shared.evaluate(layout)
        except ModelError:
            yield from apart(asked)
            return
        for inputs in asked:
            yield tuple(read_tree(columns, layout, quantity, inputs) for columns in both)
        return
    for i, inputs in enumerate(asked):
        try:
            yield _in_batches(shared, reader, quantity, inputs, columns_below(asked))
        except ModelError:
            yield from apart(asked[i:])
            return


def _in_batches(
    shared: Handover, reader: "Reader", quantity: Quantity, inputs: Inputs, columns: int
) -> tuple[Values, ...]:
    parts = []
    for ids in inputs.ids(batch_size(reader, inputs, columns)):
        layout = batch(reader.read(ids))
        both = shared.evaluate(layout, every=quantity == "outputs")
        parts.append([columns.of_batch(quantity, layout) for columns in both])
    return tuple(np.concatenate(side) for side in zip(*parts, strict=True))


def batch_size(reader: "Reader", inputs: Inputs, columns: int) -> int:
    """Return how many inputs run together, each by itself, in no more columns than a tree has."""
    return max(min(columns, MAX_UNSHARED_COLUMNS) // (inputs.length + len(reader.suffix)), 1)
