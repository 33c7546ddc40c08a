"""A compiled program beside its weights: which lines of the program each block, head, neuron and lane comes from.

A transformer keeps the program that it was compiled from in its provenance: as the numbered lines of the dump and,
where it was read from a text, as the lines of that text. Its blocks, heads, neurons and lanes are called after the
parts that they compute (see `naming`). What has no weights of its own is in the weights of whatever reads it.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

from weightsmith.model import Transformer
from weightsmith.programs.naming import OF_LANES, OF_WEIGHTS, POSITION, TOKEN
from weightsmith.tables import Table

COMPILED = "compiled from "
_NUMBER = re.compile(r"%\d+")
_QUOTED = re.compile(r"'[^']*'|\"[^\"]*\"")
_ANOTHER = re.compile(r" \d+'*$")  # of lanes that are called after the same parts
_PLACE = re.compile(r"line (\d{1,9}):")
_TEXT = re.compile(r" *(\d{1,9}) \|(?: (.*))?")
_FEATURES = {TOKEN: ("tokens", "tokens_str"), POSITION: ("indices",)}  # lanes, with the parts that they hold


class Line(NamedTuple):
    """A line of the dump: its number, what it computes, its name and its source."""

    number: str
    what: str
    name: str
    source: str

    @property
    def reads(self) -> list[str]:
        """The numbers of the lines that it reads."""
        return _NUMBER.findall(_QUOTED.sub("", self.what))

    @property
    def text_line(self) -> int | None:
        """The line of the program's text that it stands in; None where it is from elsewhere."""
        found = _PLACE.match(self.source)
        return None if found is None else int(found[1])


class Part(NamedTuple):
    """A part of a transformer, and what it is called after."""

    where: str
    names: tuple[str, ...]


class Beside:
    """A transformer with the program that it was compiled from: `lines` of the dump, and of the `text` by number."""

    def __init__(self, T: Transformer) -> None:
        """Read what the transformer keeps; without a program there are no lines."""
        self.parts = list(_parts(T))
        history = list(T.provenance)
        starts = [n for n, line in enumerate(history) if line.startswith(COMPILED)]
        start = starts[0] + 2 if len(starts) == 1 else len(history)  # of several, nobody knows which a part is from
        self.lines = list(_read(history[start:]))
        self.text = dict(_numbered(history[start + len(self.lines) :]))
        self.length = 2 + len(self.lines) + len(self.text) if self.lines else 0  # of what is kept of the program

    @cached_property
    def _known(self) -> dict[str, Line]:
        """The lines by what they compute, by name and by number."""
        keys = [[line.what, line.name, line.number] for line in self.lines]
        return {key[n]: line for n in range(3) for key, line in zip(keys, self.lines, strict=True)}

    @cached_property
    def _owned(self) -> frozenset[Line]:
        """The lines that have weights of their own."""
        return frozenset(line for part in self.parts for line in self.computed(part))

    def computed(self, part: Part) -> list[Line]:
        """Return the lines that a part is called after."""
        found = [line for name in part.names for line in self._called(name) if name]
        return list(dict.fromkeys(found))

    def _called(self, name: str) -> list[Line]:
        """Return the line that a name stands for, or is written behind it; lanes may have a number of their own."""
        name = name if name in self._known else _ANOTHER.sub("", name)
        keys = _FEATURES.get(name) or (name, *_NUMBER.findall(name)[-1:])
        return [self._known[key] for key in keys if key in self._known]

    def inside(self, line: Line) -> list[Line]:
        """Return a line and, after it, the lines without weights of their own that it is made of."""
        found, waiting = [line], list(line.reads)
        for number in waiting:
            read = self._known.get(number)
            if read is not None and read not in found and read not in self._owned:
                found.append(read)
                waiting += read.reads
        return found

    def table(self) -> Table:
        """Return the parts with the lines that they compute."""
        table = Table("weights", "line", "computes", "source")
        for part in self.parts:
            for n, line in enumerate(self.computed(part)):
                computes = line.what if not line.name else f"{line.name}: {line.what}"
                sources = [one.source.partition(":")[0] for one in self.inside(line) if one.source]
                table.add("" if n else part.where, line.number, computes, ", ".join(dict.fromkeys(sources)))
        return table


def beside(T: Transformer) -> Table | None:
    """Return a table of blocks, heads, neurons and lanes with their lines; None where there is no program."""
    found = Beside(T)
    return found.table() if found.lines else None


def program_lines(T: Transformer) -> list[Line]:
    """Return the lines of the program that a transformer was compiled from; none where it was not."""
    return Beside(T).lines


def _read(history: Sequence[str]) -> Iterator[Line]:
    """Read the lines of a dump; files are not trusted, so this takes no longer than the lines are long."""
    for text in history:
        number, equals, rest = text.strip().partition(" = ")
        if not equals or _NUMBER.fullmatch(number) is None:
            return
        what, _, comment = rest.partition("  # ")
        if comment.startswith("line "):
            yield Line(number, what.rstrip(), "", comment)
            continue
        name, placed, place = comment.partition("  line ")
        yield Line(number, what.rstrip(), name.strip(), f"line {place}" if placed else "")


def _numbered(history: Sequence[str]) -> Iterator[tuple[int, str]]:
    """Read the lines of a text, whose numbers rise."""
    last = 0
    for text in history:
        found = _TEXT.fullmatch(text)
        if found is None or int(found[1]) <= last:
            return
        last = int(found[1])
        yield last, found[2] or ""


def _parts(T: Transformer) -> Iterator[Part]:
    """Yield each part of a transformer; heads that are called alike are one, and so are neurons."""
    for b, block in enumerate(T.blocks):
        heads = [] if block.attention is None else [head.name for head in block.attention.heads]
        neurons = [] if block.feed_forward is None else block.feed_forward.names
        named = dict.fromkeys(name for text in (block.origin, *heads, *neurons) for name in text.split(OF_WEIGHTS))
        yield Part(f"block {b}", tuple(named))
        yield from _alike(f"block {b} head", heads)
        yield from _alike(f"block {b} neuron", neurons)
    for lane in T.lanes:
        yield Part(f"lane {lane}", tuple(lane.split(OF_LANES)))


def _alike(what: str, names: Iterable[str]) -> Iterator[Part]:
    for name, group in groupby(enumerate(names), key=lambda one: one[1]):
        places = [n for n, _ in group]
        where = f"{what} {places[0]}" if len(places) == 1 else f"{what}s {places[0]} to {places[-1]}"
        yield Part(where, tuple(name.split(OF_WEIGHTS)))
