"""The circuit of a transformer as JSON: what each head and neuron reads and writes, and the edges between them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array, Weights, as_float64
from weightsmith.errors import ExportError, brief, whole_number
from weightsmith.export.circuit_cut import cut
from weightsmith.export.circuit_value import Circuit
from weightsmith.export.outputs import plain_readout, readout_lanes
from weightsmith.memory.facts import by_lane
from weightsmith.model import Block, Norm, Transformer, position_table
from weightsmith.model.transformer import checked
from weightsmith.rewrites import is_infinity_form

VERSION = 1
MOST_ENTRIES = 1_000_000  # lanes of all components, and edges
FORMS = {"zero_one_form": "0-1 form", "infinity_form": "infinity form", "signed_infinity_form": "signed infinity form"}
EMBED, POSITIONS, UNEMBED = "embed", "pos_embed", "unembed"


def circuit(T: Transformer, threshold: float = 0.0, *, up_to: int | None = None, neurons: bool = False) -> Circuit:
    """Return the circuit of a transformer: a dictionary for `json.dumps`. Weights up to the threshold are left out.

    Its `draw()` returns a picture, and a notebook shows it; with `up_to`, that of the live edges.

    The names are those of a TransformerLens model: `blocks.2.attn.head.0`, `blocks.2.mlp.neuron.5`. The object has

    - "format": "weightsmith circuit", "version": 1, "threshold";
    - "arithmetic", "mask", "vocabulary", "classes", "provenance": as in the transformer; and "readout", where there
      is one: {"lanes", "table": pairs of a code and its value};
    - "lanes": for each {"name", "from": some of "token", "position", "flag" and the name of a normal form,
      "written_by", "read_by": names of components};
    - "components": for each {"name", "kind", "block", "index", "origin", "reads", "writes"}, in the order of the run.
      "reads" has an object for each matrix, such as {"W_Q": {lane: weight}}, and "writes" is {lane: weight}. Of a
      neuron they are the very weights; of a head, whose matrices have several rows, each is the largest in absolute
      value. Kinds are "embedding", "positions", "head", "neuron", "bias" (b_O or b_2, which writes the same everywhere)
      and "output", whose reads are by class, or by lane of a readout. A head has "weighting" and "positions" too, and
      "strict" if it is, and "label" if it has a name; a neuron "label" (its name), "activation", "bias" and, where it
      was written for a fact, "key".
      "norm" lists the lanes of the norm between the stream and the component, each of which scales all that it reads;
    - "edges": for each pair of which the second reads a lane that the first writes before, {"from", "to", "lanes":
      {lane: the matrices that read it}};
    - "cut", with `up_to`: what exact ablation says about the edges between embedding, positions, heads, feed-forward
      layers and output; with `neurons`, between single neurons instead of layers. Each edge whose ends share a lane was
      cut on every input up to that length: its reader saw the stream without what the writer wrote. "live" has those
      without which some answer changes, with the first such input as "witness" and its "position"; "silent" has the
      others. Each is {"from", "to", "input": "q", "k", "v" or "in", "lanes", "hooks"}: "hooks" are those of a
      TransformerLens bridge, the writer's and then the reader's (of a neuron with a gate two), each with the index of
      the head or neuron, or null. "nodes" has the ends, with the lanes that each writes and each input reads; "pairs"
      counts the edges tried and those that share no lane, which carry nothing.

    >>> from weightsmith import library
    >>> for edge in circuit(library.contains("1"))["edges"]:
    ...     print(edge["from"], "→", edge["to"], edge["lanes"])
    embed → blocks.0.attn.head.0 {'symbol': ['W_K', 'W_V']}
    blocks.0.attn.head.0 → unembed {'found': ['YES']}
    """
    checked(T)
    if type(threshold) not in (int, float) or not 0 <= threshold < float("inf"):
        raise ExportError(f"threshold={brief(threshold)}: write a number from 0 on; weights up to it are left out")
    parts = list(_parts(T))
    _check_size(T, parts, threshold)
    entries = [part.entry(T, threshold) for part in parts]
    length = None if up_to is None else whole_number(up_to, "up_to", 1)
    if not isinstance(neurons, bool) or (neurons and length is None):
        raise ExportError(f"neurons={brief(neurons)}: write circuit(T, up_to=3, neurons=True), or leave it out")
    return Circuit(
        {
            "format": "weightsmith circuit",
            "version": VERSION,
            "threshold": float(threshold),
            "arithmetic": str(T.arithmetic),
            "mask": T.mask,
            "vocabulary": list(T.vocabulary),
            "classes": list(T.classes),
            **({} if T.readout is None else {"readout": plain_readout(T)}),
            "provenance": list(T.provenance),
            "lanes": _lanes(T, entries),
            "components": entries,
            "edges": list(_edges(parts, entries)),
            **({} if length is None else {"cut": cut(T, length, neurons)}),
        }
    )


@dataclass(frozen=True)
class _Part:
    """A component: it reads the stream at one stage; its output is in the stream from a later stage on."""

    name: str
    kind: str
    reads_at: int
    writes_at: int
    reads: Mapping[str, Weights] = field(default_factory=dict)  # matrix → weight of each lane
    writes: Weights | None = None  # weight of each lane
    more: Mapping[str, Any] = field(default_factory=dict)

    def entry(self, T: Transformer, threshold: float) -> dict[str, Any]:
        """Return it as plain values."""
        reads = {name: by_lane(T, _above(row, threshold)) for name, row in self.reads.items()}
        written = {} if self.writes is None else by_lane(T, _above(self.writes, threshold))
        return {"name": self.name, "kind": self.kind, **self.more, "reads": reads, "writes": written}


def _above(row: Weights, threshold: float) -> Array:
    weights = as_float64(row)
    return np.where(np.abs(weights) > threshold, weights, 0.0)


def _strongest(W: Weights) -> Weights:
    """Return the number of each column that is largest in absolute value."""
    if not len(W):
        return np.zeros(W.shape[1])
    found: Weights = np.take_along_axis(W, np.abs(W).argmax(axis=0)[np.newaxis], axis=0)[0]
    return found


def _parts(T: Transformer) -> Iterator[_Part]:
    yield _Part(EMBED, "embedding", 0, 0, writes=_strongest(T.embedding))
    table = position_table(T.positions, T.arithmetic, len(T.lanes))
    if table is not None:
        yield _Part(POSITIONS, "positions", 0, 0, writes=_strongest(table))
    for b, block in enumerate(T.blocks):
        yield from _heads(T, b, block)
        yield from _neurons(T, b, block)
    codes = readout_lanes(T)
    rows = dict(zip(T.classes, T.output, strict=True))
    if codes is not None:
        rows = {T.lanes[j]: np.eye(len(T.lanes))[j] for j in codes}
    yield _Part(UNEMBED, "output", 2 * len(T.blocks), -1, reads=rows, more=_norm(T, T.final_norm))


def _norm(T: Transformer, norm: Norm | None) -> dict[str, Any]:
    return {} if norm is None else {"norm": list(T.lanes if norm.lanes is None else norm.lanes)}


def _heads(T: Transformer, b: int, block: Block) -> Iterator[_Part]:
    if block.attention is None:
        return
    at, then, where = 2 * b, 2 * b + 1, {"block": b, "origin": block.origin}
    norm = _norm(T, block.attention_norm)
    for i, head in enumerate(block.attention.heads):
        reads = {name: _strongest(getattr(head, name)) for name in ("W_Q", "W_K", "W_V")}
        scheme = block.attention.positions_of(i, T.attention_positions)
        more: dict[str, Any] = {"weighting": str(head.weighting)}
        more["positions"] = None if scheme is None else scheme.text()
        more |= {"strict": True} if head.strict else {}
        more |= {} if head.window is None else {"window": head.window}
        more |= {"label": head.name} if head.name else {}
        name, writes = f"blocks.{b}.attn.head.{i}", _strongest(head.W_O.T)
        yield _Part(name, "head", at, then, reads, writes, {**where, "index": i, **more, **norm})
    if block.attention.b_O is not None:
        yield _Part(f"blocks.{b}.attn.b_O", "bias", at, then, writes=block.attention.b_O, more=where)


def _neurons(T: Transformer, b: int, block: Block) -> Iterator[_Part]:
    layer = block.feed_forward
    if layer is None:
        return
    at, then, where = 2 * b if block.parallel else 2 * b + 1, 2 * b + 2, {"block": b, "origin": block.origin}
    norm = _norm(T, block.feed_forward_norm)
    for n in range(len(layer.W_1)):
        reads = {"W_1": layer.W_1[n]} | ({} if layer.W_3 is None else {"W_3": layer.W_3[n]})
        more: dict[str, Any] = {"label": layer.names[n] if layer.names else "", "activation": layer.activation}
        more["bias"] = float(layer.b_1[n])
        if layer.keys is not None and layer.keys[n].any():
            more["key"] = by_lane(T, layer.keys[n])
        name = f"blocks.{b}.mlp.neuron.{n}"
        yield _Part(name, "neuron", at, then, reads, layer.W_2[:, n], {**where, "index": n, **more, **norm})
    if layer.b_2.any():
        yield _Part(f"blocks.{b}.mlp.b_2", "bias", at, then, writes=layer.b_2, more=where)


def _check_size(T: Transformer, parts: list[_Part], threshold: float) -> None:
    """Refuse what would be too large, before it is made."""
    readers, writers, entries = np.zeros(len(T.lanes)), np.zeros(len(T.lanes)), 0
    for part in parts:
        rows = [np.abs(row) > threshold for row in part.reads.values()]
        written = np.zeros(len(T.lanes), bool) if part.writes is None else np.abs(part.writes) > threshold
        readers += np.any(rows, axis=0) if rows else 0
        writers += written
        entries += sum(int(row.sum()) for row in rows) + int(written.sum())
    entries += int(readers @ writers)
    if entries > MOST_ENTRIES:
        raise ExportError(
            f"the circuit would have {entries:,} entries, and at most {MOST_ENTRIES:,} are written: write "
            f"circuit(T, threshold=…) above {threshold:g} to leave out small weights"
        )


def _edges(parts: list[_Part], entries: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield who reads what who writes, writers first in the order of the run."""
    readers: dict[str, list[int]] = {}
    for i, entry in enumerate(entries):
        for lane in {lane: None for row in entry["reads"].values() for lane in row}:
            readers.setdefault(lane, []).append(i)
    for source, entry in zip(parts, entries, strict=True):
        found: dict[int, dict[str, list[str]]] = {}
        for lane in entry["writes"]:
            for i in readers.get(lane, ()):
                if source.writes_at <= parts[i].reads_at:
                    found.setdefault(i, {})[lane] = [name for name, row in entries[i]["reads"].items() if lane in row]
        for i in sorted(found):
            yield {"from": source.name, "to": parts[i].name, "lanes": found[i]}


def _form(T: Transformer) -> str:
    """Return the normal form that the first lanes hold: proven from the weights, or the last rewrite; "" for none."""
    if is_infinity_form(T):
        return FORMS["infinity_form"]
    return FORMS.get(T.provenance[-1].partition("(")[0], "") if T.provenance else ""


def _lanes(T: Transformer, entries: list[dict[str, Any]]) -> list[dict[str, Any]]:
    written: dict[str, list[str]] = {lane: [] for lane in T.lanes}
    read: dict[str, list[str]] = {lane: [] for lane in T.lanes}
    for entry in entries:
        for lane in entry["writes"]:
            written[lane].append(entry["name"])
        for lane in {lane: None for row in entry["reads"].values() for lane in row}:
            read[lane].append(entry["name"])
    form = _form(T)
    return [
        {
            "name": lane,
            "from": [
                source
                for source, there in (
                    ("token", EMBED in written[lane]),
                    ("position", POSITIONS in written[lane]),
                    ("flag", lane in T.flags),
                    (form, form and lane in T.lanes[: len(T.classes)]),
                )
                if there
            ],
            "written_by": written[lane],
            "read_by": read[lane],
        }
        for lane in T.lanes
    ]


def circuit_svg(T: Transformer, threshold: float = 0.0) -> str:
    """Return the `circuit` of a transformer as a picture of a graph; weights up to the threshold are left out.

    >>> from weightsmith import library
    >>> circuit_svg(library.contains("1"))[:4]
    '<svg'
    """
    return circuit(T, threshold).draw()
