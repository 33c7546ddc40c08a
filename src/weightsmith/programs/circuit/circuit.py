"""A circuit: cells that heads and layers write, and the forms that hold the output.

A head writes one cell: the sum of a value over the selected positions, their mean, or the value at one key.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple, TypeAlias

from weightsmith.programs.circuit.forms import Cell, Form, Integers, Sizes
from weightsmith.programs.circuit.neurons import Kink
from weightsmith.programs.circuit.selections import Selection
from weightsmith.programs.places import Place
from weightsmith.programs.values import Value


@dataclass(frozen=True)
class Boundary:
    """The pairs whose query − key is at least `selected`; no difference lies between `refused` and it.

    For all pairs, both forms are empty.
    """

    key: Form
    query: Form
    refused: int
    selected: int
    weights: tuple[tuple[tuple[Form, Form], int], ...] = field(default=(), compare=False)  # of each difference


EVERY = Boundary(Form(), Form(), -1, 0)
Boundaries: TypeAlias = dict[Boundary, int]  # with the sign and factor of each


@dataclass(frozen=True)
class Score:
    """Σ key · query over pairs of flags: 1 for selected pairs, and 0 for the others."""

    flags: tuple[tuple[Form, Form], ...] = ()
    keys_apart: bool = False  # of a key at most one flag is 1
    queries_apart: bool = False  # query flags exclude each other, except a first flag that is constantly 1


@dataclass(frozen=True, eq=False)
class Head:
    """A cell that attention writes, and the value that it takes from positions."""

    cell: Cell
    value: Form
    source: str
    place: Place | None

    @property
    def compared(self) -> list[Form]:
        """The forms of keys and queries."""
        raise NotImplementedError

    @property
    def reads(self) -> list[Form]:
        """All forms that the head reads."""
        return [*self.compared, self.value]


@dataclass(frozen=True, eq=False)
class SumHead(Head):
    """The sum over the selected positions, from saturated heads: one for each boundary of the selection."""

    selection: Selection
    boundaries: Boundaries
    low: int  # selected positions, at least
    high: int  # and at most

    @property
    def compared(self) -> list[Form]:
        """The forms of keys and queries."""
        return [form for boundary in self.boundaries for form in (boundary.key, boundary.query)]


@dataclass(frozen=True, eq=False)
class MeanHead(Head):
    """The mean over the selected positions, or over all where none is selected.

    A `reciprocal` is the weight of position 0, which is always selected: its codes c stand for 1/c.
    """

    score: Score
    low: int
    high: int
    reciprocal: bool

    @property
    def compared(self) -> list[Form]:
        """The forms of keys and queries."""
        return [form for pair in self.score.flags for form in pair]


@dataclass(frozen=True, eq=False)
class OneKeyHead(Head):
    """The value at the leftmost or rightmost of the keys with the largest score; 0 where there is no key.

    The score is the sum of all keys, each times ∞ if `saturated`. A strict head sees earlier positions only.
    """

    keys: tuple[Form, ...]
    leftmost: bool
    saturated: bool
    strict: bool

    @property
    def compared(self) -> list[Form]:
        """The forms of keys."""
        return list(self.keys)


OutputTable: TypeAlias = tuple[tuple[tuple[int, ...], Value], ...]  # codes of the outputs, and the value of each


class Part(NamedTuple):
    """Some neurons of a cell that read one form."""

    form: Form
    codes: Integers
    wanted: Integers  # for every code, the number that they must add
    kinks: tuple[Kink, ...]


class Layer(NamedTuple):
    """A cell that a feed-forward layer writes."""

    cell: Cell
    parts: tuple[Part, ...]
    source: str
    place: Place | None

    @property
    def reads(self) -> list[Form]:
        """All forms that the neurons read."""
        return [part.form for part in self.parts]


@dataclass(frozen=True, eq=False)
class Circuit:
    """All cells with their heads and layers; `outputs` hold the result, `table` gives the value of their codes."""

    sizes: Sizes
    causal: bool
    cells: tuple[Cell, ...]
    heads: tuple[Head, ...]
    layers: tuple[Layer, ...]
    outputs: tuple[Form, ...]
    table: OutputTable = ()
    sharpness: Fraction | None = None  # of scores and steps that let gradients through; None: of those that need not

    @property
    def depth(self) -> int:
        """The number of blocks."""
        return (max((cell.time for cell in self.cells), default=0) + 1) // 2

    @property
    def reads(self) -> list[Form]:
        """All forms that are read, without constants, each once: the outputs first."""
        writers: Sequence[Head | Layer] = [*self.heads, *self.layers]
        forms = [form.varying for form in (*self.outputs, *(form for one in writers for form in one.reads))]
        return list(dict.fromkeys(form for form in forms if not form.is_constant))

    def live(self) -> "Circuit":
        """Return the circuit without cells on which no output depends."""
        writers: Iterable[Head | Layer] = [*self.heads, *self.layers]
        reads = {one.cell: one.reads for one in writers}
        live, waiting = set[Cell](), list(self.outputs)
        while waiting:
            for cell, _ in waiting.pop().cells:
                if cell not in live:
                    live.add(cell)
                    waiting += reads.get(cell, ())  # the embedding writes the others
        return Circuit(
            self.sizes,
            self.causal,
            tuple(cell for cell in self.cells if cell in live),
            tuple(one for one in self.heads if one.cell in live),
            tuple(one for one in self.layers if one.cell in live),
            self.outputs,
            self.table,
            self.sharpness,
        )
