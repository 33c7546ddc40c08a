"""Selects as pairs of positions: keys and queries that are no numbers get codes first."""

import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from math import gcd, lcm
from typing import Any

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.forms import Form, Sizes, TooLargeError, sums
from weightsmith.programs.circuit.selections import (
    Booleans,
    Condition,
    Difference,
    Selection,
    at_distances,
    both,
    either,
)
from weightsmith.programs.compiler.coding import Coder
from weightsmith.programs.compiler.splitting import Split, split
from weightsmith.programs.compiler.symbols import Affine, Mean, Symbol, Table, as_table, divided
from weightsmith.programs.compiler.tables import MOST_CALLS, combined
from weightsmith.programs.functions import Function, attempt
from weightsmith.programs.operators import COMPARISONS
from weightsmith.programs.places import Note, undecided
from weightsmith.programs.values import Value, exact, is_number

FEW_COLUMNS = 3  # kinds of queries that flags distinguish; more need a number
FEW_BOUNDARIES = 3  # of a condition on a form itself; with more, a flag is made first


@dataclass(eq=False, repr=False)
class Selecting:
    """Makes pairs of keys and queries; keys and queries that are no numbers get codes."""

    sizes: Sizes
    causal: bool
    coder: Coder

    def condition(self, key: Form, query: Form, holds: Callable[[int], bool]) -> Selection:
        """Return the pairs for which a function of query − key holds."""
        shift = query.constant - key.constant
        if key.is_constant and query.is_constant:
            return bool(holds(shift))
        factor = gcd(key.varying.factor, query.varying.factor)
        factor = -factor if (key.factor if not key.is_constant else query.factor) < 0 else factor
        difference = self._difference(divided(key.varying, factor), divided(query.varying, factor))
        found = np.array([bool(holds(int(code) * factor + shift)) for code in difference.codes])
        return bool(found[0]) if found.all() or not found.any() else Condition(difference, found)

    def _difference(self, key: Form, query: Form) -> Difference:
        if self.causal and key.of_index and query.of_index:
            return Difference(key, query, at_distances(key.index, query.index, range(len(key.index))))
        return Difference(key, query, sums(query.codes, -key.codes[::-1]))

    def select(self, keys: Symbol, queries: Symbol, comparison: str | Function, note: Note) -> Selection:
        """Return the pairs that a select selects."""
        if isinstance(comparison, str):
            _refuse_none(keys, queries, comparison, note)
            found = self._numbers(keys, queries, lambda d: COMPARISONS[comparison](0, d))
            if found is not None:
                return found
        if isinstance(comparison, str):
            return self._by_rank(as_table(keys, self.sizes), as_table(queries, self.sizes), comparison, note)
        table_of_keys, table_of_queries = as_table(keys, self.sizes), as_table(queries, self.sizes)
        matrix = self._matrix(table_of_keys.values, table_of_queries.values, comparison, note)
        if isinstance(keys, Affine) and isinstance(queries, Affine):
            found = self._of_difference(keys, queries, comparison, note)
            if found is not None:
                return found
        return self._of_matrix(table_of_keys, table_of_queries, matrix)

    def _numbers(self, keys: Symbol, queries: Symbol, holds: Callable[[int], bool]) -> Selection | None:
        """Return a condition on the difference of two numbers."""
        if not isinstance(keys, Affine) or not isinstance(queries, Affine):
            return None
        scale = lcm(keys.scale, queries.scale)
        return self.condition(keys.form * (scale // keys.scale), queries.form * (scale // queries.scale), holds)

    def _of_difference(self, keys: Affine, queries: Affine, function: Function, note: Note) -> Selection | None:
        """Return the pairs of a function that depends on the difference of its two numbers alone."""
        scale = lcm(keys.scale, queries.scale)
        key, query = keys.form * (scale // keys.scale), queries.form * (scale // queries.scale)
        found: dict[int, bool] = {}
        for k in key.codes:
            for q in query.codes:
                holds = bool(attempt(function, (_exact(k, scale), _exact(q, scale)), note))
                if found.setdefault(int(q - k), holds) != holds:
                    return None
        return self._numbers(keys, queries, lambda d: found[d])

    def _by_rank(self, keys: Table, queries: Table, comparison: str, note: Note) -> Selection:
        """Return a comparison of values by their ranks: all comparisons of the same values have the same codes.

        Numbers have an order, and so have texts. Other things are compared pair by pair: sets, say, have none.
        """
        values: list[Any] = list(dict.fromkeys([*keys.values, *queries.values]))
        if all(map(is_number, values)) or all(type(value) is str for value in values):
            values.sort()
        elif comparison not in ("==", "!="):
            matrix = self._matrix(keys.values, queries.values, COMPARISONS[comparison], note)
            return self._of_matrix(keys, queries, matrix)
        ranks = {value: rank for rank, value in enumerate(values)}
        for one, other in ((keys, queries), (queries, keys)):
            if len(one.values) == 1:
                left = [
                    COMPARISONS[comparison](*((v, one.values[0]) if other is keys else (one.values[0], v)))
                    for v in other.values
                ]
                return self.one_sided(_flag(other, left), "key" if other is keys else "query")
        return self._ordered(keys, queries, ranks, ranks, lambda d: COMPARISONS[comparison](0, d))

    def _matrix(
        self, keys: Sequence[Value], queries: Sequence[Value], holds: Callable[..., Any], note: Note
    ) -> Booleans:
        if len(keys) * len(queries) > MOST_CALLS:
            raise TooLargeError(
                f"a selector that compares {len(keys):,} with {len(queries):,} values: at most {MOST_CALLS:,} pairs "
                "can be proved; write a smaller max_length, or simpler steps"
            )
        found = np.empty((len(keys), len(queries)), np.bool_)
        for row, k in zip(found, keys, strict=True):
            in_force().check()
            row[:] = [bool(attempt(holds, (k, q), note)) for q in queries]
        return found

    def _of_matrix(self, keys: Table, queries: Table, matrix: Booleans) -> Selection:
        """Return the pairs of values that a matrix (keys, queries) selects."""
        if matrix.all() or not matrix.any():
            return bool(matrix[0, 0])
        if (matrix == matrix[:, :1]).all():
            return self.one_sided(_flag(keys, matrix[:, 0]), "key")
        if (matrix == matrix[:1]).all():
            return self.one_sided(_flag(queries, matrix[0]), "query")
        chained = self._chained(keys, queries, matrix)
        if chained is not None:
            return chained
        columns, which = np.unique(matrix, axis=1, return_inverse=True)
        which = which.ravel()
        if columns.shape[1] > FEW_COLUMNS:
            found = split(keys, queries, matrix)
            return self._numbered(keys, queries, columns, which) if found is None else self._split(found)
        return either(
            *(
                both(
                    self.one_sided(_flag(keys, columns[:, number]), "key"),
                    self.one_sided(_flag(queries, which == number), "query"),
                )
                for number in range(columns.shape[1])
            )
        )

    def _split(self, found: Split) -> Selection:
        """Return the alternatives of a split, of which a pair meets one at most."""
        (one, rest), alternatives = found[:2], found.alternatives
        return either(*(both(self._of_matrix(*one, a), self._of_matrix(*rest, b)) for a, b in alternatives))

    def _numbered(self, keys: Table, queries: Table, columns: Booleans, which: Any) -> Selection:
        """Return pairs by one number: the kind of the query and that of the key are its digits."""
        rows, row_of = np.unique(columns, axis=0, return_inverse=True)
        count = len(rows)
        of_key = {value: int(row) for value, row in zip(keys.values, row_of.ravel(), strict=True)}
        of_query = {value: int(n) * count + count - 1 for value, n in zip(queries.values, which, strict=True)}
        return self._ordered(keys, queries, of_key, of_query, lambda d: bool(rows[count - 1 - d % count, d // count]))

    def _chained(self, keys: Table, queries: Table, matrix: Booleans) -> Selection | None:
        """Return a selection in which each query selects a superset of lesser ones; equality is two such chains."""
        columns = np.unique(matrix, axis=1)
        columns = columns[:, np.argsort(columns.sum(axis=0), kind="stable")]
        if (columns[:, 1:] >= columns[:, :-1]).all():
            first = {
                value: int(np.argmax(row)) if row.any() else columns.shape[1] for value, row in _rows(keys, columns)
            }
            place = {column.tobytes(): number for number, column in enumerate(columns.T)}
            of_query = {value: place[np.ascontiguousarray(row).tobytes()] for value, row in _rows(queries, matrix.T)}
            return self._ordered(keys, queries, first, of_query, lambda d: d >= 0)
        for equal, found in ((True, matrix), (False, ~matrix)):
            holds = partial(operator.eq if equal else operator.ne, 0)
            for swapped, one, other, table in ((False, keys, queries, found), (True, queries, keys, found.T)):
                if (table.sum(axis=0) <= 1).all():  # each of the other side has one partner at most
                    own = {value: number for number, value in enumerate(one.values)}
                    pairs = _rows(other, table.T)
                    partner = {value: int(np.argmax(row)) if row.any() else len(own) for value, row in pairs}
                    of_key, of_query = (partner, own) if swapped else (own, partner)
                    return self._ordered(keys, queries, of_key, of_query, holds)
        return None

    def _ordered(
        self,
        keys: Table,
        queries: Table,
        of_key: dict[Value, int],
        of_query: dict[Value, int],
        holds: Callable[[int], bool],
    ) -> Selection:
        same = keys is queries and of_key == of_query and len(keys.variables) == 1
        if same and not keys.variables[0].is_feature:
            codes = [of_key[value] for value in keys.by_code()]
            if codes == sorted(set(codes)):
                form = keys.variables[0].form
                return self.condition(form, form, lambda d: holds((d > 0) - (d < 0)))
        key, query = self.coder.code(keys, of_key), self.coder.code(queries, of_query)
        return self.condition(key.form, query.form, holds)

    def one_sided(self, flag: Table, side: str) -> Selection:
        """Return the pairs whose key, or whose query, has a true flag."""
        if not flag.variables:
            return bool(flag.values[0])
        variable = flag.variables[0]
        if len(flag.variables) == 1 and not variable.is_feature:
            truths = np.array([bool(value) for value in flag.by_code()])
            if np.count_nonzero(truths[1:] != truths[:-1]) <= FEW_BOUNDARIES:
                return self._on_side(variable.form, dict(zip(map(int, variable.codes), truths, strict=True)), side)
        coded = self.coder.any_code(flag)
        return self._on_side(coded.form, {code: bool(value) for code, value in coded.decode.items()}, side)

    def _on_side(self, form: Form, truth: dict[int, bool], side: str) -> Selection:
        if side == "key":
            return self.condition(form, Form(), lambda d: truth.get(-d, False))
        return self.condition(Form(), form, lambda d: truth.get(d, False))


def _flag(table: Table, truths: Any) -> Table:
    """Return the table of a flag that is true for some values."""
    truth = dict(zip(table.values, map(bool, truths), strict=True))
    return combined(lambda value: truth[value], [table])


def _rows(table: Table, matrix: Booleans) -> list[tuple[Value, Booleans]]:
    return list(zip(table.values, matrix, strict=True))


def _exact(code: Any, scale: int) -> Value:
    return exact(Fraction(int(code), scale))


def _may_be_none(symbol: Symbol) -> bool:
    return symbol.may_be_none if isinstance(symbol, Mean) else isinstance(symbol, Table) and None in symbol.values


def _refuse_none(keys: Symbol, queries: Symbol, comparison: str, note: Note) -> None:
    for which, symbol in (("key", keys), ("query", queries)):
        if _may_be_none(symbol):
            raise undecided(
                note.place,
                f"select compares what may be None: the {which} is, where nothing is selected, and {comparison!r} has "
                "no answer; give the aggregate that it comes from a default",
            )
