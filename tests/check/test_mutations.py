"""Ledgers and certificates in which anything was changed: a clear refusal, or the verdict that is right."""

import json
import logging
from collections.abc import Callable
from functools import cache
from pathlib import Path
from random import Random

import pytest

import weightsmith as ws
from tests.check.models import just
from weightsmith.check import claim, ledger, replay

# The only wrong input is found in the last of its shards: whoever believes that one to be done says that it holds.
WRONG = just("bbb", "ab", 3)
many = pytest.mark.parametrize("count", [200, pytest.param(10_000, marks=pytest.mark.long)])


@pytest.fixture(autouse=True)
def small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(claim, "shard_size", lambda weights: 6)
    logging.getLogger("weightsmith.check").setLevel(logging.ERROR)  # each says that it is damaged


def refuted(path: Path | None) -> ws.check.Verdict:
    return ws.check.recognizes(WRONG, "a{5}", 3, ledger=path, workers=1)


def holding(path: Path | None) -> ws.check.Verdict:
    return ws.check.recognizes(WRONG, "b{3}", 3, ledger=path, workers=1)


def written(tmp_path: Path, check: Callable[[Path | None], ws.check.Verdict]) -> bytes:
    path = tmp_path / "whole"
    check(path)
    return path.read_bytes()


@cache
def undisturbed(check: Callable[[Path | None], ws.check.Verdict]) -> ws.check.Verdict:
    return check(None)


def assert_right(data: bytes, path: Path, check: Callable[[Path | None], ws.check.Verdict]) -> bool:
    """Check with such a ledger: it is refused, or the verdict is right. Return whether it was refused."""
    whole = undisturbed(check)
    path.write_bytes(data)
    try:
        found = check(path)
    except ws.FileError:
        assert path.read_bytes() == data
        return True
    assert (found.holds, found.counterexample, found.inputs) == (whole.holds, whole.counterexample, whole.inputs)
    assert found.digests == whole.digests
    return False


def flipped(data: bytes, bit: int) -> bytes:
    changed = bytearray(data)
    changed[bit // 8] ^= 1 << bit % 8
    return bytes(changed)


@pytest.mark.parametrize("step", [23, pytest.param(1, marks=pytest.mark.long)])
def test_a_flipped_bit_anywhere_in_the_first_line_is_refused(step: int, tmp_path: Path) -> None:
    data = written(tmp_path, refuted)
    for bit in range(0, 8 * (data.index(b"\n") + 1), step):
        assert assert_right(flipped(data, bit), tmp_path / "ledger", refuted)


@pytest.mark.parametrize("step", [17, pytest.param(1, marks=pytest.mark.long)])
def test_no_flipped_bit_of_a_ledger_changes_a_verdict(step: int, tmp_path: Path) -> None:
    """Every bit of the shards: the first line is another test's."""
    data = written(tmp_path, refuted)
    first = data.index(b"\n") + 1
    assert data.count(b"\n") > 2
    for bit in range(8 * first, 8 * len(data), step):
        assert not assert_right(flipped(data, bit), tmp_path / "ledger", refuted)


def mutated(data: bytes, random: Random) -> bytes:
    """Change, drop, double or move some bytes or lines."""
    for _ in range(random.randint(1, 3)):
        lines = data.splitlines(keepends=True)
        begin = random.randrange(len(data) + 1)
        end = min(begin + random.choice([1, 1, 8, 64, 300]), len(data))
        match random.randrange(7):
            case 0:
                data = flipped(data, random.randrange(8 * len(data))) if data else b"?"
            case 1:
                data = data[:begin] + random.randbytes(end - begin) + data[end:]
            case 2:
                data = data[:begin] + data[end:]
            case 3:
                data = data[:end] + data[begin:end] + data[end:]
            case 4:
                data = data[:begin]
            case 5:
                random.shuffle(lines)
                data = b"".join(lines)
            case _:
                digit = random.choice(b"0123456789abcdef")
                data = data[:begin] + bytes([digit]) + data[begin + 1 :]
    return data


@many
def test_mutated_ledgers_are_refused_or_the_verdict_is_right(count: int, tmp_path: Path) -> None:
    random, refusals = Random(3), 0
    for check in (refuted, holding):
        data = written(tmp_path, check)
        refusals += sum(assert_right(mutated(data, random), tmp_path / "ledger", check) for _ in range(count // 2))
        (tmp_path / "whole").unlink()
    assert 0 < refusals < count


@many
def test_mutated_certificates_are_refused_or_say_what_is_true(count: int) -> None:
    random, agreed = Random(4), 0
    for check in (refuted, holding):
        verdict = check(None)
        data = verdict.to_json().encode()
        for _ in range(count // 2):
            text = mutated(data, random).decode("utf-8", "replace")
            try:
                again = replay(text, [WRONG], everything=True)
            except (ws.FileError, ws.InputError):
                continue
            if again.agrees:
                agreed += 1
                said = json.loads(text)
                assert said["holds"] is verdict.holds
                assert said["inputs"] == verdict.inputs
                assert said["counterexample"] == verdict.certificate()["counterexample"]
    assert 0 < agreed < count


def test_another_version_or_other_kernels_begin_anew(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    refuted(tmp_path / "ledger")
    for name, value in (("__version__", "9.9"), ("sources_digest", lambda: "0" * 64)):
        with monkeypatch.context() as patch:
            patch.setattr(ledger, name, value)
            with pytest.raises(ws.FileError, match="belongs to another check: its (version|kernels) is"):
                refuted(tmp_path / "ledger")
