"""The form that every program takes: a small graph of sequence operations and selectors.

Sequence operations have one value at every position:

    Tokens()  Indices()  Length()             the input, the positions from 0, and how many there are
    Constant(value)  Row(values)              one value everywhere; one for each position
    Apply(operator, arguments)                a pointwise function; None where an argument is None
    Aggregate(selector, values, default)      the mean of the selected values, or the default where none is selected
    Width(selector)                           how many positions are selected

Selectors say for each position (the query's) which positions (the keys') it selects:

    Select(keys, queries, comparison)         key, comparison, query: "==", "!=", "<", "<=", ">", ">=", or a Function
    And(left, right)  Or(left, right)  Not(inner)
    Always(selected)  Matrix(rows)            the same for every pair; written out

Constants are exact values (see `values`). Nodes are compared by identity; in a `Program` equal parts are one node.
"""

from contextlib import suppress
from dataclasses import dataclass, field, fields, replace
from functools import cached_property
from typing import Any, Literal, TypeAlias

from weightsmith.errors import brief
from weightsmith.programs.functions import Function
from weightsmith.programs.operators import COMPARISONS, Named, Operator
from weightsmith.programs.places import Note
from weightsmith.programs.values import Value, presented

FrontEnd: TypeAlias = Literal["rasp", "tracr"]


@dataclass(frozen=True, eq=False, repr=False)
class Node:
    """A part of a program."""

    note: Note = field(default=Note(), kw_only=True)

    def __repr__(self) -> str:
        """Return the kind and the name; its parts may be shared, and very long."""
        return f"<{type(self).__name__}{'' if self.note.name is None else f' {brief(self.note.name)}'}>"

    @cached_property
    def parts(self) -> tuple["Node", ...]:
        """The nodes that this one is made of, in order."""
        found: list[Node] = []
        for value in self.contents:
            found += [value] if isinstance(value, Node) else []
            found += [item for item in value if isinstance(item, Node)] if isinstance(value, tuple) else []
        return tuple(found)

    @property
    def contents(self) -> tuple[Any, ...]:
        """The values of all fields but the note."""
        return tuple(getattr(self, one.name) for one in fields(self) if one.name != "note")

    def named(self, name: str) -> "Node":
        """Return this node with a name."""
        return replace(self, note=replace(self.note, name=name))

    def written(self, parts: list[str]) -> str:
        """Return the node as people read it, its parts by their names."""
        return type(self).__name__.lower() + (f"({', '.join(parts)})" if parts else "")


class SequenceNode(Node):
    """A sequence operation: one value at every position."""


class SelectorNode(Node):
    """A selector: which positions every position selects."""


@dataclass(frozen=True, eq=False, repr=False)
class Tokens(SequenceNode):
    """The input."""


@dataclass(frozen=True, eq=False, repr=False)
class Indices(SequenceNode):
    """The positions, from 0."""


@dataclass(frozen=True, eq=False, repr=False)
class Length(SequenceNode):
    """How many positions there are: `Width(Always(True))` where no mask hides any."""


@dataclass(frozen=True, eq=False, repr=False)
class Constant(SequenceNode):
    """One value at every position."""

    value: Value

    def written(self, parts: list[str]) -> str:
        """Return `constant 3`."""
        return f"constant {brief(presented(self.value))}"


@dataclass(frozen=True, eq=False, repr=False)
class Row(SequenceNode):
    """Given values: for inputs of exactly this length, or of at most this length."""

    values: tuple[Value, ...]
    only_this_length: bool = True

    def written(self, parts: list[str]) -> str:
        """Return `row (1, 2)`."""
        return f"row {brief(presented(self.values))}"


@dataclass(frozen=True, eq=False, repr=False)
class Apply(SequenceNode):
    """A pointwise function of one or more sequence operations."""

    operator: Operator
    arguments: tuple[SequenceNode, ...]

    def written(self, parts: list[str]) -> str:
        """Return the operator with its arguments."""
        return self.operator.written(parts)


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(SequenceNode):
    """The exact mean of the selected values; a value that is no number may only be selected along with its equals."""

    selector: SelectorNode
    values: SequenceNode
    default: Value

    def written(self, parts: list[str]) -> str:
        """Return `aggregate(%1, %2, default 0)`."""
        return f"aggregate({parts[0]}, {parts[1]}, default {brief(presented(self.default))})"


@dataclass(frozen=True, eq=False, repr=False)
class Width(SequenceNode):
    """How many positions are selected."""

    selector: SelectorNode

    def written(self, parts: list[str]) -> str:
        """Return `selector_width(%1)`."""
        return f"selector_width({parts[0]})"


@dataclass(frozen=True, eq=False, repr=False)
class Select(SelectorNode):
    """The pairs whose key and query compare so; a `Function` gets (key, query)."""

    keys: SequenceNode
    queries: SequenceNode
    comparison: str | Function

    def written(self, parts: list[str]) -> str:
        """Return `select(key %1 == query %2)`."""
        return f"select(key {parts[0]} {self.comparison} query {parts[1]})"


@dataclass(frozen=True, eq=False, repr=False)
class And(SelectorNode):
    """The pairs that both select."""

    left: SelectorNode
    right: SelectorNode

    def written(self, parts: list[str]) -> str:
        """Return `%1 and %2`."""
        return f"{parts[0]} and {parts[1]}"


@dataclass(frozen=True, eq=False, repr=False)
class Or(SelectorNode):
    """The pairs that either selects."""

    left: SelectorNode
    right: SelectorNode

    def written(self, parts: list[str]) -> str:
        """Return `%1 or %2`."""
        return f"{parts[0]} or {parts[1]}"


@dataclass(frozen=True, eq=False, repr=False)
class Not(SelectorNode):
    """The pairs that the other does not select."""

    inner: SelectorNode

    def written(self, parts: list[str]) -> str:
        """Return `not %1`."""
        return f"not {parts[0]}"


@dataclass(frozen=True, eq=False, repr=False)
class Always(SelectorNode):
    """Every pair, or none."""

    selected: bool

    def written(self, parts: list[str]) -> str:
        """Return `select all` or `select none`."""
        return "select all" if self.selected else "select none"


@dataclass(frozen=True, eq=False, repr=False)
class Matrix(SelectorNode):
    """Given pairs, one row for each query: for inputs of exactly this length, or of at most this length."""

    rows: tuple[tuple[bool, ...], ...]
    only_this_length: bool = True

    def written(self, parts: list[str]) -> str:
        """Return the number of rows."""
        return f"select given pairs, {len(self.rows)} rows"


NODES = {kind.__name__.lower(): kind for kind in (*SequenceNode.__subclasses__(), *SelectorNode.__subclasses__())}


def select(keys: SequenceNode, queries: SequenceNode, comparison: str | Function, note: Note) -> SelectorNode:
    """Return the selector; where it is plain that all pairs are selected, or none, it is `Always`."""
    if comparison in ("true", "false"):
        return Always(comparison == "true", note=note)
    if isinstance(comparison, str) and isinstance(keys, Constant) and isinstance(queries, Constant):
        with suppress(TypeError):  # values that cannot be compared are an error where they are evaluated
            if None not in (keys.value, queries.value):
                return Always(COMPARISONS[comparison](keys.value, queries.value), note=note)
    return Select(keys, queries, comparison, note=note)


def gives_truth(node: Node) -> bool:
    """Return whether a node is plainly a truth value at every position."""
    if isinstance(node, Constant):
        return isinstance(node.value, bool)
    if not isinstance(node, Apply) or node.operator in (Named("and"), Named("or")):
        return isinstance(node, Apply) and all(map(gives_truth, node.arguments))
    return node.operator.gives_truth
