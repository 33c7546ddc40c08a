"""A ledger belongs to one check and one process; no other file is ever written to."""

import json
import os
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.long_check import SHARDS
from tests.check.models import automaton
from tests.check.processes import lines, output, script, until
from weightsmith.check import claim
from weightsmith.check.ledger import _linked

T = ws.library.ends_with("b", "ab")
PATTERN = re.compile(".*b")
ENDS_WITH_B = automaton([[0, 1], [0, 1]], [False, True])


def check(path: Any, up_to: int = 6, **more: Any) -> ws.check.Verdict:
    return ws.check.recognizes(T, PATTERN, up_to, ledger=path, **more)


OTHERS: dict[str, tuple[Callable[[Path], object], str]] = {
    "claim": (lambda path: ws.check.same_decisions(T, T, 6, ledger=path), "its claim is 'recognizes'"),
    "model": (lambda path: ws.check.recognizes(~~T, PATTERN, 6, ledger=path), "its models is"),
    "length": (lambda path: check(path, 7), "its up_to is 6, here it is 7"),
    "regex": (lambda path: ws.check.recognizes(T, re.compile(".*b$"), 6, ledger=path), "its language is"),
    "flags": (lambda path: ws.check.recognizes(T, re.compile(".*b", re.S), 6, ledger=path), "its language is"),
    "automaton": (lambda path: ws.check.recognizes(T, ENDS_WITH_B, 6, ledger=path),
                  "its language is"),
    "yes": (lambda path: ws.check.recognizes(T, PATTERN, 6, yes="NO", ledger=path),
            "its yes is 'YES', here it is 'NO'"),
}  # fmt: skip


@pytest.mark.parametrize("name", OTHERS)
def test_the_ledger_of_another_check_is_refused_and_stays_as_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    check(path)
    before = path.read_bytes()
    other, message = OTHERS[name]
    with pytest.raises(ws.FileError, match="belongs to another check: .*name another file") as caught:
        other(path)
    assert message in str(caught.value)
    assert path.read_bytes() == before
    path.write_bytes(before[:-10])  # also one that was cut short
    with pytest.raises(ws.FileError):
        other(path)
    assert path.read_bytes() == before[:-10]


def test_a_ledger_with_other_shards_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    check(tmp_path / "ledger")
    monkeypatch.setattr(claim, "shard_size", lambda weights: 9)
    with pytest.raises(ws.FileError, match="its tiers is"):
        check(tmp_path / "ledger")


FILES: dict[str, bytes] = {
    "text": b"Dear Sir,\nI have not been checked.\n",
    "text without a newline": b"Dear Sir",
    "binary": bytes(range(256)) * 8,
    "binary without a newline": b"\x00\xff\xfe",
    "a model": b"\x08\x00\x00\x00\x00\x00\x00\x00{}      ",
    "JSON": b'{"a": 1}\n[]\n',
    "a list": b"[1, 2]\n",
    "deep": b"[" * 100_000 + b"\n",
    "a number too long": b"1" * 5000 + b"\n",
    "a certificate": b'{"format": "weightsmith certificate 1"}\n',
    "an earlier format": b'{"format": "weightsmith ledger 1"}\n',
    "a later format": b'{"format": "weightsmith ledger 3"}\n',
    "an empty line": b"\n",
    "spaces": b" ",
}


@pytest.mark.parametrize("name", FILES)
def test_a_file_that_is_no_ledger_is_refused_and_stays_as_it_is(name: str, tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(FILES[name])
    with pytest.raises(ws.FileError, match="is not a ledger: name another file"):
        check(path)
    assert path.read_bytes() == FILES[name]


@pytest.mark.parametrize(
    "line",
    ["{}", "[]", "x", "", '{"tier": 0}', '{"tier": 0, "shard": 1, "digest": "%s"}' % ("0" * 64),
     '{"tier": 1, "shard": 0, "digest": "%s"}' % ("0" * 64), '{"tier": -1, "shard": 0, "digest": "%s"}' % ("0" * 64),
     '{"tier": 0, "shard": -1, "digest": "%s"}' % ("0" * 64), '{"tier": 0, "shard": 0, "digest": "%s"}' % ("0" * 63),
     '{"tier": 0, "shard": 0, "digest": "%s"}' % ("x" * 64), '{"tier": 0, "shard": 0, "digest": null}',
     '{"tier": 0.0, "shard": 0, "digest": "%s"}' % ("0" * 64)],
)  # fmt: skip
def test_a_damaged_line_and_all_after_it_are_derived_again(
    line: str, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    path = tmp_path / "ledger"
    verdict = check(path)
    before = path.read_bytes()
    path.write_bytes(before + line.encode() + b"\n" + before.splitlines(keepends=True)[1])
    assert check(path).digests == verdict.digests
    assert [record.getMessage() for record in caplog.records] == [
        f"the ledger {path} is damaged from line 3 on: what stood there is derived again"
    ]
    assert path.read_bytes() == before


def test_a_line_with_the_right_link_is_still_no_shard_if_the_plan_has_none(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    verdict = check(path)
    before = path.read_bytes()
    link = json.loads(before.splitlines()[-1])["link"]
    for tier, shard in ((0, 1), (1, 0), (-1, 0)):
        _, line = _linked({"tier": tier, "shard": shard, "digest": "0" * 64}, link)
        path.write_bytes(before + line)
        assert check(path).digests == verdict.digests
        assert path.read_bytes() == before


def test_a_first_line_with_another_link_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    check(path)
    head = json.loads(path.read_bytes().splitlines()[0])
    for wrong in ({**head, "link": "0" * 64}, {key: head[key] for key in head if key != "link"}):
        path.write_bytes(json.dumps(wrong, sort_keys=True).encode() + b"\n")
        before = path.read_bytes()
        with pytest.raises(ws.FileError, match="the first line of the ledger .* is damaged, .*: delete the file"):
            check(path)
        assert path.read_bytes() == before


def test_memory_and_workers_do_not_matter_to_a_ledger(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    verdict = check(path, 12, memory=1 << 20, workers=1)
    before = path.read_bytes()
    again = check(path, 12, memory=1 << 30, workers=2)
    assert again.digests == verdict.digests == check(None, 12).digests
    assert path.read_bytes() == before


@pytest.mark.parametrize("extra", [{"more": None}, {"more": 1}, {"up_to": None}, {"claim": []}, {"tiers": None}])
def test_a_head_with_anything_else_in_it_is_refused(extra: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    check(path)
    head = json.loads(path.read_bytes().splitlines()[0])
    path.write_bytes(json.dumps({**head, **extra}).encode() + b"\n")
    with pytest.raises(ws.FileError, match=f"another check: its {next(iter(extra))} is"):
        check(path)
    del head["up_to"]
    path.write_bytes(json.dumps(head).encode() + b"\n")
    with pytest.raises(ws.FileError, match="another check: its up_to is None, here it is 6"):
        check(path)


@pytest.mark.parametrize("name", ["folder", "fifo", "dangling/ledger", "/proc/ledger", "/dev/null", "a\0b", "x" * 300])
def test_what_cannot_be_a_file_is_refused(name: str, tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "fifo")
    with pytest.raises(ws.FileError, match="ledger"):
        check(tmp_path / name)
    assert sorted(os.listdir(tmp_path)) == ["fifo", "folder"]


@pytest.mark.parametrize("path", [3, b"ledger", ["ledger"], True, 1.5, ""])
def test_a_ledger_that_is_no_path_is_refused(path: Any) -> None:
    with pytest.raises(ws.InputError, match="ledger=.*: write the name of a file"):
        check(path)


def test_a_ledger_in_use_is_refused_and_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    process = script("small_shards(); long_check(sys.argv[1], progress=still_at(sys.argv[1], 1))", path)
    try:
        until(lambda: lines(path) > 0, process)
        with pytest.raises(ws.FileError, match="is being written to by another check: wait for it"):
            check(path)
        other = path.read_bytes().splitlines()[0]
    finally:
        process.kill()
        output(process)
    with pytest.raises(ws.FileError, match="belongs to another check"):
        check(path)
    assert path.read_bytes().splitlines()[0] == other


@pytest.mark.long
def test_a_full_disk_is_reported_and_the_check_can_go_on(tmp_path: Path) -> None:
    path = tmp_path / "ledger"
    text = """
small_shards()
resource.setrlimit(resource.RLIMIT_FSIZE, (3000, resource.RLIM_INFINITY))
try:
    long_check(sys.argv[1])
except ws.FileError as error:
    print(error)
"""
    code, out, err = output(script(text, path))
    assert (code, err) == (0, "")
    assert f"cannot write to the ledger {path}: File too large" in out
    process = script("small_shards(); print(long_check(sys.argv[1]).holds)", path)
    assert output(process) == (0, "True\n", "")
    assert lines(path) == 1 + SHARDS


def test_bad_input_makes_no_ledger(tmp_path: Path) -> None:
    for wrong in ({"up_to": 0}, {"workers": 0}, {"memory": 5}, {"cluster": ""}, {"cluster": 8786}):
        with pytest.raises(ws.InputError):
            check(tmp_path / "ledger", **wrong)
    with pytest.raises(ws.InputError, match="a ledger needs a claim that consists of data"):
        ws.check.recognizes(T, lambda tokens: True, 3, ledger=tmp_path / "ledger")
    assert os.listdir(tmp_path) == []
