"""Sequence operations that are made by a selector: means of what is selected, and how much that is."""

from collections.abc import Sequence

from weightsmith.programs.rasp.expressions import RASPExpr, Value
from weightsmith.programs.rasp.selectors import Selector
from weightsmith.programs.rasp.sequences import SOp


class SelectorWidth(SOp):
    """How many positions are selected."""

    def __init__(self, selector: Selector) -> None:
        """Count what `selector` selects."""
        super().__init__()
        assert isinstance(selector, Selector), f"a SelectorWidth is of a selector, and not of {selector!r}"
        self.selector = selector

    @property
    def children(self) -> Sequence[RASPExpr]:
        """The selector."""
        return [self.selector]


class Aggregate(SOp):
    """The mean of the selected values; a single one is itself; `default` where nothing is selected."""

    def __init__(self, selector: Selector, sop: SOp, default: Value = None) -> None:
        """Take the values of `sop` where `selector` selects."""
        super().__init__()
        assert isinstance(selector, Selector), f"an Aggregate takes a selector, and not {selector!r}"
        assert isinstance(sop, SOp), f"an Aggregate is of a sequence operation, and not of {sop!r}"
        known = default is None or isinstance(default, str | float | bool | int)
        assert known, f"an Aggregate's default is a text or a number, and not {default!r}"
        self.selector, self.sop, self.default = selector, sop, default

    @property
    def children(self) -> Sequence[RASPExpr]:
        """The selector and the values."""
        return [self.selector, self.sop]
