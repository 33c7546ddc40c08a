"""The outputs of a transformer at every position, for many inputs at once."""

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np

from weightsmith.arithmetic import Native
from weightsmith.errors import InputError, named
from weightsmith.inspect.run import batches, grouped, last_answers, read_answers, run
from weightsmith.model import Transformer, readable_text
from weightsmith.model.places import checked
from weightsmith.semantics.evaluation import Places

RUN_BYTES = 64 << 20  # for inputs that are run together


def outputs(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[tuple[Any, ...]]:
    """Return the outputs at each position of many inputs, a tuple for each input.

    Inputs of the same length are run together by the fast kernels.

    >>> from weightsmith import library
    >>> outputs(library.contains("1"), ["0010", "01"])
    [('NO', 'NO', 'YES', 'YES'), ('NO', 'YES')]
    """
    result: list[tuple[Any, ...]] = [()] * len(inputs)
    by_machine, answers = isinstance(checked(T).arithmetic, Native), T.answers
    for members, places in _by_machine(T, inputs) if by_machine else _packed(T, inputs):
        for n, row in zip(members, places.tolist(), strict=True):
            result[n] = tuple(answers[c] for c in row) if min(row) >= 0 else _of_run(T, inputs[n])
    return result


def _of_run(T: Transformer, tokens: str | Sequence[str]) -> tuple[Any, ...]:
    """Return the outputs of one run; an error about a code without a value names the input."""
    r = run(T, tokens)
    try:
        return r.outputs
    except InputError as error:
        raise InputError(f"on the input {named(readable_text(T, r.tokens))}: {error}") from None


def _packed(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Iterator[tuple[list[int], Places]]:
    """Yield the numbers of the inputs that were run, and the answer ids at each of their positions."""
    from weightsmith.kernels.packed import batch, packed_run  # here, because it loads Numba

    fast = packed_run(T)

    def most(length: int) -> int:
        fixed = fast.bytes_needed(length, 0)
        return max(RUN_BYTES - fixed, 0) // (fast.bytes_needed(length, length) - fixed)

    for members, ids in grouped(T, inputs, most):
        columns = fast.evaluate(batch(ids.astype(np.int64)), every=True)
        yield members, columns.decisions.reshape(ids.shape[::-1]).T.astype(np.intp)


def _by_machine(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Iterator[tuple[list[int], Places]]:
    for members, found in batches(T, inputs):
        places = read_answers(T, found.stream[-1])
        places[:, -1] = last_answers(T, found)  # the same numbers, perhaps added in another order
        yield members, places
