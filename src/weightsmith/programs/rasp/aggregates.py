"""Sequence operations of a selector: means of the selected values, and their number."""

from typing import Any

from weightsmith.programs import form
from weightsmith.programs.form import SequenceNode
from weightsmith.programs.places import Note
from weightsmith.programs.rasp.expressions import Value
from weightsmith.programs.rasp.selectors import Selector
from weightsmith.programs.rasp.sequences import SOp
from weightsmith.programs.values import exact


class SelectorWidth(SOp):
    """How many positions are selected."""

    _kind = "selector_width"
    _parts = ("selector",)

    def __init__(self, selector: Selector) -> None:
        """Count the positions that `selector` selects."""
        super().__init__()
        assert isinstance(selector, Selector), f"a SelectorWidth is of a selector, and not of {selector!r}"
        self.selector = selector

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the number of selected positions."""
        return form.Width(*parts, note=note)


class Aggregate(SOp):
    """The mean of the selected values; a single one is itself; `default` where nothing is selected."""

    _kind = "aggregate"
    _parts = ("selector", "sop")

    def __init__(self, selector: Selector, sop: SOp, default: Value = None) -> None:
        """Take the values of `sop` where `selector` selects."""
        super().__init__()
        assert isinstance(selector, Selector), f"an Aggregate takes a selector, and not {selector!r}"
        assert isinstance(sop, SOp), f"an Aggregate is of a sequence operation, and not of {sop!r}"
        known = default is None or isinstance(default, str | float | bool | int)
        assert known, f"an Aggregate's default is a text or a number, and not {default!r}"
        self.selector, self.sop, self.default = selector, sop, default

    def node(self, parts: tuple[Any, ...], note: Note) -> SequenceNode:
        """Return the mean of the selected values."""
        selector, values = parts
        return form.Aggregate(selector, values, exact(self.default), note=note)
