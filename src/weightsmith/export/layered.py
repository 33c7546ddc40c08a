"""A layered drawing of a graph whose nodes have columns: an order within each column with few crossings, and places."""

from collections.abc import Hashable, Sequence
from typing import TypeVar

Node = TypeVar("Node", bound=Hashable)
SWEEPS = 12


def ordered(columns: Sequence[Sequence[Node]], edges: Sequence[tuple[Node, Node]]) -> list[list[Node]]:
    """Order each column so that edges, which lead from a column to the next, cross little: barycentres, swept."""
    best = now = [list(column) for column in columns]
    least = crossings(best, edges)
    after, before = _neighbours(edges)
    for sweep in range(SWEEPS):
        forth = sweep % 2 == 0
        now = [list(column) for column in now]
        steps = range(1, len(now)) if forth else range(len(now) - 2, -1, -1)
        for c in steps:
            beside = {node: n for n, node in enumerate(now[c - 1 if forth else c + 1])}
            known = before if forth else after
            now[c] = _by_barycentre(now[c], known, beside)
        found = crossings(now, edges)
        if found < least:
            best, least = now, found
    return best


def crossings(columns: Sequence[Sequence[Node]], edges: Sequence[tuple[Node, Node]]) -> int:
    """Count the pairs of edges between the same two columns that cross."""
    column = {node: c for c, members in enumerate(columns) for node in members}
    place = {node: n for members in columns for n, node in enumerate(members)}
    between: dict[int, list[tuple[int, int]]] = {}
    for a, b in edges:
        between.setdefault(column[a], []).append((place[a], place[b]))
    return sum(
        (a < c and b > d) or (a > c and b < d)
        for pairs in between.values()
        for n, (a, b) in enumerate(pairs)
        for c, d in pairs[:n]
    )


def heights(
    columns: Sequence[Sequence[Node]], edges: Sequence[tuple[Node, Node]], tall: dict[Node, float], gap: float
) -> dict[Node, float]:
    """Return the middle of each node: near those of its neighbours, in the order of its column, without overlaps."""
    after, before = _neighbours(edges)
    y: dict[Node, float] = {}
    for members in columns:
        at = 0.0
        for node in members:
            y[node] = at + tall[node] / 2
            at += tall[node] + gap
    for sweep in range(SWEEPS):
        order = columns if sweep % 2 == 0 else columns[::-1]
        for members in order:
            wanted = []
            for node in members:
                beside = [y[other] for other in (*before.get(node, ()), *after.get(node, ()))]
                wanted.append(sum(beside) / len(beside) if beside else y[node])
            y |= dict(zip(members, _apart(wanted, [tall[node] for node in members], gap), strict=True))
    top = min((y[node] - tall[node] / 2 for node in y), default=0.0)
    return {node: middle - top for node, middle in y.items()}


def _neighbours(edges: Sequence[tuple[Node, Node]]) -> tuple[dict[Node, list[Node]], dict[Node, list[Node]]]:
    after: dict[Node, list[Node]] = {}
    before: dict[Node, list[Node]] = {}
    for a, b in edges:
        after.setdefault(a, []).append(b)
        before.setdefault(b, []).append(a)
    return after, before


def _by_barycentre(members: list[Node], known: dict[Node, list[Node]], beside: dict[Node, int]) -> list[Node]:
    """Sort a column by the mean place of each node's neighbours; a node without any keeps its place."""
    means = {}
    for n, node in enumerate(members):
        places = [beside[other] for other in known.get(node, ()) if other in beside]
        means[node] = sum(places) / len(places) if places else float(n)
    return sorted(members, key=lambda node: means[node])


def _apart(wanted: list[float], tall: list[float], gap: float) -> list[float]:
    """Return middles in this order, without overlaps, with the mean where it was wanted."""
    if not wanted:
        return []
    found: list[float] = []
    for n, middle in enumerate(wanted):
        least = found[-1] + (tall[n - 1] + tall[n]) / 2 + gap if found else middle
        found.append(max(middle, least))
    shift = sum(wanted) / len(wanted) - sum(found) / len(found)
    return [middle + shift for middle in found]
