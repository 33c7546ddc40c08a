"""What S & T, S | T, S ^ T and ~T mean: the package says so, and a model only asks.

The meanings are written in `composition/`, which stands on `model/`. So that a model need not know what stands on it,
the package, whose `__init__` Python runs before any of its modules, says here where they are; they load when used.
"""

from collections.abc import Callable
from typing import Any

Meaning = Callable[..., Any]

_meanings: dict[str, Meaning] = {}


def define(symbol: str, meaning: Meaning) -> None:
    """Say what an operator means."""
    _meanings[symbol] = meaning


def meaning(symbol: str) -> Meaning:
    """Return what an operator means."""
    return _meanings[symbol]
