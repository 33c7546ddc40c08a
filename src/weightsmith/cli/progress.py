"""How long work shows where it is: a bar on a terminal, plain lines elsewhere, nothing for what is done at once."""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

from rich.progress import BarColumn, Progress, ProgressColumn, Task, TextColumn, TimeRemainingColumn
from rich.text import Text

from weightsmith.cli.output import errors

QUIET_SECONDS = 1.0  # what takes less shows nothing
LINE_SECONDS = 10.0  # between plain lines

Report = Callable[[int, int], None]


class _Rate(ProgressColumn):
    def render(self, task: Task) -> Text:
        """Show inputs per second."""
        return Text(f"{round(task.speed or 0):,} inputs/s", style="cyan")


@contextmanager
def shown_progress(name: str) -> Iterator[Report]:
    """Give a function of the inputs done and of all, which shows them on stderr."""
    console = errors()
    begin = time.monotonic()
    if not console.is_terminal:
        yield _Lines(console.print, begin)
        return
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        TextColumn("{task.completed:,.0f} of {task.total:,.0f}"),
        _Rate(),
        TimeRemainingColumn(),
    )
    with Progress(*columns, console=console, transient=True) as bar:
        task = bar.add_task(name, total=None, visible=False)
        yield lambda done, total: bar.update(
            task, completed=done, total=total, visible=time.monotonic() - begin > QUIET_SECONDS
        )


class _Lines:
    def __init__(self, line: Callable[[str], None], begin: float) -> None:
        self.line, self.begin, self.last = line, begin, begin

    def __call__(self, done: int, total: int) -> None:
        """Print a line now and then."""
        now = time.monotonic()
        if now - self.last < LINE_SECONDS:
            return
        self.last = now
        rate = done / (now - self.begin)
        left = (total - done) / rate
        self.line(f"{done:,} of {total:,} inputs, {done / total:.0%}, {rate:,.0f} inputs/s, {left:,.0f} s left")
