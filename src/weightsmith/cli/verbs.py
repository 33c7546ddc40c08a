"""The verbs of the command line. A verb loads when it is written: to load all takes longer than most commands."""

from collections.abc import Iterator, MutableMapping
from importlib import import_module
from typing import Any

import typer
from typer.core import TyperGroup
from typer.main import get_command, get_group

VERBS = (  # in the order in which --help shows them; the module of a verb has its name
    *(
        "demo",
        "laws",
        "library",
        "new",
        "info",
        "run",
        "show",
        "story",
        "studio",
        "explain",
        "next",
        "generate",
        "chain",
        "track",
    ),
    *("compose", "compile", "automaton", "limits", "rasp", "corpus", "train", "rounding", "compare", "moods", "export"),
    *("rewrite", "import", "check", "memory", "latex", "exercise", "circuits", "warm-up"),
)
NAMES = {"import": "import_", "warm-up": "warm_up"}  # of verbs that are no names in Python


class Verbs(TyperGroup):
    """The command line, whose verbs are loaded on demand."""

    def __init__(self, **settings: Any) -> None:
        """Begin with the names of the verbs."""
        super().__init__(**settings | {"commands": _Loaded()})


class _Loaded(MutableMapping[str, Any]):
    """Typer's commands by name, made on first use."""

    def __init__(self) -> None:
        self._made: dict[str, Any] = {}

    def __getitem__(self, verb: str) -> Any:
        if verb not in VERBS:
            raise KeyError(verb)
        if verb not in self._made:
            self._made[verb] = _command(verb)
        return self._made[verb]

    def __setitem__(self, verb: str, command: Any) -> None:
        self._made[verb] = command

    def __delitem__(self, verb: str) -> None:
        del self._made[verb]

    def __iter__(self) -> Iterator[str]:
        return iter(VERBS)

    def __len__(self) -> int:
        return len(VERBS)


def _command(verb: str) -> Any:
    """Return a verb as typer's command: of a function, which its module may give settings as COMMAND, or of a group."""
    name = NAMES.get(verb, verb)
    module = import_module(f"weightsmith.cli.{name}")
    written = getattr(module, name)
    if isinstance(written, typer.Typer):
        group = get_group(written)
        group.name = verb
        return group
    alone = typer.Typer(add_completion=False)
    alone.command(verb, **getattr(module, "COMMAND", {}))(written)
    return get_command(alone)
