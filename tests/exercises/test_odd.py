"""Odd folders, odd files, odd answers: each has a grade, and no file keeps another from having one."""

import os
from dataclasses import replace
from pathlib import Path

import pytest

import weightsmith as ws
from tests.exercises.submissions import BEGIN, HOSTILE, SOLUTIONS
from tests.exercises.test_tasks import answer_of
from weightsmith.exercises import Limits, grade_file, grade_folder, running
from weightsmith.exercises.referee import Referees


def test_odd_files_have_grades(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe-1.py")
    (tmp_path / "large-1.py").write_bytes(bytes(2 << 20))
    (tmp_path / "folder-1.py").mkdir()
    (tmp_path / "loop-1.py").symlink_to("loop-1.py")
    Path(os.fsdecode(bytes(tmp_path) + b"/\xff\x1b-1.py")).write_text("raise ValueError('\\x1b[31m\\n=1+1')\n")
    book = grade_folder(tmp_path)
    messages = {row.file: row.grade.message for row in book}
    assert "it is not a regular file" in messages["pipe-1.py"]
    assert "it has 2,097,152 bytes, at most 1,048,576 are read" in messages["large-1.py"]
    (odd,) = (message for message in messages.values() if "ValueError" in message)
    assert odd == r"'line 1: ValueError: \x1b[31m =1+1'"
    assert str(book).isprintable() or "\x1b" not in str(book)
    book.save_csv(tmp_path / "grades.csv")
    assert (tmp_path / "grades.csv").read_bytes().count(b"\n") == 4


def test_an_empty_folder_has_an_empty_table(tmp_path: Path) -> None:
    book = grade_folder(tmp_path)
    assert (len(book), book.totals(), book.csv().count("\n")) == (0, {}, 1)
    assert "Files" in str(book)
    with pytest.raises(ws.FileError, match="is no folder: write the folder"):
        grade_folder(tmp_path / "nowhere")
    with pytest.raises(ws.FileError, match="cannot read"):
        grade_file(tmp_path / "nowhere.py")


@pytest.mark.parametrize("name", ["loops", "deletes", "forks", "starts-rm", "uses-the-network", "kills-the-grader"])
def test_without_a_kernel_that_confines_python_itself_refuses(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(running, "layers", lambda: ("limits", "audit"))
    victim, file = tmp_path / "victim", tmp_path / "file.py"
    victim.write_text("here")
    code, message = HOSTILE[name]
    file.write_text(BEGIN + code.format(victim=str(victim)))
    ran = running.run_submission(file.read_bytes(), "model", Limits(seconds=1, waiting=60))
    assert ran.answer is None
    assert ran.error.startswith(message)
    assert victim.read_text() == "here"


def test_a_layer_that_fails_lets_nothing_run(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(running, "_readable", lambda: ["\0"])  # no path: the rules of Landlock cannot be made
    monkeypatch.setattr(running, "layers", lambda: ("limits", "landlock"))
    ran = running.run_submission(b"open('answer', 'w').write('run')", "model", Limits())
    assert ran.answer is None


def test_an_answer_that_no_automaton_decides_is_run_on_short_inputs() -> None:
    T = answer_of(SOLUTIONS["neuron"])
    turned = replace(T, positions=ws.Rotary())
    grade = ws.exercises.exercise("neuron").check(turned)
    assert (grade.message, grade.points) == ("right up to 8", 10)


def test_a_check_that_takes_too_long_is_ended_and_the_next_answer_is_graded() -> None:
    task = ws.exercises.exercise("neuron")
    with Referees(Limits(check_seconds=60)) as referees:
        assert referees.grade(task, right()).points == 10
        assert referees.grade(task, b"\xff" * 100).result == "error"
        object.__setattr__(referees.limits, "check_seconds", 0.0)
        slow = referees.grade(task, right())
        assert slow.message == "the answer is too large: checking it takes longer than 0 s"
        object.__setattr__(referees.limits, "check_seconds", 60.0)
        assert referees.grade(task, right()).points == 10


def right() -> bytes:
    from weightsmith.files import model_bytes

    return model_bytes(answer_of(SOLUTIONS["neuron"]))


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        ({"seconds": 0}, "seconds=0: write a number of seconds from 0.5 to 86400"),
        ({"seconds": "10"}, "seconds='10': write a number of seconds"),
        ({"seconds": float("nan")}, "seconds=nan: write"),
        ({"memory": 1000}, "memory=1000: write a number of bytes, 268,435,456 or more"),
        ({"files": 0}, "files=0: write how many files"),
    ],
)
def test_odd_limits_are_refused(limits: dict[str, object], message: str) -> None:
    with pytest.raises(ws.InputError, match=message):
        Limits(**limits)  # type: ignore[arg-type]
