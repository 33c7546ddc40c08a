"""Rich consoles for tables, colours and bars. Plain text goes through `output`, which does not load rich."""

import os

from rich.console import Console


def results() -> Console:
    """Return the console for results."""
    return Console(markup=False, highlight=False, emoji=False, width=_width())


def errors() -> Console:
    """Return the console for messages."""
    return Console(stderr=True, markup=False, highlight=False, emoji=False, soft_wrap=True)


def _width() -> int | None:
    """Leave the width to rich, but for the terminal that claims to have none."""
    return 80 if os.environ.get("COLUMNS") == "0" else None
