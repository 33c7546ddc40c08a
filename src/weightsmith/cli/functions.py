"""Functions that a user has in a Python file, for claims about them."""

import runpy
from collections.abc import Callable
from pathlib import Path
from typing import Any

from weightsmith.errors import InputError, brief, listed, reason


def read_function(text: str) -> Callable[[Any], Any]:
    """Run a Python file and return one of its functions: `rule.py:decide`."""
    file, colon, name = text.rpartition(":")
    if not colon or not name.isidentifier() or not file:
        raise InputError(f"{brief(text)} names no function: write FILE.py:NAME, as in rule.py:decide")
    if not Path(file).is_file():
        raise InputError(f"there is no file {brief(file)}: write FILE.py:NAME, as in rule.py:decide")
    try:
        found = runpy.run_path(file, run_name="rule")
    except Exception as error:
        raise InputError(f"{brief(file)} cannot be run: {type(error).__name__}: {reason(error)}") from error
    if not callable(found.get(name)):
        known = [each for each, thing in found.items() if callable(thing) and not each.startswith("_")]
        there = f"it has {listed(known)}" if known else "it has no function"
        raise InputError(f"{brief(file)} has no function {brief(name)}: {there}")
    function: Callable[[Any], Any] = found[name]
    return function
