"""A certificate replays; one that was tampered with is refused, or what is wrong with it is said."""

import copy
import json
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from tests.check.models import automaton, flipped
from weightsmith.check import replay
from weightsmith.check.certificate import parse

Certificate = dict[str, Any]


pytestmark = pytest.mark.usefixtures("small_shards")


def changed(certificate: Certificate, *path: Any, to: Any) -> str:
    """Return the certificate with one entry changed."""
    result = copy.deepcopy(certificate)
    inner: Any = result
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = to(inner[path[-1]]) if callable(to) else to
    return json.dumps(result)


def another(digest: str) -> str:
    return ("0" if digest[0] != "0" else "1") + digest[1:]


@pytest.mark.parametrize("kind", ["same_decisions", "same_logits", "regex", "no automaton", "automaton"])
@pytest.mark.one_in(2)
@pytest.mark.parametrize("holds", [True, False])
def test_a_certificate_replays(kind: str, holds: bool, cut: Cut) -> None:
    cut(6)
    T = ws.library.ends_with("b", "ab")
    second = ~~T if holds else T ^ ws.library.matches("ab?bb", "ab")  # in ∞ form, where no two logits are equal
    if kind == "same_decisions":
        models, verdict = [T, flipped(second)], ws.check.same_decisions(T, flipped(second), 5)
    elif kind == "same_logits":
        models = [ws.infinity_form(T), flipped(second)]
        verdict = ws.check.same_logits(models[0], models[1], 5)
    else:
        languages: dict[str, Any] = {"regex": re.compile("[ab]*B", re.I), "no automaton": re.compile(".*(?<=b)"),
                     "automaton": automaton([[1, 0], [1, 0]], [True, False], 1)}  # fmt: skip
        models, verdict = [second], ws.check.recognizes(second, languages[kind], 5)
    assert verdict.holds == holds
    for certificate in (verdict.to_json(), verdict.certificate()):
        again = replay(certificate, models, sample=1000)
        assert again.problems == ()
        assert again.agrees
        assert again.of == len(again.shards)
        assert again.of >= sum(len(tier) for tier in verdict.digests) + (not holds)
        assert again.inputs == verdict.inputs if holds or len(verdict.digests) else again.inputs >= 1
        assert again.counterexample == verdict.counterexample
        assert "everything agrees with the certificate" in str(again)
    few = [replay(verdict.to_json(), models, sample=2, seed=seed).shards for seed in (1, 1, 2, 3, 4)]
    assert few[0] == few[1]
    assert len(few[0]) == 2
    assert len(set(few)) > 1


def test_a_counterexample_replays_when_the_second_vocabulary_has_another_order() -> None:
    S, T = ws.random_transformer("ab", seed=1), ws.random_transformer("ba", seed=7)
    verdict = ws.check.same_decisions(S, T, 5)
    assert verdict.counterexample == "ba"
    assert replay(verdict.to_json(), [S, T]).agrees


def test_any_digest_that_was_changed_is_noticed(holding: Certificate, pair: list[ws.Transformer]) -> None:
    for tier, digests in enumerate(holding["shards"]):
        for shard in range(len(digests)):
            again = replay(changed(holding, "shards", tier, shard, to=another), pair, sample=1000)
            assert again.problems == (f"tier {tier}, shard {shard} comes out differently",)
            assert not again.agrees
            assert "comes out differently" in str(again)


REFUSED: dict[str, tuple[tuple[Any, ...], Any]] = {
    "model": (("models", 0), another),
    "unknown claim": (("claim",), "same_everything"),
    "claim with a function": (("claim",), "recognizes"),
    "vocabulary": (("vocabulary",), ["c", "b", "a"]),
    "semantics": (("semantics",), 3),
    "longer": (("up_to",), 4),
    "shorter": (("up_to",), 2),
    "a tier less": (("tiers",), lambda tiers: tiers[:-1]),
    "a tier twice": (("tiers",), lambda tiers: [*tiers, tiers[-1]]),
    "no tiers": (("tiers",), []),
    "shards": (("tiers", 1, "shards"), 1),
    "apart": (("tiers", 1, "apart"), 0),
    "a tier of something else": (("tiers", 1, "stem"), 0),
    "longest": (("tiers", 0, "longest"), 2),
    "shortest": (("tiers", 1, "shortest"), 3),
    "digests of a tier less": (("shards",), lambda shards: shards[:-1]),
    "digests of a tier more": (("shards",), lambda shards: [*shards, ["0" * 64]]),
    "a digest less": (("shards", 1), lambda digests: digests[:-1]),
    "a digest more": (("shards", 1), lambda digests: [*digests, digests[0]]),
    "a digest of another form": (("shards", 0, 0), "A" * 64),
    "an earlier format": (("format",), "weightsmith certificate 1"),
    "a later format": (("format",), "weightsmith certificate 4"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_a_certificate_of_something_else_is_refused(
    name: str, holding: Certificate, pair: list[ws.Transformer]
) -> None:
    path, to = REFUSED[name]
    with pytest.raises((ws.FileError, ws.InputError), match="certificate|is about 1 model"):
        replay(changed(holding, *path, to=to), pair, sample=1)


REPORTED: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "inputs": (("inputs",), 1, "counts 1 inputs, and there are 39"),
    "inputs as a float": (("inputs",), 39.0, "counts 39.0 inputs"),
    "holds": (("holds",), False, "contradicts itself"),
    "holds as a number": (("holds",), 1, "contradicts itself"),
    "verdict": (("verdict",), "exhaustive up to 30", "contradicts itself"),
}


@pytest.mark.parametrize("name", REPORTED)
def test_a_certificate_that_contradicts_itself_is_reported(
    name: str, holding: Certificate, pair: list[ws.Transformer]
) -> None:
    path, to, problem = REPORTED[name]
    again = replay(changed(holding, *path, to=to), pair, sample=1)
    assert not again.agrees
    assert problem in str(again)


REFUTED: dict[str, tuple[tuple[Any, ...], Any, str]] = {
    "another word": (("counterexample", "input"), ["b", "a", "b"], "refutes nothing"),
    "a later refuting one": (("counterexample", "input"), ["b", "b", "a"], "counts 22 inputs, and there are 25"),
    "inputs": (("inputs",), 39, "counts 39 inputs, and there are 22"),
    "sides": (("counterexample", "sides", "the first"), "YES", "the two sides say other things"),
    "divergence": (("counterexample", "divergence"), {"stage": "embedding"}, "the streams part elsewhere"),
    "holds": (("holds",), True, "contradicts itself"),
    "verdict": (("verdict",), "exhaustive up to 4", "contradicts itself"),
}


@pytest.mark.parametrize("name", REFUTED)
def test_a_counterexample_that_was_changed_is_reported(
    name: str, refuted: tuple[Certificate, list[ws.Transformer]]
) -> None:
    path, to, problem = REFUTED[name]
    assert replay(json.dumps(refuted[0]), refuted[1]).agrees
    again = replay(changed(refuted[0], *path, to=to), refuted[1])
    assert not again.agrees
    assert problem in str(again)


@pytest.mark.parametrize("tokens", [[], ["a"], ["b", "a", "a", "a", "a"], ["b", "a", "x"], [0, 1, 0], None, "b", 3])
def test_a_counterexample_that_cannot_be_one_is_refused(
    tokens: Any, refuted: tuple[Certificate, list[ws.Transformer]]
) -> None:
    with pytest.raises(ws.FileError, match="damaged"):
        replay(changed(refuted[0], "counterexample", "input", to=tokens), refuted[1], sample=1)


@pytest.mark.parametrize("taken", [lambda models: models[:1], lambda models: models[0], lambda models: [1, 2], len])
def test_other_models_than_the_claims_are_refused(
    taken: Callable[[list[ws.Transformer]], Any], holding: Certificate, pair: list[ws.Transformer]
) -> None:
    with pytest.raises(ws.WeightsmithError, match="is about 2 model|is not a transformer"):
        replay(holding, taken(pair))
    with pytest.raises(ws.FileError, match="of something else: its models have the digests .*, those of the given"):
        replay(holding, [pair[0], ~pair[1]])


def test_models_are_known_by_their_digests_in_any_order(holding: Certificate, pair: list[ws.Transformer]) -> None:
    assert replay(holding, pair[::-1]).agrees
    with pytest.raises(ws.FileError, match="its vocabulary is"):  # of another claim, the other way round
        replay(changed(holding, "models", to=lambda models: models[::-1]), pair)


def test_another_claim_about_the_same_models_is_reported(holding: Certificate, pair: list[ws.Transformer]) -> None:
    again = replay(changed(holding, "claim", to="same_logits"), pair, sample=1000)
    assert len(again.problems) == again.of


def written(bias: float) -> ws.Transformer:
    """A transformer that no change of the library changes."""
    zero = np.zeros((1, 2))
    head = ws.Head(zero, zero, np.array([[0.0, 1.0]]), np.array([[0.0], [1.0]]), ws.AverageHard())
    return ws.Transformer(
        arithmetic=ws.Fixed(4, 4), vocabulary="ab", lanes=("x", "y"), embedding=np.eye(2),
        blocks=(ws.Block(ws.Attention((head,))),), output=np.eye(2), output_bias=np.array([0, bias]),
    )  # fmt: skip


def written_down() -> list[tuple[Certificate, list[ws.Transformer], ws.check.Verdict]]:
    """Certificates as they have been since plans follow from claims, but for times and versions."""
    S, T = written(0.0), written(0.5)
    same = "1fd9712c6fa458d5a6b466ae83878fe956da09a8a78c987e6b2cb1c1e95c32b8"
    other = "1839d8913c4b0e6ad07b3f6fe0f39659c5c5e048a26a56305bbb455fb664490c"
    how = {"vocabulary": ["a", "b"], "up_to": 3, "semantics": 2,
           "tiers": [{"shortest": 1, "longest": 3, "apart": 0, "shards": 1}]}  # fmt: skip
    held = {"verdict": "exhaustive up to 3", "holds": True, "inputs": 14, "counterexample": None}
    bba = {"input": ["b", "b", "a"], "sides": {"the first": "NO", "the second": "YES"}, "divergence": None}
    head = {"format": "weightsmith certificate 3"}
    regex = {"language": {"regex": ".*b", "flags": 32}, "yes": "YES"}
    return [
        ({**head, "claim": "same_decisions", "models": [same, same], **how, **held,
          "shards": [["4214275ed5d576e93a38e0e14b397b007f41af9d5c90d6f5b8a693cc2b2c02ca"]]},
         [S, S], ws.check.same_decisions(S, S, 3)),
        ({**head, "claim": "same_decisions", "models": [same, other], **how, "verdict": "refuted", "holds": False,
          "inputs": 13, "counterexample": bba, "shards": []}, [S, T], ws.check.same_decisions(S, T, 3)),
        ({**head, "claim": "recognizes", "models": [same], **regex, **how, **held,
          "shards": [["64e870b71871bee60a5afecd9739e018319ae8a7fb799892109c0e202b0fc7aa"]]},
         [S], ws.check.recognizes(S, ".*b", 3)),
    ]  # fmt: skip


def test_a_certificate_is_parsed_and_dumped_entry_for_entry(tmp_path: Path) -> None:
    T, file = ws.library.ends_with("b", "ab"), tmp_path / "certificate.json"
    holds, within = ws.check.recognizes(T, ".*b"), ws.check.recognizes(T, ".*b", within="a*b*", length=3)
    for verdict in (holds, within, ws.check.recognizes(T, ".*a"), ws.check.same_decisions(T, ~T, 4)):
        verdict.save(file, files=["T.safetensors"])
        data = json.loads(file.read_text())
        assert list(parse(file).dump().items()) == list(data.items())
        assert list(data) == sorted(data, key=[*verdict.summary(), "files", "automata", "proof", "digest"].index)


def test_certificates_of_claims_about_all_inputs_stay_as_they_were_and_replay(cut: Cut) -> None:
    cut(1 << 16)
    for certificate, models, verdict in written_down():
        made = {key: value for key, value in verdict.certificate().items() if key in certificate}
        assert made == certificate
        assert list(made) == list(certificate)
        assert set(verdict.certificate()) - set(made) == {"seconds", "finished", "versions"}
        assert replay(certificate, models, sample=10).agrees
