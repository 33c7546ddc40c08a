"""The pass before planning: what a program needs of every mean.

Some means are only asked whether they are 0 ("truth"), others are only compared with whole numbers ("half": the half
between two whole numbers may stand for every number between them). Both are cheaper than the mean itself.
"""

from collections.abc import Mapping
from typing import TypeAlias

from weightsmith.programs.form import Aggregate, Apply, Constant, Indices, Length, Node, Row, Select, Width
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS, Named
from weightsmith.programs.proof.holding import About
from weightsmith.programs.values import is_number

Needs: TypeAlias = Mapping[Node, About]

SUMS = ("+", "-", "negative")
TRUTHS = frozenset(["not", "truth", "bool", "indicator"])  # operators to which only the truth matters


def simplify(program: Program) -> Needs:
    """Return the means of which less than the value is needed."""
    users: dict[Node, list[Node]] = {node: [] for node in program.nodes}
    for node in program.nodes:
        for part in dict.fromkeys(node.parts):
            users[part].append(node)
    needs: dict[Node, About] = {}
    for node in program.nodes:
        if isinstance(node, Aggregate) and users[node] and node is not program.output:
            if all(_asks_truth(user, node) for user in users[node]):
                needs[node] = "truth"
            elif _compared_with_whole(users, node):
                needs[node] = "half"
    return needs


def _symbol(node: Node) -> str:
    return node.operator.symbol if isinstance(node, Apply) and isinstance(node.operator, Named) else ""


def _asks_truth(user: Node, node: Node) -> bool:
    """Return whether a user of a node depends only on whether it is 0."""
    symbol, arguments = _symbol(user), user.parts
    if symbol == "where":
        return arguments[0] is node and node not in arguments[1:]
    zero = any(isinstance(one, Constant) and one.value == 0 and one.value is not None for one in arguments)
    compared = symbol in ("==", "!=", ">", "<=") and len(arguments) == 2 and arguments[0] is node and zero
    return symbol in TRUTHS or compared


def _compared_with_whole(users: Mapping[Node, list[Node]], node: Node) -> bool:
    """Return whether a node, to which whole numbers may be added, is only compared with whole numbers.

    Some of these must vary: a mean and a constant are compared without this.
    """
    others = _others(users, node)
    return others is not None and not all(isinstance(one, Constant) for one in others)


def _others(users: Mapping[Node, list[Node]], node: Node) -> list[Node] | None:
    """Return the nodes to which a node is added or compared; None at any other use, or where one is not whole."""
    found: list[Node] = []
    for user in users[node]:
        others = [part for part in user.parts if part is not node]
        if len(others) + 1 < len(user.parts) or not all(map(_is_whole, others)):
            return None
        found += others
        if _symbol(user) in SUMS:
            further = _others(users, user)
            if further is None:
                return None
            found += further
        elif not (isinstance(user.comparison, str) if isinstance(user, Select) else _symbol(user) in COMPARISONS):
            return None
    return found if users[node] else None


def _is_whole(node: Node) -> bool:
    match node:
        case Indices() | Length() | Width():
            return True
        case Constant(value):
            return is_number(value) and value == int(value)
        case Row(values):
            return all(is_number(value) and value == int(value) for value in values)
        case Apply(Named("+" | "-" | "*" | "negative"), arguments):
            return all(map(_is_whole, arguments))
    return False
