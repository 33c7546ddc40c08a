"""Every activation, rule inside attention and bias equals the independent evaluator."""

from collections import Counter
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.kernels.comparison import counting
from tests.kernels.kinds import ACTIVATIONS, FULL, RULES, kind_of_model
from tests.semantics.witnessed import assert_equals_witness
from weightsmith import Alibi, Fixed, PositionTable, Relative, Rotary, Sinusoidal, parse_arithmetic, run
from weightsmith.model import added

FORMS = ("fixed(4,4)", "fixed(2,3,ties=even)", "float(3,3)", "e4m3(ties=away)", "fixed(0,4)")
INPUTS = (["b"], ["a", "b", "b", "a"])


@pytest.mark.one_in(2)
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("form", FORMS)
def test_every_rule_inside_attention_equals_the_exact_evaluation(
    form: str, mask: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    A, counts = parse_arithmetic(form), Counter[str]()
    for n, rule in enumerate(RULES if mask == "causal" else FULL):
        T = kind_of_model(A, n, rule, heads=1 + n % 3, mask=mask)
        with counting(counts, monkeypatch):
            assert_equals_witness(T, INPUTS[1])
    assert counts["saturated"] > 50, counts
    assert counts["ties"] > 50, counts


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("form", FORMS)
def test_every_activation_and_bias_equals_the_exact_evaluation(form: str, activation: str) -> None:
    heads = (FORMS.index(form) + ACTIVATIONS.index(activation)) % 3
    T = kind_of_model(parse_arithmetic(form), heads, "none", activation, heads=heads)
    for tokens in INPUTS:
        assert_equals_witness(T, tokens)


@pytest.mark.parametrize("activation", ["gelu", "swiglu"])
def test_tied_transformers_equal_the_exact_evaluation(activation: str) -> None:
    for rule in ("halves", "relative values"):
        T = kind_of_model(Fixed(4, 4), 2, rule, activation, tied=True)
        assert T.output is T.embedding or np.array_equal(T.output, T.embedding)
        assert T.classes == T.vocabulary
        for tokens in INPUTS:
            assert_equals_witness(T, tokens)


def test_the_models_have_rules_with_tables_with_sinusoids_and_alone() -> None:
    kinds = Counter(type(added(kind_of_model(Fixed(4, 4), n, rule).positions)) for n, rule in enumerate(RULES))
    assert set(kinds) == {type(None), PositionTable, Sinusoidal}


def test_turning_everything_by_the_same_number_of_positions_leaves_the_scores_of_float64_alone() -> None:
    """What rotary positions are for: a score depends on the distance only. Cosines are rounded, so not bit for bit."""
    A = parse_arithmetic("float64")
    T = kind_of_model(A, 0, "halves", heads=1, loudness=0.0)
    T = replace(T, positions=Rotary(base=7.0))
    scores = run(T, "aaaaaaaa").scores[0][0]
    for distance in range(8):
        diagonal = np.diagonal(scores, -distance)
        assert np.abs(diagonal - diagonal[0]).max() < 1e-12 * max(1, np.abs(scores).max())
    assert len({round(float(x), 6) for x in scores[-1]}) == 8


def test_alibi_without_slopes_has_those_of_the_paper() -> None:
    assert [Alibi().of_head(h, 8).slopes for h in range(8)] == [(2.0**-n,) for n in range(1, 9)]


def test_the_last_row_of_relative_positions_serves_every_distance_from_there_on() -> None:
    T = kind_of_model(Fixed(4, 4), 1, "relative values")
    rule = T.attention_positions
    assert isinstance(rule, Relative)
    assert rule.values is not None
    longer = Relative(*(np.vstack([x, x[-1:], x[-1:]]) for x in (rule.keys, rule.values)))
    longer_T = replace(T, positions=tuple(p for p in (added(T.positions), longer) if p is not None))
    assert np.array_equal(run(T, "abbabbaa").stream, run(longer_T, "abbabbaa").stream)
