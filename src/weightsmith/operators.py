"""What S & T, S | T, S ^ T and ~T mean: a model asks here, and need not know what stands on it.

The meanings are functions of `composition/`, which stands on `model/`. The package, whose `__init__` Python runs before
any of its modules, says where they live; they load when an operator is first used.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

FUNCTIONS = {"&": "both", "|": "either", "^": "exactly_one", "~": "negation"}
_homes: list[Callable[[], ModuleType]] = []


def live_in(home: Callable[[], ModuleType]) -> None:
    """Say in which module the meanings live, by a function that loads it."""
    _homes[:] = [home]


def meaning(symbol: str) -> Callable[..., Any]:
    """Return the function that an operator stands for."""
    function: Callable[..., Any] = getattr(_homes[0](), FUNCTIONS[symbol])
    return function
