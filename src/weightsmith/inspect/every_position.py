"""The outputs of a transformer at every position, for many inputs at once."""

from collections.abc import Sequence
from typing import Any

from weightsmith.errors import InputError, named
from weightsmith.inspect.run import grouped, run
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer, readable_text
from weightsmith.model.transformer import checked


def outputs(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[tuple[Any, ...]]:
    """Return the outputs at each position of many inputs, a tuple for each input.

    Inputs of the same length are run together by the fast kernels.

    >>> from weightsmith import library
    >>> outputs(library.contains("1"), ["0010", "01"])
    [('NO', 'NO', 'YES', 'YES'), ('NO', 'YES')]
    """
    result: list[tuple[Any, ...]] = [()] * len(inputs)
    engine, answers = engine_for(checked(T), every_value=False), T.answers
    for members, ids in grouped(T, inputs, engine.inputs_at_once):
        for n, row in zip(members, engine.results(ids, "outputs").tolist(), strict=True):
            result[n] = tuple(answers[c] for c in row) if min(row) >= 0 else _of_run(T, inputs[n])
    return result


def _of_run(T: Transformer, tokens: str | Sequence[str]) -> tuple[Any, ...]:
    """Return the outputs of one run; an error about a code without a value names the input."""
    r = run(T, tokens)
    try:
        return r.outputs
    except InputError as error:
        raise InputError(f"on the input {named(readable_text(T, r.tokens))}: {error}") from None
