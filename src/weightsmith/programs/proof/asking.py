"""The results of functions: each is computed once, and kept in a table where a reader could not compute it again.

Operators that are known by name are computed on None, truth values, exact numbers and texts. The results of Python
functions, and those for other values, are kept in tables, which a certificate holds.
"""

from collections.abc import Callable, Hashable
from fractions import Fraction
from itertools import product
from types import NoneType
from typing import Any

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.form import Node
from weightsmith.programs.functions import Function, attempt
from weightsmith.programs.operators import COMPARISONS
from weightsmith.programs.proof.holding import Values
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.space import Booleans, Integers
from weightsmith.programs.values import Value

NUMBERS = (bool, int, Fraction)
PLAIN = (NoneType, str, *NUMBERS)
MOST_PAIRS = 400_000  # of values that are compared one by one

Answers = dict[tuple[Value, ...], Value]


class Asking:
    """Calls functions, and keeps the results that a certificate must hold."""

    def __init__(self, values: Values, given: dict[Node, Answers] | None = None) -> None:
        """Take the results in a certificate, where functions cannot be called."""
        self.values, self.given = values, given
        self.kept: dict[Node, Answers] = {}

    def ask(self, node: Node, function: Callable[..., Any], given: tuple[Value, ...]) -> Value:
        """Return the result of a function for some values."""
        own = isinstance(function, Function) or not all(type(one) in PLAIN for one in given)
        if own and self.given is not None:
            return self._looked_up(node, given)
        try:
            answer = attempt(function, given, node.note)
        except LemmaError:
            raise
        except Exception as error:
            raise LemmaError(str(error)) from error
        if own:
            self.kept.setdefault(node, {})[given] = answer
        assert isinstance(answer, Hashable)
        return answer

    def _looked_up(self, node: Node, given: tuple[Value, ...]) -> Value:
        answers = (self.given or {}).get(node, {})
        if given not in answers:
            raise LemmaError(f"the certificate does not say what it gives for {brief(given)}")
        self.kept.setdefault(node, {})[given] = answers[given]
        return answers[given]

    def applied(self, node: Node, function: Callable[..., Any], arguments: list[Integers]) -> Integers:
        """Return a pointwise function of arrays of values: None where an argument is None."""
        known, values = self.values.known, self.values
        keys = np.zeros((1,) * arguments[0].ndim, np.int64)
        count = len(known)
        if count ** len(arguments) < 1 << 62:
            for one in arguments:
                keys = keys * count + one
            _, first, inverse = np.unique(keys, return_index=True, return_inverse=True)
            flat = [np.broadcast_to(one, keys.shape).ravel()[first].tolist() for one in arguments]
        else:
            rows = np.stack([one.ravel() for one in np.broadcast_arrays(*arguments)])
            keys = np.broadcast_arrays(*arguments)[0]
            columns, inverse = np.unique(rows, axis=1, return_inverse=True)
            flat = columns.tolist()
        results = []
        for numbers in zip(*flat, strict=True):
            given = tuple(known[n] for n in numbers)
            answer = None if any(one is None for one in given) else self.ask(node, function, given)
            results.append(values.number(answer))
        return np.array(results, np.int64)[inverse].reshape(keys.shape)

    def compared(self, node: Node, comparison: str | Callable[..., Any], keys: Integers, queries: Integers) -> Booleans:
        """Return for all pairs of values (keys, queries) whether the comparison holds."""
        known = self.values.known
        if isinstance(comparison, str):
            self._refuse_none(keys, queries)
            if comparison == "==":
                return np.equal.outer(keys, queries)
            ranks = self.ranks(np.concatenate([keys, queries]))
            if ranks is not None:
                left, right = ranks[: len(keys)], ranks[len(keys) :]
                return np.asarray(COMPARISONS[comparison](left[:, None], right[None, :]))
        if len(keys) * len(queries) > MOST_PAIRS:
            raise LemmaError(f"{len(keys):,} × {len(queries):,} pairs of values are too many to be compared")
        function = COMPARISONS[comparison] if isinstance(comparison, str) else comparison
        found = [
            bool(self.ask(node, function, (known[k], known[q]))) for k, q in product(keys.tolist(), queries.tolist())
        ]
        return np.array(found, np.bool_).reshape(len(keys), len(queries))

    def ranks(self, numbers: Integers) -> Integers | None:
        """Return values by their order, where they have one: numbers alone, or texts alone."""
        known = self.values.known
        different = [known[n] for n in dict.fromkeys(numbers.tolist())]
        if not all(type(one) in NUMBERS for one in different) and not all(type(one) is str for one in different):
            return None
        ranks = {value: rank for rank, value in enumerate(sorted(different))}
        return np.array([ranks[known[n]] for n in numbers.tolist()], np.int64)

    def _refuse_none(self, keys: Integers, queries: Integers) -> None:
        for numbers in (keys, queries):
            if any(self.values.known[n] is None for n in dict.fromkeys(numbers.tolist())):
                raise LemmaError("select compares what may be None")
