"""A table of the gallery, and the cells that a verdict becomes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import weightsmith as ws
from weightsmith.check import Verdict
from weightsmith.errors import WeightsmithError

Cell: TypeAlias = str | int
Rows: TypeAlias = list[Sequence[Cell]]

ARITHMETICS = (  # of the limits
    "fixed(1,0)",
    "fixed(2,0)",
    "fixed(2,2)",
    "fixed(4,4)",
    "fixed(6,4)",
    "float(4,3)",
    "e4m3",
    "float16",
)
LONGEST_CELL = 24  # characters of a counterexample


@dataclass(frozen=True)
class Table:
    """A table: the page that has it, its columns, and the function that computes its rows."""

    page: str
    columns: tuple[str, ...]
    rows: Callable[[], Rows]
    long: bool = False  # whether only the long test computes it again

    def text(self) -> str:
        """Return it in Markdown."""
        lines = [self.columns, ["---"] * len(self.columns), *self.rows()]
        return "".join(f"| {' | '.join(shown(cell) for cell in line)} |\n" for line in lines)


def shown(cell: Cell) -> str:
    """Return a cell as text: numbers with commas, and bars that do not end the cell."""
    return f"{cell:,}" if isinstance(cell, int) else cell.replace("|", "\\|")


def arithmetic(name: str) -> ws.Arithmetic:
    """Return an arithmetic by the name in a table."""
    return ws.Float.like("float16") if name == "float16" else ws.parse_arithmetic(name)


def limits(claim: Callable[[ws.Arithmetic], Verdict]) -> Rows:
    """Return a row for each arithmetic: what a claim about the model that is built in it turns out to be."""
    return [(name, cell(lambda name=name: claim(arithmetic(name)))) for name in ARITHMETICS]  # type: ignore[misc]


def cell(claim: Callable[[], Verdict]) -> str:
    """Return a verdict as a cell; a construction that an arithmetic lacks the laws for is refused."""
    try:
        verdict = claim()
    except WeightsmithError as error:
        return f"refused: {str(error).split(': write ')[0]}"
    if verdict.holds is None:
        return f"unknown; right up to {verdict.scope.removeprefix('up to ')}"
    if not verdict.holds:
        return f"✗ {word(verdict.counterexample)}"
    if verdict.scope == "all lengths":
        return "all lengths"
    return f"{verdict.scope}, {verdict.inputs:,} inputs"


def word(tokens: object) -> str:
    """Return an input as text, in code; a long one with powers."""
    letters = list(tokens) if isinstance(tokens, str | tuple | list) else [str(tokens)]
    text = ("" if all(len(letter) == 1 for letter in letters) else " ").join(letters)
    if len(text) <= LONGEST_CELL:
        return f"`{text}`"
    runs: list[tuple[str, int]] = []
    for letter in letters:
        if runs and runs[-1][0] == letter:
            runs[-1] = letter, runs[-1][1] + 1
        else:
            runs.append((letter, 1))
    return f"`{' '.join(f'{letter}^{times}' if times > 1 else letter for letter, times in runs)}`"
