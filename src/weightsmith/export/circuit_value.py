"""A circuit as a value: a dictionary for `json.dumps` that draws itself and shows itself in notebooks."""

from typing import Any

from weightsmith.errors import ExportError, brief, cut, shown
from weightsmith.export.circuit_drawing import drawn
from weightsmith.tables import Page, Table

MOST_ROWS = 100  # of a table
LETTERS = 60  # of a witness


class Circuit(dict[str, Any]):
    """The circuit that `export.circuit` returns: a dictionary of plain values, which can be drawn.

    `Circuit(json.loads(text))` is one that was saved.
    """

    @property
    def nodes(self) -> list[dict[str, Any]]:
        """The embedding, positions, heads, feed-forward layers or neurons, and the output, with their lanes."""
        return self._cut("nodes")

    @property
    def live(self) -> list[dict[str, Any]]:
        """The edges without which some answer changes, each with a witness."""
        return self._cut("live")

    @property
    def silent(self) -> list[dict[str, Any]]:
        """The edges whose ends share a lane, and without which no answer changes."""
        return self._cut("silent")

    def draw(self, *, silent: bool = False) -> str:
        """Return a picture in SVG: of the live edges, if edges were cut, and of all that share a lane otherwise.

        Who points at an edge reads its lanes and witnesses. With `silent`, edges without which no answer changes are
        there too, dashed.
        """
        if not isinstance(silent, bool):
            raise ExportError(f"silent={brief(silent)}: write True or False")
        if not self._has_cut() and not silent:
            return drawn(self, f"threshold=… above {self['threshold']:g} to leave out small weights")
        graph = self._graph(silent)
        fewer = "circuit(T, up_to=…) without neurons" if self["cut"]["neurons"] else "a smaller model"
        return drawn(graph, "draw(silent=False)" if silent else fewer)

    def table(self) -> Page:
        """Return the live edges as a table, each with its lanes and its witness."""
        rows = Table("from", "to", "input", "lanes", "witness", "at", right=[5])
        for edge in self.live[:MOST_ROWS]:
            lanes, witness = ", ".join(map(shown, edge["lanes"])), shown(" ".join(edge["witness"]))
            ends = [edge["from"], edge["to"], edge["input"]]
            rows.add(*ends, cut(lanes, LETTERS), cut(witness, LETTERS), str(edge["position"]))
        left = len(self.live) - MOST_ROWS
        rows.notes += [f"… {left:,} more live edges: see .live"] if left > 0 else []
        return Page(self._first_line(), rows)

    def _first_line(self) -> str:
        """Say what was looked at."""
        found, tried = self["cut"], len(self.live) + len(self.silent)
        return (
            f"{len(self.live)} live edges of {tried} whose ends share a lane, of {found['pairs']} pairs: each was cut "
            f"on every input up to length {found['up_to']}"
        )

    def _has_cut(self) -> bool:
        if self.get("format") != "weightsmith circuit":
            raise ExportError(f"{brief(dict(self))} is no circuit: write export.circuit(T)")
        return "cut" in self

    def _cut(self, name: str) -> list[dict[str, Any]]:
        if not self._has_cut():
            raise ExportError(f"no edge was cut, so there is no list {name}: write circuit(T, up_to=3)")
        found: list[dict[str, Any]] = self["cut"][name]
        return found

    def _graph(self, silent: bool) -> dict[str, Any]:
        """Return the nodes and edges as they are drawn; the inputs of a head are one edge."""
        together: dict[tuple[str, str], dict[str, Any]] = {}
        for edge in [*self.live, *(self.silent if silent else ())]:
            ends = {"from": edge["from"], "to": edge["to"]}
            one = together.setdefault((edge["from"], edge["to"]), {**ends, "lanes": {}, "titles": [], "dashed": True})
            for lane in edge["lanes"]:
                one["lanes"].setdefault(lane, []).append(edge["input"])
            one["titles"].append(_title(edge))
            one["dashed"] &= "witness" not in edge
        return {"components": self.nodes, "edges": list(together.values())}

    def _repr_svg_(self) -> str | None:
        """Return the picture, for notebooks, if its edges fit one."""
        try:
            return self.draw()
        except ExportError:
            return None

    def _repr_html_(self) -> str | None:
        """Return a table, for notebooks, of a circuit whose edges fit no picture."""
        if self._repr_svg_() is not None or not self._has_cut():
            return None
        return self.table()._repr_html_()


def _title(edge: dict[str, Any]) -> str:
    name = "" if edge["input"] == "in" else f"{edge['input']}: "
    if "witness" not in edge:
        return f"{name}silent"
    return f"{name}without it, {cut(' '.join(edge['witness']), LETTERS)} has another answer at {edge['position']}"
