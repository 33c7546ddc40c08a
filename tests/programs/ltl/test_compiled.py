"""What is compiled: small, explained part by part, and only where the laws hold."""

from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.ltl.drawn import assert_three_ways_agree
from weightsmith.programs import compile_ltl
from weightsmith.programs.ltl import cubes
from weightsmith.programs.ltl.formulas import Token, temporal_depth
from weightsmith.programs.ltl.lowering import most_counted

MEANINGS = {  # by hand, at every position
    "Y a": ("abaa", [0, 1, 0, 1]),
    "O a": ("bbab", [0, 0, 1, 1]),
    "O< a": ("bbab", [0, 0, 0, 1]),
    "H a": ("aaba", [1, 1, 0, 0]),
    "H< a": ("aaba", [1, 1, 1, 0]),
    "a S b": ("abaaca", [0, 1, 1, 1, 0, 0]),
    "a S< b": ("abaaca", [0, 0, 1, 1, 1, 0]),
    "b S a": ("abcab", [1, 1, 0, 1, 1]),
    "!Y true": ("aba", [1, 0, 0]),
    "Y !a": ("aba", [0, 0, 1]),
    "true": ("ab", [1, 1]),
    "false S a": ("aba", [1, 0, 1]),
    "true S a": ("bab", [0, 1, 1]),
    "H false": ("ab", [0, 0]),
    "H< false": ("ab", [1, 0]),
    "O(a & Y b) | (!c S a)": ("cbacb", [0, 0, 1, 1, 1]),
}


@pytest.mark.one_in(2)
@pytest.mark.parametrize("soft", [False, True])
@pytest.mark.parametrize("form", ["fixed(1,0)", "fixed(4,4)", "float(4,3)"])
@pytest.mark.parametrize("text", MEANINGS)
def test_every_operator_means_what_its_definition_says(text: str, form: str, soft: bool) -> None:
    word, wanted = MEANINGS[text]
    P = compile_ltl(text, "abc", ws.parse_arithmetic(form), soft=soft)
    assert P(word) == [bool(holds) for holds in wanted]
    assert P.means(word) == P(word)
    assert_three_ways_agree(P, ["".join(each) for each in product("abc", repeat=4)])


@pytest.mark.parametrize("text", ["O(a & Y b) | (!c S a)", "H(a -> Y O(b & Y c)) & O< b", "(a S b) S (c S< a)"])
def test_there_are_as_many_blocks_as_it_is_deep_and_a_head_and_a_lane_for_each_operator(text: str) -> None:
    P = compile_ltl(text, "abc")
    T, operators = P.transformer, sum(text.count(sign) for sign in "YOHS")
    assert len(T.blocks) == temporal_depth(P.formula)
    heads = [head for block in T.blocks if block.attention for head in block.attention.heads]
    assert len(heads) == operators
    assert all(len(head.W_O.nonzero()[0]) == 1 for head in heads)
    assert (T.mask, T.positions, T.classes) == ("causal", None, ("NO", "YES"))


def test_equal_parts_are_there_once_and_what_is_decided_is_not_there() -> None:
    def heads(text: str) -> int:
        return sum(
            len(block.attention.heads) for block in compile_ltl(text, "ab").transformer.blocks if block.attention
        )

    assert heads("O a & O a") == heads("O a | !O a & O a") == heads("H !a") == 1
    assert heads("O a ^ H !a") == 0  # one is the opposite of the other
    assert heads("b & (O a ^ H !a)") == 0
    assert heads("O(a | b & !b) & O a & !H !a") == 1
    assert heads("(O a | !O a) & b") == 0
    assert heads("O a & O< a") == 2


def test_the_parts_say_what_of_the_formula_each_lane_head_and_neuron_is() -> None:
    P = compile_ltl("H(a -> Y b) & O c", "abc")
    T = P.transformer
    where = {part.where: part.formula for part in P.parts}
    assert where["block 0, head 0"] == "Y b"
    assert where["block 0, head 1"] == "O c"
    assert where["block 1, head 0"] == "O !(a -> Y b)"
    assert where["block 1, neuron 0"] == "H(a -> Y b) & O c"
    assert {f"lane {lane}" for lane in T.lanes} == {each for each in where if each.startswith("lane")}
    assert [block.origin for block in T.blocks] == [
        "head 0: Y b; head 1: O c; neurons: !(a -> Y b)",
        "head 0: O !(a -> Y b); neurons: H(a -> Y b) & O c",
    ]
    assert T.blocks[0].feed_forward is not None
    assert T.blocks[0].feed_forward.names == ("!(a -> Y b)",)
    assert T.provenance == ("compile_ltl('H(a -> Y b) & O c')",)
    assert [line.split() for line in str(P).splitlines() if "block 1, head 0" in line] == [
        ["block", "1,", "head", "0", "O", "!(a", "->", "Y", "b)"]
    ]
    assert (P.source, str(P.formula)) == ("H(a -> Y b) & O c", "H(a -> Y b) & O c")


@pytest.mark.parametrize(
    ("form", "counted"), [("fixed(1,0)", 1), ("fixed(2,2)", 3), ("fixed(4,4)", 15), ("float(4,3)", 8)]
)
def test_more_positive_literals_than_can_be_counted_are_read_from_complement_lanes(form: str, counted: int) -> None:
    A = ws.parse_arithmetic(form)
    assert most_counted(A) == counted
    tokens = "abcdefghijklmnopq"[: counted + 2]
    few, many = (
        compile_ltl(" & ".join(f"O {token}" for token in tokens[:n]), tokens, A) for n in (counted, counted + 1)
    )
    complements = [[lane for lane in P.transformer.lanes if lane.startswith("complement")] for P in (few, many)]
    assert list(map(len, complements)) == [0, 1]
    for P in (few, many):
        n = len(P.source.split("&"))
        assert P(tokens[:n])[-1] is True
        assert P(tokens[:n])[-2:-1] == [False][: n - 1]
        for left_out in range(n):
            assert P(tokens[:left_out] + tokens[left_out + 1 : n] + tokens[-1] * (n == 1))[-1] is False


LAWS = {
    "fixed(0,4)": ("O a", False, "1 ⊗ x = x' (unit product), which fails in fixed(0,4): 1 is not a member"),
    "float32": ("a S b", False, "(x ⊕ ∞) ⊕ ∞ = ∞' (saturation), which fails in float32"),
    "twos(4,4)": ("a S b", False, "symmetric"),
    "float(2,4)": ("O a", True, "exp(−∞) = 0' (exp of −∞), which fails in float(2,4)"),
    "fixed(0,6)": ("Y a", False, "unit product"),
}


@pytest.mark.parametrize("form", LAWS)
def test_an_arithmetic_without_the_laws_is_refused_by_name(form: str) -> None:
    text, soft, said = LAWS[form]
    A = ws.TwosComplement(4, 4) if form.startswith("twos") else ws.parse_arithmetic(form)
    with pytest.raises(ws.LawError) as refused:
        compile_ltl(text, "ab", A, soft=soft)
    assert said in str(refused.value)
    assert str(refused.value).endswith("write arithmetic=Fixed(4, 4)")


def test_only_the_laws_that_a_formula_needs_are_asked_for() -> None:
    assert compile_ltl("O(a & Y b)", "ab", ws.Native("float32"))("bab") == [False, True, True]
    assert compile_ltl("O a", "ab", ws.Float(2, 4))("bab") == [False, True, True]
    refused = "need exp(∞) = ∞ and ∞ ⊗ (1 ⊘ ∞) = 1"
    for A in map(ws.parse_arithmetic, ("float(3,8)", "fixed(12,0)")):
        try:
            assert compile_ltl("O a", "ab", A, soft=True)("bab") == [False, True, True]
        except ws.LawError as error:
            assert refused in str(error) or "exp" in str(error)  # noqa: PT017


def test_a_connective_with_too_many_cases_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cubes, "MOST_CUBES", 100)
    with pytest.raises(ws.InputError, match="falls into more than 100 cases, each a neuron: write a shorter one"):
        compile_ltl(" ^ ".join(f"O {token}" for token in "abcdefgh"), "abcdefgh")


def test_bad_arguments_are_refused_with_what_to_write() -> None:
    bad: list[tuple[Any, Any, dict[str, Any], str]] = [
        (3, "ab", {}, "3 is no formula"),
        ("a", "", {}, "vocabulary is empty"),
        ("a", "aa", {}, "vocabulary has a twice"),
        ("a", "ab", {"soft": 1}, "soft=1: write True or False"),
        (Token("c"), "ab", {}, "the formula speaks of c, which is no token of the vocabulary"),
    ]
    for formula, vocabulary, more, said in bad:
        with pytest.raises(ws.WeightsmithError, match=said):
            compile_ltl(formula, vocabulary, **more)


def test_long_formulas_and_strange_tokens_have_lanes_with_names(tmp_path: Path) -> None:
    text = "O(" + " & ".join(["Y a", "Y Y b", "Y Y Y a", "Y Y Y Y b", "O< a", "H< b", "a S b", "b S a", "a S< b"]) + ")"
    P = compile_ltl(text + ' | O "x y" | Y "\t"', ["a", "b", "x y", "\t"])
    assert all(lane.isprintable() for lane in P.transformer.lanes)
    ws.save(P.transformer, tmp_path / "model")
    loaded = ws.load(tmp_path / "model")
    assert loaded == P.transformer
    assert ws.outputs(loaded, [["a", "\t", "b"]]) == [("NO", "NO", "YES")]


def test_a_changed_weight_is_noticed() -> None:
    """The comparison of the three ways can fail."""
    P = compile_ltl("O(a & Y b)", "ab", ws.Fixed(2, 2))
    T = P.transformer
    attention = T.blocks[0].attention
    assert attention is not None
    heads = [replace(attention.heads[0], strict=False)]
    other = replace(T, blocks=[replace(T.blocks[0], attention=replace(attention, heads=heads)), *T.blocks[1:]])
    with pytest.raises(AssertionError):
        assert_three_ways_agree(replace(P, transformer=other), ["".join(each) for each in product("ab", repeat=4)])


def test_the_embedding_alone_decides_what_does_not_speak_of_the_past() -> None:
    P = compile_ltl("a | b & !a", "abc")
    assert len(P.transformer.blocks) == 0
    assert np.count_nonzero(P.transformer.embedding) == 1
    assert P("abc") == [True, True, False]
