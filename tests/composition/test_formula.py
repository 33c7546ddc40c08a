"""Formulas are read with Python's precedence into a tree; what is wrong with one is said, words with symbols."""

import inspect
import sys

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.composition import boolean
from weightsmith.composition.formula import Formula, Operation, names, read, truth_table
from weightsmith.composition.terms import sum_of_products

F, C = ws.library.contains("1"), ws.library.contains("0")
ALL = [text for n in range(1, 6) for text in (f"{k:0{n}b}" for k in range(2**n))]

WORDS = {
    "F and not C": "F & ~C",
    "NOT F Or C": "~F | C",
    "F xor (not(C) and F)": "F ^ (~(C) & F)",
    "not  not F": "~~F",
    "F & not C": "F & ~C",
    "f and": "f &",
    "and": "&",
}


def inverse(formula: Formula) -> Operation:
    return Operation("~", (formula,))


@pytest.mark.parametrize("formula", WORDS)
def test_words_in_a_formula_are_answered_with_the_formula_in_symbols(formula: str) -> None:
    with pytest.raises(ws.InputError) as caught:
        ws.compose(formula, F=F, C=C)
    assert f"the formula {formula!r} has the word " in str(caught.value)
    assert str(caught.value).endswith(f": write {WORDS[formula]!r}")


def test_the_answer_is_a_formula_that_means_what_was_meant() -> None:
    found = ws.compose(WORDS["F and not C"], F=F, C=C)
    assert ws.decisions(found, ALL) == ws.decisions(F & ~C, ALL)


def test_names_that_only_begin_like_words_are_names() -> None:
    found = ws.compose("android & ~nothing | Orca", android=F, nothing=C, Orca=F)
    assert ws.decisions(found, ALL) == ws.decisions(F & ~C | F, ALL)


TREES: dict[str, Formula] = {
    "S": "S",
    " ( S ) ": "S",
    "~~S": "S",
    "~(~(~S))": inverse("S"),
    "S | T ^ R & ~Q": Operation("|", ("S", Operation("^", ("T", Operation("&", ("R", inverse("Q"))))))),
    "~S & T ^ R | Q": Operation("|", (Operation("^", (Operation("&", (inverse("S"), "T")), "R")), "Q")),
    "S & (T | R)": Operation("&", ("S", Operation("|", ("T", "R")))),
    "S & T & (R & Q)": Operation("&", ("S", "T", "R", "Q")),
    "~(S & T)": inverse(Operation("&", ("S", "T"))),
    "~S|~T": Operation("|", (inverse("S"), inverse("T"))),
}


@pytest.mark.parametrize("text", TREES)
def test_a_formula_is_read_with_pythons_precedence(text: str) -> None:
    assert read(text) == TREES[text]


def test_the_truth_table_is_that_of_python() -> None:
    for text in ("S & ~T | R", "~(S ^ T) & (R | ~S)", "S ^ T ^ R", "~S | T & ~R ^ S"):
        used = names(read(text))
        for m, found in enumerate(truth_table(read(text), used).tolist()):
            given = {name: bool(m >> i & 1) for i, name in enumerate(used)}
            assert found == (eval(text, {}, given) & 1 == 1), (text, given)


WRONG = {
    "S &": "the formula 'S &' ends too early: a name is missing",
    "": "the formula '' ends too early: a name is missing",
    "(S &": "ends too early",
    "S T": "the formula 'S T' goes on after it is complete, with 'T'",
    "S ) & T": "goes on after it is complete, with ')'",
    "S ~T": "goes on after it is complete, with '~'",
    "(S T)": "has a bracket that is not closed",
    "((S)": "has a bracket that is not closed",
    "S & & T": "the formula 'S & & T' has '&' where a name must stand",
    "()": "has ')' where a name must stand",
    "S + T": "the formula 'S + T' has '+': write names, ~ & ^ | and brackets",
    "S.__class__": "has '.'",
    "~" * 600 + "S": "the formula has 601 characters, at most 500 are read",
    "S & R": "the formula 'S & R' has 'R', and the parts are S, T: write compose(…, R=…)",
}


@pytest.mark.parametrize("formula", WRONG)
def test_what_is_wrong_with_a_formula_is_said(formula: str) -> None:
    with pytest.raises(ws.InputError) as caught:
        ws.compose(formula, S=F, T=C)
    assert WRONG[formula] in str(caught.value)


def test_what_is_no_formula_and_no_transformer_is_refused() -> None:
    with pytest.raises(ws.InputError, match="the formula is 3: write a text, such as 'S & ~T'"):
        ws.compose(3, S=F)  # type: ignore[arg-type]
    with pytest.raises(ws.ModelError, match=r"T='model' is not a transformer: write T=load\("):
        ws.compose("S & T", S=F, T="model")  # type: ignore[arg-type]


def test_no_nesting_that_fits_into_a_formula_is_too_deep() -> None:
    assert read("(" * 249 + "S" + ")" * 249) == "S"
    assert read("~" * 499 + "S") == inverse("S")
    assert read("~(" * 160 + "S" + ")" * 160) == "S"
    deep = "S&(T|(" * 60 + "S" + "))" * 60
    assert truth_table(read(deep), ["S", "T"]).tolist() == [False, True, False, True]


def test_a_sum_of_products_is_the_function_and_no_term_can_be_left_out() -> None:
    random = np.random.default_rng(0)
    for count in range(1, 6):
        for _ in range(30):
            truth = random.random(1 << count) < random.random()
            terms = sum_of_products(truth)
            covers = [
                [
                    all(m >> i & 1 for i in t.positive) and not any(m >> i & 1 for i in t.negative)
                    for m in range(1 << count)
                ]
                for t in terms
            ]
            assert np.any(covers, axis=0).tolist() == truth.tolist() if terms else not truth.any()
            for left_out in range(len(terms)):
                fewer = [cover for i, cover in enumerate(covers) if i != left_out]
                assert not fewer or np.any(fewer, axis=0).tolist() != truth.tolist()


@pytest.mark.parametrize(
    "wrong", [lambda: F and not C, lambda: F or C, lambda: not F, lambda: bool(F), lambda: 1 if F else 0]
)
def test_a_transformer_is_no_truth_value(wrong: object) -> None:
    assert callable(wrong)
    with pytest.raises(TypeError, match=r"a transformer is not a truth value: write S & T, S \| T, ~T instead of and"):
        wrong()


def test_no_nesting_is_too_deep_for_python() -> None:
    text = "~(S|" * 99 + "T" + ")" * 99
    before = sys.getrecursionlimit()
    sys.setrecursionlimit(len(inspect.stack()) + 60)
    try:
        tree = read(text)
        assert names(tree) == ["S", "T"]
        found = truth_table(tree, ["S", "T"])
    finally:
        sys.setrecursionlimit(before)
    wanted = [False, False, True, True]  # T, and S in two rows each: ~(S | x) is not S and not x
    for _ in range(99):
        wanted = [not (s or x) for s, x in zip([False, True, False, True], wanted, strict=True)]
    assert found.tolist() == wanted


def test_many_parts_deep_in_each_other_are_refused_before_anything_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    letters = "abcdefghijkl"
    parts = {name: ws.library.contains_word(f"{k + 2:b}"[1:]) for k, name in enumerate(letters)}
    deep = "".join(f"~({letters[i % 12]}|" for i in range(99)) + "a" + ")" * 99
    monkeypatch.setattr(boolean, "infinity_form", None)
    with pytest.raises(ws.InputError, match="the formula has 12 parts, and more than 8 of them 182 deep in each other"):
        ws.compose(deep, **parts)


def test_many_parts_in_one_chain_are_cut_few_times(monkeypatch: pytest.MonkeyPatch) -> None:
    cut: list[int] = []

    def counted(formula: Operation, given: object, made: str) -> ws.Transformer:
        cut.append(len(formula.parts))
        return F

    monkeypatch.setattr(boolean, "_in_two", counted)
    letters = "abcdefghijklmnopqrstuvwxyz"
    parts = {name: ws.library.contains_word(f"{k + 2:b}"[1:]) for k, name in enumerate(letters)}
    assert ws.compose("&".join(letters), **parts) == F
    assert cut == [26]
