"""Compiled languages: what they decide, their sizes, certificates, arithmetics, and faults in their weights."""

import pickle
import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import product
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.programs.regex.drawn import automaton
from tests.verifying.certificates import models_of
from tests.witness.runs import witness_run
from weightsmith import Fixed, Float, verify
from weightsmith.automata import Automaton
from weightsmith.automata import compile_regex as automaton_of
from weightsmith.errors import InputError, LawError
from weightsmith.programs import CompiledLanguage, NotStarFreeError, compile_regex
from weightsmith.programs.regex import compiled
from weightsmith.programs.regex.cascade import Cascade, cascade_of
from weightsmith.programs.regex.turns import cyclic

EXPRESSIONS = [
    ("(a|b)*ab", "ab"),
    ("(ab)*", "ab"),
    ("a(b|c)*a|b", "abc"),
    ("(ab|ba)*", "ab"),
    ("(a|b)*(aab|bba)(a|b)*", "ab"),
    ("a*b*c*", "abc"),
]


def inputs(letters: str, up_to: int) -> Iterator[str]:
    return ("".join(word) for n in range(1, up_to + 1) for word in product(letters, repeat=n))


@pytest.mark.one_in(4)
@pytest.mark.parametrize(("text", "letters"), EXPRESSIONS)
@pytest.mark.parametrize("form", [None, "fixed(1,0)", "fixed(4,4)", "float(2,2)"])
def test_a_language_is_decided_as_re_decides_it_also_by_exact_fractions(text: str, letters: str, form: str) -> None:
    P = compile_regex(text, letters, None if form is None else ws.parse_arithmetic(form))
    assert P.verdict.holds
    assert P.verdict.scope == "all lengths"
    for word in inputs(letters, 4):
        wanted = re.fullmatch(text, word) is not None
        assert P(word) == P.means(word) == wanted
        assert witness_run(P, list(word)).decision == ("YES" if wanted else "NO")


def test_every_smallest_arithmetic_is_as_small_as_possible_without_opposite_lanes() -> None:
    assert str(compile_regex("(ab|ba)*", "ab").arithmetic) == "fixed(2,0)"
    narrow = compile_regex("(ab|ba)*", "ab", Fixed(1, 0))
    assert len(narrow.lanes) > len(compile_regex("(ab|ba)*", "ab").lanes)
    with pytest.raises(LawError, match=r"fixed\(0,4\) lacks the number 1.*write arithmetic=Fixed\(2, 0\)"):
        compile_regex("(ab|ba)*", "ab", Fixed(0, 4))


def test_a_language_is_a_transformer_among_others(tmp_path: Path) -> None:
    P = compile_regex("(a|b)*ab", "ab")
    assert isinstance(P, ws.Transformer)
    assert not P.positions
    assert P.mask == "causal"
    ws.save(P, tmp_path / "m")
    assert ws.load(tmp_path / "m") == P.transformer
    assert ws.run(P, "aab").decision == "YES"
    assert ws.check.same_decisions(P, ~~P).holds
    again = pickle.loads(pickle.dumps(P))
    assert again.source == P.source == "(a|b)*ab"
    with pytest.raises(InputError, match="compile the language again"):
        replace(P, provenance=()).certificate()


def test_the_certificate_is_replayed_and_accepted_by_the_independent_checker() -> None:
    P = compile_regex("a(b|c)*a|b", "abc")
    data = P.certificate()
    assert (data["claim"], data["verdict"]) == ("recognizes", "proved, all lengths")
    assert ws.check.replay(data, [P]).agrees
    theorem = verify.check(models_of([P.transformer]), data)
    assert "all lengths" in str(theorem)
    assert not hasattr(compile_regex("a*", "ab", prove=False), "_verdict")
    assert compile_regex("a*", "ab", prove=False).certificate()["holds"]


@pytest.mark.parametrize(
    ("text", "letters", "blocks"),
    [("(a|b)*", "ab", 0), ("a{0}", "ab", 0), ("a*", "a", 0), ("a+", "a", 0), ("a|aa", "a", 2), ("(a|b)*a", "ab", 0)],
)
def test_trivial_languages_need_few_blocks(text: str, letters: str, blocks: int) -> None:
    P = compile_regex(text, letters)
    assert P.verdict.holds
    assert len(P.blocks) == blocks


def test_tokens_may_have_several_characters() -> None:
    P = compile_regex("(cat dog )*cat", ["cat", "dog"])
    assert P("cat dog cat")
    assert P(["cat"])
    assert not P("dog")
    assert not P(["cat", "cat"])
    with pytest.raises(NotStarFreeError, match="whether n times dog belongs to it depends on n modulo 2"):
        compile_regex("(dog dog )*dog dog", ["cat", "dog"])


def test_an_automaton_is_compiled_as_its_expression_is() -> None:
    plain = automaton_of("(a|b)*ab", ("a", "b"))
    assert plain is not None
    P = compile_regex(Automaton(plain.table, plain.accepting, vocabulary="ab"))
    assert P.transformer == compile_regex("(a|b)*ab", "ab").transformer
    assert compile_regex(plain, "xy")("yxy")
    assert compile_regex(ws.automaton(P)).transformer == P.transformer


def faults(P: CompiledLanguage, dice: Random, count: int) -> Iterator[ws.Transformer]:
    """Yield copies with one weight changed to another member."""
    T, values = P.transformer, [-1.0, 0.0, 1.0]
    for _ in range(count):
        n = dice.randrange(len(T.blocks))
        block = T.blocks[n]
        if block.feed_forward is not None and dice.random() < 0.5:
            name = dice.choice(["W_1", "b_1", "W_2"])
            array = np.array(getattr(block.feed_forward, name))
            _change(array, dice, values)
            changed = replace(block, feed_forward=_with(block.feed_forward, name, array))
        else:
            assert block.attention is not None
            (head, *rest), name = block.attention.heads, dice.choice(["W_K", "W_V", "W_O"])
            array = np.array(getattr(head, name))
            _change(array, dice, values)
            heads = (_with(head, name, array), *rest)
            changed = replace(block, attention=replace(block.attention, heads=heads))
        yield replace(T, blocks=(*T.blocks[:n], changed, *T.blocks[n + 1 :]))


def _with(part: Any, name: str, array: np.ndarray) -> Any:
    return replace(part, **{name: array})


def _change(array: np.ndarray, dice: Random, values: list[float]) -> None:
    places = np.argwhere(array) if array.any() and dice.random() < 0.7 else np.argwhere(array == array)
    place = tuple(places[dice.randrange(len(places))])
    array[place] = dice.choice([value for value in values if value != array[place]])


def test_planted_faults_are_refuted_by_a_true_counterexample_or_change_nothing() -> None:
    dice, found = Random(5), 0
    for text, letters in EXPRESSIONS[2:5]:
        P = compile_regex(text, letters)
        for T in faults(P, dice, 12):
            verdict = ws.check.recognizes(T, text)
            if verdict.holds is False:
                word = str(verdict.counterexample)
                assert (witness_run(T, list(word)).decision == "YES") != (re.fullmatch(text, word) is not None)
                found += 1
            else:
                assert all((ws.run(T, w).decision == "YES") == P.means(w) for w in inputs(letters, 4))
    assert found > 20


def test_a_wrong_table_of_the_compiler_does_not_get_past_the_proof(monkeypatch: pytest.MonkeyPatch) -> None:
    def wrong(*given: Any) -> Cascade:
        found = cascade_of(*given)
        return replace(found, decision=replace(found.decision, products=found.decision.products[:-1]))

    monkeypatch.setattr(compiled, "cascade_of", wrong)
    with pytest.raises(AssertionError, match="the compiled weights are wrong on"):
        compile_regex("(a|b)*(aab|bba)(a|b)*", "ab")


@pytest.mark.parametrize(
    ("text", "letters", "up_to"),
    [("(aa)*", "ab", 20), ("(aaa)*", "a", 63), ("((a|b)(a|b))*c", "abc", 12), ("(a|b)*b(aa)*", "ab", 12)],
)
def test_cyclic_groups_are_counted_up_to_a_length(text: str, letters: str, up_to: int) -> None:
    P = compile_regex(text, letters, up_to=up_to)
    assert P.up_to == up_to
    assert P.verdict.holds
    assert P.verdict.up_to == up_to
    assert all(witness_run(P, list(word)).decision == ("YES" if re.fullmatch(text, word) else "NO")
               for word in inputs(letters, 4))  # fmt: skip
    assert compile_regex("a*", "ab", up_to=up_to).up_to is None  # star-free: at every length


def test_counts_that_do_not_fit_are_refused_by_number() -> None:
    with pytest.raises(LawError, match=r"fixed\(4,4\) lacks the number 16, which counts up to length 40 needs"):
        compile_regex("(aa)*", "ab", Fixed(4, 4), up_to=40)
    assert compile_regex("(aa)*", "ab", Fixed(4, 4), up_to=12).verdict.holds
    assert compile_regex("(aa)*", "ab", Float.like("float16"), up_to=7).verdict.holds


def test_groups_that_are_not_cyclic_become_chains() -> None:
    assert cyclic({(1, 0, 2), (0, 2, 1)}) is None
    swap, turn = [1, 0, 2, 3, 4], [1, 2, 0, 3, 4]
    S3 = automaton([list(pair) for pair in zip(swap, turn, strict=True)], [True, *[False] * 4], "ab")
    with pytest.raises(NotStarFreeError, match="not cyclic.*write up_to=6, chain=True"):
        compile_regex(S3, up_to=6)
    C = compile_regex(S3, up_to=6, chain=True)
    assert ws.check.recognizes(C, S3, up_to=6).holds
    assert C.certificate().lemmas
