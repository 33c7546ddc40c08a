"""Replaying a certificate: all of it or a sample, from a file, with the function that it only describes."""

import inspect
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from weightsmith.check import claim, replay, replaying
from weightsmith.check.certificate import Exhaustive

Certificate = dict[str, Any]
pytestmark = pytest.mark.usefixtures("small_shards")


@pytest.mark.parametrize("sample", [0, -1, 1.0, True, "all"])
def test_a_sample_that_is_no_number_is_refused(sample: Any, holding: Certificate, pair: list[ws.Transformer]) -> None:
    with pytest.raises(ws.InputError, match="sample=.*write how many shards to derive again, 1 or more"):
        replay(holding, pair, sample=sample)


def test_progress_is_told_of_each_shard(holding: Certificate, pair: list[ws.Transformer]) -> None:
    seen: list[tuple[int, int]] = []
    replay(holding, pair, sample=3, progress=lambda *now: seen.append(now))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def ends_with_b(tokens: str) -> bool:
    return tokens[-1] == "b"


def is_yes(tokens: str) -> str:
    return "YES" if tokens[-1] == "b" else "NO"


def any_vector(vectors: Any) -> Any:
    return np.ones(len(vectors), bool)


def test_a_function_is_kept_as_source_and_run_only_when_it_is_given() -> None:
    T = ws.library.ends_with("b", "ab")
    made = {
        ends_with_b: ws.check.recognizes(T, ends_with_b, 3),
        is_yes: ws.check.agrees_with(T, is_yes, 3),
        any_vector: ws.check.final_vectors(T, any_vector, 3),
    }
    for function, verdict in made.items():
        certificate = json.loads(verdict.to_json())
        kept = certificate["language"]["predicate"] if "language" in certificate else certificate["function"]
        assert kept == {
            "code": "Python",
            "name": f"tests.check.test_replaying.{function.__name__}",
            "source": inspect.getsource(function),
        }
        with pytest.raises(ws.InputError, match="holds Python code, which is not run by itself: read its source"):
            replay(certificate, [T])
        with pytest.raises(ws.InputError, match="function=7: write the function that the claim was checked with"):
            replay(certificate, [T], function=7)  # type: ignore[arg-type]
        assert replay(certificate, [T], function=function).agrees
    certificate = json.loads(made[ends_with_b].to_json())
    assert not replay(certificate, [T], function=lambda tokens: tokens[-1] == "a").agrees
    assert ws.check.recognizes(T, eval("lambda tokens: tokens[-1] == 'b'"), 3).certificate()["language"] == {
        "predicate": {"code": "Python", "name": "tests.check.test_replaying.<lambda>", "source": None}
    }


def test_a_certificate_is_saved_and_replayed_from_its_file(tmp_path: Path, pair: list[ws.Transformer]) -> None:
    verdict = ws.check.same_decisions(pair[0], pair[1], 4)
    verdict.save(tmp_path / "claim.json")
    assert json.loads((tmp_path / "claim.json").read_text())["shards"] == [list(tier) for tier in verdict.digests]
    for file in (tmp_path / "claim.json", str(tmp_path / "claim.json")):
        assert replay(file, pair).agrees
    with pytest.raises(ws.FileError, match="cannot write .*: No such file or directory"):
        verdict.save(tmp_path / "folder" / "claim.json")
    with pytest.raises(ws.FileError, match="cannot read 'no such file': No such file or directory"):
        replay("no such file", pair)


def test_the_answer_says_what_was_done_in_numbers(holding: Certificate, pair: list[ws.Transformer]) -> None:
    assert str(replay(holding, pair)) == (
        "derived again with the reference semantics: all 4 shards, 39 inputs\neverything agrees with the certificate"
    )
    assert str(replay(holding, pair, sample=1, seed=1)).splitlines()[1:] == [
        "a single false shard would have been found with probability 25 %",
        "what was derived again agrees with the certificate",
    ]


def test_what_takes_over_a_minute_is_not_begun_unasked(
    holding: Certificate, pair: list[ws.Transformer], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(replaying, "seconds_for_an_input", lambda c: 4.0)
    with pytest.raises(ws.InputError, match="all 4 shards, 39 inputs, again takes about 3 minutes: say every"):
        replay(holding, pair)
    assert replay(holding, pair, everything=True).agrees
    assert len(replay(holding, pair, sample=2).shards) == 2
    with pytest.raises(ws.InputError, match="sample=2 is not everything: leave out one of them"):
        replay(holding, pair, sample=2, everything=True)
    monkeypatch.setattr(replaying, "seconds_for_an_input", lambda c: 1e6)
    with pytest.raises(ws.InputError, match="takes about 10,833 hours"):
        replay(holding, pair)
    monkeypatch.undo()
    monkeypatch.setattr(claim, "shard_size", lambda weights: 12)
    derivation = replaying.Derivation.of(Exhaustive.parse(holding), pair)
    assert 0 < replaying.seconds_for_an_input(derivation) < 60
