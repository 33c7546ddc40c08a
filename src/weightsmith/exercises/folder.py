"""A folder of submissions, graded into a table."""

import csv
import io
import os
import re
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event

from weightsmith.errors import NAME_ECHO, FileError, InputError, brief, cut, shown, whole_number
from weightsmith.exercises.confinement import layers
from weightsmith.exercises.grade import Grade, failed
from weightsmith.exercises.grading import grade_with
from weightsmith.exercises.limits import Limits
from weightsmith.exercises.referee import Referees
from weightsmith.storage import refusals, write_whole
from weightsmith.tables import Cell, Page, Style, Table, TabledRows

COLUMNS = (
    *("student", "file", "exercise", "name", "points", "of", "result"),
    *("counterexample", "says", "expected", "message", "seconds"),
)
STYLES: dict[str, Style] = {"right": "good", "too large": "new", "longer": "new", "unknown": "new"}
NUMBER = re.compile(r"^0*\d{1,2}[-_ ]+|[-_ ]+0*\d{1,2}$")  # of an exercise, at the beginning or the end of a name
FORMULA = ("=", "+", "-", "@", "\t", "\r")  # how a cell begins that a spreadsheet would compute
MOST_FILES = 10_000


@dataclass(frozen=True)
class Submission:
    """A file of a student, with its grade."""

    student: str
    file: str  # in the folder
    grade: Grade


class Gradebook(TabledRows[Submission]):
    """The grades of a folder: a row for each file, in the order of their names."""

    def __init__(self, rows: Sequence[Submission], left_out: int = 0, protection: Sequence[str] = ()) -> None:
        """Keep the rows, the number of files that are no submissions, and the layers of the confinement."""
        self.rows = tuple(rows)
        self.left_out = left_out
        self.protection = tuple(protection)

    def totals(self) -> dict[str, int]:
        """Return the points of each student: of several files for an exercise the best one counts."""
        best: dict[str, dict[int, int]] = {}
        for row in self.rows:
            mine = best.setdefault(row.student, {})
            if row.grade.exercise is not None:
                mine[row.grade.exercise] = max(row.grade.points, mine.get(row.grade.exercise, 0))
        return {student: sum(points.values()) for student, points in best.items()}

    def table(self) -> Page:
        """Return the files and the totals as tables."""
        files = Table("file", "exercise", "points", "result", "seconds", right=(1, 2, 4), title="Files")
        for row in self.rows:
            grade = row.grade
            number = "?" if grade.exercise is None else str(grade.exercise)
            result = Cell(cut(grade.message, 160), STYLES.get(grade.result, "bad"))
            files.add(_name(row.file), number, str(grade.points), result, f"{grade.seconds:.1f}")
        if self.left_out:
            files.notes.append(f"not graded: {self.left_out} of the files, which are no .py files")
        students = Table("student", "files", "points", right=(1, 2), title="Students")
        for student, points in self.totals().items():
            students.add(_name(student), str(sum(row.student == student for row in self.rows)), str(points))
        return Page(files, students)

    def csv(self) -> str:
        """Return the grades as CSV, a row for each file."""
        written = io.StringIO()
        writer = csv.writer(written, lineterminator="\n")
        writer.writerow(COLUMNS)
        for row in self.rows:
            data = {
                **row.grade.to_json(),
                "student": row.student,
                "file": row.file,
                "seconds": f"{row.grade.seconds:.2f}",
            }
            writer.writerow([_cell(data[column]) for column in COLUMNS])
        return written.getvalue()

    def save_csv(self, path: str | os.PathLike[str]) -> None:
        """Write the CSV to a file."""
        with refusals("cannot write", path):
            write_whole(Path(path), self.csv().encode("utf-8", "backslashreplace"))


def grade_folder(
    folder: str | os.PathLike[str],
    limits: Limits | None = None,
    workers: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Gradebook:
    """Grade every .py file of a folder, and of the folders in it: `ada/3.py` and `ada-3.py` are files of ada.

    Each file runs in a process of its own with limits; its answer is checked in another. `workers` is how many run at
    once: by default one for each core, at most 4. `progress` is called with the files done and all files.
    """
    root, chosen = Path(folder), limits or Limits()
    count = min(4, os.cpu_count() or 1) if workers is None else whole_number(workers, "workers", 1, 64)
    files, left_out = _files(root)
    cancelled, rows = Event(), []
    with Referees(chosen) as referees, ThreadPoolExecutor(count) as pool:

        def graded(path: Path) -> Submission:
            try:
                grade = grade_with(referees, path, cancelled)
            except FileError as error:
                grade = failed(None, "", str(error))
            return Submission(_student(path, root), str(path.relative_to(root)), grade)

        try:
            for row in pool.map(graded, files):
                rows.append(row)
                if progress is not None:
                    progress(len(rows), len(files))
        except BaseException:
            pool.shutdown(wait=False, cancel_futures=True)
            cancelled.set()
            referees.cancel()
            raise
    return Gradebook(rows, left_out, layers())


def _files(root: Path) -> tuple[list[Path], int]:
    """Return the submissions of a folder in the order of their names, and how many other files there are.

    Hidden files and links are left out: a link could lead to the file of somebody else.
    """
    if not root.is_dir():
        raise FileError(f"{brief(str(root))} is no folder: write the folder with the files of the students")
    found, others = [], 0
    for here, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if not name.startswith((".", "__pycache__")))
        for name in names:
            path = Path(here, name)
            if name.endswith(".py") and not name.startswith(".") and not path.is_symlink():
                found.append(path)
            elif not name.startswith("."):
                others += 1
        if len(found) > MOST_FILES:
            raise InputError(f"the folder has more than {MOST_FILES:,} files: grade its folders one by one")
    return sorted(found, key=_in_order), others


def _in_order(path: Path) -> list[tuple[int, str]]:
    """Return what sorts 2 before 10."""
    return [(int(part), "") if part.isdecimal() else (-1, part) for part in re.split("([0-9]{1,9})", str(path))]


def _student(path: Path, root: Path) -> str:
    """Return whose file it is: that of the folder in which it is, or of its name without the number of an exercise."""
    inside = path.relative_to(root).parts
    return inside[0] if len(inside) > 1 else NUMBER.sub("", path.stem) or path.stem


def _name(text: str) -> str:
    """Return a name of the file system as it may be printed."""
    return cut(shown(text.encode(errors="replace").decode()), NAME_ECHO)


def _cell(value: object) -> str:
    """Return a cell of CSV: a text that a spreadsheet would take for a formula begins with an apostrophe."""
    text = "" if value is None else str(value)
    return f"'{text}" if isinstance(value, str) and text.startswith(FORMULA) else text
