"""The reference methods: exact effects of single edges; and their way through files."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith import circuits
from weightsmith.circuits.ablations import activation_patching, batches, mean_ablation, zero_ablation
from weightsmith.circuits.finding import METHODS
from weightsmith.inspect.components import Edge, Node
from weightsmith.inspect.edges import connected_edges, edges
from weightsmith.inspect.joint_cuts import JointCutting


def entry(small: Path, name: str) -> circuits.Entry:
    return circuits.read_benchmark(small, [name])[0]


@pytest.mark.parametrize("name", ["zero", "mean", "patching"])
def test_every_method_beats_chance(small: Path, name: str) -> None:
    entries = circuits.read_benchmark(small)
    found = circuits.find(name, entries)
    means = circuits.score(name, found, entries).means()
    assert (means["edges"][0] or 0) > 0.75
    for one in entries:
        assert set(found[one.name].edges or {}) == set(one.truth.labels)


def test_an_edge_that_cannot_carry_anything_scores_0(small: Path) -> None:
    one = entry(small, "distracted/distinct")
    for method in (zero_ablation, mean_ablation, activation_patching):
        scores = method(one.transformer, one.pairs.train[:8])
        assert all(scores[edge] == 0 for edge in one.truth.edges("unconnected"))


def test_zero_ablation_is_the_mean_change_of_the_logit_difference() -> None:
    T = ws.random_transformer("ab", 3, 2, 2, 3, 6, ws.Fixed(3, 3), 5)
    pairs = [
        circuits.Pair(tuple(clean), tuple(corrupted), position)
        for clean, corrupted, position in [("ab", "bb", 0), ("aba", "bba", 2), ("aab", "bab", 1)]
    ]
    scores = zero_ablation(T, pairs)
    assert set(scores) == set(edges(T))
    moved: dict[Edge, list[float]] = {edge: [] for edge in connected_edges(T)}
    for pair in pairs:
        ours, theirs = (ws.run(T, tokens).answer_ids[pair.position] for tokens in (pair.clean, pair.corrupted))
        run = JointCutting(T, np.array([[T.vocabulary.index(token) for token in pair.clean]]))
        before, *after = (
            run.engine.read_off(stage[0, pair.position])
            for stage in (run.found.stream[-1], *(run.last_stage([edge]) for edge in moved))
        )
        for edge, numbers in zip(moved, after, strict=True):
            moved[edge].append(abs((numbers[ours] - numbers[theirs]) - (before[ours] - before[theirs])))
    assert any(sum(each) > 0 for each in moved.values())
    for edge, each in moved.items():
        assert scores[edge] == pytest.approx(np.mean(each))


def test_patching_every_edge_into_the_output_gives_the_corrupted_answer(small: Path) -> None:
    one = entry(small, "exact/distinct")
    for batch in batches(one.transformer, one.pairs.train):
        into = [edge for edge in edges(one.transformer) if edge.target == Node("unembed")]
        numbers = batch.clean.numbers(into, batch.corrupted.outputs())
        assert np.array_equal(batch.difference(numbers), batch.difference(batch.corrupted.numbers()))
        assert (batch.difference(batch.clean.numbers()) > 0).all()
        assert (batch.difference(batch.corrupted.numbers()) < 0).all()


def test_patching_with_the_clean_input_changes_nothing(small: Path) -> None:
    one = entry(small, "exact/distinct")
    same = [circuits.Pair(pair.clean, pair.clean, pair.position) for pair in one.pairs.train[:5]]
    assert set(activation_patching(one.transformer, same).values()) == {0.0}


def test_a_method_without_pairs_and_an_unknown_method_are_refused(small: Path) -> None:
    one = entry(small, "exact/count-a")
    for name in ("magic", None, 3):
        with pytest.raises(ws.InputError, match=f"there is no method {name!r}: write one of zero, mean, patching"):
            circuits.find(name, [one])  # type: ignore[arg-type]
    with pytest.raises(
        ws.InputError, match="the benchmark has no model 'exact/none': its index.json lists exact/count-a"
    ):
        circuits.read_benchmark(small, ["exact/none"])


WRONG: list[tuple[Any, str]] = [
    ([], r"pairs=\[\]: write a list of at least one Pair"),
    ([("ab", "ba", 0)], r"pairs\[0\]=\('ab', 'ba', 0\): write Pair\(clean, corrupted, position\)"),
    ([circuits.Pair(("a", "b"), ("b", "a"), 2)], r"pairs\[0\].position=2: write a whole number from 0 to 1"),
    ([circuits.Pair(("a", "b"), ("b", "a"), -1)], r"pairs\[0\].position=-1: write a whole number from 0 to 1"),
    ([circuits.Pair(("a", "b"), ("b",), 0)], "has 2 clean and 1 corrupted tokens: write inputs of one length"),
    ([circuits.Pair(("a", "x"), ("b", "a"), 0)], "x, is not in the vocabulary"),
    ([circuits.Pair((), (), 0)], "empty"),
    ([circuits.Pair(("a",) * 6, ("b",) * 6, 0)], "6 tokens"),
]


@pytest.mark.parametrize("method", METHODS)
def test_pairs_that_do_not_fit_the_model_are_refused_by_every_method(small: Path, method: str) -> None:
    T, run = entry(small, "exact/count-a").transformer, METHODS[method]
    for pairs, message in WRONG:
        with pytest.raises(ws.InputError, match=message):
            run(T, pairs)
    program: Any = circuits.TASKS[0].compiled()  # no transformer
    with pytest.raises(ws.InputError, match="of a compiled program write P.transformer"):
        run(program, [circuits.Pair(("a",), ("b",), 0)])


def test_a_method_of_ones_own_is_run_and_scored(small: Path) -> None:
    entries = circuits.read_benchmark(small, ["exact/distinct"])

    def by_lanes(T: ws.Transformer, pairs: object) -> dict[Edge, float]:
        return {edge: float(edge in connected_edges(T)) for edge in edges(T)}

    scored = circuits.score("lanes", circuits.find(by_lanes, entries), entries)
    assert scored.models[0].unconnected is not None
    assert scored.models[0].unconnected.roc_auc == 1.0
    assert scored.models[0].silent is not None
    assert scored.models[0].silent.roc_auc == 0.5
