"""Where a block fails, because a norm of 0 has no root: on which input, and at which position of it."""

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
    T: Transformer, stream: Stream, machines: Iterable[Moore], function: Callable[[Any], Made], rows: npt.NDArray[Any]
) -> Made:
    """Return what a function makes of rows; where it fails, say on which input.

    One of the machines says 1 + the place of each row.
    """
    try:
        return function(rows)
    except ModelError as error:
        label = 1 + _failing(function, rows)
        raise on_the_input(T, stream, machines, label, error) from None


def _failing(function: Callable[[Any], object], rows: npt.NDArray[Any]) -> int:
    """Return the place of a row for which a function fails, which it does for all of them together."""
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
    T: Transformer, stream: Stream, machines: Iterable[Moore], label: int, error: ModelError
) -> ModelError:
    """Return the error that the run of a transformer raises on an input after which a machine says a label."""
    paths = [path_to(m.table, int(np.argmax(m.labels == label))) for m in machines if (m.labels == label).any()]
    ids = [stream.names[letter] for letter in min(paths, key=len)]
    try:
        evaluate(T, np.array(ids))
    except ModelError as found:
        return ModelError(f"on the input {cut(input_text(written(T.vocabulary, ids)))}: {found}")
    return error
