"""How long work shows where it is, also when it goes on from where it was."""

from typing import Any

import pytest
from rich.progress import Progress

from weightsmith.cli import progress
from weightsmith.cli.progress import count, duration, shown_progress


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


DURATIONS = {
    0: "0 s", 0.4: "0 s", 12: "12 s", 59.4: "59 s", 59.6: "1 min 0 s", 60: "1 min 0 s", 200: "3 min 20 s",
    3599.7: "1 h 0 min", 7500: "2 h 5 min", 86399: "23 h 59 min", 86400: "1 day", 4 * 86400: "4 days",
    700 * 86400: "700 days", 12 * 31557600: "12 years", 99.9 * 31557600: "100 years", 1e10: "over 100 years",
    1e300: "over 100 years", float("inf"): "over 100 years",
}  # fmt: skip


@pytest.mark.parametrize("seconds", DURATIONS)
def test_a_time_is_written_as_people_say_it(seconds: float) -> None:
    assert duration(seconds) == DURATIONS[seconds]


@pytest.mark.parametrize(
    ("number", "text"),
    [(0, "0"), (1234, "1,234"), (10**15 - 1, "999,999,999,999,999"), (10**15, "1.0e15"), (2**100, "1.3e30"),
     (2**10001, "4.0e3010")],
)  # fmt: skip
def test_a_number_that_nobody_reads_is_written_with_its_power_of_ten(number: int, text: str) -> None:
    assert count(number) == text


def test_lines_of_a_huge_check_stay_short(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    for total in (2**101 - 2, 2**10001):
        with shown_progress("same decisions") as report:
            clock.now += 11
            report(1_100_000, total)
    assert capsys.readouterr().err.splitlines() == [
        "1,100,000 of 2.5e30 inputs, 0%, 100,000 inputs/s, over 100 years left",
        "1,100,000 of 4.0e3010 inputs, 0%, 100,000 inputs/s, over 100 years left",
    ]


def test_where_nothing_was_done_yet_no_time_is_left(clock: Clock, capsys: pytest.CaptureFixture[str]) -> None:
    with shown_progress("training", "steps") as report:
        clock.now += 11
        report(0, 100)
    assert capsys.readouterr().err == "0 of 100 steps, 0%, 0 steps/s\n"


def test_a_bar_of_a_huge_check_says_the_same(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    bars: list[Any] = []

    class Watched(Progress):
        def __init__(self, *columns: Any, **options: Any) -> None:
            super().__init__(*columns, **options, get_time=clock.monotonic, auto_refresh=False)
            bars.append(self)

    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr(progress, "Progress", Watched)
    for total, written in ((2**101 - 2, "2.5e30"), (2**10001, "4.0e3010"), (2_200_000, "2,200,000")):
        with shown_progress("same decisions") as report:
            report(0, total)
            for done in (1, 2):
                clock.now += 10
                report(done * 1_000_000, total)
            bar = bars[-1]
            bar.refresh()
            texts = [column.render(bar.tasks[0]).plain for column in bar.columns[2:]]
        left = "2 s" if total == 2_200_000 else "over 100 years"
        assert texts == [f"2,000,000 of {written}", "100,000 inputs/s", left]
