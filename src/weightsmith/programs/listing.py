"""The listing of a program: numbered lines with their source, as people read them and as transformers keep them.

    %2 = selector_width(%1)  # hist  line 3: hist = selector_width(select(tokens, tokens, ==));

`listing` makes the lines of a program, `read_listing` reads them from the provenance of a transformer. Blocks, heads,
neurons and lanes are named after the nodes that they compute: a node has a name that no other has, or a word and the
number of its line, as in "aggregate %7".
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Protocol

from weightsmith.errors import brief, cut
from weightsmith.programs.form import Constant, Node
from weightsmith.programs.graph import Program
from weightsmith.programs.places import Place
from weightsmith.programs.values import Value, presented

LANGUAGES = {"rasp": "RASP", "tracr": "RASP in Python"}
COMPILED = "compiled from "
WIDEST_SOURCE = 60
WIDEST_LINE = 200
MOST_LINES = 200  # of a text that is kept whole
_NUMBER = re.compile(r"%\d+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_TEXT = re.compile(r" *(\d{1,9}) \|(?: (.*))?")
_PLACE = re.compile(r"line (\d{1,9}):")
TOKEN, POSITION, NOTHING = "token", "position", "nothing"  # names of other lanes
OF_WEIGHTS, OF_LANES = ", ", " and "  # between names
LONGEST_PART, LONGEST_NAME = 40, 150  # characters
MORE = "…"


class HasParts(Protocol):
    """A program, or the parts of one."""

    @property
    def nodes(self) -> tuple[Node, ...]:
        """All nodes, each after its parts."""

    @property
    def output(self) -> Node:
        """The node that gives the output."""


@dataclass(frozen=True)
class Line:
    """A node of a program: its number, its expression, its name, its source, and the numbers that it reads."""

    number: str
    what: str
    name: str
    source: str
    reads: tuple[str, ...]
    text_line: int | None  # in the program's text; None where the source is elsewhere


def listing(program: Program) -> list[Line]:
    """Return a line for every node; constants stand where they are read."""
    names = short_names(program)
    return [_line(node, names) for node in program.nodes if names[node].startswith("%")]


def _line(node: Node, names: dict[Node, str]) -> Line:
    parts, place, name = [names[part] for part in node.parts], node.note.place, node.note.name
    marked = node.written([f"\0{n}\0" for n in range(len(parts))])  # to see in which order they stand
    order = sorted(range(len(parts)), key=lambda n: marked.find(f"\0{n}\0"))
    return Line(
        names[node],
        node.written(parts),
        "" if name is None else cut(name, WIDEST_SOURCE),
        "" if place is None else _shown(place),
        tuple(parts[n] for n in order if not isinstance(node.parts[n], Constant)),
        None if place is None or place.file is not None else place.line,
    )


def dump(program: Program) -> str:
    """Return the program as numbered lines: the expression of each node, its name, and its source."""
    return "\n".join(dump_lines(program))


def dump_lines(program: Program) -> list[str]:
    """Return the listing as text: a title, and a line for every node."""
    title = f"{program.name or 'a program'}, {LANGUAGES[program.front_end]}{', causal' if program.causal else ''}"
    lines = listing(program)
    width = max(len(f"{line.number} = {line.what}") for line in lines)
    return [title, *(f"  {f'{line.number} = {line.what}':{width}}  {_comment(line)}".rstrip() for line in lines)]


def _comment(line: Line) -> str:
    return f"# {f'{line.name}  ' if line.name else ''}{line.source}" if line.name or line.source else ""


def text_lines(program: Program) -> list[str]:
    """Return the text of a program with the numbers of its lines; of a long one, the lines that a node comes from."""
    lines = program.text.rstrip().split("\n") if program.text.strip() else []
    used = {node.note.place.line for node in program.nodes if node.note.place and not node.note.place.file}
    width = len(str(len(lines)))
    return [
        f"  {n:>{width}} | {line.expandtabs(4)}".rstrip()
        for n, line in enumerate(lines, start=1)
        if len(lines) <= MOST_LINES or n in used
    ]


def provenance(program: Program) -> list[str]:
    """Return listing and text as the lines that a transformer keeps."""
    lines = [f"{COMPILED}{program.name or 'a program'}", *dump_lines(program), *text_lines(program)]
    shown = ["".join(c if c.isprintable() else "?" for c in line) for line in lines]
    return [line if len(line) <= WIDEST_LINE else f"{line[: WIDEST_LINE - 1]}…" for line in shown]


def short_names(program: HasParts) -> dict[Node, str]:
    """Return the name of each node in the listing: %0, %1, …; a constant by its value."""
    names: dict[Node, str] = {}
    count = 0
    for node in program.nodes:
        if isinstance(node, Constant) and node is not program.output:
            names[node] = brief(presented(node.value))
        else:
            names[node], count = f"%{count}", count + 1
    return names


def read_listing(history: Sequence[str]) -> tuple[list[Line], dict[int, str]]:
    """Return the listing and the text, by line, that a provenance holds; nothing where it holds none or several."""
    starts = [n for n, line in enumerate(history) if line.startswith(COMPILED)]
    start = starts[0] + 2 if len(starts) == 1 else len(history)
    lines = list(_read_lines(history[start:]))
    return lines, read_text(history[start + len(lines) :])


def _read_lines(history: Sequence[str]) -> Iterator[Line]:
    """Read lines up to the first that is none; files are not trusted, so this takes linear time."""
    for text in history:
        number, equals, rest = text.strip().partition(" = ")
        if not equals or _NUMBER.fullmatch(number) is None:
            return
        what, _, comment = rest.partition("  # ")
        name, placed, place = (
            ("", "line ", comment[5:]) if comment.startswith("line ") else comment.partition("  line ")
        )
        source = f"line {place}" if placed else ""
        at = _PLACE.match(source)
        reads = tuple(_NUMBER.findall(_QUOTED.sub("", what)))
        yield Line(number, what.rstrip(), name.strip(), source, reads, None if at is None else int(at[1]))


def read_text(history: Sequence[str]) -> dict[int, str]:
    """Read the lines of a text, whose numbers rise."""
    lines: dict[int, str] = {}
    for text in history:
        found = _TEXT.fullmatch(text)
        if found is None or int(found[1]) <= max(lines, default=0):
            break
        lines[int(found[1])] = found[2] or ""
    return lines


def _shown(place: Place) -> str:
    where = f"line {place.line}" if place.file is None else f"line {place.line} of {place.file}"
    return f"{where}: {cut(place.text.strip(), WIDEST_SOURCE)}"


def part_names(program: HasParts) -> dict[Node, str]:
    """Return a name for each node of a program, each different."""
    numbers, names = short_names(program), Counter(node.note.name for node in program.nodes)
    called: dict[Node, str] = {}
    for node in program.nodes:
        name = node.note.name
        if name is None or not _is_plain(name):
            called[node] = f"{type(node).__name__.lower()} {numbers[node]}"
        else:
            called[node] = name if names[name] == 1 else f"{name} {numbers[node]}"
    return called


def _is_plain(name: str) -> bool:
    """Return whether a name stands for itself wherever it is written."""
    taken = name in (TOKEN, POSITION, NOTHING, MORE) or not name.isprintable() or name != name.strip()
    return not taken and len(name) <= LONGEST_PART and not any(sign in name for sign in ("%", OF_WEIGHTS, OF_LANES))


def number_in(name: str) -> str:
    """Return the number of the line that stands in a name; nothing where there is none."""
    found: list[str] = re.findall(r"%\d+", name)
    return found[-1] if found else ""


def without_count(name: str) -> str:
    """Return the name of a lane without the number by which it differs from others of that name."""
    return re.sub(r" \d+'*$", "", name)


def joined(names: Iterable[str], between: str = OF_WEIGHTS, most: int = LONGEST_NAME) -> str:
    """Return different names as one: as many as there is room for."""
    result = ""
    for name in dict.fromkeys(names):
        longer = f"{result}{between}{name}" if result else name
        if len(longer) > most - len(between) - len(MORE):
            return f"{result}{between}{MORE}" if result else MORE
        result = longer
    return result


def token_names(tokens: Sequence[Value]) -> list[str]:
    """Return tokens as texts, which a transformer's vocabulary has: different ones for different tokens."""
    names: list[str] = []
    for token in tokens:
        name = token if isinstance(token, str) and token else str(presented(token)) or "''"
        while name in names or (name in tokens and token != name):
            name = f"{name}'"
        names.append(name)
    return names
