"""weightsmith exercise: from the list to a graded folder."""

import csv
import json
from pathlib import Path

from tests.cli.commands import good, weightsmith
from tests.exercises.submissions import SOLUTIONS


def test_the_list_the_statement_and_the_hints() -> None:
    listed = good("exercise")
    assert listed == good("exercise", "list")
    assert all(name in listed for name in ("neuron", "induction", "refute"))
    assert len(json.loads(good("exercise", "list", "--json"))) == 10
    assert good("exercise", "show", "9").startswith("Exercise 9, induction: Write an induction head\n")
    first, second = good("exercise", "hint", "1"), good("exercise", "hint", "neuron", "2")
    assert "Which sums can it see" in first
    assert "Which sums can it see" not in second
    wrong = weightsmith("exercise", "hint", "1", "4")
    assert (wrong.returncode, wrong.stdout) == (2, "")
    assert "the hint=4: write a whole number from 1 to 3" in wrong.stderr
    assert "there is no exercise neurone: did you mean neuron?" in weightsmith("exercise", "show", "neurone").stderr


def test_a_file_is_started_once_and_checked(tmp_path: Path) -> None:
    good("exercise", "start", "3", folder=tmp_path)
    again = weightsmith("exercise", "start", "3", folder=tmp_path)
    assert again.returncode == 2
    assert "03-previous.py': it exists: write -o with another name" in again.stderr
    refuted = weightsmith("exercise", "check", "03-previous.py", folder=tmp_path)
    assert refuted.returncode == 1
    assert "refuted by a, the shortest: it says YES, and NO is right; 0 of 10 points" in refuted.stdout
    (tmp_path / "mine.py").write_text(SOLUTIONS["previous"])
    assert "proved for all lengths; 10 of 10 points" in good("exercise", "check", "mine.py", folder=tmp_path)
    (tmp_path / "broken.py").write_text("exercise = 3\nanswer = 1 / 0\n")
    broken = weightsmith("exercise", "check", "broken.py", folder=tmp_path)
    assert broken.returncode == 2
    assert "error: broken.py: line 2: ZeroDivisionError: division by zero" in broken.stderr
    assert weightsmith("exercise", "check", "nowhere.py", folder=tmp_path).returncode == 2


def test_a_folder_is_graded_into_a_table_and_csv(tmp_path: Path) -> None:
    files = {
        "ada/1.py": SOLUTIONS["neuron"],
        "ada/first try.py": SOLUTIONS["neuron"].replace("bias=-1", "bias=0"),
        "=cmd-10.py": SOLUTIONS["refute"].replace("exercise = 10", ""),
        "ada/notes.txt": "no submission",
        ".hidden.py": "",
    }
    for name, text in files.items():
        path = tmp_path / "all" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    (tmp_path / "all" / "link.py").symlink_to(tmp_path / "all" / "ada" / "1.py")
    shown = good("exercise", "grade", "all", "-o", "grades.csv", "--seconds", "5", folder=tmp_path)
    assert "refuted by left, the shortest" in shown
    assert "not graded: 2 of the files, which are no .py files" in shown
    rows = list(csv.DictReader((tmp_path / "grades.csv").read_text().splitlines()))
    assert [(row["student"], row["exercise"], row["points"]) for row in rows] == [
        ("'=cmd", "10", "10"),
        ("ada", "1", "10"),
        ("ada", "1", "0"),
    ]
    assert all(float(row["seconds"]) > 0 for row in rows)
    assert rows[2]["counterexample"] == "left"
    wrong = weightsmith("exercise", "grade", "grades.csv", folder=tmp_path)
    assert wrong.returncode == 2
    assert "is no folder" in wrong.stderr
    assert "--memory 0" in weightsmith("exercise", "grade", "all", "--memory", "0", folder=tmp_path).stderr
