"""Inputs on which a program has no value: no transformer computes it there, so a refusal that names one is a proof.

Short inputs are tried, all where they are few, then longer ones that are drawn with a fixed seed. An input that is
found is made shorter while the program still fails on it.
"""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief, listed
from weightsmith.programs.budget import in_force
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import evaluate, evaluate_batch
from weightsmith.programs.places import UndecidedError
from weightsmith.programs.values import Value, presented

WORK = 20_000_000  # pairs of positions, over all parts of the program
FEWEST, MOST = 60, 3_000  # inputs of one length
LONGEST = 40  # tokens of an input


class Failing(NamedTuple):
    """An input, and what the program does not compute on it."""

    tokens: list[Value]
    why: str


def explained(error: InputError, program: Program, vocabulary: Sequence[Value], length: int) -> InputError:
    """Return the refusal of a program, with an input that proves it; else, of a guess, how many inputs do not."""
    found, tried = failing(program, vocabulary, length)
    if found is not None:
        return InputError(f"{error}\n  on the input {_shown(found.tokens)} the program has no value: {found.why}")
    if not isinstance(error, UndecidedError):
        return error
    return InputError(f"{error}\n  {tried:,} inputs were tried, and the program has a value on each")


def _shown(tokens: list[Value]) -> str:
    texts = [str(presented(token)) for token in tokens]
    return brief("".join(texts)) if all(len(one) == 1 for one in texts) else listed(texts)


def failing(program: Program, vocabulary: Sequence[Value], length: int) -> tuple[Failing | None, int]:
    """Return an input on which a program has no value, if one is found, and how many were tried."""
    tried = 0
    for ids in _batches(program, len(vocabulary), length):
        in_force().check()
        tried += len(ids)
        try:
            evaluate_batch(program, vocabulary, ids)
        except InputError:
            tokens = next((one for row in ids if _why(program, one := [vocabulary[n] for n in row])), None)
            if tokens is not None:
                return _shortest(program, tokens), tried
    return None, tried


def _batches(program: Program, tokens: int, length: int) -> Iterator[npt.NDArray[np.int64]]:
    """Yield inputs, the short ones first: all of a length where they are few, and drawn ones elsewhere."""
    draw = np.random.default_rng(0)
    longest = min(length, LONGEST)
    for size in sorted({*range(1, min(longest, 6) + 1), (longest + 6) // 2 if longest > 6 else longest, longest}):
        count = min(max(WORK // (len(program.nodes) * size**2), FEWEST), MOST)
        if tokens**size <= count:
            yield np.stack(np.unravel_index(np.arange(tokens**size), (tokens,) * size), axis=1)
        else:
            yield draw.integers(0, tokens, (count, size))


def _why(program: Program, tokens: list[Value]) -> str:
    """Return why a program has no value on an input; nothing where it has one."""
    try:
        evaluate(program, tokens)
    except InputError as error:
        return str(error).splitlines()[0]
    return ""


def _shortest(program: Program, tokens: list[Value]) -> Failing:
    """Return a failing input from which no token can be left out."""
    place = 0
    while place < len(tokens):
        fewer = tokens[:place] + tokens[place + 1 :]
        if fewer and _why(program, fewer):
            tokens, place = fewer, 0
        else:
            place += 1
    return Failing(tokens, _why(program, tokens))
