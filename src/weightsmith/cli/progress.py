"""Progress: a bar on a terminal, plain lines elsewhere, nothing during the first second."""

import math
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Protocol

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn
from rich.text import Text

from weightsmith.cli.consoles import errors

QUIET_SECONDS = 1.0  # before anything is shown
LINE_SECONDS = 10.0  # between plain lines
DIGITS = 15  # of a number that is written out
MINUTE, HOUR, DAY, YEAR = 60, 3600, 86400, 365.25 * 86400


class Report(Protocol):
    """Show how much is done, of how much, and a note."""

    def __call__(self, done: int, total: int, note: str = "") -> None:
        """Show it."""


def duration(seconds: float) -> str:
    """Return a time as people say it.

    >>> [duration(s) for s in (12.3, 200, 7500, 4 * 86400, 1e10)]
    ['12 s', '3 min 20 s', '2 h 5 min', '4 days', 'over 100 years']
    """
    if seconds > 100 * YEAR:
        return "over 100 years"
    if seconds >= 2 * YEAR:
        return f"{seconds / YEAR:.0f} years"
    whole = round(seconds)
    if whole < MINUTE:
        return f"{whole} s"
    if whole < HOUR:
        return f"{whole // MINUTE} min {whole % MINUTE} s"
    if whole < DAY:
        return f"{whole // HOUR} h {whole % HOUR // MINUTE} min"
    days = round(whole / DAY)
    return f"{days} day{'s' * (days > 1)}"


def count(number: float) -> str:
    """Return a count: in full, or as 1.3e30 if it has more than 15 digits."""
    if abs(number) < 10**DIGITS:
        return f"{number:,.0f}"
    return f"{Decimal(number):.1e}".replace("e+", "e")


def speed(rate: float, unit: str) -> str:
    """Return how many there are in a second, of large things also less than one.

    >>> speed(1234.5, "inputs"), speed(0.25, "shards")
    ('1,234 inputs/s', '0.25 shards/s')
    """
    return f"{rate:,.0f} {unit}/s" if rate >= 10 or not rate else f"{rate:.2g} {unit}/s"


def time_left(done: float, total: float, rate: float) -> str:
    """Return the time left at a rate per second; "" if the rate is 0."""
    if not rate:
        return ""
    left = total - done
    return duration(left / rate if left < 1e300 else math.inf)


class _Count(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Show how many are done, of how many."""
        return Text(f"{count(task.completed)} of {count(task.total or 0)}")


class _Rate(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        """Show how many there are in a second, or the note."""
        return Text(task.fields.get("note") or speed(task.speed or 0, self.unit), style="cyan")


class _Left(ProgressColumn):
    max_refresh = 0.5  # seconds

    def render(self, task: Task) -> Text:
        """Show how long the rest takes."""
        return Text(time_left(task.completed, task.total or 0, task.speed or 0), style="cyan")


@contextmanager
def shown_progress(name: str, unit: str = "inputs") -> Iterator[Report]:
    """Yield a function of the work done and the whole work that shows progress on stderr."""
    console = errors()
    begin = time.monotonic()
    if not console.is_terminal:
        yield _Lines(console.print, begin, unit)
        return
    columns = (TextColumn("{task.description}"), BarColumn(), _Count(), _Rate(unit), _Left())
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=None, visible=False)

        def show(done: int, total: int, note: str = "") -> None:
            if bar.tasks[0].total is None:
                bar.reset(task, completed=done, total=total)  # earlier work took no time now
            visible = time.monotonic() - begin > QUIET_SECONDS
            bar.update(task, completed=done, total=total, note=note, visible=visible)

        yield show


class _Lines:
    def __init__(self, line: Callable[[str], None], begin: float, unit: str) -> None:
        self.line, self.begin, self.last, self.unit = line, begin, begin, unit
        self.first: int | None = None

    def __call__(self, done: int, total: int, note: str = "") -> None:
        """Print a line now and then."""
        now = time.monotonic()
        if self.first is None:
            self.first = done
        if now - self.last < LINE_SECONDS:
            return
        self.last = now
        fresh = done - self.first or done  # earlier work took no time now
        rate = fresh / (now - self.begin)
        left = time_left(done, total, rate)
        share = f"{done / total:.0%}" if total else ""
        much = f"{count(done)} of {count(total)} {self.unit}"
        parts = [much, share, note or speed(rate, self.unit), left and f"{left} left"]
        self.line(", ".join(part for part in parts if part))
