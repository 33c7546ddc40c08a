"""Statements as data, read with suspicion: unknown keys, other kinds and numbers out of range are refused by name.

Nothing of the data is ever run. A function is a table that is looked up; what the table lacks is refused.
"""

from collections.abc import Callable
from fractions import Fraction
from math import prod
from typing import Any, NamedTuple, NoReturn

import numpy as np

from weightsmith.errors import FileError, brief
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
from weightsmith.programs.operators import COMPARISONS, NAMED, Lookup, Member, Named, Operator
from weightsmith.programs.places import Place
from weightsmith.programs.proof.asking import Answers
from weightsmith.programs.proof.grid import Part
from weightsmith.programs.proof.holding import Affine, Holding, Mean, Table, Variable
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.selectors import All, Boundary, If, Other, Pairs, Some
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.statement import Cell, Gathered, Held, Layered, Parts, Statement
from weightsmith.programs.values import Value, exact

MOST_NODES = 20_000
MOST_NUMBERS = 20_000_000  # in all forms together
MOST_ENTRIES = 4_000_000  # of a table, or of whole numbers in a list
LARGEST = 1 << 42
LARGEST_SCALE = 1 << 60
ARGUMENTS = {
    "not": 1,
    "truth": 1,
    "indicator": 1,
    "str": 1,
    "int": 1,
    "float": 1,
    "bool": 1,
    "negative": 1,
    "absolute": 1,
    "round": 1,
    "where": 3,
}


class Thing(NamedTuple):
    """A value of which nothing is known but whether it is the same as another."""

    thing: int
    shown: str


def _not_run(*values: Value) -> Value:
    raise LemmaError("a function of a certificate is a table, and is never run")


def read_statement(data: Any) -> Statement:
    """Return the statement that data describes."""
    return _Reading(data).statement


def refuse(what: str) -> NoReturn:
    """Refuse a certificate."""
    raise FileError(f"the certificate is damaged: {what}")


def keys(data: Any, what: str, needed: str, more: str = "") -> dict[str, Any]:
    """Return an object that has all these keys, and no others."""
    if not isinstance(data, dict):
        refuse(f"{what} is {brief(data)}, and not an object")
    for name in needed.split():
        if name not in data:
            refuse(f"{what} lacks {name!r}")
    for name in data:
        if name not in needed.split() and name not in more.split():
            refuse(f"{what} has the unknown key {brief(name)}")
    return data


def whole(value: Any, what: str, low: int = -LARGEST, high: int = LARGEST) -> int:
    """Return a whole number between two others."""
    if type(value) is not int or not low <= value <= high:
        refuse(f"{what} is {brief(value)}, and not a whole number from {low:,} to {high:,}")
    return value


def truth(value: Any, what: str) -> bool:
    """Return a truth value."""
    if type(value) is not bool:
        refuse(f"{what} is {brief(value)}, and not true or false")
    return value


def items(value: Any, what: str, most: int = MOST_ENTRIES) -> list[Any]:
    """Return a list of at most so many items."""
    if not isinstance(value, list):
        refuse(f"{what} is {brief(value)}, and not a list")
    if len(value) > most:
        refuse(f"{what} has {len(value):,} items, and at most {most:,} are read")
    return value


def text(value: Any, what: str) -> str:
    """Return a text of a line."""
    if not isinstance(value, str) or len(value) > 1000:
        refuse(f"{what} is {brief(value)}, and not a short text")
    return value


def integers(data: Any, what: str, low: int = -LARGEST, high: int = LARGEST) -> Integers:
    """Return whole numbers: a list of them, or equal steps."""
    if isinstance(data, dict):
        steps = keys(data, what, "from step count")
        count = whole(steps["count"], what, 1, MOST_ENTRIES)
        first, step = whole(steps["from"], what, low, high), whole(steps["step"], what)
        whole(first + step * (count - 1), what, low, high)
        return first + step * np.arange(count)
    listed = items(data, what)
    for one in listed:
        whole(one, what, low, high)
    return np.array(listed, np.int64)


class _Reading:
    """Reads a statement part by part."""

    def __init__(self, data: Any) -> None:
        data = keys(data, "the statement", "causal mask tokens positions nodes cells lanes forms things")
        self.things = [text(one, "a thing") for one in items(data["things"], "things")]
        tokens = tuple(self.value(one, "a token") for one in items(data["tokens"], "tokens", 10_000))
        if not tokens or len(set(tokens)) < len(tokens):
            refuse("it has no tokens, or one twice")
        self.tokens, self.positions = len(tokens), whole(data["positions"], "positions", 1, 10_000)
        self.cells = len(items(data["cells"], "cells", MOST_NODES))
        size = self.tokens + self.positions + self.cells + 1
        listed = items(data["forms"], "forms", MOST_NODES)
        if len(listed) * size > MOST_NUMBERS:
            refuse(f"its {len(listed):,} forms take more than {MOST_NUMBERS:,} numbers")
        self.forms = [self._form(one, size) for one in listed]
        self.nodes: list[Node] = []
        self.held: dict[Node, Held] = {}
        self.pairs: dict[Node, Pairs] = {}
        self.answers: dict[Node, Answers] = {}
        for one in items(data["nodes"], "nodes", MOST_NODES):
            self._node(one)
        if data["mask"] not in ("causal", "full"):
            refuse(f"its mask is {brief(data['mask'])}")
        causal = truth(data["causal"], "causal")
        if not self.nodes or not isinstance(self.nodes[-1], SequenceNode):
            refuse("its last node is no sequence operation")
        program = Parts(tuple(self.nodes), causal)
        cells = tuple(self._cell(one) for one in data["cells"])
        lanes = tuple(self._lane(one) for one in items(data["lanes"], "lanes", 10_000))
        self.statement = Statement(
            program, tokens, self.positions, data["mask"] == "causal", cells, lanes, self.held, self.pairs, self.answers
        )

    def value(self, data: Any, what: str) -> Value:
        if data is None or isinstance(data, bool | int | str):
            return exact(data)
        if isinstance(data, dict) and set(data) == {"fraction"}:
            parts = items(data["fraction"], what, 2)
            if len(parts) != 2 or type(parts[0]) is not int or type(parts[1]) is not int or parts[1] < 1:
                refuse(f"{what} is {brief(data)}, and no fraction")
            return exact(Fraction(parts[0], parts[1]))
        number = whole(keys(data, what, "thing")["thing"], what, 0, len(self.things) - 1)
        return Thing(number, self.things[number])

    def _form(self, data: Any, size: int) -> Integers:
        data = keys(data, "a form", "", "token index cells constant")
        found = np.zeros(size, np.int64)
        for name, start, count in (("token", 0, self.tokens), ("index", self.tokens, self.positions)):
            if name in data:
                entries = integers(data[name], f"the {name} of a form")
                if len(entries) != count or entries[0]:
                    refuse(f"the {name} of a form has {len(entries)} entries, or a first one that is not 0")
                found[start : start + count] = entries
        for one in items(data.get("cells", []), "the cells of a form"):
            cell, factor = self._cell_factor(one)
            found[self.tokens + self.positions + cell] = factor
        found[-1] = whole(data.get("constant", 0), "the constant of a form")
        return found

    def _cell_factor(self, data: Any) -> tuple[int, int]:
        pair = items(data, "a cell with its factor", 2)
        if len(pair) != 2:
            refuse("a cell has no factor")
        return whole(pair[0], "a cell", 0, self.cells - 1), whole(pair[1], "a factor")

    def form(self, data: Any) -> Integers:
        return self.forms[whole(data, "a form", 0, len(self.forms) - 1)]

    def _lane(self, data: Any) -> tuple[tuple[int, int], ...]:
        found = tuple(self._cell_factor(one) for one in items(data, "a lane"))
        if len({cell for cell, _ in found}) < len(found):
            refuse("a lane holds a cell twice")
        return found

    # The program

    def _of(self, data: Any, kind: type[Node]) -> Any:
        node = self.nodes[whole(data, "a part", 0, len(self.nodes) - 1)]
        if not isinstance(node, kind):
            refuse(f"a part is no {kind.__name__}")
        return node

    def _node(self, data: Any) -> None:
        kind = data.get("node") if isinstance(data, dict) else None
        read: dict[str, tuple[str, Callable[[Any, Note], Node]]] = {
            "tokens": ("", lambda d, n: Tokens(note=n)),
            "indices": ("", lambda d, n: Indices(note=n)),
            "length": ("", lambda d, n: Length(note=n)),
            "constant": ("value", lambda d, n: Constant(self.value(d["value"], "a constant"), note=n)),
            "row": ("values only", self._row),
            "apply": ("operator arguments", self._apply),
            "aggregate": ("selector values default", self._aggregate),
            "width": ("selector", lambda d, n: Width(self._of(d["selector"], SelectorNode), note=n)),
            "select": ("keys queries comparison", self._select),
            "and": ("left right", lambda d, n: And(*(self._of(d[s], SelectorNode) for s in ("left", "right")), note=n)),
            "or": ("left right", lambda d, n: Or(*(self._of(d[s], SelectorNode) for s in ("left", "right")), note=n)),
            "not": ("inner", lambda d, n: Not(self._of(d["inner"], SelectorNode), note=n)),
            "always": ("selected", lambda d, n: Always(truth(d["selected"], "selected"), note=n)),
            "matrix": ("rows only", self._matrix),
        }
        if not isinstance(kind, str) or kind not in read:
            refuse(f"there is no node {brief(kind)}")
        needed, make = read[kind]
        data = keys(data, f"a node {kind}", f"node {needed}", "name line answers held recoded mean pairs")
        name = text(data["name"], "a name") if "name" in data else None
        place = Place(whole(data["line"], "a line", 0)) if "line" in data else None
        node = make(data, Note(name, place))
        self.nodes.append(node)
        if "answers" in data:
            if not isinstance(node, Apply | Select):
                refuse(f"a node {kind} is no function")
            self.answers[node] = self._answers(data)
        if isinstance(node, SequenceNode):
            if "held" not in data or "pairs" in data:
                refuse(f"a node {kind} does not say how it is held")
            recoded = tuple(
                None if one is None else self._holding(one) for one in items(data.get("recoded", []), "recoded")
            )
            if recoded and (not isinstance(node, Apply) or len(recoded) != len(node.arguments)):
                refuse("other arguments are recoded than there are")
            mean = self._holding(data["mean"]) if "mean" in data else None
            if mean is not None and not isinstance(mean, Mean):
                refuse("what halves are kept of is no mean")
            self.held[node] = Held(self._holding(data["held"]), recoded, mean)
        elif "held" in data or "recoded" in data or "mean" in data:
            refuse(f"a node {kind} holds nothing")
        if isinstance(node, Select | Matrix) != ("pairs" in data):
            refuse(f"a node {kind} selects nothing of its own, or does not say what")
        if "pairs" in data:
            self.pairs[node] = self._pairs(data["pairs"], 0)

    def _row(self, data: Any, note: Note) -> Node:
        values = tuple(self.value(one, "a value of a row") for one in items(data["values"], "a row", 10_000))
        return Row(values, truth(data["only"], "only"), note=note)

    def _matrix(self, data: Any, note: Note) -> Node:
        rows = tuple(
            tuple(truth(one, "a pair") for one in items(row, "a row", 10_000))
            for row in items(data["rows"], "rows", 10_000)
        )
        if any(len(row) != len(rows) for row in rows):
            refuse("given pairs are no square")
        return Matrix(rows, truth(data["only"], "only"), note=note)

    def _answers(self, data: Any) -> Answers:
        found: Answers = {}
        for one in items(data.get("answers", []), "answers"):
            pair = items(one, "an answer", 2)
            if len(pair) != 2:
                refuse("an answer is not a pair")
            given = tuple(self.value(value, "an argument") for value in items(pair[0], "arguments", 100))
            if given in found:
                refuse("an answer stands twice")
            found[given] = self.value(pair[1], "an answer")
        return found

    def _apply(self, data: Any, note: Note) -> Node:
        given = items(data["arguments"], "arguments", 100)
        arguments = tuple(self._of(one, SequenceNode) for one in given)
        how = data["operator"]
        kind = next(iter(how)) if isinstance(how, dict) and len(how) == 1 else None
        operator: Operator
        if kind == "named":
            symbol = how["named"]
            if not isinstance(symbol, str) or symbol not in NAMED:
                refuse(f"there is no operator {brief(symbol)}")
            count = ARGUMENTS.get(symbol, 2)
            if len(arguments) != count and not (symbol in ("min", "max") and arguments):
                refuse(f"{symbol} has {len(arguments)} arguments")
            operator = Named(symbol)
        elif kind == "member":
            operator = Member(frozenset(self.value(one, "a member") for one in items(how["member"], "members")))
        elif kind == "lookup":
            entries = [items(one, "an entry", 2) for one in items(how["lookup"], "entries")]
            if any(len(one) != 2 for one in entries):
                refuse("an entry is not a pair")
            operator = Lookup(tuple((self.value(a, "a key"), self.value(b, "an entry")) for a, b in entries))
        elif kind == "function":
            operator = Function(_not_run, text(how["function"], "a function"))
        else:
            refuse(f"there is no operator {brief(how)}")
        return Apply(operator, arguments, note=note)

    def _aggregate(self, data: Any, note: Note) -> Node:
        selector, values = self._of(data["selector"], SelectorNode), self._of(data["values"], SequenceNode)
        return Aggregate(selector, values, self.value(data["default"], "a default"), note=note)

    def _select(self, data: Any, note: Note) -> Node:
        sides = [self._of(data[side], SequenceNode) for side in ("keys", "queries")]
        how = data["comparison"]
        if isinstance(how, str):
            if how not in COMPARISONS:
                refuse(f"there is no comparison {brief(how)}")
            return Select(sides[0], sides[1], how, note=note)
        name = text(keys(how, "a comparison", "function")["function"], "a function")
        return Select(sides[0], sides[1], Function(_not_run, name), note=note)

    # What is stated

    def _holding(self, data: Any) -> Holding:
        if not isinstance(data, dict):
            refuse(f"what is held is {brief(data)}")
        about = data.get("about", "value")
        if about not in ("value", "truth", "half"):
            refuse(f"what is held is about {brief(about)}")
        if "form" in data:
            data = keys(data, "what is held", "form scale", "about")
            return Affine(self.form(data["form"]), whole(data["scale"], "a scale", 1, LARGEST_SCALE), about)
        if "top" in data:
            data = keys(data, "a mean", "top count scale default", "about")
            scale = whole(data["scale"], "a scale", 1, LARGEST_SCALE)
            default = self.value(data["default"], "a default")
            return Mean(self.form(data["top"]), scale, self.form(data["count"]), default, about=about)
        data = keys(data, "a table", "variables which values", "about")
        variables = tuple(self._variable(one) for one in items(data["variables"], "variables", 16))
        values = tuple(self.value(one, "a value") for one in items(data["values"], "values"))
        shape = tuple(int(one.classes.max()) + 1 for one in variables)
        which = integers(data["which"], "a table", 0, max(0, len(values) - 1))
        if not values or len(which) != prod(shape):
            refuse(f"a table has {len(which):,} entries, and {prod(shape):,} combinations of classes")
        return Table(variables, which.reshape(shape), values, about)

    def _variable(self, data: Any) -> Variable:
        data = keys(data, "a variable", "form codes classes")
        codes = integers(data["codes"], "the codes of a variable")
        classes = integers(data["classes"], "the classes of a variable", 0, MOST_ENTRIES)
        if not len(codes) or len(codes) != len(classes) or (np.diff(codes) <= 0).any():
            refuse("the codes of a variable do not ascend, or have no classes")
        return Variable(self.form(data["form"]), codes, classes)

    def _pairs(self, data: Any, depth: int) -> Pairs:
        if isinstance(data, bool):
            return data
        if not isinstance(data, dict) or depth > 20:
            refuse(f"what is selected is {brief(data)}")
        for name, kind in (("all", All), ("any", Some)):
            if name in data:
                listed = items(keys(data, "a selector", name)[name], "a selector", 4096)
                if not listed:
                    refuse("a selector has no parts")
                return kind(tuple(self._pairs(one, depth + 1) for one in listed))
        if "other" in data:
            return Other(self._pairs(keys(data, "a selector", "other")["other"], depth + 1))
        data = keys(data, "a condition", "key query spans")
        spans = [items(one, "a span", 2) for one in items(data["spans"], "spans")]
        ends = integers([end for one in spans for end in one], "a span")
        if any(len(one) != 2 for one in spans) or (np.diff(ends) < 0).any() or (np.diff(ends)[1::2] < 1).any():
            refuse("spans do not ascend")
        return If(self.form(data["key"]), self.form(data["query"]), ends.reshape(-1, 2))

    def _cell(self, data: Any) -> Cell:
        if isinstance(data, dict) and "parts" in data:
            data = keys(data, "a cell", "time name parts", "line")
            made: Gathered | Layered = Layered(tuple(self._part(one) for one in items(data["parts"], "parts", 4096)))
        else:
            data = keys(data, "a cell", "time name selector heads value", "line")
            selector = None if data["selector"] is None else self._of(data["selector"], SelectorNode)
            heads = tuple(self._head(one) for one in items(data["heads"], "heads", 4096))
            made = Gathered(selector, heads, self.form(data["value"]))
        line = whole(data["line"], "a line", 0) if "line" in data else None
        return Cell(whole(data["time"], "a time", 1, 100_000), made, text(data["name"], "a name"), line)

    def _part(self, data: Any) -> Part:
        data = keys(data, "neurons", "form kinks")
        kinks = []
        for one in items(data["kinks"], "kinks", 10_000):
            kink = integers(items(one, "a kink", 3), "a kink").tolist()
            if len(kink) != 3 or kink[0] not in (1, -1):
                refuse(f"a kink is {brief(kink)}, and not a direction, an offset and a slope")
            kinks.append((kink[0], kink[1], kink[2]))
        return Part(self.form(data["form"]), tuple(kinks))

    def _head(self, data: Any) -> tuple[Boundary, int]:
        data = keys(data, "a head", "of refused selected sign")
        of = []
        for one in items(data["of"], "differences", 16):
            parts = items(one, "a difference", 3)
            if len(parts) != 3:
                refuse("a difference has no weight")
            of.append((self.form(parts[0]), self.form(parts[1]), whole(parts[2], "a weight")))
        boundary = Boundary(tuple(of), whole(data["refused"], "refused"), whole(data["selected"], "selected"))
        if boundary.refused >= boundary.selected or (not of and boundary.selected != 0):
            refuse("a head refuses what it selects")
        return boundary, whole(data["sign"], "a sign", -4096, 4096)
