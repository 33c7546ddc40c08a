"""Averages over selected positions, and how many are selected.

How many positions are selected is read from the weight of position 0, which is made one of them for that: it is 1/c.
Whether it is one of them by itself is a function of what it holds, which a head brings everywhere, and of the query.
"""

from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from weightsmith.programs.circuit.circuit import Layer, MeanHead, Part, Score
from weightsmith.programs.circuit.forms import Codes, Form, Sizes, cell_form, feature
from weightsmith.programs.circuit.selections import Selection, selection_key
from weightsmith.programs.compiler.boundaries import boundaries_of
from weightsmith.programs.compiler.counting import selects_first
from weightsmith.programs.compiler.gathering import Gathering
from weightsmith.programs.compiler.symbols import Affine, Table, as_table, constant
from weightsmith.programs.compiler.tables import combined
from weightsmith.programs.form import Indices, Node
from weightsmith.programs.softmax.selection import Classes, at_first, classes_of


@dataclass
class Averages(Gathering):
    """Makes the cells that heads write; `heads` are all of them."""

    at: Node = field(default_factory=Indices)  # where the walk is
    _classes: dict[Any, Classes] = field(default_factory=dict)
    _means: dict[Any, Form] = field(default_factory=dict)

    def length(self, node: Node) -> Form:
        """Return how many positions there are."""
        return self._counted(True, 1, self.sizes.positions, node, length=True)

    def width(self, selector: Node, node: Node) -> Form:
        """Return how many positions a selector selects."""
        pairs = self.pairs[selector]
        if pairs is True and not self.causal:
            return self.length(node)
        known = self._known_count(pairs)
        return self._counted(pairs, *self.bounds(pairs), node) if known is None else known

    def _known_count(self, pairs: Selection) -> Form | None:
        """Return the number of selected positions where the query's own tells it."""
        known = super()._known_count(pairs)
        if known is not None or isinstance(pairs, bool):
            return known
        classes = self._of(pairs)
        if not all(one.form.of_index for one in (*classes.keys.variables, *classes.queries.variables)):
            return None
        keys, queries = (_by_position(table, self.sizes) for table in (classes.keys, classes.queries))
        selected = classes.matrix[np.ix_(keys, queries)]
        if not self.causal and np.tril(selected, -1).any():  # whether it is there depends on the length
            return None
        return feature([int(one) for one in np.triu(selected).sum(axis=0)], "index")

    def _of(self, pairs: Selection) -> Classes:
        key = selection_key(pairs)
        if key not in self._classes:
            self._classes[key] = classes_of(pairs, self.sizes)
        return self._classes[key]

    def _score(self, pairs: Selection) -> Score:
        return Score() if pairs is True else self._of(pairs).score(self.coder)

    def _average(
        self, score: Score, value: Form, codes: Codes, count: tuple[int, int], node: Node, reciprocal: bool = False
    ) -> Form:
        """Return the mean of a form over the selected positions, as a cell."""
        key = (score, value, codes.tobytes(), reciprocal)
        if key not in self._means:
            time = max([value.time, *(max(k.time, q.time) for k, q in score.flags)])
            cell = self.cells.new(codes, time + (2 if time % 2 else 1), self.names[node])
            head = MeanHead(cell, value, self.names[node], node.note.place, score, *count, reciprocal)
            self.heads.append(head)
            self._means[key] = Form(cells=((cell, 1),)) if reciprocal else cell_form(cell)
        return self._means[key]

    def _layer(self, parts: list[Part], codes: Codes, length: bool = False) -> Form:
        time = max(part.form.time for part in parts)
        cell = self.cells.new(codes, time + (1 if time % 2 else 2), self.coder.source, is_length=length)
        self.coder.layers.append(Layer(cell, tuple(parts), self.coder.source, self.coder.place))
        return cell_form(cell)

    def _counted(self, pairs: Selection, low: int, high: int, node: Node, length: bool = False) -> Form:
        """Return how many positions are selected, from the weight of position 0."""
        key = selection_key(pairs)
        if key not in self._counts:
            self._counts[key] = Form(constant=low) if low == high else self._from_weight(pairs, low, high, node, length)
        return self._counts[key]

    def _from_weight(self, pairs: Selection, low: int, high: int, node: Node, length: bool) -> Form:
        """Return the number of selected positions as a cell: those besides position 0, and whether that is one."""
        first = self._first(pairs)
        always = not first.variables and bool(first.values[0])
        if always:  # it need not be made one of them
            score, codes = self._score(pairs), np.arange(1, high + 1)
        else:
            score, codes = self._with_first(pairs), np.arange(1, min(high + 1, self.sizes.positions) + 1)
        parts: list[Part] = []
        if len(codes) > 1:
            weight = self._average(score, at_first(self.sizes), codes, (1, len(codes)), node, reciprocal=True)
            parts.append(Part(weight, codes, codes if always else codes - 1, ()))
        if first.variables:
            parts += self._parts_of(self.coder.numbers(first, {True: 1, False: 0}))
        form = self._layer(parts, np.arange(low, high + 1), length) if parts else Form(constant=int(always))
        if form.cells and pairs is not True:
            self.counting.note_width(form.cells[0][0], pairs, boundaries_of(pairs))
        return form

    def _parts_of(self, form: Form) -> list[Part]:
        """Return the parts with which a layer writes a form itself: those of the layer that wrote it, or the form."""
        for layer in self.coder.layers:
            if form.cells == ((layer.cell, 1),) and not form.token and not form.index:
                last = layer.parts[-1]
                return [*layer.parts[:-1], last._replace(wanted=last.wanted + form.constant)]
        codes = form.codes
        return [Part(form.varying, codes - form.constant, codes, ())]

    def _first(self, pairs: Selection) -> Table:
        """Return whether position 0 is selected: a table of what every position knows of it, and of the query."""
        if pairs is True or selects_first(pairs):
            return constant(True)
        classes = self._of(pairs)
        key = classes.first()
        if key.variables:
            numbers = {value: number for number, value in enumerate(key.values)}
            form = self.coder.numbers(key, numbers)
            ones = Score(((at_first(self.sizes), Form(constant=1)),), keys_apart=True, queries_apart=True)
            form = self._average(ones, form, np.arange(len(numbers)), (1, 1), self.at)
            key = as_table(self.pointwise.of_codes(form, {n: value for value, n in numbers.items()}), self.sizes)
        return combined(lambda k, q: bool(classes.matrix[k, q]), [key, classes.queries])

    def _with_first(self, pairs: Selection) -> Score:
        """Return the score of a selector that selects position 0 too."""
        first = at_first(self.sizes)
        without = as_table(Affine(first), self.sizes)
        score = self._of(pairs).score(self.coder, without)
        return replace(score, flags=((first, Form(constant=1)), *score.flags))


def _by_position(table: Table, sizes: Sizes) -> list[int]:
    """Return the class at every position, of a table that depends on the position alone."""
    values: list[Any] = table.by_code() if table.variables else [table.values[0]] * sizes.positions
    return values
