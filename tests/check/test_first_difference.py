"""Of many inputs that refute a claim, the shortest and then the first in vocabulary order is reported."""

import random
import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from tests.check.models import all_inputs, differences, place
from weightsmith.automata import compile_regex

UP_TO = {"a": 8, "ab": 6, "bca": 4, "dcba": 4}
CASES = [(vocabulary, mask, seed) for vocabulary in UP_TO for mask in ("causal", "full") for seed in range(3)]


def model(vocabulary: Sequence[str], mask: Any, seed: int) -> ws.Transformer:
    return ws.random_transformer(vocabulary, lanes=3, blocks=1, neurons=3, mask=mask, seed=seed)


def first_is(wrong: list[tuple[str, ...]], verdict: ws.check.Verdict) -> None:
    assert verdict.holds == (not wrong)
    if wrong:
        assert verdict.counterexample == "".join(wrong[0])
        assert verdict.inputs == place(wrong[0], verdict.claim.vocabulary)


@pytest.mark.parametrize(("vocabulary", "mask", "seed"), CASES)
def test_two_models_that_differ_often_differ_first_where_the_reference_says(
    vocabulary: str, mask: Any, seed: int, cut: Cut
) -> None:
    S, T = model(vocabulary, mask, seed), model(vocabulary[::-1], mask, seed + 100)
    wrong = differences(S, T, UP_TO[vocabulary])
    for columns, shards, workers in ((1 << 16, 4096, 2), (2 * len(vocabulary), 4096, 2), (len(vocabulary), 3, 1)):
        cut(columns, shards)
        first_is(wrong, ws.check.same_decisions(S, T, UP_TO[vocabulary], workers=workers))


@pytest.mark.parametrize(("vocabulary", "mask", "seed"), CASES[1::2])
def test_a_set_of_inputs_is_refuted_first_where_the_reference_says(
    vocabulary: str, mask: Any, seed: int, cut: Cut
) -> None:
    T, up_to = model(vocabulary, mask, seed), UP_TO[vocabulary]
    inputs = all_inputs(vocabulary, up_to)
    said = dict(zip(inputs, ws.decisions(T, inputs), strict=True))
    pattern = re.compile("a(a|b)*|.?b?.*a" if "b" in vocabulary else "aa?|a{4,6}")
    automaton = compile_regex(pattern, tuple(vocabulary))
    assert automaton is not None
    wrong = [w for w in inputs if (said[w] == "YES") != (pattern.fullmatch("".join(w)) is not None)]
    cut(2 * len(vocabulary), 5)
    for language in (pattern, automaton, lambda tokens: pattern.fullmatch(tokens) is not None):
        first_is(wrong, ws.check.recognizes(T, language, up_to, workers=2))


@pytest.mark.parametrize("seed", range(4))
def test_logits_vectors_and_classes_are_refuted_first_where_the_reference_says(seed: int, cut: Cut) -> None:
    T = model("abc", "causal", seed)
    S = replace(T, output_bias=np.array([0, 0.0625]))  # where it saturates, the logits stay the same
    runs = {w: ws.run(T, w) for w in all_inputs("abc", 4)}
    edge = random.Random(seed).choice([run.stream[-1, -1, 0] for run in runs.values()])
    cut(3, 4)
    first_is([w for w, run in runs.items() if (run.logits != ws.run(S, w).logits).any()],
             ws.check.same_logits(T, S, 4))  # fmt: skip
    first_is([w for w, run in runs.items() if run.stream[-1, -1, 0] == edge],
             ws.check.final_vectors(T, lambda vectors: vectors[:, 0] != edge, 4, workers=2))  # fmt: skip
    tokens = replace(T, classes=("c", "a"))
    first_is([w for w, run in runs.items() if (run.decision == "NO") != (w[-1] == "c")],
             ws.check.agrees_with(tokens, lambda w: "c" if w[-1] == "c" else "a", 4, workers=2))  # fmt: skip


def test_tokens_of_several_characters_are_reported_as_a_tuple_and_matched_with_spaces(cut: Cut) -> None:
    cut(6)
    T = replace(ws.library.ends_with("ab", "ab"), vocabulary=("on", "off"))
    verdict = ws.check.recognizes(T, re.compile("(.* )?off on"), 5)
    assert verdict.counterexample == ("on", "off")
    assert ws.check.recognizes(T, re.compile("(.* )?on off"), 5).holds
    seen: list[object] = []

    def never(tokens: object) -> bool:
        seen.append(tokens)
        return False

    assert not ws.check.recognizes(T, never, 2).holds
    assert seen[:3] == [("on",), ("off",), ("on", "on")]


def test_a_worker_that_is_late_does_not_hide_an_earlier_refutation(cut: Cut, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shard with the first refuting input waits until a later shard, with the same length, has been refuted."""
    import threading

    from weightsmith.check import engine
    from weightsmith.check.neighbours import examine_all

    later, waited = threading.Event(), []

    def slowly(claim: Any, plan: Any, asked: Any, columns: int) -> Any:
        shard = asked[0][0]
        if plan.tiers[shard.tier].longest == 4:
            if shard.index == 0:
                waited.append(later.wait(60))
            findings = examine_all(claim, plan, asked, columns)
            later.set()
            return findings
        return examine_all(claim, plan, asked, columns)

    monkeypatch.setattr(engine, "examine_all", slowly)
    cut(2)
    T = ws.library.exact_length(4, "ab")
    verdict = ws.check.recognizes(T, re.compile("[ab]{5}"), 4, workers=2)
    assert verdict.counterexample == "aaaa"
    assert waited == [True]
