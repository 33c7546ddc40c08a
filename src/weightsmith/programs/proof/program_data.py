"""Programs as data, and back: a node by its kind, with a key for each of its fields.

A person's own function is written as a name, with a table of its results beside it; it is never run when it is read.
A value that is neither None, a truth value, a number nor a text is written as the number of a thing.
"""

from dataclasses import Field, fields
from fractions import Fraction
from types import NoneType
from typing import Any, NamedTuple, get_args

from weightsmith.errors import brief, cut
from weightsmith.programs.form import NODES, Apply, Matrix, Node, Select
from weightsmith.programs.functions import Function
from weightsmith.programs.operators import ARITY, COMPARISONS, NAMED, Lookup, Member, Named, Operator
from weightsmith.programs.places import Note, Place
from weightsmith.programs.proof.asking import Answers
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.parsing import items, keys, pair, refuse, text, truth, whole
from weightsmith.programs.values import Value, exact

Data = dict[str, Any]
LONGEST_NAME = 1000  # a longer one is no name of a part anyway
LONGEST_LIST = 10_000
STATED = "answers held recoded mean pairs"  # keys that state how a node is held


class Thing(NamedTuple):
    """A value of which nothing is known but whether it is the same as another."""

    thing: int
    shown: str


class ProgramWriter:
    """Writes the nodes of a program, each after its parts."""

    def __init__(self, nodes: tuple[Node, ...]) -> None:
        """Number the nodes."""
        self.numbers = {node: n for n, node in enumerate(nodes)}
        self.things: dict[Value, int] = {}

    def value(self, value: Value) -> Any:
        """Return a value as data."""
        if type(value) in (NoneType, bool, str, int):
            return value
        if type(value) is Fraction:
            return {"fraction": [value.numerator, value.denominator]}
        return {"thing": self.things.setdefault(value, len(self.things))}

    def node(self, node: Node) -> Data:
        """Return a node as data."""
        data: Data = {"node": type(node).__name__.lower()}
        data |= {_key(one): self._field(one.type, getattr(node, one.name)) for one in _fields(type(node))}
        if node.note.name is not None and len(node.note.name) <= LONGEST_NAME:
            data["name"] = node.note.name
        if node.note.place is not None:
            data["line"] = node.note.place.line
        return data

    def answers(self, answers: Answers) -> list[Any]:
        """Return a table of a function's results as data."""
        return [[[self.value(one) for one in given], self.value(answer)] for given, answer in answers.items()]

    def _field(self, kind: Any, value: Any) -> Any:
        if kind is Value:
            return self.value(value)
        if isinstance(value, tuple):
            return [self._field(get_args(kind)[0], one) for one in value]
        if isinstance(value, Node):
            return self.numbers[value]
        return self._operator(value) if isinstance(value, Operator) else value

    def _operator(self, operator: Operator) -> Data:
        if isinstance(operator, Named):
            return {"named": operator.symbol}
        if isinstance(operator, Member):
            return {"member": sorted((self.value(one) for one in operator.members), key=repr)}
        if isinstance(operator, Lookup):
            return {"lookup": [[self.value(key), self.value(value)] for key, value in operator.entries]}
        assert isinstance(operator, Function)
        return {"function": cut(operator.name)}


class ProgramReader:
    """Reads the nodes of a program, each after its parts."""

    def __init__(self, things: Any) -> None:
        """Take the texts of things."""
        self.things = [text(one, "a thing") for one in items(things, "things")]
        self.nodes: list[Node] = []

    def value(self, data: Any, what: str) -> Value:
        """Return a value."""
        if data is None or isinstance(data, bool | int | str):
            return exact(data)
        if isinstance(data, dict) and set(data) == {"fraction"}:
            above, below = pair(data["fraction"], what)
            if type(above) is not int or type(below) is not int or below < 1:
                refuse(f"{what} is {brief(data)}, and no fraction")
            return exact(Fraction(above, below))
        number = whole(keys(data, what, "thing")["thing"], what, 0, len(self.things) - 1)
        return Thing(number, self.things[number])

    def part(self, data: Any, kind: type[Node] = Node) -> Any:
        """Return a node of this kind by its number."""
        node = self.nodes[whole(data, "a part", 0, len(self.nodes) - 1)]
        if not isinstance(node, kind):
            refuse(f"a part is no {kind.__name__}")
        return node

    def node(self, data: Any) -> Node:
        """Return the next node."""
        name = data.get("node") if isinstance(data, dict) else None
        if not isinstance(name, str) or name not in NODES:
            refuse(f"there is no node {brief(name)}")
        kind = NODES[name]
        needed = " ".join(["node", *map(_key, _fields(kind))])
        data = keys(data, f"a node {name}", needed, f"name line {STATED}")
        note = Note(
            text(data["name"], "a name") if "name" in data else None,
            Place(whole(data["line"], "a line", 0)) if "line" in data else None,
        )
        made = {one.name: self._field(one.type, data[_key(one)], f"{_key(one)} of {name}") for one in _fields(kind)}
        node = kind(**made, note=note)
        _require_well_formed(node)
        self.nodes.append(node)
        return node

    def answers(self, data: Any) -> Answers:
        """Return a table of a function's results."""
        found: Answers = {}
        for one in items(data, "answers"):
            given, answer = pair(one, "an answer")
            arguments = tuple(self.value(value, "an argument") for value in items(given, "arguments", 100))
            if arguments in found:
                refuse("an answer stands twice")
            found[arguments] = self.value(answer, "an answer")
        return found

    def _field(self, kind: Any, data: Any, what: str) -> Any:
        if kind is Value:
            return self.value(data, what)
        if kind is bool:
            return truth(data, what)
        if kind is Operator:
            return self._operator(data)
        if kind == str | Function:
            return data if isinstance(data, str) else self._function(keys(data, what, "function"))
        if isinstance(kind, type) and issubclass(kind, Node):
            return self.part(data, kind)
        return tuple(self._field(get_args(kind)[0], one, what) for one in items(data, what, LONGEST_LIST))

    def _operator(self, data: Any) -> Operator:
        kind = next(iter(data)) if isinstance(data, dict) and len(data) == 1 else None
        if kind == "named":
            if not isinstance(data["named"], str) or data["named"] not in NAMED:
                refuse(f"there is no operator {brief(data['named'])}")
            return Named(data["named"])
        if kind == "member":
            return Member(frozenset(self.value(one, "a member") for one in items(data["member"], "members")))
        if kind == "lookup":
            entries = [pair(one, "an entry") for one in items(data["lookup"], "entries")]
            return Lookup(tuple((self.value(a, "a key"), self.value(b, "an entry")) for a, b in entries))
        if kind == "function":
            return self._function(data)
        refuse(f"there is no operator {brief(data)}")

    def _function(self, data: Data) -> Function:
        return Function(_not_run, text(data["function"], "a function"))


def _not_run(*values: Value) -> Value:
    raise LemmaError("a function of a certificate is a table, and is never run")


def _require_well_formed(node: Node) -> None:
    if isinstance(node, Apply) and isinstance(node.operator, Named):
        symbol, count = node.operator.symbol, len(node.arguments)
        if count != ARITY.get(symbol, 2) and not (symbol in ("min", "max") and count):
            refuse(f"{symbol} has {count} arguments")
    if isinstance(node, Select) and isinstance(node.comparison, str) and node.comparison not in COMPARISONS:
        refuse(f"there is no comparison {brief(node.comparison)}")
    if isinstance(node, Matrix) and any(len(row) != len(node.rows) for row in node.rows):
        refuse("given pairs are no square")


def _fields(kind: type[Node]) -> list[Field[Any]]:
    return [one for one in fields(kind) if one.name != "note"]


def _key(field: Field[Any]) -> str:
    return "only" if field.name == "only_this_length" else field.name
