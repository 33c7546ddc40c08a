"""Statements as data: forms are listed once, and nodes, cells, lanes and holdings refer to their numbers."""

from typing import Any

from weightsmith.errors import brief
from weightsmith.programs.form import Node
from weightsmith.programs.proof.holding import Affine, Holding, Mean
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.parsing import integers_data
from weightsmith.programs.proof.program_data import Data, ProgramWriter
from weightsmith.programs.proof.selectors import All, Boundary, If, Selection, Some
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.proof.statement import Cell, Gathered
from weightsmith.programs.values import presented


def statement_data(meaning: Meaning) -> Data:
    """Return statement and program of a proof as data."""
    return _Writer(meaning).whole()


class _Writer:
    """Writes a statement."""

    def __init__(self, meaning: Meaning) -> None:
        self.meaning, self.stated, self.space = meaning, meaning.stated, meaning.space
        self.program = ProgramWriter(meaning.program.nodes)
        self.forms: dict[bytes, int] = {}
        self.listed: list[Data] = []

    def whole(self) -> Data:
        stated = self.stated
        tokens = [self.program.value(token) for token in stated.vocabulary]
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
            "things": [brief(presented(one)) for one in self.program.things],
        }

    def form(self, form: Integers) -> int:
        key = form.tobytes()
        if key not in self.forms:
            self.forms[key] = len(self.listed)
            data: Data = {}
            for name, place in (("token", self.space.of_tokens), ("index", self.space.of_index)):
                if form[place].any():
                    data[name] = integers_data(form[place])
            cells = self.space.cells_of(form)
            if cells:
                data["cells"] = [list(one) for one in cells]
            if form[-1]:
                data["constant"] = int(form[-1])
            self.listed.append(data)
        return self.forms[key]

    def _node(self, node: Node) -> Data:
        data = self.program.node(node)
        answers = self.meaning.asking.kept.get(node)
        if answers:
            data["answers"] = self.program.answers(answers)
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

    def _holding(self, holding: Holding) -> Data:
        about = {} if holding.about == "value" else {"about": holding.about}
        if isinstance(holding, Affine):
            return {"form": self.form(holding.form), "scale": holding.scale, **about}
        if isinstance(holding, Mean):
            sums = {"top": self.form(holding.top), "count": self.form(holding.count)}
            return {**sums, "scale": holding.scale, "default": self.program.value(holding.default), **about}
        return {
            "variables": [
                {"form": self.form(one.form), "codes": integers_data(one.codes), "classes": integers_data(one.classes)}
                for one in holding.variables
            ],
            "which": integers_data(holding.which.ravel()),
            "values": [self.program.value(value) for value in holding.values],
            **about,
        }

    def _pairs(self, pairs: Selection) -> Any:
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
            data["selector"] = None if made.selector is None else self.program.numbers[made.selector]
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
