"""How long work shows where it is: a bar on a terminal, plain lines elsewhere, nothing for what is done at once."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from weightsmith.cli.output import errors

QUIET_SECONDS = 1.0  # what takes less shows nothing
LINE_SECONDS = 10.0  # between plain lines


class Report(Protocol):
    """Show how much is done, of how much, and a note."""

    def __call__(self, done: int, total: int, note: str = "") -> None:
        """Show it."""


class _Rate(ProgressColumn):
    def __init__(self, unit: str) -> None:
        super().__init__()
        self.unit = unit

    def render(self, task: Task) -> Text:
        """Show how many there are in a second, or the note."""
        return Text(task.fields.get("note") or f"{round(task.speed or 0):,} {self.unit}/s", style="cyan")


@contextmanager
def shown_progress(name: str, unit: str = "inputs") -> Iterator[Report]:
    """Give a function of what is done and of all, which shows them on stderr."""
    console = errors()
    begin = time.monotonic()
    if not console.is_terminal:
        yield _Lines(console.print, begin, unit)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        _Rate(unit),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=None, visible=False)

        def show(done: int, total: int, note: str = "") -> None:
            if bar.tasks[0].total is None:
                bar.reset(task, completed=done, total=total)  # what was there already took no time
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
        fresh = done - self.first or done  # what was there already took no time
        rate = fresh / (now - self.begin)
        left = (total - done) / rate
        speed = note or f"{rate:,.0f} {self.unit}/s"
        self.line(f"{done:,} of {total:,} {self.unit}, {done / total:.0%}, {speed}, {left:,.0f} s left")
