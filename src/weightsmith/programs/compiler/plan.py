"""What a program needs, in whole numbers: cells that heads and layers write, and how the output is read."""

from typing import NamedTuple

from weightsmith.programs.compiler.boundaries import Heads
from weightsmith.programs.compiler.coding import Layered
from weightsmith.programs.compiler.forms import Cell, Form
from weightsmith.programs.compiler.pairs import Pairs
from weightsmith.programs.compiler.symbols import Sizes
from weightsmith.programs.places import Place
from weightsmith.programs.values import Value


class Gathered(NamedTuple):
    """A cell that heads write: over the selected positions, the sum of a form."""

    cell: Cell
    pairs: Pairs
    heads: Heads
    value: Form
    low: int  # positions that are selected at least
    high: int  # and at most
    source: str
    place: Place | None


class Plan(NamedTuple):
    """All that is to be computed, in whole numbers; `outputs` are lanes, `table` says what their codes mean."""

    sizes: Sizes
    causal: bool
    cells: tuple[Cell, ...]
    gathered: tuple[Gathered, ...]
    layered: tuple[Layered, ...]
    outputs: tuple[Form, ...]
    table: tuple[tuple[tuple[int, ...], Value], ...]
