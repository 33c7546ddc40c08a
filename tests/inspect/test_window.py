"""Generation past the context: the last tokens that it holds are seen, and nothing else."""

from dataclasses import replace
from typing import Any

import pytest

import weightsmith as ws
from tests.kernels.kinds import kind_of_model
from weightsmith import Fixed, Native, Softmax

CONTEXT, STEPS = 5, 14
POSITIONS: dict[str, Any] = {
    "table": None,  # the model's own
    "sinusoids": ws.Sinusoidal(CONTEXT),
    "sinusoids and rotations": (ws.Sinusoidal(CONTEXT), ws.Rotary()),
}


def speaker(positions: str, seed: int, A: Any, mask: Any = "causal") -> ws.Transformer:
    T = ws.random_transformer(
        "abcd", 6, 2, 2, 6, CONTEXT, A, seed, classes=("c", "a", "d", "b"), weighting=Softmax(True), mask=mask
    )
    return T if positions == "table" else replace(T, positions=POSITIONS[positions])


PROMPTS = {"shorter": "ab", "as long": "abcda", "longer": "abcdabcdd"}


@pytest.mark.parametrize(
    ("cache", "length"),
    [
        *((True, length) for length in PROMPTS),
        (False, "shorter"),
        *(pytest.param(False, length, marks=pytest.mark.long) for length in ("as long", "longer")),
    ],
)
@pytest.mark.one_in(3)
@pytest.mark.parametrize("positions", POSITIONS)
def test_each_token_is_the_decision_on_the_last_tokens_that_the_context_holds(
    positions: str, cache: bool, length: str
) -> None:
    said, prompt = set(), PROMPTS[length]
    for A in (Fixed(4, 4), Native("float64")):
        for seed in range(3):
            T, text = speaker(positions, seed, A), prompt
            assert T.max_length == CONTEXT
            for token in ws.generate(T, prompt, STEPS, cache=cache, slide=True):
                assert token == ws.run(T, text[-CONTEXT:]).decision
                text += token
            assert len(text) == len(prompt) + STEPS
            said.add(text[len(prompt) :])
    assert len(said) > 3  # the models do not all say the same


def test_without_a_causal_mask_the_window_is_the_same() -> None:
    T, text = speaker("table", 1, Fixed(4, 4), mask="full"), "ab"
    for token in ws.generate(T, "ab", STEPS, slide=True):
        assert token == ws.run(T, text[-CONTEXT:]).decision
        text += token


@pytest.mark.parametrize("positions", POSITIONS)
def test_tokens_that_are_drawn_past_the_context_are_the_same_with_and_without_the_cache(positions: str) -> None:
    T = speaker(positions, 2, Fixed(4, 4))
    how: dict[str, Any] = {"temperature": 4.0, "seed": 3, "top_k": 3}
    drawn = list(ws.generate(T, "ab", 3 * CONTEXT, slide=True, **how))
    assert drawn == list(ws.generate(T, "ab", 3 * CONTEXT, cache=False, slide=True, **how))
    assert len(set(drawn)) > 1


def test_past_the_context_the_tokens_before_the_window_change_nothing() -> None:
    T = speaker("table", 0, Fixed(4, 4))
    assert list(ws.generate(T, "aaaa" + "bcdab", STEPS, slide=True)) == list(ws.generate(T, "bcdab", STEPS, slide=True))


def test_a_transformer_of_any_length_still_sees_everything() -> None:
    T = replace(kind_of_model(Fixed(4, 4), 4, "none", weighting=Softmax(True)), positions=None, classes=("b", "a"))
    assert T.max_length is None
    text = "ab"
    for token in ws.generate(T, "ab", 20):
        assert token == ws.run(T, text).decision
        text += token


@pytest.mark.parametrize("positions", POSITIONS)
def test_a_text_that_leaves_the_context_is_refused_at_once(positions: str) -> None:
    T = speaker(positions, 0, Fixed(4, 4))
    assert len(list(ws.generate(T, "ab", CONTEXT - 1))) == CONTEXT - 1  # the last token is not read
    with pytest.raises(ws.InputError, match=r"at most 4 more tokens can be generated; write slide=True to see only"):
        ws.generate(T, "ab", CONTEXT)
    with pytest.raises(ws.InputError, match=r"holds 5 tokens and the text has 6, so a shorter text is needed"):
        ws.generate(T, "abcdab", 1)


def test_no_steps_give_no_token_however_long_the_text() -> None:
    assert list(ws.generate(speaker("table", 0, Fixed(4, 4)), "a" * 50, 0)) == []


def test_the_context_of_one_token_is_the_last_token() -> None:
    T = ws.random_transformer("abc", max_length=1, tied=True, seed=2)
    text = "a"
    for token in ws.generate(T, "a", 6, slide=True):
        assert token == ws.run(T, text[-1]).decision
        text += token


@pytest.mark.parametrize("ask", [lambda T: ws.next_token(T, "01"), lambda T: ws.generate(T, "01", 3)])
def test_the_next_token_of_a_classifier_is_refused(ask: Any) -> None:
    with pytest.raises(
        ws.ModelError, match="needs classes that are tokens, and NO, YES is not in the vocabulary: `run` says"
    ):
        ask(ws.library.contains("1"))
