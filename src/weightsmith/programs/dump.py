"""Programs as people read them: numbered lines, with the source of each."""

from typing import Protocol

from weightsmith.errors import brief, cut
from weightsmith.programs.form import Constant, Node
from weightsmith.programs.graph import Program
from weightsmith.programs.places import Place
from weightsmith.programs.values import presented

LANGUAGES = {"rasp": "RASP", "tracr": "RASP in Python"}
WIDEST_SOURCE = 60


class HasParts(Protocol):
    """What has parts, and an output among them."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All parts."""

    @property
    def output(self) -> Node:
        """The part that is said."""


MOST_LINES = 200  # of a text that is kept whole


def dump(program: Program) -> str:
    """Return the program as numbered lines: what each computes, its name, and the source."""
    return "\n".join(dump_lines(program))


def dump_lines(program: Program) -> list[str]:
    """Return the lines of the dump: a title, and a line for every part."""
    title = f"{program.name or 'a program'}, {LANGUAGES[program.front_end]}{', causal' if program.causal else ''}"
    names = short_names(program)
    shown = [node for node in program.nodes if names[node].startswith("%")]
    rows = [(f"{names[node]} = {node.written([names[part] for part in node.parts])}", _source(node)) for node in shown]
    width = max(len(left) for left, _ in rows)
    return [title, *(f"  {left:{width}}  {right}".rstrip() for left, right in rows)]


def text_lines(program: Program) -> list[str]:
    """Return the text of a program with the numbers of its lines; of a long one, those that something comes from."""
    lines = program.text.rstrip().split("\n") if program.text.strip() else []
    used = {node.note.place.line for node in program.nodes if node.note.place and not node.note.place.file}
    width = len(str(len(lines)))
    return [
        f"  {n:>{width}} | {line.expandtabs(4)}".rstrip()
        for n, line in enumerate(lines, start=1)
        if len(lines) <= MOST_LINES or n in used
    ]


def short_names(program: HasParts) -> dict[Node, str]:
    """Return what each node is called in the dump: %0, %1, …; a constant by its value."""
    names: dict[Node, str] = {}
    count = 0
    for node in program.nodes:
        if isinstance(node, Constant) and node is not program.output:
            names[node] = brief(presented(node.value))
        else:
            names[node], count = f"%{count}", count + 1
    return names


def _source(node: Node) -> str:
    place = node.note.place
    name = "" if node.note.name is None else f"{cut(node.note.name, WIDEST_SOURCE)}  "
    return f"# {name}{'' if place is None else _shown(place)}" if name or place else ""


def _shown(place: Place) -> str:
    where = f"line {place.line}" if place.file is None else f"line {place.line} of {place.file}"
    return f"{where}: {cut(place.text.strip(), WIDEST_SOURCE)}"
