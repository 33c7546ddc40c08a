"""A cluster that dies: said within seconds, ended after a stated time, and the ledger is whole."""

import os
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

import weightsmith as ws
from tests.check.cluster_checks import assert_the_ledger_is_whole, heard, in_small_steps, told, when_some_are_done
from tests.check.dask_processes import a_scheduler, a_worker, wait_for_workers
from tests.check.long_check import long_check
from tests.check.processes import PATIENCE
from weightsmith.check import cluster

pytestmark = [
    pytest.mark.filterwarnings("ignore"),  # Dask's own
    pytest.mark.long,  # one way to die is tested with the cluster that is there anyway, in test_cluster.py
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "cluster").mkdir()
    return tmp_path / "cluster"


@pytest.fixture
def running(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str], subprocess.Popen[str]]]:
    """The address of a scheduler, its process, and that of its only worker."""
    with a_scheduler(folder) as (address, process):
        worker = a_worker(folder, address)
        wait_for_workers(address, 1)
        yield address, process, worker
        process.send_signal(signal.SIGCONT)
        kill(worker)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    in_small_steps(monkeypatch)


def kill(process: subprocess.Popen[str]) -> None:
    process.kill()
    process.wait(PATIENCE)


def test_when_all_workers_die_and_one_comes_back_the_check_goes_on_to_the_same_digests(
    running: tuple[str, subprocess.Popen[str], subprocess.Popen[str]], folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, _, worker = running
    monkeypatch.setattr(cluster, "WORKERS_SECONDS", PATIENCE)
    started: list[subprocess.Popen[str]] = []
    try:
        with heard(lambda: started.append(a_worker(folder, address))) as messages:
            verdict = long_check(None, cluster=address, progress=when_some_are_done(lambda: kill(worker)))
    finally:
        for process in started:
            kill(process)
    assert messages == [f"the cluster {address} has no workers left: waiting 240 s for one to come back"]
    assert told(verdict) == told(long_check(None))


def test_a_scheduler_that_is_killed_ends_the_check_and_the_ledger_is_whole(
    running: tuple[str, subprocess.Popen[str], subprocess.Popen[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, scheduler, _ = running
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", PATIENCE)  # Dask would wait as long for it to come back
    monkeypatch.setattr(cluster, "ANSWER_SECONDS", PATIENCE)
    with pytest.raises(ws.InputError, match="the cluster .* was lost: .*with ledger=… it goes on where it was"):
        long_check(tmp_path / "ledger", cluster=address, progress=when_some_are_done(lambda: kill(scheduler)))
    assert_the_ledger_is_whole(tmp_path / "ledger")


def test_a_scheduler_that_no_longer_answers_ends_the_check_and_the_ledger_is_whole(
    running: tuple[str, subprocess.Popen[str], subprocess.Popen[str]], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    address, scheduler, _ = running

    def stop() -> None:
        os.kill(scheduler.pid, signal.SIGSTOP)
        monkeypatch.setattr(cluster, "ANSWER_SECONDS", 0.5)

    with pytest.raises(ws.InputError, match="the cluster .* was lost: .*with ledger=… it goes on where it was"):
        long_check(tmp_path / "ledger", cluster=address, progress=when_some_are_done(stop))
    assert_the_ledger_is_whole(tmp_path / "ledger")
