"""Scores a method against the true circuits of a benchmark."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

import numpy as np

from weightsmith.circuits.faithfulness import Faithfulness, faithfulness
from weightsmith.circuits.folder import Entry
from weightsmith.circuits.ranking import Ranking, ranked
from weightsmith.circuits.results import Scores
from weightsmith.circuits.truth import GroundTruth
from weightsmith.inspect.components import Edge, Node
from weightsmith.tables import Table, Tabled

MEASURES = {  # name: heading
    "edges": "AUC",
    "silent": "silent",
    "unconnected": "unc.",
    "edges_average_precision": "AP",
    "edges_precision_at_k": "P@k",
    "nodes": "nodes",
    "faithful_pairs": "pairs",
    "faithful_inputs": "all",
}


@dataclass(frozen=True)
class ModelScore:
    """How a method did on one model: rankings against all edges, and against each kind of true negatives."""

    model: str
    edges: Ranking | None
    silent: Ranking | None
    unconnected: Ranking | None
    nodes: Ranking | None
    faithfulness: Faithfulness | None

    def measures(self) -> dict[str, float | None]:
        """Return each measure by its name; None where it is not defined."""
        edges, faithful = self.edges, self.faithfulness
        return {
            "edges": None if edges is None else edges.roc_auc,
            "edges_average_precision": None if edges is None else edges.average_precision,
            "edges_precision_at_k": None if edges is None else edges.precision_at_k,
            "silent": None if self.silent is None else self.silent.roc_auc,
            "unconnected": None if self.unconnected is None else self.unconnected.roc_auc,
            "nodes": None if self.nodes is None else self.nodes.roc_auc,
            "faithful_pairs": None if faithful is None else faithful.pairs,
            "faithful_inputs": None if faithful is None else faithful.inputs,
        }


@dataclass(frozen=True)
class BenchmarkScore(Tabled):
    """How a method did on the models of a benchmark."""

    method: str
    models: tuple[ModelScore, ...] = field(repr=False)

    def means(self, kind: str | None = None) -> dict[str, tuple[float | None, int]]:
        """Return the mean of each measure over the models, or those of a kind, and over how many it is."""
        rows = [one.measures() for one in self.models if kind is None or one.model.startswith(f"{kind}/")]
        found: dict[str, tuple[float | None, int]] = {}
        for name in MEASURES:
            values = [value for row in rows if (value := row[name]) is not None]
            found[name] = (float(np.mean(values)) if values else None, len(values))
        return found

    def kinds(self) -> list[str]:
        """Return the kinds of the models, in order."""
        return list(dict.fromkeys(one.model.partition("/")[0] for one in self.models))

    def to_json(self) -> dict[str, Any]:
        """Return it as plain values."""
        means = {kind: self._plain_means(kind) for kind in self.kinds()}
        return {
            "method": self.method,
            "mean": self._plain_means(None),
            "kinds": means,
            "models": [asdict(one) for one in self.models],
        }

    def _plain_means(self, kind: str | None) -> dict[str, Any]:
        return {name: {"mean": mean, "models": count} for name, (mean, count) in self.means(kind).items()}

    def table(self) -> Table:
        """Return a row for each kind and one for all."""
        table = Table("kind", "n", *MEASURES.values(), right=range(1, len(MEASURES) + 2))
        kinds = self.kinds()
        for kind in [*kinds, None] if len(kinds) > 1 else kinds:
            count = sum(kind is None or one.model.startswith(f"{kind}/") for one in self.models)
            table.add(kind or "all", str(count), *(figure(mean) for mean, _ in self.means(kind).values()))
        return table

    def per_model(self) -> Table:
        """Return a row for each model."""
        table = Table("model", *MEASURES.values(), right=range(1, len(MEASURES) + 1))
        for one in self.models:
            table.add(one.model, *(figure(value) for value in one.measures().values()))
        return table


def figure(value: float | None) -> str:
    """Return two digits; 1.00 only where it is 1."""
    return "–" if value is None else f"{1 if value == 1 else min(value, 0.99):.2f}"


def score(
    method: str,
    found: Mapping[str, Scores],
    entries: Sequence[Entry],
    progress: Callable[[int, int], None] | None = None,
) -> BenchmarkScore:
    """Score a method on every model that it has scores for."""
    chosen = [entry for entry in entries if entry.name in found]
    rows = list[ModelScore]()
    for done, entry in enumerate(chosen):
        if progress is not None:
            progress(done, len(chosen))
        rows.append(_model_score(entry, found[entry.name]))
    return BenchmarkScore(method, tuple(rows))


def _model_score(entry: Entry, scores: Scores) -> ModelScore:
    truth, edges = entry.truth, scores.edges
    nodes = scores.nodes if scores.nodes is not None or edges is None else _of_nodes(truth, edges)
    return ModelScore(
        entry.name,
        None if edges is None else _edge_ranking(truth, edges, ("silent", "unconnected")),
        None if edges is None else _edge_ranking(truth, edges, ("silent",)),
        None if edges is None else _edge_ranking(truth, edges, ("unconnected",)),
        None if nodes is None else _node_ranking(truth, nodes),
        None if edges is None or not truth.cut else _faithfulness(entry, edges),
    )


def _edge_ranking(truth: GroundTruth, scores: Mapping[Edge, float], negatives: Sequence[str]) -> Ranking:
    rows = [(scores[edge], label == "live") for edge, label in truth.labels.items() if label in ("live", *negatives)]
    return ranked(np.array([value for value, _ in rows]), np.array([live for _, live in rows], bool))


def _node_ranking(truth: GroundTruth, scores: Mapping[Node, float]) -> Ranking:
    nodes = truth.nodes()
    return ranked(np.array([scores[node] for node in nodes]), np.array(list(nodes.values()), bool))


def _of_nodes(truth: GroundTruth, scores: Mapping[Edge, float]) -> dict[Node, float]:
    """Return the largest score of an edge that begins at each node."""
    return {
        node: max((score for edge, score in scores.items() if edge.source == node), default=0.0)
        for node in truth.nodes()
    }


def _faithfulness(entry: Entry, scores: Mapping[Edge, float]) -> Faithfulness:
    truth = entry.truth
    best = top(scores, len(truth.edges("live")))
    return faithfulness(entry.transformer, best, entry.pairs.test, truth.up_to)


def top(scores: Mapping[Edge, float], k: int) -> list[Edge]:
    """Return the k edges with the highest scores; ties are broken by a hash of their names, which favours no method."""
    return sorted(scores, key=lambda edge: (-scores[edge], hashlib.sha256(str(edge).encode()).digest()))[:k]
