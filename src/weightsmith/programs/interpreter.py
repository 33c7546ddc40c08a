"""The interpreter: what a program means, for any input.

Everything is exact. An aggregate is the mean of the selected values as a fraction, or the default where nothing is
selected: RASP's default is 0 unless another is given, that of RASP in Python is None. A pointwise function gives None
where an argument is None. What goes wrong is an error that names the place in the program, the value and the position.
"""

from collections.abc import Callable, Sequence
from fractions import Fraction
from types import NoneType
from typing import Any

from weightsmith.errors import InputError, brief, listed
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
    Note,
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
from weightsmith.programs.operators import COMPARISONS, NAMED, Named, Operator
from weightsmith.programs.places import refusal
from weightsmith.programs.values import KINDS, Value, exact, is_number, kind, presented

Bits = int  # a set of positions: bit j is position j


def evaluate(program: Program, tokens: Sequence[Value]) -> list[Value]:
    """Return the program's value at every position of an input: a text of characters, or a list of tokens.

    Whole numbers are ints, other numbers are floats, or fractions where no float stands for them.

    >>> from weightsmith.programs import parse_rasp
    >>> evaluate(parse_rasp("hist = selector_width(select(tokens, tokens, ==));"), "abca")
    [2, 1, 1, 2]
    """
    values = exact_values(program, tokens)
    _require_one_kind(program, values)
    return [presented(value) for value in values]


def exact_values(program: Program, tokens: Sequence[Value]) -> list[Value]:
    """Return the exact value at every position, of whatever kinds they are."""
    run = ProgramRun(program, tokens)
    return run.values(program.output)


def read_tokens(tokens: object) -> list[Value]:
    """Return an input as a list of exact values."""
    if isinstance(tokens, str | bytes | dict) or not isinstance(tokens, Sequence):
        if not isinstance(tokens, str):
            raise InputError(f"the input is {brief(tokens)}: write a text, or a list of tokens")
        return list(tokens)
    return [exact(token) for token in tokens]


class ProgramRun:
    """One input through one program: the exact values of every node."""

    def __init__(self, program: Program, tokens: Sequence[Value]) -> None:
        """Evaluate all nodes, each after its parts."""
        if not isinstance(program, Program):
            raise InputError(f"{brief(program)} is no program: write weightsmith.programs.program(...) of it")
        self.tokens = read_tokens(tokens)
        self.causal = program.causal
        self._values: dict[Node, list[Value]] = {}
        self._selected: dict[Node, list[Bits]] = {}
        for node in program.nodes:
            if isinstance(node, SequenceNode):
                self._values[node] = self._sequence(node)
            elif isinstance(node, SelectorNode):
                self._selected[node] = self._masked(self._selector(node))

    def values(self, node: SequenceNode) -> list[Value]:
        """Return the value of a sequence operation at every position."""
        return self._values[node]

    def selected(self, node: SelectorNode) -> list[list[bool]]:
        """Return for every position which positions it selects."""
        count = range(len(self.tokens))
        return [[bool(row >> key & 1) for key in count] for row in self._selected[node]]

    def rows(self) -> list[list[bool]]:
        """Return what the last selector of the program selects."""
        return self.selected(next(node for node in reversed(self._selected) if isinstance(node, SelectorNode)))

    def _sequence(self, node: SequenceNode) -> list[Value]:
        count = len(self.tokens)
        match node:
            case Apply(operator, arguments):
                return applied(operator, [self._values[argument] for argument in arguments], node.note)
            case Tokens():
                return self.tokens
            case Indices():
                return list(range(count))
            case Length():
                return [count] * count
            case Constant(value):
                return [value] * count
            case Row(values, only):
                _require_length(len(values), count, only, node.note)
                return list(values[:count])
            case Aggregate(selector, values_node, default):
                return aggregated(self._selected[selector], self._values[values_node], default, node.note)
            case Width(selector):
                return [row.bit_count() for row in self._selected[selector]]
        raise InputError(f"{brief(node)} is no sequence operation of a program")

    def _selector(self, node: SelectorNode) -> list[Bits]:
        count = len(self.tokens)
        every = (1 << count) - 1
        match node:
            case Select(keys, queries, comparison):
                return selected(self._values[keys], self._values[queries], comparison, node.note)
            case And(left, right):
                return [a & b for a, b in zip(self._selected[left], self._selected[right], strict=True)]
            case Or(left, right):
                return [a | b for a, b in zip(self._selected[left], self._selected[right], strict=True)]
            case Not(inner):
                return [every ^ row for row in self._selected[inner]]
            case Always(all_pairs):
                return [every if all_pairs else 0] * count
            case Matrix(rows, only):
                _require_length(len(rows), count, only, node.note)
                return [bits(row[:count]) for row in rows[:count]]
        raise InputError(f"{brief(node)} is no selector of a program")

    def _masked(self, rows: list[Bits]) -> list[Bits]:
        return [row & ((2 << query) - 1) for query, row in enumerate(rows)] if self.causal else rows


def bits(row: Sequence[bool]) -> Bits:
    """Return the set of positions that a row selects."""
    return sum(1 << key for key, chosen in enumerate(row) if chosen)


def applied(operator: Operator, columns: list[list[Value]], note: Note) -> list[Value]:
    """Return a pointwise function's value at every position: None where an argument is None."""
    results: list[Value] = []
    values: tuple[Value, ...] = ()
    call = NAMED[operator.symbol] if isinstance(operator, Named) else operator
    try:
        for values in zip(*columns, strict=True):
            results.append(None if NoneType in map(type, values) else call(*values))
    except Exception as error:
        raise failure(operator, values, note, error, f" at position {len(results)}") from error
    return results


def attempt(operator: Callable[..., Any], values: Sequence[Value], note: Note) -> Any:
    """Return what a function gives for some values, or say which values it fails on."""
    try:
        return operator(*values)
    except Exception as error:
        raise failure(operator, values, note, error) from error


def failure(
    operator: Callable[..., Any], values: Sequence[Value], note: Note, error: Exception, where: str = ""
) -> InputError:
    """Return the error that says which function failed, on what, and why."""
    place = operator.place if isinstance(operator, Function) else None
    given = " and ".join(brief(presented(value)) for value in values)
    why = str(error) if isinstance(error, InputError) else f"{type(error).__name__}: {error}"
    return refusal(place or note.place, f"{_called(operator, note)} on {given}{where}: {why}")


def _called(operator: Callable[..., Any], note: Note) -> str:
    name = "" if note.name is None else f" in {note.name!r}"
    if isinstance(operator, Function):
        return f"the function {operator.name}{name}"
    return f"{operator if isinstance(operator, Operator) else 'select'}{name}"


def aggregated(rows: list[Bits], values: list[Value], default: Value, note: Note) -> list[Value]:
    """Return the mean of the selected values at every position, or the default."""
    means: dict[Bits, Value] = {}
    for query, row in enumerate(rows):
        if row not in means:
            chosen = [value for key, value in enumerate(values) if row >> key & 1]
            means[row] = mean(chosen, default, note, query)
    return [means[row] for row in rows]


def mean(chosen: list[Value], default: Value, note: Note, query: int) -> Value:
    """Return the exact mean of some values; equal ones have a mean whatever they are."""
    if not chosen:
        return default
    if chosen.count(chosen[0]) == len(chosen):
        return +chosen[0] if len(chosen) > 1 and isinstance(chosen[0], bool) else chosen[0]  # a mean is a number
    numbers = [value for value in chosen if is_number(value)]
    if len(numbers) == len(chosen):
        return exact(Fraction(sum(numbers), len(numbers)))
    different = listed(sorted({brief(presented(value)) for value in chosen}))
    raise refusal(
        note.place,
        f"aggregate{'' if note.name is None else f' in {note.name!r}'}: position {query} selects {different}, and only "
        "numbers have a mean; select one of them, or equal ones",
    )


def selected(keys: list[Value], queries: list[Value], comparison: str | Function, note: Note) -> list[Bits]:
    """Return for every query which keys compare to it as wanted; each pair of values is compared once."""
    at: dict[Value, Bits] = {}
    for position, key in enumerate(keys):
        at[key] = at.get(key, 0) | 1 << position
    if isinstance(comparison, str):
        _refuse_none(at, queries, comparison, note)
    if comparison == "==":
        return [at.get(query, 0) for query in queries]
    holds = comparison if isinstance(comparison, Function) else COMPARISONS[comparison]
    rows = {query: _row(at, query, holds, note) for query in dict.fromkeys(queries)}
    return [rows[query] for query in queries]


def _row(at: dict[Value, Bits], query: Value, holds: Callable[[Any, Any], object], note: Note) -> Bits:
    key: Value = None
    row = 0
    try:
        for key, where in at.items():
            row |= where if holds(key, query) else 0
    except Exception as error:
        raise failure(holds, (key, query), note, error) from error
    return row


def _refuse_none(at: dict[Value, Bits], queries: list[Value], comparison: str, note: Note) -> None:
    for which, found in (("key", None in at), ("query", None in queries)):
        if found:
            raise refusal(
                note.place,
                f"select compares None: the {which} is None, and {comparison!r} has no answer; give the aggregate that "
                "it comes from a default",
            )


def _require_length(given: int, count: int, only_this_length: bool, note: Note) -> None:
    if given < count or (only_this_length and given != count):
        raise refusal(note.place, f"a constant of length {given} and an input of length {count}: make them equal")


def _require_one_kind(program: Program, values: list[Value]) -> None:
    first: dict[str, int] = {}
    for position, value in enumerate(values):
        found = kind(value)
        if found is not None:
            first.setdefault(found, position)
    if len(first) > 1:
        (one, here), (other, there) = list(first.items())[:2]
        note = program.output.note
        raise refusal(
            note.place,
            f"the outputs{'' if note.name is None else f' of {note.name!r}'} mix kinds: position {here} has "
            f"{brief(presented(values[here]))}, {KINDS[one]}, and position {there} {brief(presented(values[there]))}, "
            f"{KINDS[other]}; give the aggregate a default of the other kind",
        )
