"""A compiled program beside its weights: which line of the program each block, neuron and lane is from.

A transformer keeps the program that it was compiled from, as lines, in its provenance; its blocks, neurons and lanes
are called after the parts that they compute: by name, or by the number of the line.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby

from weightsmith.model import Transformer
from weightsmith.tables import Table

COMPILED = "compiled from "
_NUMBER = re.compile(r"%\d+")


@dataclass(frozen=True)
class Line:
    """A line of a program: its number, what it computes, its name and its source."""

    number: str
    what: str
    name: str
    source: str


def program_lines(T: Transformer) -> list[Line]:
    """Return the lines of the program that a transformer was compiled from; none where it was not."""
    history = list(T.provenance)
    start = next((n for n, line in enumerate(history) if line.startswith(COMPILED)), len(history))
    found = []
    for text in history[start + 2 :]:
        line = _line(text)
        if line is None:
            break
        found.append(line)
    return found


def _line(text: str) -> Line | None:
    """Read a line of a dump; files are not trusted, so this takes no longer than the line is long."""
    number, equals, rest = text.strip().partition(" = ")
    if not equals or _NUMBER.fullmatch(number) is None:
        return None
    what, _, comment = rest.partition("  # ")
    if comment.startswith("line "):
        return Line(number, what.rstrip(), "", comment)
    name, placed, place = comment.partition("  line ")
    return Line(number, what.rstrip(), name.strip(), f"line {place}" if placed else "")


def beside(T: Transformer) -> Table | None:
    """Return a table of blocks, neurons and lanes with the lines that they compute; None where there is no program."""
    lines = program_lines(T)
    if not lines:
        return None
    table = Table("weights", "line", "computes", "source")
    by_name = _by_name(lines)
    for where, names in _parts(T):
        numbers = [number for name in names for number in _NUMBER.findall(name)]
        for n, line in enumerate(dict.fromkeys(by_name[name] for name in (*names, *numbers) if name in by_name)):
            computes = line.what if not line.name else f"{line.name}: {line.what}"
            table.add("" if n else where, line.number, computes, line.source.partition(":")[0])
    return table


def _by_name(lines: Sequence[Line]) -> dict[str, Line]:
    """Return lines by their names, the last one of each name, and by their numbers."""
    return {line.name: line for line in lines if line.name} | {line.number: line for line in lines}


def _parts(T: Transformer) -> Iterator[tuple[str, list[str]]]:
    """Yield each part of a transformer with what it is called after."""
    for b, block in enumerate(T.blocks):
        yield f"block {b}", (block.origin or "").split(", ")
        layer = block.feed_forward
        named = [] if layer is None else list(enumerate(layer.names or ()))
        for name, group in groupby(named, key=lambda one: one[1]):
            places = [n for n, _ in group]
            last = "" if len(places) == 1 else f" to {places[-1]}"
            yield f"block {b} neuron{'s' if last else ''} {places[0]}{last}", [name]
    for lane in T.lanes:
        yield f"lane {lane}", lane.split(" and ")
