"""The ten exercises: their texts, their templates, their solutions."""

from itertools import product
from typing import Any

import pytest

import weightsmith as ws
from tests.exercises.submissions import SOLUTIONS
from tests.exercises.witness import RIGHT
from weightsmith.exercises import EXERCISES, Exercise

IDS = [task.name for task in EXERCISES]


def answer_of(source: str) -> Any:
    names: dict[str, Any] = {}
    exec(source, names)
    return names["answer"]


def test_there_are_ten_with_numbers_in_order_and_different_names() -> None:
    assert [task.number for task in EXERCISES] == list(range(1, 11))
    assert len(set(IDS)) == 10


@pytest.mark.parametrize("task", EXERCISES, ids=IDS)
def test_the_expected_decisions_are_those_of_the_statement(task: Exercise) -> None:
    for length in range(1, 7 if len(task.vocabulary) < 4 else 5):
        for tokens in product(task.vocabulary, repeat=length):
            right = RIGHT[task.name](tokens)
            assert right in (None, task.expected(tokens)), tokens


@pytest.mark.parametrize("task", EXERCISES, ids=IDS)
def test_a_template_runs_and_is_wrong(task: Exercise) -> None:
    grade = task.check(answer_of(task.template))
    assert (grade.result, grade.points) == ("refuted", 0), grade
    assert f"exercise = {task.number}\n" in task.template


@pytest.mark.parametrize("task", EXERCISES, ids=IDS)
def test_a_solution_has_all_points_and_is_proved(task: Exercise) -> None:
    grade = task.check(answer_of(SOLUTIONS[task.name.replace("-", "_")]))
    assert (grade.result, grade.points) == ("right", 10), grade
    assert grade.message == "proved for all lengths" or task.kind == "input"


@pytest.mark.parametrize("task", EXERCISES, ids=IDS)
def test_a_text_has_a_statement_and_hints_that_come_one_by_one(task: Exercise) -> None:
    assert task.title and len(task.statement) > 100  # noqa: PT018
    assert task.hints >= 2
    assert len({task.hint(number) for number in range(1, task.hints + 1)}) == task.hints
    with pytest.raises(ws.InputError, match=f"the hint=9: write a whole number from 1 to {task.hints}"):
        task.hint(9)
    assert str(task).startswith(f"Exercise {task.number}, {task.name}: {task.title}")


def test_an_exercise_is_chosen_by_number_or_name() -> None:
    assert ws.exercises.exercise(3) is ws.exercises.exercise("3") is ws.exercises.exercise("previous")
    with pytest.raises(ws.InputError, match="there is no exercise prvious: did you mean previous"):
        ws.exercises.exercise("prvious")
    for wrong in (0, 11, 3.5, None, True):
        with pytest.raises(ws.InputError, match="write a number from 1 to 10, or a name"):
            ws.exercises.exercise(wrong)  # type: ignore[arg-type]


def test_in_a_notebook_a_grade_shows_the_run_on_the_counterexample() -> None:
    task = ws.exercises.exercise("neuron")
    assert "Write a neuron" in task._repr_markdown_()
    shown = task.check(answer_of(task.template))._repr_html_()
    assert "refuted by left" in shown
    assert "<iframe" in shown
    assert "<iframe" not in task.check(answer_of(SOLUTIONS["neuron"]))._repr_html_()


def test_another_thing_than_a_transformer_is_named() -> None:
    grade = ws.exercises.exercise(1).check(17)
    assert grade.message == "the answer is 17: write answer = ws.Transformer(…)"
    assert ws.exercises.exercise(10).check("1" * 2000).message == "the answer has 2,000 tokens: write at most 1,000"
