"""Hostile submissions are stopped, do no harm, and the others are graded."""

import os
from pathlib import Path

import pytest

from tests.exercises.submissions import BEGIN, HOSTILE, SOLUTIONS
from weightsmith.exercises import Gradebook, Limits, grade_file, grade_folder
from weightsmith.exercises.confinement import landlock, layers, seccomp

KERNEL = {"landlock", "seccomp"} <= set(layers())
NEED_KERNEL = {"deletes-by-c", "reads-others"}


@pytest.fixture(scope="module")
def victim(tmp_path_factory: pytest.TempPathFactory) -> Path:
    file = tmp_path_factory.mktemp("home") / "thesis.txt"
    file.write_text("years of work")
    return file


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory, victim: Path) -> Gradebook:
    folder = tmp_path_factory.mktemp("hostile")
    for name, (code, _) in HOSTILE.items():
        if KERNEL or name not in NEED_KERNEL:
            (folder / f"{name}.py").write_text(BEGIN + code.format(victim=str(victim)) + "\n")
    for student in ("aa", "zz"):
        (folder / student).mkdir()
        (folder / student / "1.py").write_text(SOLUTIONS["neuron"])
    return grade_folder(folder, Limits(seconds=1, waiting=60), workers=2)


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_submission_is_stopped(name: str, book: Gradebook) -> None:
    if name in NEED_KERNEL and not KERNEL:
        pytest.skip("this kernel has no Landlock or no seccomp")
    (grade,) = (row.grade for row in book if row.file == f"{name}.py")
    assert grade.points == 0
    assert grade.message.startswith(HOSTILE[name][1]), grade


def test_one_that_waits_is_ended(tmp_path: Path) -> None:
    file = tmp_path / "waits-1.py"
    file.write_text("import signal, time\nsignal.signal(signal.SIGTERM, signal.SIG_IGN)\ntime.sleep(1000)\n")
    assert grade_file(file, Limits(waiting=1)).message == "it takes longer than 1 s"


def test_the_others_are_graded(book: Gradebook) -> None:
    totals = book.totals()
    assert (totals["aa"], totals["zz"]) == (10, 10)
    assert sum(totals.values()) == 20


def test_no_file_of_others_is_harmed(book: Gradebook, victim: Path) -> None:
    assert victim.read_text() == "years of work"
    assert victim.stat().st_mode & 0o400
    assert os.listdir(victim.parent) == [victim.name]


def test_the_layers_are_those_of_the_kernel(book: Gradebook) -> None:
    assert book.protection == layers()
    assert ("landlock" in layers()) == (landlock.version() > 0)
    assert ("seccomp" in layers()) == seccomp.available()
