"""Claims without a length: proved for all lengths, refuted by the shortest input, or unknown."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.encoders import with_first_head
from weightsmith import check
from weightsmith.library import ENTRIES

REGULAR = [entry for entry in ENTRIES if isinstance(entry.language, str) and not entry.fails_at]


@pytest.mark.one_in(2)
@pytest.mark.parametrize("arithmetic", ["fixed(2,2)", "fixed(4,4)", "float(4,3)"])
@pytest.mark.parametrize("entry", REGULAR, ids=lambda entry: entry.name)
def test_the_library_and_its_forms_are_proved_for_all_lengths(entry: Any, arithmetic: str) -> None:
    T = entry.build(ws.parse_arithmetic(arithmetic))
    scope = "all lengths" if entry.max_length is None else f"up to {entry.max_length}"
    for form in (T, ws.infinity_form(T), ws.signed_infinity_form(T)) if arithmetic != "float(4,3)" else (T,):
        verdict = check.recognizes(form, entry.language)
        assert (verdict.holds, verdict.scope) == (True, scope)
    assert check.same_decisions(T, ~~T).holds


COMPOSED: dict[str, tuple[Callable[[], ws.Transformer], str]] = {
    "and": (lambda: ws.library.contains("1") & ws.library.ends_with("01"), ".*01"),
    "or": (lambda: ws.library.starts_with("01") | ws.library.exact_length(4), "01.*|...."),
    "xor": (lambda: ws.library.contains("1") ^ ws.library.starts_with("01"), "(00+1|1).*"),
    "not": (lambda: ~ws.library.contains_word("101"), "0*(1+00+)*(1+0?)?"),
    "deep": (
        lambda: (ws.library.contains_word("101") & ws.library.starts_with("01")) | ~ws.library.contains("0"),
        "01.*101.*|0101.*|1+",
    ),
}


@pytest.mark.parametrize("name", COMPOSED)
def test_compositions_are_proved_for_all_lengths(name: str) -> None:
    make, language = COMPOSED[name]
    verdict = check.recognizes(make(), language)
    assert (verdict.holds, verdict.scope, verdict.inputs) == (True, "all lengths", None)


def flagged(T: ws.Transformer) -> ws.Transformer:
    return ws.flag(T, "here", positions=[3, 40], max_length=64)


@pytest.mark.parametrize("name", ["flagged", "zeroed", "mapped", "added"])
def test_tables_of_64_are_decided_for_every_input_that_fits(name: str) -> None:
    T = flagged(ws.library.ends_with("01"))
    changed = {
        "flagged": lambda: T,
        "zeroed": lambda: ws.zero_vector(T, at="here"),
        "mapped": lambda: ws.linear_map(T, [[0.0] * len(T.lanes)] * len(T.lanes), source=1, target=3),
        "added": lambda: ws.add_vector(T, {T.lanes[0]: 1.0}, at="here"),
    }[name]()
    verdict = check.same_decisions(T, changed)
    if verdict.holds:
        assert verdict.scope == "up to 64"
        assert verdict.inputs == 2**65 - 2
        assert str(verdict).startswith("same decisions: proved up to 64, all 36,893,488,147,419,103,230 inputs, by aut")
    run = check.same_decisions(T, changed, up_to=12)
    assert run.holds if verdict.holds else run.counterexample == verdict.counterexample


def test_a_counterexample_longer_than_any_run_is_the_shortest() -> None:
    T = ws.library.majority("1")
    verdict = check.recognizes(T, ws.automaton(ws.library.majority("1", arithmetic=ws.Fixed(2, 2))))
    assert verdict.counterexample == "1" * 16 + "0" * 15
    assert str(verdict).startswith(f"recognizes: refuted by {'1' * 16}{'0' * 15} of length 31, the shortest (")
    assert verdict.sides == {"the transformer": "YES", "the language": "it does not belong to it"}


def test_a_suffix_follows_every_input() -> None:
    T = ws.library.ends_with("b", "ab")
    longer = replace(T, vocabulary=("END", "a", "b"), embedding=T.embedding[[1, 0, 1]], tied=False)
    assert check.recognizes(longer, ".*", suffix=("END",)).holds
    found = check.recognizes(longer, "b.*", suffix=("END",))
    assert found.counterexample == "a"


def test_within_limits_the_claim_to_a_language() -> None:
    T = ws.library.ends_with("b", "ab")
    assert check.recognizes(T, "a*b+", within="a*b*").holds
    assert check.recognizes(T, "a*b+", within="(ab)*").counterexample == "abab"


def test_classes_and_tokens_are_compared_by_name() -> None:
    T = ws.library.contains("1")
    turned = replace(
        T, vocabulary=("1", "0"), embedding=T.embedding[::-1], classes=("YES", "NO"), output=T.output[::-1]
    )
    assert check.same_decisions(T, turned).holds is False  # a tie is now a YES
    assert check.same_decisions(T, turned).counterexample == "0"


def test_unknown_is_a_verdict() -> None:
    T = ws.random_transformer(blocks=2, max_length=30)
    verdict = check.same_decisions(T, ws.widen(T, ["more"]), states=50)
    assert verdict.holds is None
    assert verdict.scope == "up to 17"
    assert verdict.up_to == 17
    assert "same decisions: unknown: block 0, head 0, class " in str(verdict)
    assert "of its queries: a machine has more than 50 states; the largest machine so far has" in str(verdict)
    assert "; every input up to 17 was run, and it holds" in str(verdict)
    assert json.loads(verdict.to_json())["verdict"] == "unknown"


def test_up_to_a_length_the_faster_way_is_taken_and_said() -> None:
    T = ws.library.parity()
    odd = "0*1(0*10*1)*0*"
    assert str(check.recognizes(T, odd, up_to=10)).startswith("recognizes: exhaustive up to 10, all 2,046 inputs")
    assert str(check.recognizes(T, odd, up_to=30)).startswith("recognizes: refuted by 1111111111111111, the shortest")
    long = check.recognizes(ws.library.contains("1"), ".*1.*", up_to=40)
    assert str(long).startswith("recognizes: proved up to 40, all 2,199,023,255,550 inputs, by automata (")
    T = ws.library.majority("1")
    small = ws.automaton(ws.library.majority("1", arithmetic=ws.Fixed(2, 2)))
    verdict = check.recognizes(T, small, up_to=25)
    assert verdict.holds
    assert "proved up to 25, all 67,108,862 inputs, by automata; the first failure has length 31" in str(verdict)


REFUSED: dict[str, tuple[Callable[[], object], str]] = {
    "a function": (
        lambda: check.recognizes(ws.library.contains("1"), lambda word: "1" in word),
        "no automaton decides the language: give a regular expression without lookaround and references, or "
        "Automaton(…), or say up to which length, as in up_to=10",
    ),
    "logits": (
        lambda: check.same_logits(ws.library.contains("1"), ws.library.contains("1")),
        "same_logits has no automaton for all lengths: say up to which length, as in up_to=10",
    ),
    "full": (
        lambda: check.recognizes(with_first_head(strict=True), "0"),
        "an automaton of a full mask needs heads that see the same keys from every position, and block 0, head 0 is "
        "strict: write mask='causal', or check inputs up to a length: up_to=10",
    ),
    "rotary": (
        lambda: check.recognizes(replace(ws.random_transformer(), positions=ws.Rotary()), "0"),
        "an automaton cannot follow rotary positions, whose angles go on growing: write a PositionTable, Relative(…) "
        "or Alibi(…), or check inputs up to a length: up_to=10",
    ),
    "a ledger": (
        lambda: check.recognizes(ws.library.contains("1"), "0", ledger="x"),
        "a ledger and a cluster go through inputs: say up to which length, as in up_to=20",
    ),
    "seconds": (
        lambda: check.recognizes(ws.library.contains("1"), "0", seconds=-1),
        "seconds=-1: write how long it may take, such as 60",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_automaton_is_refused_with_what_is_possible(name: str) -> None:
    call, message = REFUSED[name]
    with pytest.raises(ws.InputError) as caught:
        call()
    assert message in str(caught.value)


def test_an_empty_softmax_that_is_an_error_is_one_here_too() -> None:
    one = np.ones((1, 1))
    head = ws.Head(-8 * one, one, one, one, ws.Softmax(empty="error"))
    T = ws.Transformer(
        arithmetic=ws.Fixed(4, 4), vocabulary="a", lanes=("x",), embedding=one,
        blocks=(ws.Block(ws.Attention((head,))),), output=np.array([[0.0], [1.0]]),
    )  # fmt: skip
    with pytest.raises(ws.ModelError, match="block 0, head 0: on some input every exp.score. rounds to 0 in fixed"):
        ws.automaton(T)


def test_certificates_are_replayed_and_cited() -> None:
    T, S = ws.library.contains("1"), ws.library.majority("1")
    for verdict, models in (
        (check.recognizes(T, ".*1.*"), [T]),
        (check.same_decisions(S, T), [T, S]),
        (check.recognizes(T, ".*1.*", up_to=40), [T]),
    ):
        data = json.loads(verdict.to_json())
        again = check.replay(data, models)
        assert again.agrees, again
        assert ("its proof was accepted by weightsmith/verify.py" in str(again)) == bool(verdict.holds)
        for change in ({"holds": not data["holds"]}, {"verdict": "unknown"}, {"scope": "up to 1", "holds": True}):
            assert not check.replay({**data, **change}, models).agrees
        with pytest.raises(ws.FileError, match="of something else"):
            check.replay({**data, "semantics": 0}, models)
    assert check.cite(check.recognizes(T, ".*1.*").certificate()).startswith(
        "recognizes as YES the inputs that match .*1.*: proved for all lengths; model sha256:"
    )
    refuted = check.same_decisions(S, T).certificate()
    assert "claimed for all lengths, refuted by 01, the shortest; models sha256:" in check.cite(refuted)
    moved = {**refuted, "counterexample": {**refuted["counterexample"], "input": ["0", "0", "1"]}}
    assert not check.replay(moved, [S, T]).agrees


def test_a_notebook_shows_it() -> None:
    assert "proved for all lengths" in check.recognizes(ws.library.contains("1"), ".*1.*")._repr_html_()
