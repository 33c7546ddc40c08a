"""Where Python code stands: line, column and text, for the errors of programs."""

import linecache
from collections.abc import Callable
from itertools import islice
from pathlib import Path
from types import CodeType

from weightsmith.programs.places import Place


def place_in(code: CodeType, instruction: int) -> Place | None:
    """Return where an instruction of some code stands."""
    line, _, column, _ = next(islice(code.co_positions(), instruction // 2, None), (None, None, None, None))
    return None if line is None else _place(code.co_filename, line, None if column is None else column + 1)


def place_of(function: Callable[..., object]) -> Place | None:
    """Return where a function is written; None for one that is not written in Python."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, CodeType):
        return None
    columns = [column for line, _, column, _ in code.co_positions() if column and line == code.co_firstlineno]
    return _place(code.co_filename, code.co_firstlineno, min(columns) + 1 if columns else None)


def _place(file: str, line: int, column: int | None) -> Place:
    return Place(line, column, linecache.getline(file, line).rstrip("\n"), Path(file).name)
