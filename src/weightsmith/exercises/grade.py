"""Grades: what an answer is worth, and why."""

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from weightsmith.errors import shown
from weightsmith.operators import meaning
from weightsmith.tables import Page

POINTS = 10  # of each exercise
HALF = 5  # for an answer that is right and too large, or a counterexample that is not the shortest

Result: TypeAlias = Literal["right", "too large", "longer", "refuted", "unknown", "error"]
RESULTS: tuple[Result, ...] = ("right", "too large", "longer", "refuted", "unknown", "error")


@dataclass(frozen=True)
class Grade:
    """The grade of one answer.

    The results: right; right, and too large; a counterexample that is not the shortest; refuted by the shortest
    counterexample; unknown within the limits; an error, which `message` names.
    """

    exercise: int | None  # None: the file names none
    name: str
    result: Result
    points: int
    message: str  # one line
    counterexample: str | None = None
    says: str | None = None  # the decision of the answer on the counterexample
    expected: str | None = None  # the right decision
    seconds: float = 0.0
    run: Any = field(default=None, compare=False, repr=False)  # on the counterexample, if it was checked here

    @property
    def of(self) -> int:
        """The points of a right answer."""
        return POINTS

    def __str__(self) -> str:
        """Return a line of text."""
        which = "no exercise" if self.exercise is None else f"exercise {self.exercise}, {self.name}"
        return f"{which}: {self.message}; {self.points} of {self.of} points"

    def _repr_html_(self) -> str:
        """Return HTML for notebooks: the line, and the run on the counterexample."""
        line = Page(str(self))._repr_html_()
        if self.run is None:
            return line
        page: str = meaning("in_notebook")(self.run, "", names=["your answer"])
        return line + page

    def to_json(self) -> dict[str, Any]:
        """Return the grade as data for a file."""
        return {
            "exercise": self.exercise,
            "name": self.name,
            "result": self.result,
            "points": self.points,
            "of": self.of,
            "message": self.message,
            "counterexample": self.counterexample,
            "says": self.says,
            "expected": self.expected,
            "seconds": round(self.seconds, 3),
        }


def failed(exercise: int | None, name: str, message: str, seconds: float = 0.0) -> Grade:
    """Return the grade of a file that gives no answer; the message becomes one printable line."""
    return Grade(exercise, name, "error", 0, one_line(message), seconds=seconds)


def one_line(text: str, most: int = 400) -> str:
    """Return a text that may be hostile as one printable line."""
    words = " ".join(text[: 4 * most].split())
    line = words if words.isprintable() else shown(words)
    return line if len(line) <= most else f"{line[: most - 1]}…"
