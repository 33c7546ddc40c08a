"""What a transformer says at every position, for many inputs at once."""

from collections.abc import Iterator, Sequence

import numpy as np

from weightsmith.arithmetic import Native
from weightsmith.inspect.run import batches, grouped, read_answers
from weightsmith.model import Transformer
from weightsmith.model.places import checked
from weightsmith.semantics.evaluation import Places

RUN_BYTES = 64 << 20  # what inputs that are run together may take


def outputs(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[tuple[str, ...]]:
    """Return what a transformer says at each position of many inputs: the outputs of each run, a tuple for each input.

    Inputs of the same length are run together by the fast kernels.

    >>> from weightsmith import library
    >>> outputs(library.contains("1"), ["0010", "01"])
    [('NO', 'NO', 'YES', 'YES'), ('NO', 'YES')]
    """
    result: list[tuple[str, ...]] = [()] * len(inputs)
    for members, places in _by_machine(T, inputs) if isinstance(checked(T).arithmetic, Native) else _packed(T, inputs):
        for n, row in zip(members, places.tolist(), strict=True):
            result[n] = tuple(T.classes[c] for c in row)
    return result


def _packed(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Iterator[tuple[list[int], Places]]:
    """Yield which inputs were run, and for each of their positions the place of what was said there."""
    from weightsmith.kernels.packed import batch, packed_run  # here, because it loads Numba

    run = packed_run(T)

    def most(length: int) -> int:
        fixed = run.bytes_needed(length, 0)
        return max(RUN_BYTES - fixed, 0) // (run.bytes_needed(length, length) - fixed)

    for members, ids in grouped(T, inputs, most):
        columns = run.evaluate(batch(ids.astype(np.int64)), every=True)
        yield members, columns.decisions.reshape(ids.shape[::-1]).T.astype(np.intp)


def _by_machine(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Iterator[tuple[list[int], Places]]:
    for members, found in batches(T, inputs):
        places = read_answers(T, found.stream[-1])
        places[:, -1] = np.argmax(found.logits, axis=-1)  # the same numbers, perhaps added in another order
        yield members, places
