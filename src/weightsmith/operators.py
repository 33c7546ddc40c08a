"""What S & T, ~T and T.save_html(…) mean: a model or a run asks here, and need not know what stands on it.

The meanings are functions of folders that stand above. The package, whose `__init__` Python runs before any of its
modules, says how these are loaded; that happens when an operator or a method is first used.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

FUNCTIONS = {  # by folder and name
    "&": ("composition", "both"),
    "|": ("composition", "either"),
    "^": ("composition", "exactly_one"),
    "~": ("composition", "negation"),
    "save_html": ("studio", "save_html"),
    "in_notebook": ("studio", "in_notebook"),
}
_load: list[Callable[[str], ModuleType]] = []


def load_with(load: Callable[[str], ModuleType]) -> None:
    """Say how a folder of the package is loaded."""
    _load[:] = [load]


def meaning(name: str) -> Callable[..., Any]:
    """Return the function that an operator or a method stands for."""
    folder, function = FUNCTIONS[name]
    found: Callable[..., Any] = getattr(_load[0](folder), function)
    return found
