"""Scores: 1 of an oracle, 0.5 of random numbers; and results that are wrong."""

import json
import random
import shutil
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith import circuits
from weightsmith.circuits.results import plain_results
from weightsmith.circuits.scoring import MEASURES


def of_truth(entry: circuits.Entry) -> circuits.Scores:
    truth = entry.truth
    edges = {edge: float(label == "live") for edge, label in truth.labels.items()}
    return circuits.Scores(edges, {node: float(live) for node, live in truth.nodes().items()})


def test_a_perfect_oracle_scores_1(small: Path, tmp_path: Path) -> None:
    entries = circuits.read_benchmark(small)
    circuits.write_results(tmp_path / "r.json", "oracle", {entry.name: of_truth(entry) for entry in entries})
    method, found = circuits.read_results(tmp_path / "r.json", entries)
    scored = circuits.score(method, found, entries)
    assert scored.method == "oracle"
    for kind in ("exact", "distracted", None):
        for name, (mean, count) in scored.means(kind).items():
            assert mean == 1.0 or (mean is None and count == 0), (kind, name)
    assert scored.means("distracted")["nodes"] == (1.0, 2)
    assert "distracted" in str(scored)


def test_a_score_shows_itself_as_a_table_and_1_only_where_it_is_1(small: Path) -> None:
    entries = circuits.read_benchmark(small)
    scored = circuits.score("oracle", {entry.name: of_truth(entry) for entry in entries}, entries)
    assert "<table" in scored._repr_html_()
    assert repr(scored) == "BenchmarkScore(method='oracle')"
    assert [circuits.scoring.figure(value) for value in (None, 1.0, 0.9999, 0.5)] == ["–", "1.00", "0.99", "0.50"]


def test_random_scores_are_worth_a_half(small: Path) -> None:
    entries, rng, found = circuits.read_benchmark(small), random.Random(1), []
    for _ in range(60):
        scores = {
            entry.name: circuits.Scores(
                {edge: rng.random() for edge in entry.truth.labels},
                {node: rng.random() for node in entry.truth.nodes()},
            )
            for entry in entries
        }
        for entry in entries:
            one = circuits.scoring._edge_ranking(entry.truth, scores[entry.name].edges or {}, ("silent", "unconnected"))
            found.append(one.roc_auc)
    assert sum(auc or 0 for auc in found) / len(found) == pytest.approx(0.5, abs=0.05)


def results(entries: tuple[circuits.Entry, ...]) -> dict[str, Any]:
    return plain_results("m", {entry.name: of_truth(entry) for entry in entries})


def test_the_opposite_of_an_oracle_scores_0(small: Path) -> None:
    entries = circuits.read_benchmark(small)[:2]
    worst = {
        entry.name: circuits.Scores({edge: -score for edge, score in (of_truth(entry).edges or {}).items()}, None)
        for entry in entries
    }
    means = circuits.score("worst", worst, entries).means()
    assert means["edges"] == (0.0, 2)
    assert (means["faithful_inputs"][0] or 0) < 0.5


def test_wrong_results_are_named(small: Path, tmp_path: Path) -> None:
    entries = circuits.read_benchmark(small)
    first = entries[0].name
    path = tmp_path / "r.json"

    def refused(message: str, **changes: Any) -> None:
        content = results(entries)
        content["models"][first] |= changes
        path.write_text(json.dumps(content))
        with pytest.raises(ws.FileError, match=message):
            circuits.read_results(path, entries)

    edges = results(entries)["models"][first]["edges"]
    refused("'a → b' is none of its edges", edges={**edges, "a → b": 1})
    refused("NaN is not a number", edges={**edges, next(iter(edges)): float("nan")})
    refused("Infinity is not a number", edges={**edges, next(iter(edges)): float("inf")})
    refused("is 'high': write a finite number", edges={**edges, next(iter(edges)): "high"})
    refused("is True: write a finite number", edges={**edges, next(iter(edges)): True})
    refused("is 1000000.*: write a finite number", edges={**edges, next(iter(edges)): 10**400})
    refused("1 of 9 edges have no score, first 'embed → ", edges=dict(list(edges.items())[1:]))
    refused(r"edges is \[1\]: write an object", edges=[1])
    refused("is not .*edges", heads={})
    for content, message in (
        ("[]", "is not a JSON object"),
        ("{}", "they are no results: write"),
        ('{"format": "weightsmith circuit results", "version": 2, "models": {}}', "they are no results"),
        ('{"format": "weightsmith circuit results", "version": 1, "models": 3}', '"models" is an object'),
        ('{"a": 1, "a": 1}', "the key 'a' occurs twice"),
        ("[" * 1000, "cannot read"),
        ('{"format": "weightsmith circuit results", "version": 1, "models": {"exact/x": {}}}', "'exact/x' is no model"),
        ('{"format": "weightsmith circuit results", "version": 1, "models": {}}', "4 of the 4 models are missing"),
    ):
        path.write_text(content)
        with pytest.raises(ws.FileError, match=message):
            circuits.read_results(path, entries)


def test_some_models_can_be_scored_alone(small: Path, tmp_path: Path) -> None:
    entries = circuits.read_benchmark(small)
    circuits.write_results(tmp_path / "r.json", "", {entries[1].name: of_truth(entries[1])})
    with pytest.raises(ws.FileError, match="3 of the 4 models are missing, first exact/count-a"):
        circuits.read_results(tmp_path / "r.json", entries)
    _, found = circuits.read_results(tmp_path / "r.json", entries, some=True)
    scored = circuits.score("", found, entries)
    assert [one.model for one in scored.models] == [entries[1].name]
    assert json.loads(json.dumps(scored.to_json()))["mean"]["edges"] == {"mean": 1.0, "models": 1}
    assert set(scored.to_json()["mean"]) == set(MEASURES)


def test_a_folder_without_a_benchmark_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ws.FileError, match="cannot read"):
        circuits.read_benchmark(tmp_path)
    (tmp_path / "index.json").write_text('{"format": "other"}')
    with pytest.raises(ws.FileError, match="holds no benchmark of this version"):
        circuits.read_benchmark(tmp_path)
    (tmp_path / "index.json").write_text(
        '{"format": "weightsmith circuit benchmark", "version": 1, "models": [{"name": "../../etc/passwd"}]}'
    )
    with pytest.raises(ws.FileError, match="names are kind/program"):
        circuits.read_benchmark(tmp_path)


@pytest.mark.parametrize(
    ("up_to", "message"),
    [
        (0, "up_to=0, which is no length"), (-3, "up_to=-3, which is no length"), (6, "reads at most 5 tokens"),
        (10**9, "reads at most 5 tokens"),
    ],
)  # fmt: skip
def test_a_circuit_of_another_length_than_the_models_is_refused(
    small: Path, tmp_path: Path, up_to: int, message: str
) -> None:
    folder = shutil.copytree(small, tmp_path / "b")
    path = folder / "exact/count-a/circuit.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"up_to": up_to}))
    with pytest.raises(ws.WeightsmithError, match=message):
        _ = circuits.read_benchmark(folder)[0].truth


def test_pairs_longer_than_the_inputs_that_are_compared_are_refused(small: Path, tmp_path: Path) -> None:
    folder = shutil.copytree(small, tmp_path / "b")
    path = folder / "exact/count-a/circuit.json"
    path.write_text(json.dumps(json.loads(path.read_text()) | {"up_to": 2}))
    entry = circuits.read_benchmark(folder)[0]
    with pytest.raises(ws.InputError, match="up_to=2: the longest pair has 5 tokens"):
        circuits.score("m", {entry.name: of_truth(entry)}, [entry])


def test_the_curve_of_an_oracle_has_one_corner_in_json(small: Path) -> None:
    entry = circuits.read_benchmark(small)[0]
    scored = json.loads(json.dumps(circuits.score("m", {entry.name: of_truth(entry)}, [entry]).to_json()))
    assert scored["models"][0]["edges"]["curve"] == [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
