"""Runs equal the independent evaluator: every value of every stream, weight, activation and logit."""

import ast
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import tests.witness
from tests.arithmetic.systems import TIES, tied
from tests.semantics.witnessed import NORMS, WEIGHTINGS, assert_equals_witness
from weightsmith import (
    Relative,
    parse_arithmetic,
    random_transformer,
    run,
)
from weightsmith.model import Norm, Weighting

FORMS = ("fixed(2,3)", "fixed(4,4)", "float(3,3)", "float(4,3)", "float(2,4)", "fixed(0,4)")


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("weighting", WEIGHTINGS, ids=repr)
@pytest.mark.parametrize("ties", TIES)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.one_in(3)
def test_a_run_equals_the_exact_evaluation(form: str, ties: str, weighting: Weighting, mask: str) -> None:
    for seed in range(2):
        T = random_transformer(
            "ab", lanes=3, blocks=2, heads=2, neurons=3, max_length=4, seed=seed,
            arithmetic=parse_arithmetic(tied(form, ties)), weighting=weighting, mask=mask,  # type: ignore[arg-type]
        )  # fmt: skip
        for tokens in (["a"], ["b", "a", "a"], ["b", "b", "a", "b"]):
            assert_equals_witness(T, tokens)


def test_the_cases_above_really_saturate_tie_and_leave_softmaxes_empty() -> None:
    """Count, so that the comparison cannot pass on easy values only."""
    saturated = different_ties = empty = 0
    for form in FORMS:
        streams = {}
        for ties in TIES:
            A = parse_arithmetic(tied(form, ties))
            T = random_transformer("ab", 3, 2, 2, 3, 4, A, seed=1)
            found = run(T, "bbab")
            streams[ties] = found.stream
            saturated += int((np.abs(found.stream) == A.infinity).sum())
            empty += found.empty_softmax
        different_ties += int((streams["zero"] != streams["away"]).sum())
    assert saturated > 20
    assert different_ties > 20
    assert empty > 0


@pytest.mark.parametrize("placement", ["pre", "post", "parallel"])
@pytest.mark.parametrize("norm", NORMS, ids=["all lanes", "two lanes", "rms"])
@pytest.mark.parametrize("form", FORMS[:5])  # gains of 1 are no members of the last
def test_norms_equal_the_exact_evaluation(form: str, norm: Norm, placement: Literal["pre", "post", "parallel"]) -> None:
    A, parallel = parse_arithmetic(form), placement == "parallel"
    T = random_transformer("ab", 3, 2, 1, 3, 4, A, seed=3, parallel=parallel)
    where = "pre" if placement == "parallel" else placement
    blocks = tuple(
        replace(block, attention_norm=norm, feed_forward_norm=norm, norm_placement=where) for block in T.blocks
    )
    T = replace(T, blocks=blocks, final_norm=norm, output_bias=A.round([0.3, -0.3]))
    for tokens in (["a"], ["b", "a", "b"]):
        assert_equals_witness(T, tokens)


@pytest.mark.parametrize("form", FORMS)
def test_relative_positions_equal_the_exact_evaluation(form: str) -> None:
    A = parse_arithmetic(form)
    T = random_transformer("ab", 3, 2, 2, 3, 4, A, seed=4)
    keys = A.round(np.random.default_rng(4).normal(size=(3, 3)))
    for tokens in (["a"], ["b", "a", "b", "b", "a"]):
        assert_equals_witness(replace(T, positions=Relative(keys)), tokens)
    assert not np.array_equal(
        run(replace(T, positions=Relative(keys)), "baba").stream, run(replace(T, positions=None), "baba").stream
    )


@settings(max_examples=60)
@given(
    form=st.sampled_from(FORMS),
    ties=st.sampled_from(TIES),
    weighting=st.sampled_from(WEIGHTINGS),
    mask=st.sampled_from(["causal", "full"]),
    sizes=st.tuples(*[st.integers(low, high) for low, high in ((1, 4), (0, 2), (0, 2), (0, 3))]),
    tokens=st.lists(st.sampled_from("abc"), min_size=1, max_size=4),
    seed=st.integers(0, 10**6),
    parallel=st.booleans(),
)
def test_runs_of_every_size_equal_the_exact_evaluation(
    form: str, ties: str, weighting: Weighting, mask: str, sizes: tuple[int, ...], tokens: list[str], seed: int,
    parallel: bool,
) -> None:  # fmt: skip
    lanes, blocks, heads, neurons = sizes
    T = random_transformer(
        "abc", lanes, blocks, heads, neurons, 4, parse_arithmetic(tied(form, ties)), seed,
        weighting=weighting, mask=mask, parallel=parallel,  # type: ignore[arg-type]
    )  # fmt: skip
    assert_equals_witness(T, tokens)


def test_every_short_input_of_a_small_model_equals_the_exact_evaluation() -> None:
    T = random_transformer("ab", 2, 1, 1, 2, 4, parse_arithmetic("float(3,3)"), seed=7)
    for length in range(1, 5):
        for tokens in product("ab", repeat=length):
            assert_equals_witness(T, list(tokens))


def test_the_witness_imports_nothing_of_weightsmith() -> None:
    folder = Path(tests.witness.__file__).parent
    for path in folder.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            names = [a.name for a in node.names] if isinstance(node, ast.Import) else []
            names += [node.module or ""] if isinstance(node, ast.ImportFrom) else []
            assert not any(name.startswith("weightsmith") for name in names), path
