"""A claim about some inputs, each followed by a suffix: checked as `ws.run` says, and counted exactly."""

import re
from collections.abc import Sequence
from dataclasses import replace
from functools import cache
from itertools import product
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from tests.check.models import all_inputs, automaton, just
from weightsmith.automata import language
from weightsmith.check import Divergence, replay
from weightsmith.check.claim import Claim
from weightsmith.check.claims import FinalVectors, Recognizes
from weightsmith.check.engine import check_exhaustively
from weightsmith.check.examine import EMPTY_DIGEST, by_reference, examine
from weightsmith.check.frame import make_frame
from weightsmith.check.options import Options
from weightsmith.check.pair_claims import SameDecisions
from weightsmith.check.verdict import Verdict

END = ("END",)
FORMS = {"0-1": ws.zero_one_form, "∞": ws.infinity_form, "signed ∞": ws.signed_infinity_form}
Tokens = tuple[str, ...]


def model(vocabulary: Sequence[str] = "ab", seed: int = 0, **more: Any) -> ws.Transformer:
    return ws.random_transformer(vocabulary, lanes=3, blocks=1, neurons=3, max_length=6, seed=seed, **more)


def first_is(wrong: Sequence[Tokens], claimed: Sequence[Tokens], verdict: Verdict) -> None:
    """The verdict is that of brute force: the first wrong input, and how many were claimed up to it."""
    assert verdict.holds == (not wrong)
    if wrong:
        tokens = verdict.counterexample
        assert tokens is not None
        assert tuple(tokens) == wrong[0]
        assert verdict.inputs == claimed.index(wrong[0]) + 1
    else:
        assert verdict.inputs == len(claimed)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("length", [1, 2, 4])
@pytest.mark.parametrize(("vocabulary", "seed"), [("ab", 0), ("abc", 1), ("ab", 2)])
@pytest.mark.one_in(3)
def test_the_attention_lowering_decides_alike_with_END_after_each_input(
    form: str, length: int, vocabulary: str, seed: int, cut: Cut
) -> None:
    S = model(vocabulary, seed)
    T = FORMS[form](S, lowering="attention", length=length)
    inputs = list(product(vocabulary, repeat=length))
    assert [ws.run(S, x).decision for x in inputs] == [ws.run(T, [*x, *END]).decision for x in inputs]
    for columns in (1 << 16, len(vocabulary)):
        cut(columns)
        verdict = ws.check.same_decisions(S, T, suffix=END, length=length)
        assert verdict.holds
        assert verdict.inputs == len(inputs)
        assert ws.check.same_decisions(T, S, suffix=list(END), length=length, up_to=length).holds
        assert replay(verdict.to_json(), [S, T], sample=100).agrees
    if form == "0-1":
        assert ws.check.same_logits(S, T, suffix=END, length=length).holds


@pytest.mark.parametrize("word", ["aaaa", "abba", "bbbb"])
@pytest.mark.parametrize("columns", [1 << 16, 2])
def test_a_planted_fault_behind_END_is_found_on_its_input(word: str, columns: int, cut: Cut) -> None:
    S = model(seed=3)
    wrong = S ^ just(word, "ab", 6)
    T = ws.infinity_form(wrong, lowering="attention", length=4)
    cut(columns)
    verdict = ws.check.same_decisions(S, T, suffix=END, length=4, workers=2)
    inputs = list(product("ab", repeat=4))
    assert [x for x in inputs if ws.run(S, x).decision != ws.run(T, [*x, *END]).decision] == [tuple(word)]
    first_is([tuple(word)], inputs, verdict)
    said = [ws.run(S, word).decision, ws.run(T, [*word, *END]).decision]
    assert list(verdict.sides.values()) == said
    assert str(verdict).startswith(
        f"same decisions, each input followed by END, inputs of length 4: refuted by {word}, the first ("
    )
    again = replay(verdict.to_json(), [S, T], sample=100)
    assert again.agrees
    assert again.counterexample == word


def test_streams_of_different_lengths_part_where_they_differ() -> None:
    S = model(seed=4)
    embedding = S.embedding.copy()
    embedding[1, 2] += 1
    T = ws.zero_one_form(replace(S, embedding=embedding), lowering="attention", length=3)
    verdict = ws.check.same_logits(S, T, suffix=END, length=3)
    tokens = verdict.counterexample
    assert isinstance(tokens, str)
    first, second = ws.run(S, tokens), ws.run(T, [*tokens, *END])
    place, lane = tokens.index("b"), S.lanes[2]
    values = (float(first.stream[0, place, 2]), float(second.stream[0, place, T.lanes.index(lane)]))
    assert verdict.divergence == Divergence("embedding", None, place, lane, values)
    turned = ws.check.same_logits(T, S, suffix=END, length=3).divergence
    assert turned == Divergence("embedding", None, place, lane, values[::-1])


LANGUAGES: dict[str, Any] = {
    "a text": "a*b*",
    "a compiled expression": re.compile("A*b*", re.IGNORECASE),
    "an expression that no automaton decides": "a*b*(?<!x)",
    "an automaton": automaton([[0, 1], [2, 1], [2, 2]], [True, True, False]),
    "a function": lambda word: "ba" not in word,
}
SORTED = [x for x in all_inputs("ab", 6) if "ba" not in "".join(x)]


@cache
def parted(mask: Any) -> list[tuple[ws.Transformer, ws.Transformer, list[Tokens]]]:
    """Return pairs of models, with the sorted inputs that they decide differently."""
    S, T = model(seed=1, mask=mask), model(seed=7, mask=mask)
    others = (S, T, S ^ just("aabb", "ab", 6), S ^ just("abab", "ab", 6)) if mask == "causal" else (S, T)
    said = {x: ws.run(S, x).decision for x in SORTED}
    return [(S, other, [x for x in SORTED if said[x] != ws.run(other, x).decision]) for other in others]


@pytest.mark.filterwarnings("ignore:within has x")
@pytest.mark.parametrize("within", LANGUAGES)
@pytest.mark.parametrize("columns", [1 << 16, 6, 2])
@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.one_in(3)
def test_within_a_language_only_its_inputs_are_claimed(within: str, columns: int, mask: Any, cut: Cut) -> None:
    cut(columns, 3)
    for S, second, differ in parted(mask):
        first_is(differ, SORTED, ws.check.same_decisions(S, second, 6, within=LANGUAGES[within]))
        five = [x for x in SORTED if len(x) == 5]
        wrong = [x for x in differ if len(x) == 5]
        first_is(wrong, five, ws.check.same_decisions(S, second, length=5, within=LANGUAGES[within], workers=2))


@pytest.mark.parametrize("mask", ["causal", "full"])
@pytest.mark.parametrize("seed", range(3))
def test_a_language_is_recognized_before_a_suffix(mask: Any, seed: int, cut: Cut) -> None:
    T = model(("b", "stop", "a", "END"), seed, mask=mask)
    suffix = ("END", "stop", "END")
    inputs = all_inputs(("b", "a"), 3)
    said = {x: ws.run(T, [*x, *suffix]).decision for x in inputs}
    wrong = [x for x in inputs if (said[x] == "YES") != (x[-1] == "a")]
    cut(2)
    for predicate in ("[ab]*a", automaton([[0, 1], [0, 1]], [False, True]), lambda word: word[-1] == "a"):
        first_is(wrong, inputs, ws.check.recognizes(T, predicate, 3, suffix=suffix))
    some = [x for x in inputs if "b" in x]
    first_is([x for x in wrong if "b" in x], some, ws.check.recognizes(T, "[ab]*a", 3, suffix=suffix, within=".*b.*"))
    agrees = ws.check.agrees_with(T, lambda word: "YES" if word[-1] == "a" else "NO", 3, suffix=suffix, length=2)
    first_is([x for x in wrong if len(x) == 2], [x for x in inputs if len(x) == 2], agrees)
    last = {x: ws.run(T, [*x, *suffix]).stream[-1, -1, 0] for x in inputs}
    edge = last["a", "b"]
    found = ws.check.final_vectors(T, lambda vectors: vectors[:, 0] != edge, 3, suffix=suffix)
    first_is([x for x in inputs if last[x] == edge], inputs, found)


def claims() -> dict[str, Claim]:
    S, lowered = model(), ws.infinity_form(model(), lowering="attention", length=4)
    full = model(mask="full", seed=5)
    machine = model(arithmetic=ws.Native("float32"), seed=6)
    return {
        "suffix and length": SameDecisions(S, lowered, frame=make_frame((S, lowered), END, 4, None)),
        "within": SameDecisions(S, S, frame=make_frame((S, S), (), None, "a*b*")),
        "within a few": FinalVectors(S, lambda v: v[:, 0] < 1e9, frame=make_frame((S,), (), None, "aabbaa|bb")),
        "full mask": SameDecisions(full, full, frame=make_frame((full, full), (), None, ".*b")),
        "machine": FinalVectors(machine, lambda v: v[:, 0] < 1e9, frame=make_frame((machine,), ("b",), None, None)),
        "refuted": Recognizes(
            S, language("abb", ("a", "b")), frame=make_frame((S,), (), 3, lambda word: word.startswith("a"))
        ),
    }


@pytest.mark.parametrize("name", ["suffix and length", "within", "within a few", "full mask", "machine", "refuted"])
@pytest.mark.parametrize("columns", [1 << 16, 6, 2])
def test_kernels_and_reference_find_the_same_in_every_shard(name: str, columns: int, cut: Cut) -> None:
    claim = claims()[name]
    cut(columns, 5)
    plan = check_exhaustively(
        claim, None if claim.frame.length else 6 - len(claim.frame.suffix), Options(workers=1)
    ).plan
    for shard in (shard for tier in range(len(plan.tiers)) for shard in plan.shards(tier)):
        assert examine(claim, plan, shard) == examine(claim, plan, shard, source=by_reference)


@pytest.mark.parametrize("pattern", ["a*b*", "(a|b)*", "(aa|b)*", "a{3}b{2}", "b", "(ab)*a?"])
@pytest.mark.parametrize("length", [None, 1, 3, 5])
@pytest.mark.one_in(3)
def test_inputs_are_counted_exactly_at_every_place(pattern: str, length: int | None, cut: Cut) -> None:
    """Refuted by each of the claimed inputs in turn, or by twenty of them."""
    T = ws.random_transformer("ab", lanes=2, blocks=1, neurons=1, max_length=6)
    every = [x for x in all_inputs("ab", 6) if re.fullmatch(pattern, "".join(x)) and length in (None, len(x))]
    constant = replace(T, output=np.zeros_like(T.output))
    seen: list[tuple[int, int]] = []
    cut(4, 6)
    for within in (pattern, lambda word: re.fullmatch(pattern, word) is not None):
        seen.clear()
        options: dict[str, Any] = {"within": within, "length": length, "progress": lambda *now: seen.append(now)}
        assert ws.check.recognizes(constant, lambda word: False, 6, **options).inputs == len(every)
        if isinstance(within, str) and every:
            assert seen[-1] == (len(every), len(every))
        for n, word in list(enumerate(every))[:: max(len(every) // 20, 1)]:
            verdict = ws.check.recognizes(constant, lambda other: tuple(other) == word, 6, **options)  # noqa: B023
            assert (verdict.counterexample, verdict.inputs) == ("".join(word), n + 1)


def test_a_sparse_language_is_gone_through_at_once_up_to_great_lengths() -> None:
    T = ws.library.ends_with("b", "ab")
    verdict = ws.check.recognizes(T, "a*b+", up_to=40, within="a*b*")
    assert verdict.holds
    assert verdict.inputs == sum(n + 1 for n in range(1, 41))
    again = replay(verdict.to_json(), [T], sample=3)
    assert again.agrees
    assert again.inputs > 0
    certificate = verdict.certificate()
    empty = certificate["shards"][-1].index(EMPTY_DIGEST)
    certificate["shards"][-1][empty] = "0" * 64
    last = len(certificate["shards"]) - 1
    assert replay(certificate, [T], sample=1).problems == (f"tier {last}, shard {empty} comes out differently",)
    wrong = ws.check.recognizes(T, "a*b+", up_to=40, within="a*b*a{30}")
    assert wrong.holds
    found = ws.check.recognizes(T, "a*b+|b{30}a", up_to=40, within="a*|b*a")
    assert found.counterexample == "b" * 30 + "a"


def test_functions_are_asked_of_the_claimed_inputs_only(cut: Cut) -> None:
    T, called = ws.library.ends_with("b", "ab"), list[str]()

    def sorted_ends(word: str) -> bool:
        called.append(word)
        assert "ba" not in word
        return word.endswith("b")

    cut(6)
    assert ws.check.recognizes(T, sorted_ends, 6, within="a*b*").holds
    assert sorted(called) == sorted("".join(x) for x in SORTED)
    asked: list[str] = []
    assert ws.check.same_decisions(T, ~~T, 6, within=lambda word: not asked.append(word) and word[0] == "a").holds  # type: ignore[func-returns-value]
    assert sorted(asked) == sorted("".join(x) for x in all_inputs("ab", 6))


def test_an_input_that_nobody_claimed_may_fail() -> None:
    """The final norm of (0, 0) has no value: that is the vector of a, and of no other input."""
    T = ws.Transformer(
        arithmetic=ws.Fixed(4, 4), vocabulary="ab", lanes=("x", "y"), embedding=np.array([[0, 0], [1, 0]]),
        positions=ws.PositionTable(np.array([[0, 0], [0, 1], [0, 1]])), output=np.eye(2),
        final_norm=ws.RMSNorm(eps=0.0),
    )  # fmt: skip
    with pytest.raises(ws.ModelError, match="on the input a: final norm: the square root is 0"):
        ws.check.same_decisions(T, T, 3)
    assert ws.check.same_decisions(T, T, length=3).inputs == 8
    assert ws.check.same_decisions(T, T, 3, within="b.*|a.+").inputs == 13
    with pytest.raises(ws.ModelError, match="on the input a: final norm: the square root is 0"):
        ws.check.same_decisions(T, T, 3, within="b.*|a")
