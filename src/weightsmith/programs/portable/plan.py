"""What a portable program needs: cells that heads average, cells that layers write, and how the output is read."""

from dataclasses import dataclass

from weightsmith.programs.compiler.coding import Layered
from weightsmith.programs.compiler.forms import Cell, Form
from weightsmith.programs.compiler.symbols import Sizes
from weightsmith.programs.places import Place
from weightsmith.programs.values import Value


@dataclass(frozen=True)
class Score:
    """Σ key · query over pairs of flags: 1 for what is selected, and 0 for the rest."""

    flags: tuple[tuple[Form, Form], ...] = ()
    keys_apart: bool = False  # of a key at most one flag is 1
    queries_apart: bool = False  # of a query at most one flag is 1, but for the first, which is always 1 if it is one


@dataclass(frozen=True)
class Averaged:
    """A cell that a head writes: the mean of a form over the selected positions, or over all where there is none.

    A `reciprocal` is the weight of position 0, which is always selected: its codes c stand for 1/c.
    """

    cell: Cell
    score: Score
    value: Form
    least: int  # positions that are selected
    most: int
    reciprocal: bool
    source: str
    place: Place | None

    @property
    def sharpness(self) -> int:
        """The score of what is selected: less where scores must be equal, which are off in proportion."""
        return 32 if self.most == 1 else 16


@dataclass(frozen=True)
class PortablePlan:
    """All that is to be computed; `output` holds a code, `table` says what its codes mean."""

    sizes: Sizes
    causal: bool
    cells: tuple[Cell, ...]
    averaged: tuple[Averaged, ...]
    layered: tuple[Layered, ...]
    output: Form
    table: dict[int, Value]

    @property
    def reciprocals(self) -> frozenset[Cell]:
        """The cells whose codes c stand for 1/c."""
        return frozenset(one.cell for one in self.averaged if one.reciprocal)

    @property
    def depth(self) -> int:
        """How many blocks there are."""
        return (max((cell.time for cell in self.cells), default=0) + 1) // 2
