"""All inputs up to a length through two transformers: how far their numbers and answers differ."""

import math
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.inspect.output import answers_of, read_numbers
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer
from weightsmith.model.transformer import checked
from weightsmith.tables import Printed

Ids = npt.NDArray[np.intp]
MOST_INPUTS = 50_000
NUMBERS_AT_ONCE = 1 << 22  # of outputs
BY_DEFAULT = 2_000  # inputs that are compared unless a length is written


@dataclass(frozen=True)
class Compared(Printed):
    """How far the outputs of two transformers differ, at every position of every input up to a length."""

    up_to: int
    inputs: int
    wrong: int  # inputs with another answer at some position
    difference: float  # the largest, of logits or of codes; NaN where these are not compared

    def __str__(self) -> str:
        """Return it as a sentence."""
        answers = f"{self.inputs:,} inputs up to length {self.up_to}: {self.wrong:,} with another answer"
        return answers if math.isnan(self.difference) else f"{answers}, numbers differ by at most {self.difference:.3g}"


class Compiled(Protocol):
    """A compiled program."""

    @property
    def transformer(self) -> Transformer:
        """Return its transformer."""
        ...


def model_of(P: object) -> Transformer:
    """Return a transformer, or that of a compiled program; refuse any other value."""
    inner = getattr(P, "transformer", None)
    return inner if isinstance(inner, Transformer) else checked(P)


def tokens_for(P: object, tokens: Any) -> Any:
    """Return an input as the tokens of a transformer: those of a compiled program may be numbers, which are no ids."""
    read = getattr(P, "read", None)
    return read(tokens) if callable(read) else tokens


def length_of(T: Transformer, up_to: object) -> int:
    """Return a length up to which all inputs can be run; without one, the longest with few inputs."""
    tokens, longest = len(T.vocabulary), T.max_length
    if up_to is None:
        length, count = 1, tokens
        while count + tokens ** (length + 1) <= BY_DEFAULT and (longest is None or length < longest) and length < 16:
            length += 1
            count += tokens**length
        return length
    length = whole_number(up_to, "up_to", 1, longest)
    count = sum(tokens**n for n in range(1, min(length, 64) + 1))
    if count > MOST_INPUTS or length > 64:
        raise InputError(
            f"up_to={brief(up_to)}: that is more than {MOST_INPUTS:,} inputs over {tokens} tokens: write a smaller one"
        )
    return length


def all_inputs(T: Transformer, up_to: int) -> Iterator[Ids]:
    """Yield all inputs of each length, (inputs, positions), some at a time where the outputs are large."""
    for length in range(1, up_to + 1):
        ids = np.array(list(product(range(len(T.vocabulary)), repeat=length)), np.intp)
        some = max(1, NUMBERS_AT_ONCE // (length * max(len(T.answers), len(T.lanes))))
        yield from (ids[first : first + some] for first in range(0, len(ids), some))


def numbers(T: Transformer, ids: Ids) -> Array:
    """Return the logits or codes at every position, (inputs, positions, classes or lanes)."""
    return read_numbers(T, engine_for(T).evaluate(ids).stream[-1])


def compare(S: Transformer, T: Transformer, up_to: int, values: tuple[Any, ...] = ()) -> Compared:
    """Compare two transformers with the same answers on all inputs up to a length.

    `values` are those of the readout of S that the classes of T stand for. Then codes and logits are not compared, and
    a code of S without a value is a wrong answer.
    """
    which = np.array([S.answers.index(value) for value in values], np.intp) if values else None
    inputs, wrong, difference = 0, 0, math.nan if values else 0.0
    for ids in all_inputs(S, up_to):
        ours, theirs = numbers(S, ids), numbers(T, ids)
        inputs += len(ids)
        said = answers_of(T, theirs)
        wrong += int((answers_of(S, ours) != (said if which is None else which[said])).any(axis=1).sum())
        if which is None:
            difference = max(difference, float(np.abs(ours - theirs).max(initial=0.0)))
    return Compared(up_to, inputs, wrong, difference)
