"""From trained to exact: what rounding into an arithmetic does to the decisions."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.automata import Inputs
from weightsmith.check.examine import by_kernels
from weightsmith.check.layouts import Reader
from weightsmith.check.plan import tokens
from weightsmith.errors import InputError
from weightsmith.model import Transformer, check_length, named_arrays
from weightsmith.rewrites import to_arithmetic
from weightsmith.train.settings import whole

MOST_INPUTS = 1 << 20  # of the longest
MOST_LENGTH = 1 << 10


@dataclass(frozen=True)
class Rounding:
    """The effect of rounding a transformer into an arithmetic."""

    arithmetic: Arithmetic
    inputs: int
    changed: int  # how many decisions
    first: tuple[str, ...] | None  # the first input with another decision
    changed_weights: int  # weights that rounding changed
    weights: int

    def __str__(self) -> str:
        """Return the report as a line."""
        first = "" if self.first is None else f", the first on {' '.join(self.first)}"
        return (
            f"{self.arithmetic}: {self.changed:,} of {self.inputs:,} decisions change{first}; "
            f"{self.changed_weights:,} of {self.weights:,} weights are rounded"
        )


def rounded(T: Transformer, arithmetic: Arithmetic, up_to: int) -> tuple[Transformer, Rounding]:
    """Round a transformer, and report how many decisions change over all inputs up to a length."""
    return rounded_into(T, (arithmetic,), up_to)[0]


def rounded_into(T: Transformer, arithmetics: Sequence[Arithmetic], up_to: int) -> list[tuple[Transformer, Rounding]]:
    """Round a transformer into several arithmetics, with a report on each; the original is run once.

    Every sum is a left fold, also in `Native`, as in the checker.
    """
    whole(up_to, "up_to", 1)
    check_length(T, up_to)
    if up_to > MOST_LENGTH or len(T.vocabulary) ** up_to > MOST_INPUTS:
        raise InputError(
            f"up_to={up_to} over {len(T.vocabulary)} symbols is over {MOST_INPUTS:,} inputs, "
            f"or over {MOST_LENGTH} tokens: write a shorter length"
        )
    before = _decisions(T, up_to)
    result = []
    for arithmetic in arithmetics:
        S = to_arithmetic(T, arithmetic)
        result.append((S, _report(T, S, before, _decisions(S, up_to))))
    return result


def _decisions(T: Transformer, up_to: int) -> list[np.ndarray]:
    """Return the decisions for each length, in vocabulary order."""
    asked = [Inputs(tuple(T.vocabulary), (), length) for length in range(1, up_to + 1)]
    return list(by_kernels(Reader(T), "decisions", asked))


def _report(T: Transformer, S: Transformer, before: list[np.ndarray], after: list[np.ndarray]) -> Rounding:
    different = [a != b for a, b in zip(before, after, strict=True)]
    first = next(((n + 1, int(np.argmax(d))) for n, d in enumerate(different) if d.any()), None)
    where = None if first is None else tuple(T.vocabulary[i] for i in tokens(first[1], first[0], len(T.vocabulary)))
    pairs = zip(named_arrays(T), named_arrays(S), strict=True)
    moved = sum(int((old != new).sum()) for (_, old), (_, new) in pairs)
    count = sum(int(d.sum()) for d in different)
    return Rounding(S.arithmetic, sum(d.size for d in different), count, where, moved, T.weights)
