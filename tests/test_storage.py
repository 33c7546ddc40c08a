"""Files are written whole or not at all, and nothing is left behind; JSON is read within its limits."""

import errno
import fcntl
import json
import os
import signal
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith import storage
from weightsmith.storage import MAX_DEPTH, MAX_DIGITS, PART, check_writable, parse_json, write_whole

LITTER = f"{PART[0]}0123{PART[1]}"


def killed_writer(path: Path) -> None:
    """Leave what a process leaves that is killed before its file is in its place."""
    program = f"""
import os, signal
from pathlib import Path
from weightsmith.storage import write_whole
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
write_whole(Path({str(path)!r}), b"half" * 1000)
"""
    ended = subprocess.run([sys.executable, "-c", program], check=False)
    assert ended.returncode == -signal.SIGKILL


def parts(folder: Path) -> list[str]:
    return [name for name in os.listdir(folder) if name.startswith(PART[0]) and name.endswith(PART[1])]


@pytest.mark.parametrize("mode", [None, 0o444])
def test_what_a_killed_writer_left_is_cleared_away_by_the_next(mode: int | None, tmp_path: Path) -> None:
    path = tmp_path / "file"
    if mode is not None:
        path.write_bytes(b"old")
        path.chmod(mode)
    killed_writer(path)
    assert len(parts(tmp_path)) == 1
    assert (path.read_bytes() if path.exists() else None) == (None if mode is None else b"old")
    write_whole(tmp_path / "other", b"new")  # any file in the folder
    assert parts(tmp_path) == []
    killed_writer(path)
    check_writable(path)  # a command that tests its output, and then fails for another reason
    assert parts(tmp_path) == []


def test_what_another_writer_is_at_is_left_alone(tmp_path: Path) -> None:
    """Two writers at once: each has its own file, and neither clears away that of the other."""
    with storage._beside(tmp_path / "file") as (one, name):
        write_whole(tmp_path / "file", b"second")
        with storage._beside(tmp_path / "file") as (other, another):
            assert name != another
            assert sorted(parts(tmp_path)) == sorted([name.name, another.name])
            other.write(b"third")
            other.flush()
            os.replace(another, tmp_path / "file")
        one.write(b"first")
        one.flush()
        assert name.read_bytes() == b"first"
        os.replace(name, tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == b"first"
    assert parts(tmp_path) == []


def test_many_writers_of_one_file_leave_one_of_their_texts_whole(tmp_path: Path) -> None:
    program = f"""
import sys
from pathlib import Path
from weightsmith.storage import write_whole
for n in range(60):
    write_whole(Path({str(tmp_path / "file")!r}), sys.argv[1].encode() * 5000)
"""
    started = [subprocess.Popen([sys.executable, "-c", program, letter]) for letter in "abc"]
    assert [process.wait() for process in started] == [0, 0, 0]
    assert (tmp_path / "file").read_bytes() in [letter * 5000 for letter in (b"a", b"b", b"c")]
    assert os.listdir(tmp_path) == ["file"]


def test_a_file_that_was_cleared_away_before_it_was_locked_is_made_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    lock, times = fcntl.flock, list[int]()

    def late(file: int, kind: int) -> None:
        times.append(kind)
        if len(times) == 1:  # another process was faster
            os.unlink(next(tmp_path.iterdir()))
        if len(times) == 2:  # another process is at it
            raise BlockingIOError
        lock(file, kind)

    monkeypatch.setattr(fcntl, "flock", late)
    write_whole(tmp_path / "file", b"whole")
    monkeypatch.undo()
    assert (tmp_path / "file").read_bytes() == b"whole"
    assert len(times) == 3
    check_writable(tmp_path / "file")
    assert os.listdir(tmp_path) == ["file"]


def test_without_locks_files_are_written_and_nothing_is_cleared_away(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / LITTER).write_bytes(b"somebody may be at it")

    def no_locks(file: int, kind: int) -> None:
        raise OSError(errno.ENOLCK, "No locks available")

    monkeypatch.setattr(fcntl, "flock", no_locks)
    write_whole(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"
    assert parts(tmp_path) == [LITTER]
    monkeypatch.undo()
    check_writable(tmp_path / "file")
    assert parts(tmp_path) == []


def test_only_files_are_cleared_away(tmp_path: Path) -> None:
    """A pipe does not keep us waiting, a link is not followed, and names of others are theirs."""
    (tmp_path / "precious").write_bytes(b"precious")
    os.mkfifo(tmp_path / f"{PART[0]}pipe{PART[1]}")
    (tmp_path / f"{PART[0]}folder{PART[1]}").mkdir()
    (tmp_path / f"{PART[0]}link{PART[1]}").symlink_to(tmp_path / "precious")
    (tmp_path / f"{PART[0]}other").write_bytes(b"")
    (tmp_path / f"other{PART[1]}").write_bytes(b"")
    before = sorted(os.listdir(tmp_path))
    write_whole(tmp_path / "precious", b"precious")
    assert sorted(os.listdir(tmp_path)) == before
    assert (tmp_path / "precious").read_bytes() == b"precious"


def test_a_link_stays_a_link_and_litter_beside_its_target_is_cleared_away(tmp_path: Path) -> None:
    (tmp_path / "there").mkdir()
    target, link = tmp_path / "there" / "target", tmp_path / "link"
    link.symlink_to(target)
    write_whole(link, b"new")
    (tmp_path / "there" / LITTER).write_bytes(b"")
    write_whole(link, b"newer")
    assert link.is_symlink()
    assert target.read_bytes() == b"newer"
    assert os.listdir(tmp_path / "there") == ["target"]


def test_a_read_only_file_is_replaced_whole_and_stays_read_only(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"old")
    path.chmod(0o400)
    write_whole(path, b"new")
    assert path.read_bytes() == b"new"
    assert stat.S_IMODE(path.stat().st_mode) == 0o400


def test_nothing_of_a_secret_file_is_readable_for_others_while_it_is_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path, seen = tmp_path / "file", list[int]()
    path.write_bytes(b"old")
    path.chmod(0o600)
    sync = os.fsync

    def watched(file: int) -> None:
        seen.append(stat.S_IMODE(os.fstat(file).st_mode))
        sync(file)

    monkeypatch.setattr(os, "fsync", watched)
    write_whole(path, b"secret")
    assert seen == [0o600]


def test_a_folder_that_cannot_be_written_to_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make = os.open

    def refused(path: Any, flags: int, *rest: Any, **more: Any) -> int:
        if flags & os.O_CREAT:
            raise PermissionError(errno.EACCES, "Permission denied")
        return make(path, flags, *rest, **more)

    monkeypatch.setattr(os, "open", refused)  # root may write everywhere
    with pytest.raises(ws.FileError, match="cannot write '.*file': Permission denied"):
        ws.save(ws.library.contains("1"), tmp_path / "file")
    with pytest.raises(PermissionError):
        check_writable(tmp_path / "file")
    assert os.listdir(tmp_path) == []


def test_a_folder_that_cannot_be_listed_is_written_to_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refused(path: Any) -> None:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr(os, "scandir", refused)
    write_whole(tmp_path / "file", b"whole")
    assert (tmp_path / "file").read_bytes() == b"whole"


# JSON

WRONG: dict[str, tuple[str, str]] = {
    "twice": ('{"a": 1, "a": 2}', "the key 'a' occurs twice"),
    "twice inside": ('{"x": [{"a": 1, "b": 2, "a": 1}]}', "the key 'a' occurs twice"),
    "NaN": ('{"a": NaN}', "NaN is not a number"),
    "infinity": ('{"a": -Infinity}', "-Infinity is not a number"),
    "overflow": ('{"a": 1e999}', "1e999 is not a number"),
    "long overflow": ('{"a": 1' + "0" * 9999 + ".5}", "is not a number"),
    "digits": ('{"a": 1' + "0" * MAX_DIGITS + "}", "a number of 20,001 digits, at most 20,000 are read"),
    "depth": ('{"a": ' + "[" * MAX_DEPTH + "]" * MAX_DEPTH + "}", "more than 64 lists and objects in each other"),
    "more depth": ("[" * 10**6, "is not valid JSON"),
    "list": ("[1]", "is not a JSON object, it is [1]"),
    "rest": ("{} {}", "is not valid JSON: Extra data"),
    "nothing": ("", "is not valid JSON"),
    "parts": ('{"a": [' + "[]," * 10**6 + "[]]}", "too many parts for its size"),
    "objects": ('{"a": [' + '{"b":1},' * 10**6 + "1]}", "too many parts for its size"),
    "numbers": ('{"a": [' + "1.5," * 3 * 10**6 + "1]}", "too many parts for its size"),
    "texts": ('{"a": [' + '"ab",' * 10**6 + "1]}", "too many parts for its size"),
    "wide": ('{"a": "\\ud83d\\ude00' + "x" * 3 * 10**7 + '"}', "too many parts for its size"),
}


@pytest.mark.parametrize("kind", [str, str.encode], ids=["text", "bytes"])
@pytest.mark.parametrize("name", WRONG)
def test_json_beyond_its_limits_is_refused_by_name(name: str, kind: Callable[[str], Any]) -> None:
    text, message = WRONG[name]
    with pytest.raises(ws.FileError) as caught:
        parse_json(kind(text), "it")
    assert message in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("digits", [1, 4300, 4301, 9999, MAX_DIGITS])
@pytest.mark.parametrize("sign", [1, -1])
def test_whole_numbers_of_many_digits_are_read_exactly(digits: int, sign: int) -> None:
    number = sign * (10**digits - 7) // 3
    with_any_length = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        text = json.dumps({"a": number})
    finally:
        sys.set_int_max_str_digits(with_any_length)
    assert parse_json(text, "it") == {"a": number}


def test_what_is_within_its_limits_is_read_as_json_reads_it() -> None:
    value = {"a": [1, -2.5, "é", "\U0001f600", True, None, {}, [[]]], "": {"b": ["x" * 10**6]}, "c": '"\\\n\0'}
    for ascii in (True, False):
        text = json.dumps(value, ensure_ascii=ascii)
        assert parse_json(text, "it") == parse_json(text.encode(), "it") == value
    deepest = '{"a": ' + "[" * (MAX_DEPTH - 1) + "]" * (MAX_DEPTH - 1) + "}"
    assert parse_json(deepest, "it") == json.loads(deepest)
