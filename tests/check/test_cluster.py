"""On a cluster, with real processes, a check comes out as on this machine, even when a worker is killed."""

import os
import re
import signal
import socket
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from tests.check.cluster_checks import (
    assert_the_ledger_is_whole,
    heard,
    in_small_steps,
    told,
    when_some_are_done,
)
from tests.check.dask_processes import a_scheduler, a_worker, wait_for_workers
from tests.check.long_check import long_check, long_regex_check, small_shards
from tests.check.processes import PATIENCE, lines
from weightsmith.check import cluster

pytestmark = pytest.mark.filterwarnings("ignore")  # Dask's own


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("cluster")


@pytest.fixture(scope="module")
def scheduler(folder: Path) -> Iterator[str]:
    with a_scheduler(folder) as (address, _):
        yield address


class Workers:
    """The workers of a scheduler, started as tests need them."""

    def __init__(self, folder: Path, scheduler: str) -> None:
        """Begin with none."""
        self.folder, self.scheduler = folder, scheduler
        self.running: list[subprocess.Popen[str]] = []

    def at_least(self, count: int) -> list[subprocess.Popen[str]]:
        """See to it that so many are there, and return all that are."""
        self.running = [process for process in self.running if process.poll() is None]
        while len(self.running) < count:
            self.running.append(a_worker(self.folder, self.scheduler))
        wait_for_workers(self.scheduler, len(self.running))
        return self.running

    def kill(self) -> None:
        """End all of them."""
        for process in self.running:
            process.kill()
            process.wait(PATIENCE)


@pytest.fixture(scope="module")
def workers(folder: Path, scheduler: str) -> Iterator[Workers]:
    """The workers of the cluster; those that still run at the end are ended."""
    found = Workers(folder, scheduler)
    yield found
    found.kill()


@pytest.fixture
def two(workers: Workers) -> list[subprocess.Popen[str]]:
    """At least two workers."""
    return workers.at_least(2)


@pytest.mark.parametrize("holds", [True, False])
def test_a_check_comes_out_as_on_this_machine(
    holds: bool, scheduler: str, two: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small_shards(monkeypatch.setattr)
    path, seen = tmp_path / "ledger", list[tuple[int, int]]()
    verdict = long_check(path, holds, cluster=scheduler, progress=lambda *now: seen.append(now))
    assert verdict.holds == holds
    assert told(verdict) == told(long_check(None, holds))
    assert seen[-1] == (2046, 2046)
    if holds:
        assert lines(path) == 1 + sum(tier.shards for tier in verdict.plan.tiers) > 150
        assert told(long_check(path, workers=1)) == told(verdict)
    else:
        assert verdict.counterexample == "bbbbabbbbb"


def test_a_language_and_a_full_mask_come_out_as_on_this_machine(scheduler: str, two: Any) -> None:
    assert told(long_regex_check(None, cluster=scheduler)) == told(long_regex_check(None))
    T = ws.random_transformer("abc", mask="full", seed=3)
    starts = re.compile("a.*")
    assert told(ws.check.recognizes(T, starts, 4, cluster=scheduler)) == told(ws.check.recognizes(T, starts, 4))
    assert told(ws.check.same_logits(T, T, 4, cluster=scheduler)) == told(ws.check.same_logits(T, T, 4))


def test_a_frame_goes_to_the_cluster(scheduler: str, two: Any) -> None:
    S = ws.random_transformer("ab", max_length=6, seed=3)
    T = ws.infinity_form(S, lowering="attention", length=5)
    for second in (T, ws.infinity_form(~S, lowering="attention", length=5)):
        here = ws.check.same_decisions(S, second, suffix=("END",), length=5, within="a.*")
        there = ws.check.same_decisions(S, second, suffix=("END",), length=5, within="a.*", cluster=scheduler)
        assert told(there) == told(here)
        assert here.holds == (second is T)


@pytest.mark.parametrize("which", [0, 1])
@pytest.mark.one_in(2)
def test_a_worker_that_is_killed_changes_nothing(
    which: int, scheduler: str, two: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One of the two holds the claim: once it is this one and once the other."""
    process = two[which]
    small_shards(monkeypatch.setattr)
    monkeypatch.setattr(cluster, "TASK_SECONDS", 0.02)
    calls = 0

    def kill(done: int, of: int) -> None:
        nonlocal calls
        calls += 1
        if calls == 30:
            process.send_signal(signal.SIGKILL)
            process.wait(PATIENCE)

    verdict = long_check(None, cluster=scheduler, progress=kill)
    assert calls > 30
    assert process.poll() == -signal.SIGKILL
    assert told(verdict) == told(long_check(None))


@pytest.mark.long
def test_workers_without_weightsmith_are_refused(tmp_path: Path) -> None:
    without = "import sys; sys.modules['weightsmith'] = None; from distributed.cli.dask_worker import main; main()"
    with a_scheduler(tmp_path) as (address, _):
        one = a_worker(tmp_path, address, before=("-c", without))
        wait_for_workers(address, 1)
        with pytest.raises(ws.InputError, match="the workers of the cluster .* do not answer: .*install weightsmith"):
            long_regex_check(None, cluster=address)
        one.kill()
        one.wait(PATIENCE)


@pytest.mark.long
def test_workers_with_another_version_are_refused(scheduler: str, two: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "__version__", "9.9")
    with pytest.raises(ws.InputError, match=r"the worker tcp://.* has weightsmith .*, this is 9.9: install the same"):
        long_regex_check(None, cluster=scheduler)


@pytest.mark.long
def test_an_error_of_a_worker_is_the_error_of_the_check(scheduler: str, two: Any) -> None:
    T = ws.random_transformer("ab", weighting=ws.Softmax(empty="error"), arithmetic=ws.Fixed(3, 2), seed=4)
    with pytest.raises(ws.ModelError) as local:
        ws.check.same_logits(T, T, 8)
    with pytest.raises(ws.ModelError) as distant:
        ws.check.same_logits(T, T, 8, cluster=scheduler)
    assert str(distant.value) == str(local.value)


def test_a_function_cannot_go_to_a_cluster(scheduler: str) -> None:
    T = ws.library.contains("1")
    needed = "a cluster needs a claim that consists of data.*Automaton"
    with pytest.raises(ws.InputError, match=needed):
        ws.check.recognizes(T, lambda tokens: "1" in tokens, 3, cluster=scheduler)
    with pytest.raises(ws.InputError, match=needed):
        ws.check.final_vectors(T, lambda vectors: vectors[:, 0] == 1, 3, cluster=scheduler)


def unknown(*host: Any, **more: Any) -> list[Any]:
    raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")


@pytest.mark.parametrize(
    "address",
    [
        "closed",
        "127.0.0.1",
        "nowhere://127.0.0.1:1",
        "tcp://",
        "not an address",
        "tls://127.0.0.1:1",
        "ucx://127.0.0.1:1",
    ],
)
def test_a_cluster_that_cannot_be_reached_is_refused_and_no_ledger_is_made(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 0.2)
    if address == "not an address":  # nobody outside is asked what it may be
        monkeypatch.setattr(socket, "getaddrinfo", unknown)
    if address == "closed":
        with socket.socket() as unused:
            unused.bind(("127.0.0.1", 0))
            address = f"tcp://127.0.0.1:{unused.getsockname()[1]}"
    with pytest.raises(ws.InputError, match="the cluster .* cannot be reached.*start one with dask scheduler"):
        long_regex_check(tmp_path / "ledger", cluster=address)
    assert os.listdir(tmp_path) == []
    (tmp_path / "ledger").write_bytes(b"something else\n")
    with pytest.raises(ws.InputError, match="cannot be reached"):
        long_regex_check(tmp_path / "ledger", cluster=address)
    assert (tmp_path / "ledger").read_bytes() == b"something else\n"


# The last tests of this file end the workers


def test_when_all_workers_stay_dead_the_check_ends_after_a_stated_time_and_the_ledger_is_whole(
    scheduler: str, workers: Workers, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The other ways in which a cluster dies have a file of their own."""
    workers.at_least(1)
    in_small_steps(monkeypatch)
    monkeypatch.setattr(cluster, "WORKERS_SECONDS", 0.5)
    expected = "has had no workers for 0.5 s: start one with dask worker tcp://.* --host 127.0.0.1, then the check"
    with heard(lambda: None) as messages, pytest.raises(ws.InputError, match=expected):
        long_check(tmp_path / "ledger", cluster=scheduler, progress=when_some_are_done(workers.kill))
    assert messages == [f"the cluster {scheduler} has no workers left: waiting 0.5 s for one to come back"]
    assert_the_ledger_is_whole(tmp_path / "ledger")


def test_a_cluster_without_workers_is_refused(scheduler: str, workers: Workers, tmp_path: Path) -> None:
    workers.kill()
    wait_for_workers(scheduler, 0)
    with pytest.raises(ws.InputError, match="has no workers: start one with dask worker tcp://.* --host 127.0.0.1"):
        long_regex_check(tmp_path / "ledger", cluster=scheduler)
    assert os.listdir(tmp_path) == []
