"""The input on which a block fails because of a norm of 0."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from weightsmith.automata.extraction.moore import Moore, path_to
from weightsmith.automata.extraction.stream import Stream
from weightsmith.automata.inputs import input_text, written
from weightsmith.errors import ModelError, cut
from weightsmith.model import Transformer
from weightsmith.semantics.reference import evaluate

Made = TypeVar("Made")


def unless_it_fails(
    T: Transformer,
    stream: Stream,
    machines: Iterable[Moore],
    function: Callable[[Any], Made],
    rows: npt.NDArray[Any],
    ends: npt.NDArray[np.bool_] | None = None,
) -> Made:
    """Return function(rows); if it fails, name an input that leads to the failing row.

    The machines label inputs with 1 + the index of a row. `ends` tells for each state of a single machine whether an
    input of the context may end there; without it, an input may end anywhere.
    """
    try:
        return function(rows)
    except ModelError as error:
        label = 1 + _failing(function, rows)
        raise on_the_input(T, stream, machines, label, error, ends) from None


def _failing(function: Callable[[Any], object], rows: npt.NDArray[Any]) -> int:
    """Return the index of a row for which a function fails; it fails for all rows together."""
    begin, end = 0, len(rows)
    while end - begin > 1:
        middle = (begin + end) // 2
        try:
            function(rows[begin:middle])
            begin = middle
        except ModelError:
            end = middle
    return begin


def on_the_input(
    T: Transformer,
    stream: Stream,
    machines: Iterable[Moore],
    label: int,
    error: ModelError,
    ends: npt.NDArray[np.bool_] | None = None,
) -> ModelError:
    """Return the error of a run on the shortest input with a label, or on one that begins with it."""
    paths = []
    for m in machines:
        if (m.labels == label).any():
            state = int(np.argmax(m.labels == label))
            paths.append(path_to(m.table, state) + (() if ends is None else _completion(m, state, ends)))
    ids = [stream.token_ids[letter] for letter in min(paths, key=len)]
    try:
        evaluate(T, np.array(ids))
    except ModelError as found:
        return ModelError(f"on the input {cut(input_text(written(T.vocabulary, ids)))}: {found}")
    return error


def _completion(machine: Moore, state: int, ends: npt.NDArray[np.bool_]) -> tuple[int, ...]:
    """Return the shortest letters that lead from a state to an end."""
    found, order = {state: tuple[int, ...]()}, [state]
    for here in order:  # it grows meanwhile
        if ends[here]:
            return found[here]
        for letter, there in enumerate(machine.table[here].tolist()):
            if there not in found:
                found[there] = (*found[here], letter)
                order.append(there)
    raise AssertionError("no input of the context begins like this")
