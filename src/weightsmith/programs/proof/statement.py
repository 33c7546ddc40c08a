"""The statement about weights. Nothing of it is believed.

Cells are the numbers that sublayers write: a sum over selected positions, or what neurons add. Lanes hold features and
cells. For every part of the program it is stated how its value is held, or which pairs its selector selects.
"""

from dataclasses import dataclass, field
from typing import NamedTuple

from weightsmith.programs.form import Node
from weightsmith.programs.proof.asking import Answers
from weightsmith.programs.proof.holding import Holding, Mean
from weightsmith.programs.proof.neurons import Part
from weightsmith.programs.proof.selectors import Boundary, Selection
from weightsmith.programs.proof.space import Integers
from weightsmith.programs.values import Value


class Gathered(NamedTuple):
    """A sum of a form over the positions that a part of the program selects; None stands for all positions."""

    selector: Node | None
    heads: tuple[tuple[Boundary, int], ...]
    value: Integers


class Layered(NamedTuple):
    """The sum of neurons that read forms."""

    parts: tuple[Part, ...]


class Cell(NamedTuple):
    """A number at every position: the sublayer that writes it (2b + 1 and 2b + 2 in block b), and its definition."""

    time: int
    made: Gathered | Layered
    name: str
    line: int | None


class Held(NamedTuple):
    """How a part of the program is held."""

    holding: Holding
    recoded: tuple[Holding | None, ...] = ()  # arguments that got another form first
    mean: Mean | None = None  # of which the holding keeps halves


class Parts(NamedTuple):
    """A program: its parts, each after the ones that it is made of, and whether later positions are hidden."""

    nodes: tuple[Node, ...]
    causal: bool

    @property
    def output(self) -> Node:
        """The last part."""
        return self.nodes[-1]


@dataclass(frozen=True, eq=False)
class Statement:
    """All that is stated."""

    program: Parts
    vocabulary: tuple[Value, ...]
    positions: int
    causal: bool  # whether the model's mask is
    cells: tuple[Cell, ...]
    lanes: tuple[tuple[tuple[int, int], ...], ...]  # for every lane, its cells with their factors
    held: dict[Node, Held] = field(repr=False)
    pairs: dict[Node, Selection] = field(repr=False)
    answers: dict[Node, Answers] | None = field(default=None, repr=False)  # of functions that cannot be asked
