"""Many inputs of one length through one program.

Values are numbered: a sequence operation is an array of numbers (inputs, positions), a selector an array of truth
values (inputs, queries, keys). A function is called once for each combination of values that occurs, in order of
position, and each pair of a key and a query is compared once.
"""

from collections.abc import Sequence
from fractions import Fraction
from math import lcm
from types import NoneType
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief, listed
from weightsmith.programs import form
from weightsmith.programs.form import Node, SelectorNode, SequenceNode
from weightsmith.programs.functions import Function, failure
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS, NAMED, Named, Operator
from weightsmith.programs.places import Note, refusal
from weightsmith.programs.values import Value, exact, is_number, presented

Numbers: TypeAlias = npt.NDArray[np.int64]
Truths: TypeAlias = npt.NDArray[np.bool_]

LARGEST_SUM = 1 << 62
FEW = 256  # numbers for which a dictionary is faster than arrays


class Numbering:
    """Numbers values. A truth value and the number that it equals have two numbers, of which the first is `equal`."""

    def __init__(self) -> None:
        """Start without values."""
        self.values: list[Value] = []
        self.equal: list[int] = []  # for every number, that of the first value that equals its own
        self._numbers: dict[object, int] = {}
        self._first: dict[Value, int] = {}

    def of(self, value: Value) -> int:
        """Return the number of a value."""
        key = (repr(value) if type(value) is tuple else type(value), value)  # (True,) and (1,) are shown differently
        number = self._numbers.setdefault(key, len(self.values))
        if number == len(self.values):
            self.values.append(value)
            self.equal.append(self._first.setdefault(value, number))
        return number

    def listed(self, numbers: Numbers) -> list[Value]:
        """Return the values of a row of numbers."""
        return [self.values[n] for n in numbers.tolist()]


class Batch:
    """Inputs of one length through one program; with one input, errors name its position."""

    def __init__(self, program: Program, tokens: Numbers, numbering: Numbering) -> None:
        """Evaluate all nodes, each after its parts."""
        self.tokens, self.numbering, self.shape = tokens, numbering, tokens.shape
        self.values: dict[Node, Numbers] = {}
        self.selected: dict[Node, Truths] = {}
        before = np.tri(tokens.shape[1], dtype=bool) if program.causal else None
        for node in program.nodes:
            if isinstance(node, SequenceNode):
                self.values[node] = self._sequence(node)
            elif isinstance(node, SelectorNode):
                pairs = self._selector(node)
                self.selected[node] = pairs if before is None else pairs & before

    def _sequence(self, node: SequenceNode) -> Numbers:
        length = self.shape[1]
        match node:
            case form.Apply(operator, arguments):
                return self._applied(operator, [self.values[argument] for argument in arguments], node.note)
            case form.Tokens():
                return self.tokens
            case form.Indices():
                return self._row(range(length))
            case form.Length():
                return self._row([length] * length)
            case form.Constant(value):
                return self._row([value] * length)
            case form.Row(values, only):
                return self._row(_cut(values, length, only, node.note))
            case form.Aggregate(selector, values, default):
                return self._aggregated(self.selected[selector], self.values[values], default, node.note)
            case form.Width(selector):
                counts, which = distinct(np.count_nonzero(self.selected[selector], axis=2))
                return self._numbered(counts)[which]
        raise InputError(f"{brief(node)} is no sequence operation of a program")

    def _selector(self, node: SelectorNode) -> Truths:
        length = self.shape[1]
        match node:
            case form.Select(keys, queries, comparison):
                return self._compared(self.values[keys], self.values[queries], comparison, node.note)
            case form.And(left, right):
                return self.selected[left] & self.selected[right]
            case form.Or(left, right):
                return self.selected[left] | self.selected[right]
            case form.Not(inner):
                return ~self.selected[inner]
            case form.Always(all_pairs):
                return np.full((self.shape[0], length, length), all_pairs)
            case form.Matrix(rows, only):
                pairs = [row[:length] for row in _cut(rows, length, only, node.note)]
                return np.broadcast_to(np.array(pairs, bool).reshape(length, length), (self.shape[0], length, length))
        raise InputError(f"{brief(node)} is no selector of a program")

    def _numbered(self, values: Sequence[Value]) -> Numbers:
        return np.array([self.numbering.of(value) for value in values], np.int64)

    def _row(self, values: Sequence[Value]) -> Numbers:
        return np.broadcast_to(self._numbered(values), self.shape)

    def _applied(self, operator: Operator, columns: list[Numbers], note: Note) -> Numbers:
        """Return a pointwise function: None where an argument is None."""
        known, of = self.numbering.values, self.numbering.of
        call = NAMED[operator.symbol] if isinstance(operator, Named) else operator
        combinations, which = distinct_rows(columns)
        results: list[int] = []
        values: list[Value] = []
        try:
            for numbers in combinations:
                values = [known[n] for n in numbers]
                results.append(of(None if NoneType in map(type, values) else call(*values)))
        except Exception as error:
            position = int(np.argmax(which == len(results)))
            raise failure(operator, values, note, error, f" at position {position}") from error
        return np.array(results, np.int64)[which]

    def _compared(self, keys: Numbers, queries: Numbers, comparison: str | Function, note: Note) -> Truths:
        """Return the pairs that compare so."""
        if isinstance(comparison, str):
            self._refuse_none(keys, queries, comparison, note)
        equal, known = np.array(self.numbering.equal, np.int64), self.numbering.values
        keys, queries = equal[keys], equal[queries]
        if comparison == "==":
            return np.equal(keys[:, np.newaxis, :], queries[:, :, np.newaxis])
        holds = comparison if isinstance(comparison, Function) else COMPARISONS[comparison]
        (those, k), (these, q) = distinct(keys), distinct(queries)
        pairs = q[:, :, np.newaxis] * len(those) + k[:, np.newaxis, :]
        occurs = np.zeros(len(these) * len(those), bool)
        occurs[pairs] = True
        truths = np.zeros_like(occurs)
        for pair in np.flatnonzero(occurs).tolist():
            values = known[those[pair % len(those)]], known[these[pair // len(those)]]
            try:
                truths[pair] = bool(holds(*values))
            except Exception as error:
                raise failure(holds, values, note, error) from error
        return np.asarray(truths[pairs])

    def _refuse_none(self, keys: Numbers, queries: Numbers, comparison: str, note: Note) -> None:
        nothing = self.numbering.of(None)
        for which, numbers in (("key", keys), ("query", queries)):
            if (numbers == nothing).any():
                raise refusal(
                    note.place,
                    f"select compares None: the {which} is None, and {comparison!r} has no answer; give the aggregate "
                    "that it comes from a default",
                )

    def _aggregated(self, chosen: Truths, numbers: Numbers, default: Value, note: Note) -> Numbers:
        """Return the mean of the selected values, or the default; a single value is its own mean."""
        if not numbers.size:
            return numbers
        counts = np.count_nonzero(chosen, axis=2)
        different, which = distinct(numbers)
        values = [self.numbering.values[n] for n in different]
        scale = lcm(*(Fraction(value).denominator for value in values if is_number(value)))
        whole = [int(value * scale) if is_number(value) else LARGEST_SUM for value in values]
        if max(map(abs, whole)) * (self.shape[1] + 1) ** 2 < LARGEST_SUM:
            sums = np.einsum("iqk,ik->iq", chosen, np.array(whole, np.int64)[which])
            pairs, inverse = distinct_rows([sums, counts])
            means = self._numbered([exact(Fraction(a, b * scale)) if b else default for a, b in pairs])[inverse]
            return np.where(counts == 1, _first_chosen(chosen, numbers), means) if bool in map(type, values) else means
        first = np.where(counts, _first_chosen(chosen, numbers), self.numbering.of(default))
        return self._one_by_one(chosen, numbers, first, counts, note)

    def _one_by_one(self, chosen: Truths, numbers: Numbers, first: Numbers, counts: Numbers, note: Note) -> Numbers:
        """Return the first selected value where all selected ones equal it, and their mean elsewhere."""
        equal, result = np.array(self.numbering.equal, np.int64), first.copy()
        differs = (chosen & (equal[numbers][:, np.newaxis, :] != equal[first][:, :, np.newaxis])).any(axis=2)
        truths = [n for n, value in enumerate(self.numbering.values) if type(value) is bool]
        for n, query in np.argwhere((counts > 1) & (differs | np.isin(first, truths))).tolist():
            result[n, query] = self.numbering.of(
                _mean(self.numbering.listed(numbers[n, chosen[n, query]]), note, query)
            )
        return result


def _first_chosen(chosen: Truths, numbers: Numbers) -> Numbers:
    return np.take_along_axis(numbers, chosen.argmax(axis=2), axis=1)


def _mean(values: list[Value], note: Note, query: int) -> Value:
    """Return the exact mean of several values."""
    numbers = [value for value in values if is_number(value)]
    if len(numbers) == len(values):
        return exact(Fraction(sum(numbers), len(numbers)))
    different = listed(sorted({brief(presented(value)) for value in values}))
    raise refusal(
        note.place,
        f"aggregate{'' if note.name is None else f' in {note.name!r}'}: position {query} selects {different}, and only "
        "numbers have a mean; select one of them, or equal ones",
    )


def _cut(row: Sequence[Any], length: int, only_this_length: bool, note: Note) -> Sequence[Any]:
    if len(row) < length or (only_this_length and len(row) != length):
        raise refusal(note.place, f"a constant of length {len(row)} and an input of length {length}: make them equal")
    return row[:length]


def distinct(numbers: Numbers) -> tuple[list[int], Numbers]:
    """Return the different numbers, and each one's place among them; of one input, in order of first occurrence."""
    if numbers.size <= FEW:
        known: dict[int, int] = {}
        which = [known.setdefault(n, len(known)) for n in numbers.ravel().tolist()]
        return list(known), np.array(which, np.int64).reshape(numbers.shape)
    least, most = int(numbers.min()), int(numbers.max())
    if most - least > 4 * numbers.size + 1024:
        different, inverse = np.unique(numbers, return_inverse=True)
        inverse = inverse.reshape(numbers.shape)
    else:  # marks on a ruler are faster than sorting
        seen = np.zeros(most - least + 1, bool)
        seen[numbers - least] = True
        different, inverse = np.flatnonzero(seen) + least, (np.cumsum(seen) - 1)[numbers - least]
    if len(numbers) > 1:
        return different.tolist(), inverse
    order = np.argsort(_first(inverse, len(different)))
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return different[order].tolist(), rank[inverse]


def distinct_rows(columns: Sequence[Numbers]) -> tuple[list[tuple[int, ...]], Numbers]:
    """Return the different combinations of several columns, as `distinct` does."""
    if columns[0].size <= FEW:
        known: dict[tuple[int, ...], int] = {}
        rows = zip(*(column.ravel().tolist() for column in columns), strict=True)
        which = [known.setdefault(row, len(known)) for row in rows]
        return list(known), np.array(which, np.int64).reshape(columns[0].shape)
    codes, size = np.zeros(columns[0].shape, np.int64), 1
    for column in columns:
        least, count = int(column.min()), int(column.max()) - int(column.min()) + 1
        if size * count > LARGEST_SUM:
            different, codes = distinct(codes)
            size = len(different)
        codes, size = codes * count + (column - least), size * count
    different, inverse = distinct(codes)
    first = _first(inverse, len(different))
    return list(zip(*(column.ravel()[first].tolist() for column in columns), strict=True)), inverse


def _first(inverse: Numbers, count: int) -> Numbers:
    """Return the first occurrence of each number."""
    first = np.empty(count, np.int64)
    first[inverse.ravel()[::-1]] = np.arange(inverse.size)[::-1]
    return first
