"""What the page says about a run is what the Python package says: node runs the page's bundle on the same models."""

import json
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.inspect.models import model, runs
from tests.studio.node import run_node
from weightsmith import Fixed, Float, Native
from weightsmith.inspect.attribution import attribute
from weightsmith.inspect.logit_parts import Part

NOISE = 1e-9  # of the machine's arithmetic, whose sums are in another order there; relative to the largest amount


@dataclass(frozen=True, eq=False)
class Case:
    """A run, and what the page says about it."""

    name: str
    run: ws.Run
    said: dict[str, Any]

    @property
    def exact(self) -> bool:
        """Whether every amount is a short binary fraction, which no order of sums rounds: fixed point without norms."""
        T = self.run.transformer
        norms = [T.final_norm, *(norm for b in T.blocks for norm in (b.attention_norm, b.feed_forward_norm))]
        return isinstance(T.arithmetic, Fixed) and not any(norms)

    def check_equal(self, found: Sequence[float], expected: Sequence[float]) -> None:
        """Compare numbers: exactly where they are exact."""
        if self.exact:
            assert list(found) == list(expected), self.name
        else:
            largest = max((abs(x) for x in expected), default=0.0)
            np.testing.assert_allclose(found, expected, rtol=NOISE, atol=NOISE * max(largest, 1), err_msg=self.name)


def _runs() -> list[tuple[str, ws.Run]]:
    contains = ws.library.contains("1")
    written = {
        "contains": (contains, "00100"),
        "its ∞ form": (ws.infinity_form(contains), "0010"),
        "a composition": (contains & ~ws.library.contains("0"), "110"),
        "Eiffel": (ws.library.eiffel(), "The Eiffel Tower is in"),
        "parity": (ws.library.parity(), "0110"),
    }
    result = [(name, ws.run(T, tokens)) for name, (T, tokens) in written.items()]
    for seed in range(20):
        weighting = (ws.Softmax(), ws.AverageHard(), ws.LeftmostHard())[seed % 3]
        T = ws.random_transformer("abc", 4, 1 + seed % 3, 2, 5, 6, Fixed(4, 4), seed, weighting=weighting)
        result.append((f"plain {seed}", ws.run(T, "abcab")))
    for A in (Fixed(4, 4), Fixed(3, 2), Float(4, 3), Native("float64")):
        result += [(f"random {A} {n}", r) for n, r in enumerate(runs(A, range(12), sums="left"))]
    result += [(f"float64 {seed}", ws.run(model(seed), "abca", sums="left")) for seed in range(20)]
    return result


@pytest.fixture(scope="module")
def cases(tmp_path_factory: pytest.TempPathFactory) -> list[Case]:
    folder, found = tmp_path_factory.mktemp("facts"), _runs()
    asked = []
    for n, (_, run) in enumerate(found):
        ws.save(run.transformer, folder / f"{n}.safetensors")
        asked.append({"file": str(folder / f"{n}.safetensors"), "tokens": run.tokens})
    (folder / "cases.json").write_text(json.dumps(asked))
    said_of = json.loads(run_node("facts.mjs", folder / "cases.json"))
    return [Case(name, run, said) for (name, run), said in zip(found, said_of, strict=True)]


def test_the_lens_of_the_page_is_that_of_the_package(cases: list[Case]) -> None:
    for case in cases:
        expected = ws.lens(case.run)
        if isinstance(case.run.transformer.arithmetic, Native):
            case.check_equal(np.array(case.said["lens"]).ravel().tolist(), expected.logits.ravel().tolist())
            continue
        assert case.said["lens"] == expected.logits.tolist(), case.name
        assert case.said["decisions"] == [list(row) for row in expected.decisions], case.name
        assert case.said["decision"] == case.run.decision


def test_heads_move_the_same_in_the_page(cases: list[Case]) -> None:
    for case in cases:
        expected, found = list(ws.moved(case.run)), case.said["moves"]
        places = [(move.block, move.head, move.source, move.target) for move in expected]
        assert [(move["block"], move["head"], move["source"], move["target"]) for move in found] == places, case.name
        for one, other in zip(found, expected, strict=True):
            case.check_equal([one["weight"]], [other.weight])
            assert [lane for lane, _ in one["lanes"]] == list(other.lanes), case.name
            case.check_equal([amount for _, amount in one["lanes"]], list(other.lanes.values()))
            paths, others = {(of, to): amount for of, to, amount in one["paths"]}, other.paths()
            assert paths.keys() == others.keys(), case.name
            case.check_equal([paths[path] for path in others], list(others.values()))


def test_a_logit_comes_from_the_same_parts_in_the_page(cases: list[Case]) -> None:
    for case in cases:
        for position, classes in enumerate(case.said["attributions"]):
            for found in classes:
                expected = attribute(case.run, found["wanted"], position=position)
                _check_parts(case, found["parts"], expected.parts)
                _check_parts(case, found["heads"], expected.by_head().parts)
                largest = max(abs(part.amount) for part in expected.parts)
                assert abs(found["residue"] - expected.residue) <= (0 if case.exact else NOISE * max(largest, 1))


def test_at_an_earlier_stage_the_parts_are_those_of_the_model_that_ends_there(cases: list[Case]) -> None:
    for case in cases[::3]:
        for blocks, classes in enumerate(case.said["earlier"]):
            T = case.run.transformer
            run = ws.run(replace(T, blocks=T.blocks[:blocks]), case.run.tokens, sums=case.run.sums)
            for found in classes:
                expected = attribute(run, found["wanted"])
                _check_parts(case, found["parts"], expected.parts)
                case.check_equal([found["logit"]], [expected.logit])


def _check_parts(case: Case, found: list[dict[str, Any]], expected: Sequence[Part]) -> None:
    names = ("kind", "block", "place", "source", "name")
    assert [[part[name] for name in names] for part in found] == [
        [getattr(part, name) for name in names] for part in expected
    ], case.name
    case.check_equal([part["amount"] for part in found], [part.amount for part in expected])


def test_the_neurons_that_fired_are_those_with_an_activation(cases: list[Case]) -> None:
    for case in cases:
        for block, positions in enumerate(case.said["memories"]):
            for i, fired in enumerate(positions):
                activations = case.run.activations[block][i]
                assert sorted(one["neuron"] for one in fired) == np.flatnonzero(activations).tolist(), case.name
                strengths = [abs(one["activation"]) for one in fired if one["clears"] is None]
                assert strengths == sorted(strengths, reverse=True)


def test_the_page_opens_where_the_final_decision_first_appears_and_stays(cases: list[Case]) -> None:
    eiffel = next(case for case in cases if case.name == "Eiffel")
    assert eiffel.run.stages[eiffel.said["opening"]] == "block 1 attention"
    assert eiffel.said["sentences"][eiffel.said["opening"]] == (
        "in reads Tower: word Paris becomes 6.48, dim 42 Paris 1.72, dim 73 landmark 1.24 and 1 more."
    )


def test_changes_are_counted_as_the_stream_differs(cases: list[Case]) -> None:
    for case in cases:
        stream = case.run.stream
        if not isinstance(case.run.transformer.arithmetic, Native):
            assert case.said["counts"] == [0, *(stream[1:] != stream[:-1]).sum(axis=(1, 2)).tolist()], case.name
