"""From expressions of RASP in Python to the form that every program takes."""

from collections.abc import Sequence
from dataclasses import replace

from weightsmith.errors import InputError, brief
from weightsmith.programs.form import Node, SequenceNode
from weightsmith.programs.graph import Program
from weightsmith.programs.places import Note
from weightsmith.programs.rasp import selectors, sequences
from weightsmith.programs.rasp.encodings import default_name
from weightsmith.programs.rasp.expressions import RASPExpr


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
    """Return the parts of an expression, before any simplification."""
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
    return expression.node(parts, note_of(expression))
