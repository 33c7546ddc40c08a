"""The values of two models for the same inputs, where one goes on from a stage of the other.

Verdicts, counts, counterexamples and digests are those of two separate runs.
"""

from collections.abc import Callable, Iterator, Sequence

import numpy as np

from weightsmith.automata import Inputs
from weightsmith.check.claim import Quantity, Values
from weightsmith.check.layouts import Reader, batch_size, read_tree, shares_prefixes, trees
from weightsmith.check.models import engine_of
from weightsmith.errors import ModelError
from weightsmith.kernels.packed import Handover, PackedRun, batch, handover

MIN_INPUTS = 256  # of a check from which on comparing the weights pays


def handover_of(readers: Sequence[Reader], positions: int, inputs: int) -> Handover | None:
    """Return what two models share; `positions` and `inputs` are the greatest length and the number of inputs."""
    if inputs < MIN_INPUTS or len(readers) != 2 or readers[0].suffix != readers[1].suffix:
        return None
    first, second = (engine_of(reader.model) for reader in readers)
    if not isinstance(first, PackedRun) or not isinstance(second, PackedRun):
        return None
    return handover(first, second, positions)


def values_of_both(
    shared: Handover, reader: Reader, quantity: Quantity, asked: Sequence[Inputs],
    apart: Callable[[Sequence[Inputs]], Iterator[tuple[Values, ...]]],
) -> Iterator[tuple[Values, ...]]:  # fmt: skip
    """Yield a quantity of both models for inputs of growing length with a common prefix.

    Where a model refuses an input, both run `apart`: that decides which of them refuses which input, and how.
    """
    done = 0
    try:
        for values in _together(shared, reader, quantity, asked):
            yield values
            done += 1
    except ModelError:
        pass
    if done < len(asked):
        yield from apart(asked[done:])


def _together(
    shared: Handover, reader: Reader, quantity: Quantity, asked: Sequence[Inputs]
) -> Iterator[tuple[Values, ...]]:
    if shares_prefixes(reader, quantity, asked):
        for layout, some in trees(reader, asked):
            both = shared.evaluate(layout)
            for inputs in some:
                yield tuple(read_tree(columns, layout, reader, quantity, inputs) for columns in both)
        return
    for inputs in asked:
        parts = []
        for ids in inputs.ids(batch_size(reader, inputs, asked)):
            layout = batch(reader.read(ids))
            both = shared.evaluate(layout, every=quantity == "outputs")
            parts.append([columns.of_batch(quantity, layout) for columns in both])
        yield tuple(np.concatenate(side) for side in zip(*parts, strict=True))
