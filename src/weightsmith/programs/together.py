"""What a program means for many inputs of one length at once: the interpreter's values, found with less work.

Values are numbered, so that a sequence operation is an array of numbers (inputs, positions): a pointwise function is
called once for each combination that occurs, and each pair of a key and a query is compared once. Whatever goes wrong,
or is too large, is left to the interpreter, input by input: its word is the meaning.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from math import lcm
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, listed
from weightsmith.programs.form import (
    Aggregate,
    Always,
    And,
    Apply,
    Constant,
    Indices,
    Length,
    Matrix,
    Node,
    Not,
    Or,
    Row,
    Select,
    SelectorNode,
    SequenceNode,
    Tokens,
    Width,
)
from weightsmith.programs.functions import Function
from weightsmith.programs.graph import Program
from weightsmith.programs.interpreter import evaluate
from weightsmith.programs.operators import COMPARISONS
from weightsmith.programs.values import Value, exact, is_number, kind, presented

Numbers: TypeAlias = npt.NDArray[np.int64]
Truths: TypeAlias = npt.NDArray[np.bool_]

PAIRS_AT_ONCE = 1 << 24  # of positions, over all inputs and selectors of a batch
LARGEST_SUM = 1 << 62
MOST_COMBINATIONS = 1 << 24  # that are looked up in a table


def evaluate_together(program: Program, tokens: Sequence[Value], inputs: npt.ArrayLike) -> tuple[Numbers, list[Value]]:
    """Return what a program gives for inputs (inputs, positions) of places among the tokens: `evaluate`, many times.

    The answer is an array of the same shape, of places in a list of exact values.

    >>> from weightsmith.programs import parse_rasp
    >>> found, values = evaluate_together(parse_rasp("double = 2 * indices;"), "ab", [[0, 1], [1, 1]])
    >>> [[values[place] for place in row] for row in found]
    [[0, 2], [0, 2]]
    """
    places = np.asarray(inputs, np.int64)
    numbering = _Numbering()
    selectors = sum(isinstance(node, SelectorNode) for node in program.nodes)
    most = max(PAIRS_AT_ONCE // (max(selectors, 1) * max(places.shape[1], 1) ** 2), 1)
    parts = [_part(program, tokens, places[n : n + most], numbering) for n in range(0, len(places), most)]
    found = np.concatenate(parts) if parts else np.zeros(places.shape, np.int64)
    used, result = _different(found)
    return result, [numbering.values[n] for n in used.tolist()]


def _part(program: Program, tokens: Sequence[Value], places: Numbers, numbering: "_Numbering") -> Numbers:
    try:
        found = _Batch(program, tokens, places, numbering).values[program.output]
    except Exception:  # of whoever wrote a function, or of ours where something is too large: the interpreter tells
        found = np.array([_alone(program, tokens, row, numbering) for row in places.tolist()], np.int64)
    return found if _of_one_kind(found, numbering) else np.array(
        [_alone(program, tokens, row, numbering) for row in places.tolist()], np.int64
    )  # fmt: skip


def _alone(program: Program, tokens: Sequence[Value], row: list[int], numbering: "_Numbering") -> list[int]:
    given = [tokens[place] for place in row]
    try:
        return [numbering.of(exact(value)) for value in evaluate(program, given)]
    except InputError as error:
        shown = listed([str(presented(token)) for token in given])
        raise InputError(f"on the input {shown}: {error}") from None


def _of_one_kind(found: Numbers, numbering: "_Numbering") -> bool:
    """Say whether no input has outputs of two kinds."""
    names = ["number", "text", "thing"]
    kinds = np.array([names.index(name) if (name := kind(v)) else -1 for v in numbering.values], np.int64)[found]
    has = [(kinds == n).any(axis=1) for n in range(len(names))]
    return not (np.sum(has, axis=0) > 1).any()


class _Numbering:
    """Numbers values, equal ones alike."""

    def __init__(self) -> None:
        self.values: list[Value] = []
        self._numbers: dict[Value, int] = {}

    def of(self, value: Value) -> int:
        number = self._numbers.setdefault(value, len(self.values))
        if number == len(self.values):
            self.values.append(value)
        return number


class _LeftError(Exception):
    """What is better done input by input."""


class _Batch:
    """Inputs of one length through one program."""

    def __init__(self, program: Program, tokens: Sequence[Value], places: Numbers, numbering: _Numbering) -> None:
        self.numbering, self.shape = numbering, places.shape
        self.tokens = np.array([numbering.of(exact(token)) for token in tokens], np.int64)[places]
        self.values: dict[Node, Numbers] = {}
        self.selected: dict[Node, Truths] = {}
        before = np.tri(places.shape[1], dtype=bool) if program.causal else None
        for node in program.nodes:
            if isinstance(node, SequenceNode):
                self.values[node] = self._sequence(node)
            elif isinstance(node, SelectorNode):
                chosen = self._selector(node)
                self.selected[node] = chosen if before is None else chosen & before

    def _sequence(self, node: SequenceNode) -> Numbers:
        length = self.shape[1]
        match node:
            case Apply(operator, arguments):
                return self._applied(operator, [self.values[argument] for argument in arguments])
            case Tokens():
                return self.tokens
            case Indices():
                return self._row(range(length))
            case Length():
                return self._row([length] * length)
            case Constant(value):
                return self._row([value] * length)
            case Row(values, only):
                return self._row(_cut(values, length, only))
            case Aggregate(selector, values, default):
                return self._aggregated(self.selected[selector], self.values[values], default)
            case Width(selector):
                return self._each(np.count_nonzero(self.selected[selector], axis=2), int)
        raise _LeftError

    def _selector(self, node: SelectorNode) -> Truths:
        match node:
            case Select(keys, queries, comparison):
                return self._compared(self.values[keys], self.values[queries], comparison)
            case And(left, right):
                return self.selected[left] & self.selected[right]
            case Or(left, right):
                return self.selected[left] | self.selected[right]
            case Not(inner):
                return ~self.selected[inner]
            case Always(all_pairs):
                return self._everywhere(np.full((self.shape[1], self.shape[1]), all_pairs))
            case Matrix(rows, only):
                given = [_cut(row, self.shape[1], only) for row in _cut(rows, self.shape[1], only)]
                return self._everywhere(np.array(given, bool))
        raise _LeftError

    def _row(self, values: Sequence[Value]) -> Numbers:
        return np.broadcast_to(np.array([self.numbering.of(value) for value in values], np.int64), self.shape)

    def _everywhere(self, pairs: Truths) -> Truths:
        return np.broadcast_to(pairs, (self.shape[0], *pairs.shape))

    def _each(self, codes: Numbers, value: Callable[[int], Value]) -> Numbers:
        """Return the numbers of what each code stands for, each asked for once."""
        different, which = _different(codes)
        return np.array([self.numbering.of(value(code)) for code in different.tolist()], np.int64)[which]

    def _applied(self, operator: Callable[..., Value], columns: list[Numbers]) -> Numbers:
        together, sets = _combined(columns)

        def value(code: int) -> Value:
            given: list[Value] = []
            for numbers in reversed(sets):
                code, n = divmod(code, len(numbers))
                given.insert(0, self.numbering.values[numbers[n]])
            return None if None in given else operator(*given)

        return self._each(together, value)

    def _compared(self, keys: Numbers, queries: Numbers, comparison: str | Function) -> Truths:
        if isinstance(comparison, str):
            nothing = self.numbering.of(None)
            if (keys == nothing).any() or (queries == nothing).any():
                raise _LeftError  # the interpreter says what is wrong
        if comparison == "==":
            same: Truths = keys[:, np.newaxis, :] == queries[:, :, np.newaxis]
            return same
        holds = comparison if isinstance(comparison, Function) else COMPARISONS[comparison]
        pairs, (those, these) = _combined([keys[:, np.newaxis, :], queries[:, :, np.newaxis]])
        asked = np.zeros(len(those) * len(these), bool)
        asked[pairs] = True
        truths = np.zeros(len(asked), bool)
        for code in np.flatnonzero(asked).tolist():
            key, query = (
                self.numbering.values[s[n]] for s, n in zip((those, these), divmod(code, len(these)), strict=True)
            )
            truths[code] = bool(holds(key, query))
        return truths[pairs]

    def _aggregated(self, chosen: Truths, numbers: Numbers, default: Value) -> Numbers:
        different, which = _different(numbers)
        values = [self.numbering.values[n] for n in different.tolist()]
        counts = np.count_nonzero(chosen, axis=2)
        if all(is_number(value) for value in values):
            scale = lcm(*(Fraction(value).denominator for value in values))
            whole = [int(Fraction(value) * scale) for value in values]
            if max(map(abs, whole)) * (self.shape[1] + 1) ** 2 < LARGEST_SUM:
                sums = np.einsum("iqk,ik->iq", chosen, np.array(whole, np.int64)[which])
                steps = self.shape[1] + 1
                return self._each(
                    sums * steps + counts, lambda code: _mean(code // steps, code % steps * scale, default)
                )
        return self._single(chosen, which, counts, values, default)

    def _single(self, chosen: Truths, which: Numbers, counts: Numbers, values: list[Value], default: Value) -> Numbers:
        """Return values that are selected alone, or along with their equals."""
        here = which[:, np.newaxis, :]
        least = np.where(chosen, here, len(values)).min(axis=2, initial=len(values))
        most = np.where(chosen, here, -1).max(axis=2, initial=-1)
        if ((least != most) & (counts > 0)).any():
            raise _LeftError
        return self._each(np.where(counts > 0, least, -1), lambda code: default if code < 0 else values[code])


def _mean(total: int, share: int, default: Value) -> Value:
    return exact(Fraction(total, share)) if share else default


def _cut(given: Sequence[Any], length: int, only_this_length: bool) -> Sequence[Any]:
    if len(given) < length or (only_this_length and len(given) != length):
        raise _LeftError  # the interpreter says what is wrong
    return given[:length]


def _combined(columns: Sequence[Numbers]) -> tuple[Numbers, list[list[int]]]:
    """Return one number for what several columns hold together, and the different ones of each."""
    total: Numbers = np.zeros((), np.int64)
    sets: list[list[int]] = []
    size = 1
    for column in columns:
        different, which = _different(column)
        size *= len(different)
        if size > MOST_COMBINATIONS:
            raise _LeftError
        total = total * len(different) + which
        sets.append(different.tolist())
    return total, sets


def _different(numbers: Numbers) -> tuple[Numbers, Numbers]:
    """Return the different ones in order, and each one's place among them; without sorting where all are near."""
    least, most = (int(numbers.min()), int(numbers.max())) if numbers.size else (0, -1)
    if most - least > 4 * numbers.size + 1024:
        different, which = np.unique(numbers, return_inverse=True)
        return different, which.reshape(numbers.shape)
    seen = np.zeros(most - least + 1, bool)
    seen[numbers - least] = True
    return np.flatnonzero(seen) + least, (np.cumsum(seen) - 1)[numbers - least]
