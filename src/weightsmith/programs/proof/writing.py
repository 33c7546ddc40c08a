"""A statement with its program as data: what a certificate holds, so that it can be checked again from files alone.

A person's own function is written as a table: what it gives for all values that it can meet. The same goes for whatever
is asked about values other than None, truth values, numbers and texts: these are written as numbered things.
"""

from fractions import Fraction
from types import NoneType
from typing import Any

import numpy as np

from weightsmith.errors import brief, cut
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
    Tokens,
    Width,
)
from weightsmith.programs.functions import Function
from weightsmith.programs.operators import Lookup, Member, Named, Operator
from weightsmith.programs.proof.asking import Answers
from weightsmith.programs.proof.holding import Affine, Holding, Mean
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.selectors import All, Boundary, If, Pairs, Some
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.statement import Cell, Gathered
from weightsmith.programs.values import Value, presented

Data = dict[str, Any]
LONGEST_NAME = 1000  # a longer one is no name of a part anyway
KINDS: dict[type[Node], str] = {
    Tokens: "tokens",
    Indices: "indices",
    Length: "length",
    Constant: "constant",
    Row: "row",
    Apply: "apply",
    Aggregate: "aggregate",
    Width: "width",
    Select: "select",
    And: "and",
    Or: "or",
    Not: "not",
    Always: "always",
    Matrix: "matrix",
}


def written(meaning: Meaning) -> Data:
    """Return statement and program of a proof as data."""
    return _Writing(meaning).whole()


class _Writing:
    """Writes a statement; forms and things are listed once."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning, self.stated, self.space = meaning, meaning.stated, meaning.space
        self.numbers = {node: n for n, node in enumerate(meaning.program.nodes)}
        self.forms: dict[bytes, int] = {}
        self.listed: list[Data] = []
        self.things: dict[Value, int] = {}

    def whole(self) -> Data:
        stated = self.stated
        tokens = [self.value(token) for token in stated.vocabulary]
        nodes = [self._node(node) for node in stated.program.nodes]
        cells = [self._cell(cell) for cell in stated.cells]
        return {
            "causal": stated.program.causal,
            "mask": "causal" if stated.causal else "full",
            "tokens": tokens,
            "positions": stated.positions,
            "nodes": nodes,
            "cells": cells,
            "lanes": [[list(one) for one in lane] for lane in stated.lanes],
            "forms": self.listed,
            "things": [brief(presented(one)) for one in self.things],
        }

    def value(self, value: Value) -> Any:
        if type(value) in (NoneType, bool, str, int):
            return value
        if type(value) is Fraction:
            return {"fraction": [value.numerator, value.denominator]}
        return {"thing": self.things.setdefault(value, len(self.things))}

    def form(self, form: Integers) -> int:
        key = form.tobytes()
        if key not in self.forms:
            self.forms[key] = len(self.listed)
            data: Data = {}
            for name, place in (("token", self.space.of_tokens), ("index", self.space.of_index)):
                if form[place].any():
                    data[name] = numbers(form[place])
            cells = self.space.cells_of(form)
            if cells:
                data["cells"] = [list(one) for one in cells]
            if form[-1]:
                data["constant"] = int(form[-1])
            self.listed.append(data)
        return self.forms[key]

    # The program

    def _node(self, node: Node) -> Data:
        note = node.note
        data: Data = {"node": KINDS[type(node)], **self._contents(node)}
        if note.name is not None and len(note.name) <= LONGEST_NAME:
            data["name"] = note.name
        if note.place is not None:
            data["line"] = note.place.line
        answers = self.meaning.asking.kept.get(node)
        if answers:
            data["answers"] = self._answers(answers)
        stated = self.stated.held.get(node)
        if stated is not None:
            data["held"] = self._holding(stated.holding)
            if any(one is not None for one in stated.recoded):
                data["recoded"] = [None if one is None else self._holding(one) for one in stated.recoded]
            if stated.mean is not None:
                data["mean"] = self._holding(stated.mean)
        if node in self.stated.pairs:
            data["pairs"] = self._pairs(self.stated.pairs[node])
        return data

    def _contents(self, node: Node) -> Data:
        of = self.numbers
        match node:
            case Constant(value):
                return {"value": self.value(value)}
            case Row(values, only):
                return {"values": [self.value(value) for value in values], "only": only}
            case Apply(operator, arguments):
                return {"operator": self._operator(operator), "arguments": [of[one] for one in arguments]}
            case Aggregate(selector, values, default):
                return {"selector": of[selector], "values": of[values], "default": self.value(default)}
            case Width(selector):
                return {"selector": of[selector]}
            case Select(keys, queries, comparison):
                how = comparison if isinstance(comparison, str) else {"function": cut(comparison.name)}
                return {"keys": of[keys], "queries": of[queries], "comparison": how}
            case And(left, right) | Or(left, right):
                return {"left": of[left], "right": of[right]}
            case Not(inner):
                return {"inner": of[inner]}
            case Always(selected):
                return {"selected": selected}
            case Matrix(rows, only):
                return {"rows": [list(row) for row in rows], "only": only}
        return {}

    def _operator(self, operator: Operator) -> Data:
        if isinstance(operator, Named):
            return {"named": operator.symbol}
        if isinstance(operator, Member):
            return {"member": sorted((self.value(one) for one in operator.members), key=repr)}
        if isinstance(operator, Lookup):
            return {"lookup": [[self.value(key), self.value(value)] for key, value in operator.entries]}
        assert isinstance(operator, Function)
        return {"function": cut(operator.name)}

    def _answers(self, answers: Answers) -> list[Any]:
        return [[[self.value(one) for one in given], self.value(answer)] for given, answer in answers.items()]

    # What is stated

    def _holding(self, holding: Holding) -> Data:
        about = {} if holding.about == "value" else {"about": holding.about}
        if isinstance(holding, Affine):
            return {"form": self.form(holding.form), "scale": holding.scale, **about}
        if isinstance(holding, Mean):
            sums = {"top": self.form(holding.top), "count": self.form(holding.count)}
            return {**sums, "scale": holding.scale, "default": self.value(holding.default), **about}
        return {
            "variables": [
                {"form": self.form(one.form), "codes": numbers(one.codes), "classes": numbers(one.classes)}
                for one in holding.variables
            ],
            "which": numbers(holding.which.ravel()),
            "values": [self.value(value) for value in holding.values],
            **about,
        }

    def _pairs(self, pairs: Pairs) -> Any:
        match pairs:
            case bool():
                return pairs
            case If(key, query, spans):
                return {"key": self.form(key), "query": self.form(query), "spans": spans.tolist()}
            case All(parts):
                return {"all": [self._pairs(part) for part in parts]}
            case Some(parts):
                return {"any": [self._pairs(part) for part in parts]}
        return {"other": self._pairs(pairs.inner)}

    def _cell(self, cell: Cell) -> Data:
        data: Data = {"time": cell.time, "name": cell.name}
        if cell.line is not None:
            data["line"] = cell.line
        made = cell.made
        if isinstance(made, Gathered):
            data["selector"] = None if made.selector is None else self.numbers[made.selector]
            data["heads"] = [self._head(boundary, sign) for boundary, sign in made.heads]
            data["value"] = self.form(made.value)
        else:
            parts = [
                {"form": self.form(part.form), "kinks": [list(map(int, kink)) for kink in part.kinks]}
                for part in made.parts
            ]
            data["parts"] = parts
        return data

    def _head(self, boundary: Boundary, sign: int) -> Data:
        of = [[self.form(key), self.form(query), weight] for key, query, weight in boundary.of]
        return {"of": of, "refused": boundary.refused, "selected": boundary.selected, "sign": sign}


def numbers(values: Integers) -> Any:
    """Return whole numbers as a list; equal steps by their beginning, step and count."""
    if len(values) > 4:
        steps = np.diff(values)
        if (steps == steps[0]).all():
            return {"from": int(values[0]), "step": int(steps[0]), "count": len(values)}
    return values.tolist()
