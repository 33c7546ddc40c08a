"""Places in a program's source, notes that keep them, and errors that show them."""

from dataclasses import dataclass
from typing import Literal, TypeAlias

from weightsmith.errors import InputError, cut

Encoding: TypeAlias = Literal["numerical", "categorical"]

WIDEST_LINE = 100  # characters of a source line that are shown


@dataclass(frozen=True)
class Place:
    """Where something stands in a source: line and column count from 1; `text` is the whole line."""

    line: int
    column: int | None = None
    text: str = ""
    file: str | None = None

    def __str__(self) -> str:
        """Return the place as errors name it."""
        column = "" if self.column is None else f", column {self.column}"
        return f"{'' if self.file is None else f'{self.file}, '}line {self.line}{column}"

    @property
    def marked(self) -> str:
        """The line, and below it a caret; nothing where the line is not known."""
        if not self.text.strip():
            return ""
        start = 0 if self.column is None else max(0, self.column - 1 - WIDEST_LINE // 2)
        line = cut(self.text.replace("\t", " ").rstrip()[start:], WIDEST_LINE)
        caret = "" if self.column is None else "\n    " + " " * (self.column - 1 - start) + "^"
        return f"\n    {line}{caret}"


@dataclass(frozen=True)
class Note:
    """Name, source location and encoding of a node: they change no meaning."""

    name: str | None = None
    place: Place | None = None
    encoding: Encoding | None = None

    def or_else(self, other: "Note") -> "Note":
        """Return this note with the other's words where it has none."""
        return Note(self.name or other.name, self.place or other.place, self.encoding or other.encoding)


class UndecidedError(InputError):
    """The compiler cannot show what it needs; whether an input refutes it is not yet known."""


def undecided(place: Place | None, what: str) -> UndecidedError:
    """Return the error about a place where something could not be shown, with its source line."""
    return UndecidedError(str(refusal(place, what)))


def refusal(place: Place | None, what: str) -> InputError:
    """Return the error about a place, with its source line."""
    return InputError(what if place is None else f"{place}: {what}{place.marked}")
