"""Claims about chains: every input up to a length, and certificates that can be replayed; not to end refutes."""

import json
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path

import pytest

import weightsmith as ws
from tests.inspect.test_chains import random_chain
from weightsmith.check import engine

ODD = "0*1(0*10*1)*0*"


def parity(max_length: int = 7) -> ws.Chain:
    return ws.library.parity_chain(max_length=max_length)


def test_a_language_is_checked_on_every_input() -> None:
    verdict = ws.check.recognizes(parity(), ODD, up_to=7)
    assert (verdict.holds, verdict.inputs, str(verdict)[:46]) == (
        True,
        254,
        "recognizes: exhaustive up to 7, all 254 inputs",
    )
    refuted = ws.check.recognizes(parity(), "0*1(0|1)*", up_to=7)
    assert (refuted.holds, refuted.counterexample) == (False, "11")
    assert refuted.sides == {"the chain": "NO", "the language": "it belongs to it"}


@pytest.mark.parametrize("small", [0, 1 << 40])
@pytest.mark.parametrize("seed", range(4))
def test_random_chains_agree_with_themselves_whichever_engine_runs(
    seed: int, small: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(engine, "SMALL_WORK", small)
    C = random_chain(seed)
    said = dict(
        zip(inputs := ["".join(w) for n in range(1, 6) for w in product("01", repeat=n)], C.decide(inputs), strict=True)
    )
    assert ws.check.agrees_with(C, said.__getitem__, up_to=5).holds
    wrong = {**said, "1101": "NO" if said["1101"] == "YES" else "YES"}
    assert ws.check.agrees_with(C, wrong.__getitem__, up_to=5).counterexample == "1101"
    assert ws.check.same_decisions(C, replace(C, inputs="10"), up_to=5).holds


def test_a_chain_that_does_not_end_refutes_whatever_is_claimed() -> None:
    C = replace(parity(), until="1", answers={"1": "YES"}, inputs="01", steps=8)
    for language in (".*", "0*", "1.*"):
        verdict = ws.check.recognizes(C, language, up_to=4)
        assert (verdict.holds, verdict.counterexample) == (False, "0")
        assert verdict.sides["the chain"] == "does not end within 8 tokens"
    both = ws.check.same_decisions(C, C, up_to=4)
    assert (both.holds, both.counterexample) == (False, "0")
    assert set(both.sides.values()) == {"does not end within 8 tokens"}
    ended = ws.check.recognizes(C, ".*", up_to=4, within=".*1.*")
    assert (ended.holds, ended.inputs) == (True, 26)


def test_several_outputs_are_compared_as_tuples() -> None:
    C = replace(parity(4), outputs=2)
    verdict = ws.check.agrees_with(C, lambda word: C(word), up_to=4)
    assert verdict.holds
    refuted = ws.check.agrees_with(C, lambda word: ("YES", "YES"), up_to=4)
    assert refuted.sides == {"the chain": "NO NO", "the function": "YES YES"}


def test_certificates_replay_and_other_chains_are_refused(tmp_path: Path) -> None:
    C = parity()
    verdict = ws.check.recognizes(C, ODD, up_to=6)
    verdict.save(tmp_path / "c.json")
    assert ws.check.replay(tmp_path / "c.json", [C]).agrees
    for other in (replace(C, steps=8), ~C, replace(C, prompt="", inputs="01"), C.transformer):
        with pytest.raises(ws.FileError, match="^the certificate is of something else"):
            ws.check.replay(tmp_path / "c.json", [other])
    data = json.loads((tmp_path / "c.json").read_text())
    data["shards"][0][0] = "0" * 64
    assert not ws.check.replay(data, [C]).agrees


def test_a_ledger_and_workers_give_the_same_verdict(tmp_path: Path) -> None:
    C = parity(9)
    plain = ws.check.recognizes(C, ODD, up_to=9)
    for options in ({"workers": 2}, {"ledger": tmp_path / "l"}, {"ledger": tmp_path / "l"}, {"memory": 1 << 24}):
        again = ws.check.recognizes(C, ODD, up_to=9, **options)
        assert (again.inputs, again.digests) == (plain.inputs, plain.digests)


def test_what_is_not_about_answers_is_refused() -> None:
    C = parity()
    claims: dict[str, Callable[[], object]] = {
        "^same_logits is about a transformer": lambda: ws.check.same_logits(C, C, up_to=3),  # type: ignore[arg-type]
        "^final_vectors is about a transformer": lambda: ws.check.final_vectors(C, lambda v: v[:, 0] == 0, up_to=3),  # type: ignore[arg-type]
        "^the chain takes inputs of at most 7 tokens: write up_to=7": lambda: ws.check.recognizes(C, ".*", up_to=8),
        "a chain has a prompt of its own": lambda: ws.check.recognizes(C, ".*", up_to=3, suffix=("=",)),
        "^the class 1 does not exist: the classes are NO, YES": lambda: ws.check.recognizes(C, ".*", up_to=3, yes="1"),
    }
    for words, claim in claims.items():
        with pytest.raises(ws.InputError, match=words):
            claim()
