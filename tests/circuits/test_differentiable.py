"""25 softmax programs with gradients: right on every input, and no live edge without a gradient."""

from itertools import product
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.circuits.differentiable import PROGRAMS, compiled, pairs_of
from weightsmith.circuits.gradients import edge_attribution_patching
from weightsmith.inspect.edges import live_edges
from weightsmith.programs import CompiledProgram, exact_values
from weightsmith.programs.values import presented

pytest.importorskip("torch")


def wrong(P: CompiledProgram, given: list[list[Any]]) -> list[Any]:
    """Return the inputs on which weights and interpreter differ."""
    said = ws.outputs(P.transformer, [P.read(one) for one in given])
    return [
        tokens
        for tokens, answers in zip(given, said, strict=True)
        if P.said(answers) != [presented(value) for value in exact_values(P.program, tokens)]
    ]


def test_there_are_25() -> None:
    assert len(PROGRAMS) == 25


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_outputs_are_right_on_all_short_inputs_and_on_1000_longer_ones(name: str) -> None:
    P, draw = compiled(name), Random(name)
    every = [list(one) for n in range(1, 7) for one in product(P.vocabulary, repeat=n)]
    longer = [[draw.choice(P.vocabulary) for _ in range(draw.randrange(7, P.max_length + 1))] for _ in range(1000)]
    assert wrong(P, every + longer) == []
    margins = P.proof.margins  # type: ignore[attr-defined]
    assert margins["float32"] >= 1 / 8


@pytest.mark.one_in(5)
@pytest.mark.parametrize("name", PROGRAMS)
def test_every_live_edge_has_a_gradient_on_some_pair(name: str) -> None:
    T = compiled(name).transformer
    live, _ = live_edges(T, 4)
    scores = edge_attribution_patching(T, pairs_of(compiled(name), 60, 8), towards="zero")
    assert live
    assert [str(one.edge) for one in live if not scores[one.edge] > 0] == []


def test_without_gradients_most_live_edges_have_none() -> None:
    P = compiled("hist", gradients=False)
    live, _ = live_edges(P.transformer, 4)
    scores = edge_attribution_patching(P.transformer, pairs_of(P, 60, 8), towards="zero")
    found = [str(one.edge) for one in live if scores[one.edge] > 0]
    assert len(live) == 12
    assert found == ["blocks.1.mlp → unembed"]
