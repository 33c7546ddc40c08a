"""Formulas with words are answered with symbols, and Python's own words are refused."""

import pytest

import weightsmith as ws
from weightsmith.composition.formula import compose

F, C = ws.library.contains("1"), ws.library.contains("0")

WORDS = {
    "F and not C": "F & ~C",
    "NOT F Or C": "~F | C",
    "F xor (not(C) and F)": "F ^ (~(C) & F)",
    "not  not F": "~~F",
    "F & not C": "F & ~C",
    "f and": "f &",
    "and": "&",
}


@pytest.mark.parametrize("formula", WORDS)
def test_words_in_a_formula_are_answered_with_the_formula_in_symbols(formula: str) -> None:
    with pytest.raises(ws.InputError) as caught:
        compose(formula, {"F": F, "C": C})
    assert f"the formula {formula!r} has the word " in str(caught.value)
    assert str(caught.value).endswith(f": write {WORDS[formula]!r}")


def test_the_answer_is_a_formula_that_means_what_was_meant() -> None:
    assert compose(WORDS["F and not C"], {"F": F, "C": C}) == F & ~C


def test_names_that_only_begin_like_words_are_names() -> None:
    assert compose("android & ~nothing | Orca", {"android": F, "nothing": C, "Orca": F}) == F & ~C | F


@pytest.mark.parametrize(
    "wrong", [lambda: F and not C, lambda: F or C, lambda: not F, lambda: bool(F), lambda: 1 if F else 0]
)
def test_a_transformer_is_no_truth_value(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(TypeError, match=r"a transformer is not a truth value: write S & T, S \| T, ~T instead of and"):
        wrong()
