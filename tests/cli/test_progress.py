"""How long work shows where it is, also when it goes on from where it was."""

from typing import Any

import pytest
from rich.progress import Progress

from weightsmith.cli import progress
from weightsmith.cli.progress import shown_progress


class Clock:
    """A clock that goes on when it is told to."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "time", clock)
    return clock


def test_lines_count_only_what_was_done_now(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress("training", "steps") as report:
        report(900, 1000)  # of a run before
        clock.now += 11
        report(922, 1000)
        report(923, 1000)
        clock.now += 11
        report(944, 1000, "loss 1.5")
    assert capsys.readouterr().err.splitlines() == [
        "922 of 1,000 steps, 92%, 2 steps/s, 39 s left",
        "944 of 1,000 steps, 94%, loss 1.5, 28 s left",
    ]


def test_a_first_report_that_comes_late_is_shown(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress("checking") as report:
        clock.now += 20
        report(40, 80)
    assert capsys.readouterr().err == "40 of 80 inputs, 50%, 2 inputs/s, 20 s left\n"


def test_a_bar_counts_only_what_was_done_now(monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[Any] = []

    class Watched(Progress):
        def __init__(self, *columns: Any, **options: Any) -> None:
            super().__init__(*columns, **options)
            bars.append(self)

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "Progress", Watched)
    with shown_progress("training", "steps") as report:
        report(900, 1000)
        task = bars[0].tasks[0]
        assert (task.completed, len(task._progress)) == (900, 0)
        report(922, 1000, "loss 1.5")
        assert (task.completed, [sample.completed for sample in task._progress]) == (922, [22])
        assert task.fields["note"] == "loss 1.5"
