"""Late binding for operators and methods that higher folders implement: S & T, ~T, T.save_html(…).

It avoids upward imports. The package's `__init__`, which Python runs before any module, says how a folder is loaded;
that happens when an operator or a method is first used.
"""

from collections.abc import Callable
from types import ModuleType
from typing import Any

FUNCTIONS = {  # by folder and name
    "&": ("composition", "both"),
    "|": ("composition", "either"),
    "^": ("composition", "exactly_one"),
    "~": ("composition", "negation"),
    "chain &": ("composition", "both_chains"),
    "chain |": ("composition", "either_chain"),
    "chain ^": ("composition", "exactly_one_chain"),
    "chain ~": ("composition", "negated_chain"),
    "then": ("composition", "then"),
    "chain_answers": ("inspect", "chain_answers"),
    "run_chain": ("inspect", "run_chain"),
    "recognizes": ("check", "recognizes"),
    "story": ("model.story", "attached"),
    "save_html": ("studio", "save_html"),
    "save_lstm_html": ("studio.recurrent", "save_html"),
    "in_notebook": ("studio", "in_notebook"),
    "rewrite_step": ("cli.steps", "apply"),
    "lane_numbers": ("cli.lane_numbers", "read_numbers"),
}
_load: list[Callable[[str], ModuleType]] = []


def load_with(load: Callable[[str], ModuleType]) -> None:
    """Set the function that loads a folder of the package."""
    _load[:] = [load]


def meaning(name: str) -> Callable[..., Any]:
    """Return the function that implements an operator or a method."""
    folder, function = FUNCTIONS[name]
    found: Callable[..., Any] = getattr(_load[0](folder), function)
    return found
