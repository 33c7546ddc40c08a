"""The circuit of a transformer as a graph, in SVG: columns are sublayers, nodes heads and neurons, edges lanes.

A head has a colour, and the edges of what it writes have the same. Neurons of a layer that read from the same parts and
write for the same parts are one node.
"""

import itertools
from collections import Counter
from dataclasses import dataclass
from html import escape
from typing import Any, TypeAlias

from weightsmith.errors import ExportError, cut
from weightsmith.export.layered import heights, ordered

MOST_EDGES = 160  # that can be distinguished in a picture
MOST_TITLES = 8  # of an edge
MOST_LABELS = 48  # beyond, the lanes of an edge are shown when one points at it
LABEL, LANES = 26, 22  # characters of a node's name, and of an edge's lanes
LETTER, NODE, LINE, GAP, ACROSS, MARGIN, HEAD = 7.0, 26.0, 14.0, 16.0, 96.0, 14.0, 30.0
HEADS = ("#a3196d", "#449b94", "#736806", "#4926d9", "#759a00", "#80001c", "#6674a0", "#9d8468")
INK, MUTED, OTHER = "#1a1d21", "#5b626d", "#676e79"
Point: TypeAlias = tuple[str, ...]  # the names of the parts of a node; of a bend of an edge, its ends and its column


@dataclass(frozen=True)
class _Node:
    """Parts that are drawn as one."""

    parts: tuple[str, ...]
    column: int
    text: str
    more: str  # in full
    colour: str


@dataclass(frozen=True)
class _Edge:
    source: _Node
    target: _Node
    lanes: dict[str, list[str]]  # lane → matrices, or inputs, that read it
    titles: tuple[str, ...] = ()
    dashed: bool = False


def drawn(found: dict[str, Any], fewer: str) -> str:
    """Return a picture of "components" and the "edges" between them; an error says what has `fewer` edges.

    An edge may have "titles", which say more to those who point at it, and may be "dashed".
    """
    nodes, edges, titles = _graph(found)
    if len(edges) > MOST_EDGES:
        raise ExportError(f"the graph has {len(edges)} edges, and a picture shows up to {MOST_EDGES}: write {fewer}")
    return _Picture(nodes, edges, titles).whole()


def _graph(found: dict[str, Any]) -> tuple[list[_Node], list[_Edge], list[str]]:
    """Return the nodes that have an edge, the edges, and the titles of the columns."""
    reads: dict[str, set[tuple[str, bool]]] = {}  # the other ends of edges, and whether they are dashed
    written: dict[str, set[tuple[str, bool]]] = {}
    for edge in found["edges"]:
        dashed = bool(edge.get("dashed"))
        reads.setdefault(edge["to"], set()).add((edge["from"], dashed))
        written.setdefault(edge["from"], set()).add((edge["to"], dashed))
    there = [part for part in found["components"] if part["name"] in reads or part["name"] in written]
    keys = sorted({_column(part) for part in there})
    groups: dict[Any, list[dict[str, Any]]] = {}
    for part in there:
        name = part["name"]
        sides = (frozenset(reads.get(name, ())), frozenset(written.get(name, ())))
        alike = (_column(part), *sides) if part["kind"] == "neuron" else name
        groups.setdefault(alike, []).append(part)
    nodes = [_node(members, keys.index(_column(members[0]))) for members in groups.values()]
    at = {name: node for node in nodes for name in node.parts}
    together: dict[tuple[_Node, _Node], list[dict[str, Any]]] = {}
    for edge in found["edges"]:
        together.setdefault((at[edge["from"]], at[edge["to"]]), []).append(edge)
    drawn = [_together(*ends, those) for ends, those in together.items()]
    return nodes, drawn, [_title(key) for key in keys]


def _together(source: _Node, target: _Node, edges: list[dict[str, Any]]) -> _Edge:
    """Return edges between the parts of two nodes as one."""
    lanes = {lane: matrices for edge in edges for lane, matrices in edge["lanes"].items()}
    titles = tuple(title for edge in edges for title in edge.get("titles", ()))
    return _Edge(source, target, lanes, titles[:MOST_TITLES], all(edge.get("dashed") for edge in edges))


def _column(part: dict[str, Any]) -> tuple[float, int]:
    """Return the sublayer of a part: its block, and whether it is attention or feed-forward."""
    if part["kind"] in ("embedding", "positions"):
        return (-1, 0)
    if part["kind"] == "output":
        return (float("inf"), 0)
    return (part["block"], 0 if ".attn." in part["name"] else 1)


def _title(key: tuple[float, int]) -> str:
    block, layer = key
    if block < 0:
        return "start"
    return "end" if block == float("inf") else f"block {block:g} {('attention', 'feed-forward')[layer]}"


def _node(members: list[dict[str, Any]], column: int) -> _Node:
    part, names = members[0], tuple(member["name"] for member in members)
    if part["kind"] == "head":
        text, colour = f"head {part['index']}", HEADS[part["index"] % len(HEADS)]
    elif part["kind"] == "neuron":
        text, colour = part["label"] or f"neuron {part['index']}", MUTED
        text = text if len(members) == 1 else f"{len(members)} neurons"
    else:
        text, colour = part["kind"], OTHER
    labels = [member.get("label") or member["name"] for member in members]
    return _Node(names, column, cut(text, LABEL), ", ".join(labels), colour)


def _said(edge: _Edge) -> str:
    """Return the lanes of an edge, in short, and by which inputs a head reads them."""
    names, read = list(edge.lanes), {name for matrices in edge.lanes.values() for name in matrices}
    inputs = "".join(name for name in "qkv" if name in read)
    return f"{inputs}: " * bool(inputs) + cut(
        ", ".join(names[:2]) + (f" +{len(names) - 2}" if names[2:] else ""), LANES
    )


class _Picture:
    """Places nodes and the bends of edges that pass several columns, and draws them."""

    def __init__(self, nodes: list[_Node], edges: list[_Edge], titles: list[str]) -> None:
        self.nodes, self.edges, self.titles = nodes, edges, titles
        self.columns: list[list[Point]] = [[] for _ in titles]
        self.tall: dict[Point, float] = {}
        for node in nodes:
            self._add(node.parts, node.column, NODE)
        self.ways = [self._way(edge) for edge in edges]
        steps = [pair for way in self.ways for pair in itertools.pairwise(way)]
        self.columns = ordered(self.columns, steps)
        self.y = heights(self.columns, steps, self.tall, GAP)
        self.width = {node.parts: 18 + LETTER * len(node.text) for node in nodes}
        self.leaving = Counter(way[0] for way in self.ways)
        self.arriving = Counter(way[1] for way in self.ways)
        self.used = set[Point]()  # ends of edges that have a label
        self.x = self._across()

    def _add(self, point: Point, column: int, tall: float) -> None:
        self.columns[column].append(point)
        self.tall[point] = tall

    def _way(self, edge: _Edge) -> list[Point]:
        """Return the points of an edge, with a bend in each column that it passes."""
        bends = []
        for column in range(edge.source.column + 1, edge.target.column):
            bend = (*edge.source.parts[:1], *edge.target.parts[:1], str(column))
            self._add(bend, column, LINE)
            bends.append(bend)
        return [edge.source.parts, *bends, edge.target.parts]

    def _across(self) -> list[float]:
        """Return the left edge of each column; between columns there is room for the lanes of edges."""
        found, at, room = [], MARGIN, 0.0
        for c, title in enumerate(self.titles):
            at += room
            found.append(at)
            widest = max((self.width.get(point, 0.0) for point in self.columns[c]), default=0.0)
            at += max(widest, LETTER * len(title))
            longest = max((len(_said(edge)) for edge in self.edges if edge.source.column == c), default=0)
            room = max(ACROSS, LETTER * longest + 50) if self._labelled() else ACROSS
        self.end = at + MARGIN
        return found

    def _labelled(self) -> bool:
        return len(self.edges) <= MOST_LABELS

    def whole(self) -> str:
        """Return all of it."""
        bottom = max((self.y[point] + self.tall[point] / 2 for point in self.tall), default=0.0)
        width, height = self.end, HEAD + bottom + MARGIN
        body = [self._text(x, 18, title, MUTED, "start") for x, title in zip(self.x, self.titles, strict=True)]
        body += [self._line(edge, way) for edge, way in zip(self.edges, self.ways, strict=True)]
        if self._labelled():
            body += [self._lanes(edge, way) for edge, way in zip(self.edges, self.ways, strict=True)]
        body += [self._box(node) for node in self.nodes]
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" width="{width:g}" '
            f'height="{height:g}" font-family="sans-serif" font-size="12" role="img" '
            f'aria-label="a circuit with {len(self.nodes)} nodes and {len(self.edges)} edges">'
            f'<rect width="100%" height="100%" fill="#fff"/>{"".join(body)}</svg>\n'
        )

    def _text(self, x: float, y: float, text: str, colour: str, anchor: str, more: str = "") -> str:
        return f'<text x="{x:g}" y="{y:g}" fill="{colour}" text-anchor="{anchor}"{more}>{escape(text)}</text>'

    def _ends(self, point: Point) -> tuple[float, float, float]:
        """Return the left and the right end of a point, and its height."""
        column = next(c for c, members in enumerate(self.columns) if point in members)
        left = self.x[column]
        return left, left + self.width.get(point, 0.0), HEAD + self.y[point]

    def _line(self, edge: _Edge, way: list[Point]) -> str:
        """Draw an edge through its bends; who points at it reads its lanes."""
        left, right, y = self._ends(way[0])
        path, at = f"M{right:g} {y:g}", (right, y)
        for point in way[1:]:
            left, right, y = self._ends(point)
            middle = (at[0] + left) / 2
            path += f"C{middle:g} {at[1]:g} {middle:g} {y:g} {left:g} {y:g}"
            at = (right, y)
        lanes = "; ".join(f"{lane} ({', '.join(matrices)})" for lane, matrices in edge.lanes.items())
        title = escape("\n".join((f"{edge.source.more} → {edge.target.more}: {lanes}", *edge.titles)))
        dashes = ' stroke-dasharray="4 4"' if edge.dashed else ""
        return (
            f'<path d="{path}" fill="none" stroke="{edge.source.colour}" stroke-opacity="0.75" stroke-width="1.6"'
            f"{dashes}><title>{title}</title></path>"
        )

    def _lanes(self, edge: _Edge, way: list[Point]) -> str:
        """Write the lanes of an edge at that end of its first part where fewer edges meet, or else in its middle."""
        (_, right, y), (left, _, v) = self._ends(way[0]), self._ends(way[1])
        halo = ' paint-order="stroke" stroke="#fff" stroke-width="4" font-size="11"'
        arrives = self.leaving[way[0]] >= self.arriving[way[1]]
        end = ("in", *way[1]) if arrives else ("out", *way[0])
        if end in self.used:
            return self._text((right + left) / 2, (y + v) / 2 - 3, _said(edge), INK, "middle", halo)
        self.used.add(end)
        if arrives:
            return self._text(left - 8, v - 4, _said(edge), INK, "end", halo)
        return self._text(right + 8, y - 4, _said(edge), INK, "start", halo)

    def _box(self, node: _Node) -> str:
        left, right, y = self._ends(node.parts)
        return (
            f'<g><title>{escape(node.more)}</title><rect x="{left:g}" y="{y - NODE / 2:g}" width="{right - left:g}" '
            f'height="{NODE:g}" rx="5" fill="#fff" stroke="{node.colour}" stroke-width="1.6"/>'
            f"{self._text((left + right) / 2, y + 4, node.text, INK, 'middle')}</g>"
        )
