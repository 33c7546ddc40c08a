"""Data as statements. The data is untrusted, and nothing of it is ever run: a function is a table that is looked up."""

from math import prod
from typing import Any

import numpy as np

from weightsmith.errors import brief
from weightsmith.programs.form import Apply, Matrix, Node, Select, SelectorNode, SequenceNode
from weightsmith.programs.proof.asking import Answers
from weightsmith.programs.proof.holding import Affine, Holding, Mean, Table, Variable
from weightsmith.programs.proof.neurons import Part
from weightsmith.programs.proof.parsing import MOST_ENTRIES, integers, items, keys, pair, refuse, text, truth, whole
from weightsmith.programs.proof.program_data import Data, ProgramReader
from weightsmith.programs.proof.selectors import All, Boundary, If, Other, Selection, Some
from weightsmith.programs.proof.space import LARGEST_ENTRY, Integers
from weightsmith.programs.proof.statement import Cell, Gathered, Held, Layered, Parts, Statement

MOST_NODES = 20_000
MOST_NUMBERS = 20_000_000  # in all forms together
LARGEST_SCALE = LARGEST_ENTRY


def read_statement(data: Any) -> Statement:
    """Return the statement that data describes."""
    return _Reader(data).statement


class _Reader:
    """Reads a statement part by part."""

    def __init__(self, data: Any) -> None:
        data = keys(data, "the statement", "causal mask tokens positions nodes cells lanes forms things")
        self.program = ProgramReader(data["things"])
        tokens = tuple(self.program.value(one, "a token") for one in items(data["tokens"], "tokens", 10_000))
        if not tokens or len(set(tokens)) < len(tokens):
            refuse("it has no tokens, or one twice")
        self.tokens, self.positions = len(tokens), whole(data["positions"], "positions", 1, 10_000)
        self.cells = len(items(data["cells"], "cells", MOST_NODES))
        size = self.tokens + self.positions + self.cells + 1
        listed = items(data["forms"], "forms", MOST_NODES)
        if len(listed) * size > MOST_NUMBERS:
            refuse(f"its {len(listed):,} forms take more than {MOST_NUMBERS:,} numbers")
        self.forms = [self._form(one, size) for one in listed]
        self.held: dict[Node, Held] = {}
        self.pairs: dict[Node, Selection] = {}
        self.answers: dict[Node, Answers] = {}
        for one in items(data["nodes"], "nodes", MOST_NODES):
            self._node(one)
        if data["mask"] not in ("causal", "full"):
            refuse(f"its mask is {brief(data['mask'])}")
        nodes = tuple(self.program.nodes)
        if not nodes or not isinstance(nodes[-1], SequenceNode):
            refuse("its last node is no sequence operation")
        self.statement = Statement(
            Parts(nodes, truth(data["causal"], "causal")),
            tokens,
            self.positions,
            data["mask"] == "causal",
            tuple(self._cell(one) for one in data["cells"]),
            tuple(self._lane(one) for one in items(data["lanes"], "lanes", 10_000)),
            self.held,
            self.pairs,
            self.answers,
        )

    def _node(self, data: Any) -> None:
        """Read a node, and its holding or its selection."""
        node = self.program.node(data)
        kind = data["node"]
        if "answers" in data:
            if not isinstance(node, Apply | Select):
                refuse(f"a node {kind} is no function")
            self.answers[node] = self.program.answers(data["answers"])
        if isinstance(node, SequenceNode):
            if "held" not in data or "pairs" in data:
                refuse(f"a node {kind} does not say how it is held")
            self.held[node] = self._held(node, data)
        elif "held" in data or "recoded" in data or "mean" in data:
            refuse(f"a node {kind} holds nothing")
        if isinstance(node, Select | Matrix) != ("pairs" in data):
            refuse(f"a node {kind} selects nothing of its own, or does not say what")
        if "pairs" in data:
            self.pairs[node] = self._pairs(data["pairs"], 0)

    def _held(self, node: Node, data: Data) -> Held:
        listed = items(data.get("recoded", []), "recoded")
        recoded = tuple(None if one is None else self._holding(one) for one in listed)
        if recoded and (not isinstance(node, Apply) or len(recoded) != len(node.arguments)):
            refuse("other arguments are recoded than there are")
        mean = self._holding(data["mean"]) if "mean" in data else None
        if mean is not None and not isinstance(mean, Mean):
            refuse("what halves are kept of is no mean")
        return Held(self._holding(data["held"]), recoded, mean)

    def _form(self, data: Any, size: int) -> Integers:
        data = keys(data, "a form", "", "token index cells constant")
        found = np.zeros(size, np.int64)
        for name, start, count in (("token", 0, self.tokens), ("index", self.tokens, self.positions)):
            if name in data:
                entries = integers(data[name], f"the {name} of a form", -LARGEST_ENTRY, LARGEST_ENTRY)
                if len(entries) != count or entries[0]:
                    refuse(f"the {name} of a form has {len(entries)} entries, or a first one that is not 0")
                found[start : start + count] = entries
        for one in items(data.get("cells", []), "the cells of a form"):
            cell, factor = self._cell_factor(one)
            found[self.tokens + self.positions + cell] = factor
        found[-1] = whole(data.get("constant", 0), "the constant of a form", -LARGEST_ENTRY, LARGEST_ENTRY)
        return found

    def _cell_factor(self, data: Any) -> tuple[int, int]:
        cell, factor = pair(data, "a cell with its factor")
        return whole(cell, "a cell", 0, self.cells - 1), whole(factor, "a factor", -LARGEST_ENTRY, LARGEST_ENTRY)

    def form(self, data: Any) -> Integers:
        return self.forms[whole(data, "a form", 0, len(self.forms) - 1)]

    def _lane(self, data: Any) -> tuple[tuple[int, int], ...]:
        found = tuple(self._cell_factor(one) for one in items(data, "a lane"))
        if len({cell for cell, _ in found}) < len(found):
            refuse("a lane holds a cell twice")
        return found

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
            default = self.program.value(data["default"], "a default")
            return Mean(self.form(data["top"]), scale, self.form(data["count"]), default, about=about)
        data = keys(data, "a table", "variables which values", "about")
        variables = tuple(self._variable(one) for one in items(data["variables"], "variables", 16))
        values = tuple(self.program.value(one, "a value") for one in items(data["values"], "values"))
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

    def _pairs(self, data: Any, depth: int) -> Selection:
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
            selector = None if data["selector"] is None else self.program.part(data["selector"], SelectorNode)
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
