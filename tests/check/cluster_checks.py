"""Checks on a cluster: what comes of them, something that happens in their middle, and the ledger of one that ended."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.long_check import long_check, small_shards
from tests.check.processes import lines
from weightsmith.check import cluster

KILL_AT = 30  # shards


def told(verdict: ws.check.Verdict) -> dict[str, Any]:
    return {key: value for key, value in verdict.certificate().items() if key not in ("seconds", "finished")}


def in_small_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a check consist of many shards, tasks of few, and be looked at often."""
    small_shards(monkeypatch.setattr)
    monkeypatch.setattr(cluster, "TASK_SECONDS", 0.02)
    monkeypatch.setattr(cluster, "POLL_SECONDS", 0.1)


def when_some_are_done(act: Callable[[], object]) -> Callable[[int, int], None]:
    """Return a progress function that does something once, in the middle of a check."""
    calls = 0

    def progress(done: int, of: int) -> None:
        nonlocal calls
        calls += 1
        if calls == KILL_AT:
            act()

    return progress


@contextmanager
def heard(act: Callable[[], object]) -> Iterator[list[str]]:
    """Give the messages that the checker logs, and do something as soon as one comes."""
    messages: list[str] = []

    class Heard(logging.Handler):
        def emit(self, record: logging.LogRecord) -> None:
            messages.append(record.getMessage())
            act()

    handler, log = Heard(), logging.getLogger("weightsmith.check")
    log.addHandler(handler)
    try:
        yield messages
    finally:
        log.removeHandler(handler)


def assert_the_ledger_is_whole(path: Path) -> None:
    """What was reported is in it, no line is damaged, and the check goes on from it to the same digests."""
    before = lines(path)
    assert before > KILL_AT
    with heard(lambda: None) as messages:
        assert told(long_check(path)) == told(long_check(None))
    assert messages == []
    assert lines(path) > before
