"""Comparison of a program with that of a certificate: node by node, and functions by their results."""

from collections.abc import Sequence
from typing import Any

from weightsmith.errors import InputError, brief
from weightsmith.programs.form import Apply, Node, Select
from weightsmith.programs.functions import Function
from weightsmith.programs.graph import Program
from weightsmith.programs.listing import part_names
from weightsmith.programs.operators import COMPARISONS
from weightsmith.programs.proof.asking import PLAIN
from weightsmith.programs.proof.statement import Statement


def require_same(stated: Statement, program: Program) -> None:
    """Refuse a statement of another program."""
    names = part_names(program)
    ours, theirs = program.nodes, stated.program.nodes
    if len(ours) != len(theirs) or program.causal != stated.program.causal:
        raise InputError(f"the certificate is of another program: it has {len(theirs)} parts, this one {len(ours)}")
    numbers = {node: n for of in (ours, theirs) for n, node in enumerate(of)}
    for one, other in zip(ours, theirs, strict=True):
        same = type(one) is type(other) and _contents(one, numbers) == _contents(other, numbers)
        if not same:
            raise InputError(f"the certificate is of another program: it differs from this one at {names[one]}")
        for given, answer in (stated.answers or {}).get(other, {}).items():
            if not all(type(value) in PLAIN for value in (*given, answer)):
                raise InputError(f"{names[one]}: the certificate holds things as texts alone, which cannot be compared")
            found = _function(one)(*given)
            if found != answer:
                raise InputError(
                    f"{names[one]} gives {brief(found)} for {brief(given)}, and the certificate {brief(answer)}"
                )


def _contents(node: Node, numbers: dict[Node, int]) -> list[Any]:
    return [_comparable(value, numbers) for value in node.contents]


def _comparable(value: Any, numbers: dict[Node, int]) -> Any:
    if isinstance(value, Node):
        return "part", numbers[value]
    if isinstance(value, Function):
        return "function"  # which answers for itself
    if isinstance(value, Sequence) and not isinstance(value, str):
        return [_comparable(one, numbers) for one in value]
    return value


def _function(node: Node) -> Any:
    if isinstance(node, Apply):
        return node.operator
    assert isinstance(node, Select)
    comparison = node.comparison
    return COMPARISONS[comparison] if isinstance(comparison, str) else lambda *values: bool(comparison(*values))
