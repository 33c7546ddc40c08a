"""A check that was killed or stopped goes on where it was, and comes out as if nothing had happened."""

import json
import signal
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.long_check import SHARDS, UP_TO, S, long_check, long_regex_check, small_shards
from tests.check.processes import lines, output, script, until
from weightsmith.check import engine
from weightsmith.check.neighbours import examine_all


@pytest.fixture
def examined(monkeypatch: pytest.MonkeyPatch) -> list[Any]:
    """The shards that are examined in this process."""
    small_shards(monkeypatch.setattr)
    seen: list[Any] = []

    def watched(claim: Any, plan: Any, asked: Any, columns: int) -> Any:
        seen.extend(shard for shard, _ in asked)
        return examine_all(claim, plan, asked, columns)

    monkeypatch.setattr(engine, "examine_all", watched)
    return seen


def told(verdict: ws.check.Verdict) -> dict[str, Any]:
    """Return everything of a certificate but the time."""
    return {key: value for key, value in verdict.certificate().items() if key not in ("seconds", "finished")}


def recorded(ledger: bytes) -> set[tuple[int, int, str]]:
    """Return the shards of a ledger with their digests; they end in any order, and links depend on it."""
    entries = [json.loads(line) for line in ledger.splitlines()[1:]]
    return {(entry["tier"], entry["shard"], entry["digest"]) for entry in entries}


@pytest.mark.parametrize(("holds", "workers"), [(True, 2), (False, 1)])
@pytest.mark.long  # test_killed_anywhere does the same
def test_a_killed_check_goes_on_where_it_was(holds: bool, workers: int, tmp_path: Path, examined: list[Any]) -> None:
    path = tmp_path / "ledger"
    undisturbed = told(long_check(None, holds, workers=workers))
    text = """
small_shards()
path, holds, workers, enough = sys.argv[1], *map(int, sys.argv[2:])
long_check(path, bool(holds), workers=workers, progress=still_at(path, enough))
"""
    for enough in (4, 90):  # killed twice; the second time in the last tier
        process = script(text, path, int(holds), workers, enough)
        until(lambda: lines(path) >= enough, process)  # noqa: B023
        process.kill()
        assert output(process)[0] == -signal.SIGKILL
    kept = path.read_bytes()
    finished = kept.count(b"\n") - 1
    assert finished + 1 == 90
    examined.clear()
    verdict = long_check(path, holds, workers=workers)
    assert told(verdict) == undisturbed
    assert verdict.holds == holds
    done = {(entry["tier"], entry["shard"]) for entry in map(json.loads, kept.splitlines()[1 : finished + 1])}
    assert not done & {(shard.tier, shard.index) for shard in examined}
    assert len(examined) == len(set(examined)) == SHARDS - finished
    assert path.read_bytes().startswith(kept[: kept.rindex(b"\n") + 1])
    if holds:
        examined.clear()
        assert told(long_check(path, holds)) == undisturbed
        assert examined == []


@pytest.mark.long
def test_control_c_stops_a_check_and_keeps_the_ledger(tmp_path: Path, examined: list[Any]) -> None:
    path = tmp_path / "ledger"
    text = """
small_shards()
ledger.SYNC_SECONDS = 0 if sys.argv[2] == "at once" else 1e9
reports = 0
def progress(done, of):
    global reports
    reports += 1
    print(done, flush=True)
    while reports == 25:
        time.sleep(0.01)
try:
    long_check(sys.argv[1], progress=progress, workers=2)
except KeyboardInterrupt:
    print("stopped", flush=True)
"""
    for when in ("at once", "at the end"):  # at the end: what was not yet on disk is put there
        process = script(text, path, when)
        assert process.stdout is not None
        for _ in range(25):
            assert process.stdout.readline().strip().isdigit()
        process.send_signal(signal.SIGINT)
        code, out, err = output(process)
        assert (code, err) == (0, "")
        assert out.endswith("stopped\n")
        assert path.read_bytes().endswith(b"\n")
    assert lines(path) > 40
    examined.clear()
    left = SHARDS + 1 - lines(path)
    assert told(long_check(path)) == told(long_check(None))
    assert len(examined) == left + SHARDS


def test_a_last_line_that_was_cut_short_is_not_counted(tmp_path: Path, examined: list[Any]) -> None:
    path = tmp_path / "ledger"
    whole = told(long_regex_check(path))
    text = path.read_bytes()
    head = text.index(b"\n") + 1
    for end in (0, 1, head // 2, head - 1, head, head + 1, head + 60, len(text) - 1, len(text)):
        path.write_bytes(text[:end])
        examined.clear()
        assert told(long_regex_check(path)) == whole
        assert len(examined) == SHARDS - max(text[:end].count(b"\n") - 1, 0)
        assert recorded(path.read_bytes()) == recorded(text)


def test_lines_in_another_order_lines_left_out_and_repeated_ones_are_derived_again(
    tmp_path: Path, examined: list[Any]
) -> None:
    path = tmp_path / "ledger"
    whole = told(long_regex_check(path))
    head, *rest = path.read_bytes().splitlines(keepends=True)
    for kept, lines_ in ((0, rest[::-1]), (5, rest[:5] + rest[6:]), (9, rest[:9] + rest[:9]), (3, [*rest[:3], *rest])):
        path.write_bytes(head + b"".join(lines_))
        examined.clear()
        assert told(long_regex_check(path)) == whole
        assert len(examined) == SHARDS - kept


def test_progress_counts_what_the_ledger_has(tmp_path: Path, examined: list[Any]) -> None:
    path = tmp_path / "ledger"
    long_regex_check(path)
    head, *rest = path.read_bytes().splitlines(keepends=True)
    path.write_bytes(head + b"".join(rest[: SHARDS // 2]))
    seen: list[tuple[int, int]] = []
    long_regex_check(path, progress=lambda *now: seen.append(now))
    assert seen[-1] == (2 ** (UP_TO + 1) - 2,) * 2
    assert len(seen) < SHARDS - SHARDS // 2 + 10
    assert ws.decisions(S, ["b"]) == ["YES"]
