"""Grading the file of a student: which exercise it answers, what its code leaves behind, and whether that is right."""

import os
import re
from dataclasses import replace
from pathlib import Path
from threading import Event

from weightsmith.errors import InputError
from weightsmith.exercises.definition import Exercise
from weightsmith.exercises.grade import Grade, failed
from weightsmith.exercises.limits import Limits
from weightsmith.exercises.referee import Referees
from weightsmith.exercises.running import run_submission
from weightsmith.exercises.tasks import EXERCISES, exercise
from weightsmith.storage import read_bytes, refusals

LINE = re.compile(rb"^exercise[ \t]*=[ \t]*[\"']?([A-Za-z0-9-]{1,20})", re.MULTILINE)
IN_NAME = re.compile(r"(?:^|[-_ ])0*([1-9][0-9]?)(?=[-_ ]|$)")


def grade_file(path: str | os.PathLike[str], limits: Limits | None = None) -> Grade:
    """Grade a file: run it in a process with limits, and check its answer in another.

    Whatever is wrong with the file is a grade too: this raises only if the file cannot be read.

    >>> import tempfile, weightsmith as ws
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     file = Path(folder, "mine.py")
    ...     _ = file.write_text(ws.exercises.exercise(1).template)
    ...     print(ws.exercises.grade_file(file))
    exercise 1, neuron: refuted by left, the shortest: it says YES, and NO is right; 0 of 10 points
    """
    with Referees(limits or Limits()) as referees:
        return grade_with(referees, Path(path), Event())


def grade_with(referees: Referees, path: Path, cancelled: Event) -> Grade:
    """Grade a file; the process of a referee checks its answer."""
    limits = referees.limits
    with refusals("cannot read", path):
        source = read_bytes(path, limits.source)
    try:
        task = which_exercise(source, path.stem)
    except InputError as error:
        return failed(None, "", str(error))
    ran = run_submission(source, task.kind, limits, cancelled)
    if ran.answer is None:
        return failed(task.number, task.name, ran.error, ran.seconds)
    grade = referees.grade(task, ran.answer)
    return replace(grade, seconds=ran.seconds + grade.seconds)


def which_exercise(source: bytes, name: str) -> Exercise:
    """Return the exercise that a file answers: its line `exercise = 3` says so, or a number in its name.

    The text is searched and not run, so that the code of the file has no say in how it is graded but this one.
    """
    found = LINE.search(source)
    if found is not None:
        return exercise(found[1].decode())
    number = IN_NAME.search(name)
    if number is not None and int(number[1]) <= len(EXERCISES):
        return exercise(int(number[1]))
    raise InputError(
        f"it does not say which exercise it answers: write exercise = 3, a number from 1 to {len(EXERCISES)}"
    )
