"""Names that verbs use when they run, and whose modules `--help` must not load: `lazy.composed(…)` loads one.

`lazy.pyi` lists them, for this module as for the type checker. To load them all takes longer than most commands do.
"""

import re
from functools import cache
from importlib import import_module
from pathlib import Path
from typing import Any


def __getattr__(name: str) -> Any:
    """Return what `from home import name` gives."""
    if name not in _homes():
        raise AttributeError(name)
    home = import_module(_homes()[name])
    return getattr(home, name) if hasattr(home, name) else import_module(f"{home.__name__}.{name}")


@cache
def _homes() -> dict[str, str]:
    stub = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
    return {name: home for home, name in re.findall(r"^from (\S+) import (\w+) as", stub, re.MULTILINE)}
