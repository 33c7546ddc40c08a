"""From expressions of RASP in Python to the form that every program takes."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from weightsmith.errors import InputError, brief
from weightsmith.programs import form
from weightsmith.programs.form import Node, Note, SelectorNode, SequenceNode
from weightsmith.programs.functions import Function
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS
from weightsmith.programs.rasp import aggregates, selectors, sequences
from weightsmith.programs.rasp.encodings import default_name
from weightsmith.programs.rasp.expressions import RASPExpr
from weightsmith.programs.rasp.operations import applied, known_symbol, opaque
from weightsmith.programs.values import exact

GIVEN: dict[type[RASPExpr], type[SequenceNode]] = {
    sequences.TokensType: form.Tokens,
    sequences.IndicesType: form.Indices,
    sequences.LengthType: form.Length,
}


def program(sop: sequences.SOp | Program, name: str | None = None, causal: bool = False) -> Program:
    """Return a sequence operation as a program; in a causal one, selectors select no later position."""
    if isinstance(sop, Program):
        return replace(sop, name=name or sop.name, causal=causal or sop.causal)
    if not isinstance(sop, sequences.SOp):
        kind = "a selector: write SelectorWidth(...) or Aggregate(...) of it"
        raise InputError(f"{brief(sop)} is {kind if isinstance(sop, selectors.Selector) else 'no sequence operation'}")
    made: dict[int, Node] = {}
    waiting: list[tuple[RASPExpr, bool]] = [(sop, False)]
    while waiting:  # without recursion: programs may be deep
        expression, ready = waiting.pop()
        if id(expression) in made:
            continue
        parts = dependencies(expression)
        if ready:
            made[id(expression)] = node_of(expression, tuple(made[id(part)] for part in parts))
        else:
            waiting += [(expression, True), *((part, False) for part in parts)]
    output = made[id(sop)]
    assert isinstance(output, SequenceNode)
    return Program(output, "tracr", name or name_of(sop), causal)


def dependencies(expression: RASPExpr) -> Sequence[RASPExpr]:
    """Return what an expression is made of, before any simplification."""
    if isinstance(expression, selectors.Select) and expression.meaning is not None:
        return [expression.meaning]
    return expression.children


def note_of(expression: RASPExpr) -> Note:
    """Return the name, the place and the encoding that a person gave."""
    given = dict(expression.annotations)
    encoding = given.get("encoding")
    return Note(name_of(expression), expression.place, None if encoding is None else encoding.value)


def name_of(expression: RASPExpr) -> str | None:
    """Return the name that a person gave."""
    name = dict(expression.annotations).get("name")
    return None if name is None or name == default_name(expression) else str(name)


def node_of(expression: RASPExpr, parts: tuple[Node, ...]) -> Node:
    """Return an expression as a node, made of the nodes of its dependencies."""
    note = note_of(expression)
    if isinstance(expression, sequences.SOp):
        return _sequence(expression, parts, note)
    if isinstance(expression, selectors.Selector):
        return _selector(expression, parts, note)
    raise _unknown(expression)


def _sequence(expression: sequences.SOp, parts: tuple[Any, ...], note: Note) -> SequenceNode:
    match expression:
        case sequences.TokensType() | sequences.IndicesType() | sequences.LengthType():
            return GIVEN[type(expression)](note=note)
        case sequences.Map() | sequences.SequenceMap() | sequences.Pointwise():
            return applied(expression.f, parts, note)
        case sequences.Full():
            return form.Constant(exact(expression.fill), note=note)
        case sequences.ConstantSOp():
            return form.Row(tuple(exact(value) for value in expression.value), expression.check_length, note=note)
        case aggregates.SelectorWidth():
            return form.Width(*parts, note=note)
        case aggregates.Aggregate():
            selector, values = parts
            return form.Aggregate(selector, values, exact(expression.default), note=note)
    raise _unknown(expression)


def _selector(expression: selectors.Selector, parts: tuple[Any, ...], note: Note) -> SelectorNode:
    match expression:
        case selectors.Select():
            if expression.meaning is not None:
                return cast(SelectorNode, parts[0])
            keys, queries = parts
            return form.select(keys, queries, _comparison(expression, note), note)
        case selectors.SelectorAnd():
            return form.And(*parts, note=note)
        case selectors.SelectorOr():
            return form.Or(*parts, note=note)
        case selectors.SelectorNot():
            return form.Not(*parts, note=note)
        case selectors.ConstantSelector():
            rows = tuple(tuple(bool(one) for one in row) for row in expression.value)
            return form.Matrix(rows, expression.check_length, note=note)
    raise _unknown(expression)


def _comparison(select: selectors.Select, note: Note) -> str | Function:
    if isinstance(select.predicate, selectors.Comparison):
        return select.predicate.value.lower()
    symbol = known_symbol(select.predicate)
    return symbol if symbol in COMPARISONS and symbol is not None else opaque(select.predicate, note)


def _unknown(expression: RASPExpr) -> InputError:
    return InputError(f"an expression of the kind {type(expression).__name__} is none of RASP's: {brief(expression)}")
