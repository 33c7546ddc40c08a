"""Normal forms: what the last vector holds, that both lowerings agree, what they cost, and that ties stay ties."""

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import weightsmith as ws
from tests.rewrites.models import ARITHMETICS, WITHOUT_EXP, inputs, transformers, witness
from weightsmith.arithmetic import Arithmetic, multiplications_to_infinity
from weightsmith.rewrites.normal_forms import growing_blocks

few = settings(max_examples=8)
FORMS: dict[str, Any] = {"zero-one": ws.zero_one_form, "infinity": ws.infinity_form, "signed": ws.signed_infinity_form}


def wanted(form: str, T: ws.Transformer, tokens: list[str]) -> tuple[list[Fraction], str]:
    """Return what the first lanes of the last vector must hold, and the decision, by the evaluator with fractions."""
    before = witness(T, tokens)
    infinity, yes = Fraction(T.arithmetic.infinity), before.decision == T.classes[1]
    vectors = {
        "zero-one": before.logits,
        "infinity": [Fraction(1), infinity if yes else Fraction(0)],
        "signed": [-infinity, infinity] if yes else [infinity, -infinity],
    }
    return vectors[form], before.decision


def assert_form(form: str, T: ws.Transformer, U: ws.Transformer, tokens: list[str], end: list[str]) -> None:
    first, decision = wanted(form, T, tokens)
    after = witness(U, [*tokens, *end])
    flags = {U.lanes.index(flag) for flag in U.flags}
    last = [value for j, value in enumerate(after.stream[-1][-1]) if j not in flags]
    assert last == [*first, *[Fraction(0)] * (len(last) - len(first))]
    assert after.decision == decision
    assert after.logits == first, "the output is the identity on the first lanes"


@few
@given(transformers(), st.sampled_from(list(FORMS)))
def test_the_last_vector_is_in_form_and_every_decision_is_kept(T: ws.Transformer, form: str) -> None:
    U = FORMS[form](T)
    for tokens in inputs():
        assert_form(form, T, U, tokens, [])


@few
@given(transformers(tuple(A for A in ARITHMETICS if A not in WITHOUT_EXP)), st.sampled_from(list(FORMS)))
def test_the_attention_lowering_does_the_same_at_the_end_token(T: ws.Transformer, form: str) -> None:
    for length in (1, 2, 3):
        U = FORMS[form](T, lowering="attention", length=length)
        assert U.vocabulary == ("a", "b", "END")
        for tokens in inputs(up_to=length):
            if len(tokens) == length:
                assert_form(form, T, U, tokens, ["END"])


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("A", [A for A in ARITHMETICS if A not in WITHOUT_EXP], ids=str)
@pytest.mark.one_in(6)
def test_both_lowerings_agree_on_every_input(A: Arithmetic, form: str) -> None:
    T = ws.random_transformer("ab", 3, 2, 1, 3, 4, A, seed=11)
    by_layers = FORMS[form](T)
    for length in range(1, 5):
        by_heads = FORMS[form](T, lowering="attention", length=length)
        all_inputs = [tokens for tokens in inputs() if len(tokens) == length]
        ended = [[*tokens, "END"] for tokens in all_inputs]
        assert ws.decisions(by_layers, all_inputs) == ws.decisions(by_heads, ended) == ws.decisions(T, all_inputs)
        for tokens, more in zip(all_inputs, ended, strict=True):
            assert np.array_equal(ws.run(by_layers, tokens).logits, ws.run(by_heads, more).logits)


def saturating_and_tying() -> ws.Transformer:
    """Build a model whose logits saturate on "a…" and tie on "b…"."""
    A = ws.Fixed(2, 2)
    embedding = np.array([[3.75, 3.75], [1.0, 0.0]])
    return ws.Transformer(A, "ab", ["p", "q"], embedding, None, (), np.array([[3.0, -3.75], [3.0, 3.0]]))


def test_the_zero_one_form_keeps_logits_that_saturate_or_tie_bit_for_bit() -> None:
    T = saturating_and_tying()
    U = ws.zero_one_form(T)
    assert ws.run(T, "a").logits.tolist() == [0.0, 3.75], "3.75 ⊗ 3 saturates, and so does the sum"
    assert ws.run(T, "b").logits.tolist() == [3.0, 3.0]
    for tokens in ("a", "b", "ab", "ba"):
        assert np.array_equal(ws.run(U, tokens).logits, ws.run(T, tokens).logits)
        assert ws.run(ws.infinity_form(T), tokens).decision == ws.run(T, tokens).decision
    assert ws.run(ws.infinity_form(T), "b").logits.tolist() == [1.0, 0.0], "a tie stays NO"


def test_the_zero_one_form_takes_any_number_of_classes() -> None:
    T = ws.random_transformer("ab", 3, 2, 1, 3, 4, classes=("x", "y", "z"), seed=2)
    for U in (ws.zero_one_form(T), ws.zero_one_form(T, lowering="attention", length=3)):
        assert U.lanes[:3] == ("x", "y", "z")
        end = ["END"] if "END" in U.vocabulary else []
        for tokens in inputs(up_to=3):
            if len(tokens) == 3:
                assert_form("zero-one", T, U, tokens, end)


@pytest.mark.parametrize("A", [*ARITHMETICS, ws.Float.like("float16"), ws.Fixed(1, 1)], ids=str)
def test_forms_cost_one_block_and_one_for_each_multiplication(A: Arithmetic) -> None:
    T = ws.random_transformer("ab", 2, 1, 1, 1, 3, A)
    assert len(ws.zero_one_form(T).blocks) == len(T.blocks) + 1
    needed, growing = multiplications_to_infinity(A), growing_blocks(A)
    assert growing is not None
    assert needed is None or growing <= needed
    assert len(ws.infinity_form(T).blocks) == len(T.blocks) + 1 + growing
    assert len(ws.signed_infinity_form(T).blocks) == len(T.blocks) + 2 + growing


def test_one_multiplication_fewer_gives_a_wrong_last_vector() -> None:
    """The number is computed, not guessed: without the last growing block a small difference is not yet ∞."""
    A = ws.Float(3, 3)
    T = ws.Transformer(A, "a", ["p"], np.array([[1.0]]), None, (), np.array([[0.0], [A.smallest]]))
    U = ws.infinity_form(T)
    assert ws.run(U, "a").logits.tolist() == [1.0, A.infinity]
    assert ws.run(replace(U, blocks=U.blocks[:-1]), "a").logits.tolist() == [1.0, 3.0]


def test_flags_survive_every_form() -> None:
    T = ws.flag(ws.random_transformer("ab", 2, 1, 1, 2, 4), "mine", [0, 2])
    for form in FORMS.values():
        for U in (form(T), form(T, lowering="attention", length=3)):
            stream = ws.run(U, ["a", "b", "a", *(["END"] if "END" in U.vocabulary else [])]).stream
            lane = U.lanes.index("mine")
            assert U.flags == ("mine",)
            assert stream[:, :3, lane].tolist() == [[1.0, 0.0, 1.0]] * len(stream)


def test_forms_of_forms_are_forms() -> None:
    T = ws.random_transformer("ab", 2, 1, 1, 2, 4)
    U = ws.infinity_form(ws.signed_infinity_form(ws.zero_one_form(T)))
    for tokens in inputs():
        assert_form("infinity", T, U, tokens, [])


@pytest.mark.parametrize("count", [300, pytest.param(10_000, marks=pytest.mark.long)])
def test_a_trained_looking_model_keeps_every_decision_on_many_inputs(count: int) -> None:
    """16 lanes, 4 blocks, 4 heads in float16, eight tokens."""
    A = ws.Float.like("float16")
    T = ws.random_transformer("abcdefgh", 16, 4, 4, 16, 5, A, seed=8, weighting=ws.Softmax(shifted=True))
    random = np.random.default_rng(9)
    samples = [["abcdefgh"[k] for k in random.integers(0, 8, 3 + n % 3)] for n in range(count)]
    before = ws.decisions(T, samples)
    assert count // 10 < before.count("YES") < count - count // 10
    for form in FORMS.values():
        assert ws.decisions(form(T), samples) == before
