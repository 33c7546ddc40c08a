"""The models of the gallery, run by the independent evaluator: every value is the same, and so is the answer."""

from collections.abc import Callable

import pytest
from benchmarks.gallery.latex import MODELS

import weightsmith as ws
from tests.semantics.witnessed import assert_equals_witness
from weightsmith.library import papers

INPUTS = {
    "log-depth": "aaa",
    "induction-head": "abab",
    "k-hop": "abab",
    "n-gram": "ab",
    "memories": "s1",
    "addition": "990250",
    "explosion": "10011",
    "circuits": "01=",
    "dyck": "(())",
    "first-parity": "1001",
    "machines": "ab=",
    "majority": "0110",
    "notes": "0010",
    "star-free": "bab",
}


@pytest.mark.parametrize("page", MODELS)
def test_a_model_of_the_gallery_runs_as_the_witness_runs_it(page: str) -> None:
    model = MODELS[page]()
    T = model.transformer if isinstance(model, ws.Chain) else model
    assert_equals_witness(T, tokens(INPUTS[page]))


def tokens(text: str) -> list[str]:
    return [text] if text.startswith("s") else list(text)


@pytest.mark.parametrize("A", [ws.Fixed(2, 0), ws.Float(4, 3)], ids=str)
def test_k_hops_and_log_depth_are_exact_in_narrow_arithmetics(A: ws.Arithmetic) -> None:
    build: list[tuple[Callable[[], ws.Transformer], str]] = [
        (lambda: papers.k_hop(3, 6, "ab", A), "ababab"),
        (lambda: papers.automaton_in_log_depth(papers.permutations([(1, 0, 2), (1, 2, 0)]), 6, A), "abbab"),
    ]
    for model, text in build:
        assert_equals_witness(model(), list(text))
