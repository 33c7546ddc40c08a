"""Wrong submissions: each has the shortest counterexample, or an error with a name."""

from itertools import product
from pathlib import Path

import pytest

import weightsmith as ws
from tests.exercises.submissions import REFUTED, WRONG, Wrong
from tests.exercises.test_tasks import answer_of
from tests.exercises.witness import RIGHT
from weightsmith.exercises import Grade, Gradebook, exercise, grade_folder

EVERY_SHORTER = 8  # tokens: up to here all shorter inputs are run


# In processes, few of those that are refuted run always: the same code judges them all
SOME = {name: wrong for n, (name, wrong) in enumerate(WRONG.items()) if wrong.counterexample is None or n % 8 == 0}


def graded(submissions: dict[str, Wrong], folder: Path) -> Gradebook:
    for name, wrong in submissions.items():
        (folder / f"{name}.py").write_text(wrong.source)
    return grade_folder(folder, workers=2)


@pytest.fixture(scope="module")
def book(tmp_path_factory: pytest.TempPathFactory) -> Gradebook:
    return graded(SOME, tmp_path_factory.mktemp("wrong"))


def test_there_are_thirty_and_more() -> None:
    assert len(WRONG) >= 30
    assert len(REFUTED) >= 25


def agrees(grade: Grade, wrong: Wrong) -> None:
    assert grade.points == wrong.points < grade.of, grade
    if wrong.counterexample is None:
        assert grade.message.startswith(wrong.message), grade
    else:
        assert grade.counterexample == wrong.counterexample, grade
        assert f"refuted by {grade.counterexample}, the shortest: it says {grade.says}" in grade.message
        assert grade.says != grade.expected


@pytest.mark.parametrize("name", SOME)
def test_a_wrong_submission_has_its_counterexample_or_a_named_error(name: str, book: Gradebook) -> None:
    (grade,) = (row.grade for row in book if row.file == f"{name}.py")
    agrees(grade, WRONG[name])


@pytest.mark.long
def test_all_wrong_submissions_have_their_counterexample_or_a_named_error(tmp_path: Path) -> None:
    for row in graded(WRONG, tmp_path):
        agrees(row.grade, WRONG[row.file.removesuffix(".py")])


@pytest.mark.parametrize("wrong", REFUTED.values(), ids=REFUTED)
def test_a_wrong_answer_is_refuted_by_the_shortest(wrong: Wrong) -> None:
    agrees(exercise(wrong.solution.replace("_", "-")).check(answer_of(wrong.source)), wrong)


@pytest.mark.parametrize("wrong", REFUTED.values(), ids=REFUTED)
def test_no_shorter_input_refutes_it(wrong: Wrong) -> None:
    T, right = answer_of(wrong.source), RIGHT[wrong.solution.replace("_", "-")]
    words = any(len(token) > 1 for token in T.vocabulary)
    assert wrong.counterexample is not None
    last = tuple(wrong.counterexample.split() if words else wrong.counterexample)
    assert ws.run(T, list(last)).decision != right(last)
    for length in range(1, min(len(last), EVERY_SHORTER) + 1):
        inputs = [tokens for tokens in product(T.vocabulary, repeat=length) if right(tokens) is not None]
        for tokens, decision in zip(inputs, ws.decisions(T, inputs), strict=True):
            if tokens == last:
                return
            assert decision == right(tokens), tokens


def test_the_table_and_the_csv_have_a_row_for_each_file(
    book: Gradebook, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "160")
    shown = str(book)
    assert all(f" {row.file} " in shown for row in book)
    book.save_csv(tmp_path / "grades.csv")
    lines = (tmp_path / "grades.csv").read_text().splitlines()
    assert lines[0] == "student,file,exercise,name,points,of,result,counterexample,says,expected,message,seconds"
    assert len(lines) == 1 + len(SOME)
    assert book.totals()["too-many-neurons"] == 5
