"""RASP text as programs."""

import os
from dataclasses import replace

from weightsmith.errors import InputError
from weightsmith.programs.form import SequenceNode
from weightsmith.programs.graph import Program
from weightsmith.programs.text.session import Session


def parse_rasp(text: str, name: str | None = None, folder: str | os.PathLike[str] | None = None) -> Program:
    """Return the sequence operation of this name as a program; without a name, the last one that the text makes.

    `load` finds files of `folder` alone.

    >>> print(parse_rasp('vowels = tokens in ["a", "e"];'))
    vowels, RASP
      %0 = tokens
      %1 = str(%0)           # tokens_str  line 1: vowels = tokens in ["a", "e"];
      %2 = %1 in ['a', 'e']  # vowels  line 1: vowels = tokens in ["a", "e"];
    """
    session = Session(folder)
    shown = session.run(text)
    if name is not None:
        return replace(session.program(name), text=text)
    for one in reversed(shown):
        if one.program is not None:
            return replace(one.program, text=text)
    raise InputError("the program makes no sequence operation: write one, as in hist = selector_width(...);")


def rasp_programs(text: str, folder: str | os.PathLike[str] | None = None) -> dict[str, Program]:
    """Return all sequence operations that a text names, in the order of their last definition."""
    session = Session(folder)
    session.run(text)
    names = [name for name, thing in session.scope.names.items() if isinstance(thing, SequenceNode)]
    return {name: replace(session.program(name), text=text) for name in names if name not in ("tokens", "out")}
