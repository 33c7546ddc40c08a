"""A dense transformer whose heads and layers implement the parts of a program, with what was measured."""

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from weightsmith.errors import whole_number
from weightsmith.export.circuit_cut import hooks_of
from weightsmith.files import save
from weightsmith.inspect import outputs
from weightsmith.inspect.comparison import Compared, tokens_for
from weightsmith.inspect.components import Edge, Node
from weightsmith.inspect.edges import Live, live_edges
from weightsmith.model import Transformer
from weightsmith.storage import refusals, write_json
from weightsmith.tables import first_lines
from weightsmith.train.interchange.measured import Interchange, percent
from weightsmith.train.interchange.parts import node_called, parts_of
from weightsmith.train.records import Record

FORMAT = "weightsmith trained circuit"
VERSION = 1


@dataclass(frozen=True, eq=False)
class Alike:
    """A trained transformer that does what a program does, part by part; see `like`.

    `mapping` has the name of the node of `transformer` for each part of the `original`. Every other head and layer is
    outside the circuit. `R(tokens)` gives the values at every position.
    """

    original: Transformer
    transformer: Transformer
    mapping: Mapping[str, str]
    interchange: Interchange
    compared: Compared
    values: tuple[Any, ...]  # the value of each answer of the transformer, if it is another
    history: tuple[Record, ...]
    resumed_at: int
    steps: int  # steps done
    program: object = None  # that was learnt: it reads the tokens

    def __call__(self, tokens: str | Sequence[Any]) -> list[Any]:
        """Return the value at every position; of a compiled program the tokens are those that it reads itself."""
        T = self.transformer
        found = outputs(T, [tokens_for(self.program, tokens)])[0]
        names = dict(zip(T.answers, self.values, strict=True)) if self.values else {}
        return [names.get(one, one) for one in found]

    def edges(self, *, up_to: int | None = None) -> list[Edge]:
        """Return the edges of the circuit, in the names of the transformer: see `circuit`."""
        return [edge for edge, _ in self.live_edges(up_to=up_to)]

    def circuit(self, *, up_to: int | None = None) -> dict[str, Any]:
        """Return the circuit in the names of the transformer: plain values, for `json.dumps`.

        "nodes" are those of the circuit, "outside" the other heads and layers; the training and `interchange` are about
        these. "idle" are the parts of the program that have no node, because their interchange changed no answer.
        "edges" are the live edges of the program, cut one by one on every input up to `up_to` (by default as long as
        was learnt), between the nodes that took their ends. Each is {"from", "to", "input", "hooks"} as in
        `export.circuit`, with its "witness", "position" and "part" in the program. That a node outside the circuit
        carries nothing was trained; that two nodes of the circuit have no other edge between them was not.
        """
        edges = self.live_edges(up_to=up_to)
        inside = {str(end) for edge, _ in edges for end in (edge.source, edge.target)} | set(self.mapping.values())
        order = ["embed", "pos_embed", *map(str, parts_of(self.transformer)), "unembed"]
        return {
            "format": FORMAT,
            "version": VERSION,
            "mapping": dict(self.mapping),
            "nodes": [name for name in order if name in inside],
            "outside": list(self.interchange.outside),
            "idle": [name for name in map(str, parts_of(self.original)) if name not in self.mapping],
            "up_to": self._length(up_to),
            "edges": [
                {
                    **_ends(edge), "hooks": hooks_of(self.transformer, edge), "witness": list(live.witness),
                    "position": live.position, "part": _ends(live.edge),
                }
                for edge, live in edges
            ],
        }  # fmt: skip

    def _length(self, up_to: int | None) -> int:
        return self.compared.up_to if up_to is None else whole_number(up_to, "up_to", 1, self.compared.up_to)

    def live_edges(self, *, up_to: int | None = None) -> list[tuple[Edge, Live]]:
        """Return the live edges of the program, each with its counterpart; parts that never matter have none."""
        node_of = {
            node_called(self.original, part, "mapping"): node_called(self.transformer, node, "mapping")
            for part, node in self.mapping.items()
        }
        node_of |= {node: node for node in (Node("embed"), Node("pos_embed"), Node("unembed"))}
        live, _ = live_edges(self.original, self._length(up_to))
        return [
            (Edge(node_of[one.edge.source], node_of[one.edge.target], one.edge.input), one)
            for one in live
            if one.edge.source in node_of and one.edge.target in node_of
        ]

    def report(self) -> str:
        """Return a text: the answers, and the interchanges of each node."""
        rows = [f"{len(self.mapping)} parts in {len(self.transformer.blocks)} blocks, {self.steps:,} steps"]
        rows += [str(self.compared), str(self.interchange)]
        part_of = {node: part for part, node in self.mapping.items()}
        for name, one in self.interchange.parts.items():
            changing = f"{percent(one.accuracy_changing)} of {one.changing:,} that change an answer"
            rows.append(f"  {name} as {part_of[name]}: {percent(one.accuracy)} of {one.pairs:,}, {changing}")
        rows += [f"  {name}, outside: {percent(one.accuracy)}" for name, one in self.interchange.outside.items()]
        return "\n".join(rows)

    def save(self, folder: str | os.PathLike[str]) -> None:
        """Write a folder: model.safetensors, original.safetensors, circuit.json and measured.json."""
        place = Path(folder)
        with refusals("cannot write", folder):
            place.mkdir(parents=True, exist_ok=True)
            write_json(place / "circuit.json", self.circuit())
        save(self.transformer, place / "model.safetensors")
        self.save_measures(place)

    def save_measures(self, folder: str | os.PathLike[str]) -> None:
        """Write what was measured and the program, to a folder that is there: measured.json, original.safetensors."""
        compared = {name: getattr(self.compared, name) for name in ("up_to", "inputs", "wrong")}
        measured = {"interchange": self.interchange.to_json(), "compared": compared, "steps": self.steps}
        with refusals("cannot write", folder):
            write_json(Path(folder) / "measured.json", measured | {"values": list(self.values)})
        save(self.original, Path(folder) / "original.safetensors")

    def _repr_html_(self) -> str:
        """Return the report as HTML, for notebooks."""
        return first_lines(self.report())

    def __repr__(self) -> str:
        """Describe it briefly."""
        return f"<{self.compared}; {self.interchange}>"


def _ends(edge: Edge) -> dict[str, str]:
    return {"from": str(edge.source), "to": str(edge.target), "input": edge.input}
