"""The ground truth of a model: a label for every edge, by exact ablation, or by how the model was trained."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, cast, get_args

from weightsmith.errors import FileError, brief
from weightsmith.export.circuit_cut import plain_edge, written_hook
from weightsmith.inspect.components import Edge, Node
from weightsmith.inspect.edges import Live, check_inputs, connected_edges, edges, live_edges
from weightsmith.model import Transformer
from weightsmith.train import Alike

FORMAT, VERSION = "weightsmith benchmark circuit", 1
Label: TypeAlias = Literal["live", "silent", "unconnected", "unknown"]


@dataclass(frozen=True)
class GroundTruth:
    """Every edge of a model with its label.

    An edge is "live" if cutting it changes some answer, "silent" if it shares lanes and changes none, and "unconnected"
    if its reader reads no lane that its source writes. A node is in the circuit if some live edge begins at it.

    Of a trained model (`cut` is False) no edge was cut: "live" are those that stand for a live edge of its program,
    "silent" those with an end outside the circuit, which was trained not to matter, and "unknown" are all others.
    """

    up_to: int
    labels: dict[Edge, Label]
    witnesses: dict[Edge, Live]
    cut: bool = True

    def edges(self, label: Label) -> list[Edge]:
        """Return the edges with a label."""
        return [edge for edge, found in self.labels.items() if found == label]

    def nodes(self) -> dict[Node, bool]:
        """Return the heads and feed-forward layers, and whether each is in the circuit."""
        used = {edge.source for edge in self.edges("live")}
        return {edge.target: edge.target in used for edge in self.labels if edge.target.kind != "unembed"}


def true_circuit(T: Transformer, original: Transformer, up_to: int) -> GroundTruth:
    """Cut every edge whose ends share a lane, on every input up to a length.

    The lanes are those of the `original`: it has the same components in a basis in which lanes are features.
    """
    connected = connected_edges(original)
    live, silent = live_edges(T, up_to, connected)
    labels: dict[Edge, Label] = dict.fromkeys(edges(T), "unconnected")
    labels |= dict.fromkeys((one.edge for one in live), "live")
    labels |= dict.fromkeys(silent, "silent")
    return GroundTruth(up_to, labels, {one.edge: one for one in live})


def trained_circuit(R: Alike, up_to: int) -> GroundTruth:
    """Return the circuit that a transformer was trained to have; witnesses are those of the program's edges."""
    live = dict(R.live_edges(up_to=up_to))
    labels: dict[Edge, Label] = {}
    for edge in edges(R.transformer):
        outside = {str(edge.source), str(edge.target)} & set(R.interchange.outside)
        labels[edge] = "live" if edge in live else "silent" if outside else "unknown"
    return GroundTruth(
        up_to, labels, {edge: Live(edge, one.witness, one.position) for edge, one in live.items()}, cut=False
    )


def circuit_json(T: Transformer, original: Transformer, truth: GroundTruth) -> dict[str, Any]:
    """Return a circuit as plain values."""
    nodes = [{"name": str(node), "live": live, "hook": written_hook(node)} for node, live in truth.nodes().items()]
    rows = []
    for edge, label in truth.labels.items():
        row = {"name": str(edge), **plain_edge(original if truth.cut else T, edge), "label": label}
        if edge in truth.witnesses:
            one = truth.witnesses[edge]
            row |= {"witness": list(one.witness), "position": one.position}
        rows.append(row)
    about = {"up_to": truth.up_to, "cut": truth.cut}
    return {"format": FORMAT, "version": VERSION, **about, "nodes": nodes, "edges": rows}


def read_truth(T: Transformer, content: dict[str, Any]) -> GroundTruth:
    """Return the circuit that a file holds; it must be that of the transformer's edges."""
    rows: Sequence[Any] = content.get("edges", ())
    names = {str(edge): edge for edge in edges(T)}
    if content.get("format") != FORMAT or content.get("version") != VERSION or not isinstance(rows, list):
        raise FileError(f"circuit.json is no circuit of this version ({FORMAT}, version {VERSION}): make it again")
    labels = dict[Edge, Label]()
    for row in rows:
        name, label = (row.get("name"), row.get("label")) if isinstance(row, dict) else (None, None)
        if not isinstance(name, str) or name not in names or label not in get_args(Label):
            raise FileError(f"circuit.json has {brief(row)}, which is no edge of the model: make it again")
        labels[names[name]] = cast(Label, label)
    up_to, cut = content.get("up_to"), content.get("cut")
    if len(labels) != len(names) or type(up_to) is not int or type(cut) is not bool:
        raise FileError(f"circuit.json has {len(labels)} of the {len(names)} edges of the model: make it again")
    if up_to < 1:
        raise FileError(f"circuit.json has up_to={brief(up_to)}, which is no length: make it again")
    check_inputs(T, up_to)
    return GroundTruth(up_to, labels, {}, cut)
