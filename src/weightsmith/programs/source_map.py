"""The source map of a compiled program: the lines of the program behind each block, head, neuron and lane.

A transformer keeps the listing of its program, and its blocks, heads, neurons and lanes are named after the nodes that
they compute (see `listing`). A node without weights of its own is in the weights of its readers.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import Self

from weightsmith.model import Transformer
from weightsmith.programs.graph import Program
from weightsmith.programs.listing import (
    OF_LANES,
    OF_WEIGHTS,
    POSITION,
    TOKEN,
    Line,
    listing,
    number_in,
    read_listing,
    read_text,
    text_lines,
    without_count,
)
from weightsmith.tables import Table

_FEATURES = {TOKEN: ("tokens", "tokens_str"), POSITION: ("indices",)}  # lanes, with the nodes that they hold


@dataclass(frozen=True)
class Part:
    """A part of a transformer, and the names of the nodes that it computes."""

    where: str
    names: tuple[str, ...]


@dataclass(frozen=True)
class SourceMap:
    """The lines of a program, its text by line, and the parts of its transformer; empty where there is no program."""

    lines: tuple[Line, ...]
    text: dict[int, str]
    parts: tuple[Part, ...]

    @classmethod
    def of(cls, T: Transformer) -> Self:
        """Return the source map that a transformer keeps."""
        lines, text = read_listing(T.provenance)
        return cls(tuple(lines), text, tuple(_parts(T)))

    @classmethod
    def of_program(cls, program: Program, T: Transformer) -> Self:
        """Return the source map of a program and its transformer."""
        return cls(tuple(listing(program)), read_text(text_lines(program)), tuple(_parts(T)))

    @property
    def length(self) -> int:
        """The number of provenance lines that hold the program."""
        return 2 + len(self.lines) + len(self.text) if self.lines else 0

    @cached_property
    def _known(self) -> dict[str, Line]:
        """The lines by expression, by name and by number."""
        keys = [[line.what, line.name, line.number] for line in self.lines]
        return {key[n]: line for n in range(3) for key, line in zip(keys, self.lines, strict=True)}

    @cached_property
    def _owned(self) -> frozenset[Line]:
        """The lines that have weights of their own."""
        return frozenset(line for part in self.parts for line in self.computed(part))

    def computed(self, part: Part) -> list[Line]:
        """Return the lines that a part computes."""
        found = [line for name in part.names for line in self._named(name) if name]
        return list(dict.fromkeys(found))

    def _named(self, name: str) -> list[Line]:
        """Return the line of a name, or of the number behind it."""
        name = name if name in self._known else without_count(name)
        keys = _FEATURES.get(name) or (name, number_in(name))
        return [self._known[key] for key in keys if key and key in self._known]

    def inside(self, line: Line) -> list[Line]:
        """Return a line and, after it, the lines without weights of their own that it reads."""
        found, waiting = [line], list(line.reads)
        for number in waiting:
            read = self._known.get(number)
            if read is not None and read not in found and read not in self._owned:
                found.append(read)
                waiting += read.reads
        return found

    def table(self) -> Table | None:
        """Return the parts with the lines that they compute; None where there is no program."""
        if not self.lines:
            return None
        table = Table("weights", "line", "computes", "source")
        for part in self.parts:
            for n, line in enumerate(self.computed(part)):
                computes = line.what if not line.name else f"{line.name}: {line.what}"
                sources = [one.source.partition(":")[0] for one in self.inside(line) if one.source]
                table.add("" if n else part.where, line.number, computes, ", ".join(dict.fromkeys(sources)))
        return table


def _parts(T: Transformer) -> Iterator[Part]:
    """Yield each part of a transformer; neighbouring heads of one name are one part, and so are neurons."""
    for b, block in enumerate(T.blocks):
        heads = [] if block.attention is None else [head.name for head in block.attention.heads]
        neurons = [] if block.feed_forward is None else block.feed_forward.names
        named = dict.fromkeys(name for text in (block.origin, *heads, *neurons) for name in text.split(OF_WEIGHTS))
        yield Part(f"block {b}", tuple(named))
        yield from _grouped(f"block {b} head", heads)
        yield from _grouped(f"block {b} neuron", neurons)
    for lane in T.lanes:
        yield Part(f"lane {lane}", tuple(lane.split(OF_LANES)))


def _grouped(what: str, names: Iterable[str]) -> Iterator[Part]:
    for name, group in groupby(enumerate(names), key=lambda one: one[1]):
        numbers = [n for n, _ in group]
        where = f"{what} {numbers[0]}" if len(numbers) == 1 else f"{what}s {numbers[0]} to {numbers[-1]}"
        yield Part(where, tuple(name.split(OF_WEIGHTS)))
