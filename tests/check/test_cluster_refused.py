"""A scheduler, worker or nanny that others can reach without TLS: refused, with nothing sent there, unless told."""

import re
from typing import Any

import distributed
import pytest

import weightsmith as ws
from tests.check.long_check import long_regex_check
from weightsmith._version import __version__
from weightsmith.check.cluster import Cluster
from weightsmith.cli import app

HERE, THERE = "tcp://127.0.0.1:1", "tcp://203.0.113.7:2"  # the second belongs to nobody: it is for documentation


class FakeClient:
    """A client that sends nothing: it knows workers, their nannies and where they listen, and notes what it runs."""

    status = "running"

    def __init__(self, workers: dict[str, str | None], scheduler: str = HERE, listening: str = HERE) -> None:
        self.workers, self.scheduler, self.listening = workers, scheduler, listening
        self.ran: list[str] = []

    def scheduler_info(self, n_workers: int) -> dict[str, Any]:
        assert n_workers == -1  # all of them
        return {"address": self.scheduler, "workers": {name: {"nanny": at} for name, at in self.workers.items()}}

    def nthreads(self, callback_timeout: float) -> dict[str, int]:
        return dict.fromkeys(self.workers, 1)

    def run(self, function: Any, workers: list[str]) -> dict[str, tuple[str, list[str]]]:
        self.ran += workers
        return {worker: (__version__, [self.listening]) for worker in workers}


def refusal(what: str, address: str) -> str:
    return re.escape(f"{what} is at {address!r}, which is neither loopback nor TLS") + (
        ": anyone who reaches that port can run any code there; start it with --host 127.0.0.1, or with TLS, .*tls://.*"
        "write --insecure-network .*insecure_network=True"
    )


@pytest.mark.parametrize(
    ("client", "what"),
    [
        (FakeClient({HERE: None}, scheduler=THERE), f"the scheduler of the cluster {HERE!r}"),
        (FakeClient({HERE: None, THERE: None}), "a worker of the cluster"),
        (FakeClient({HERE: THERE}), f"the nanny of the worker {HERE}"),
    ],
    ids=["scheduler", "worker", "nanny"],
)
def test_whatever_others_can_reach_is_refused_before_anything_is_run(client: FakeClient, what: str) -> None:
    with pytest.raises(ws.InputError, match=refusal(what, THERE)):
        Cluster(client, HERE, 1).admit_workers()
    assert client.ran == []
    Cluster(client, HERE, 1, insecure_network=True).admit_workers()
    assert client.ran == list(client.workers)


def test_a_worker_that_calls_itself_local_and_listens_everywhere_is_refused() -> None:
    """As dask worker does without --host."""
    client = FakeClient({HERE: None}, listening="tcp://0.0.0.0:1")
    with pytest.raises(ws.InputError, match=refusal(f"the port of the worker {HERE}", "tcp://0.0.0.0:1")):
        Cluster(client, HERE, 1).admit_workers()
    Cluster(client, HERE, 1, insecure_network=True).admit_workers()


def test_workers_behind_tls_may_be_anywhere() -> None:
    place = THERE.replace("tcp", "tls")
    client = FakeClient({place: place}, scheduler=place, listening="tls://0.0.0.0:2")
    cluster = Cluster(client, place, 1)
    cluster.admit_workers()
    assert cluster.admitted == {place}


def test_a_worker_that_joins_later_is_looked_at_too_and_only_once() -> None:
    client = FakeClient({HERE: None})
    cluster = Cluster(client, HERE, 1)
    assert [cluster.threads(), cluster.threads()] == [1, 1]
    client.workers["tcp://127.0.0.1:3"] = None
    assert [cluster.threads(), cluster.threads()] == [2, 2]
    assert client.ran == [HERE, "tcp://127.0.0.1:3"]
    client.workers[THERE] = None
    with pytest.raises(ws.InputError, match=refusal("a worker of the cluster", THERE)):
        cluster.threads()
    assert THERE not in client.ran


class Unreached(distributed.Client):
    """A client that connects to nothing, and says so."""

    def __init__(self, address: str, **more: Any) -> None:
        raise OSError(f"connecting to {address}")


@pytest.mark.parametrize("address", [THERE, "203.0.113.7:2", "tcp://0.0.0.0:2", "tcp://[2001:db8::1]:2"])
def test_an_open_scheduler_is_refused_before_connecting(address: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "Client", Unreached)
    with pytest.raises(ws.InputError, match=refusal("the scheduler of the cluster", address)):
        long_regex_check(None, cluster=address)
    with pytest.raises(ws.InputError, match=re.escape(f"cannot be reached: connecting to {address}")):
        long_regex_check(None, cluster=address, insecure_network=True)
    with pytest.raises(ws.InputError, match="insecure_network='no': write True or False"):
        long_regex_check(None, cluster=address, insecure_network="no")


def test_the_command_line_says_it_the_same_way(tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(distributed, "Client", Unreached)
    file = str(tmp_path / "a.safetensors")
    ws.save(ws.library.contains("1"), file)
    command = ["check", "recognizes", file, "--regex", "0*1.*", "--up-to", "3", "--cluster", THERE]
    with pytest.raises(ws.InputError, match=refusal("the scheduler of the cluster", THERE)):
        app(command, standalone_mode=False)
    with pytest.raises(ws.InputError, match=f"cannot be reached: connecting to {THERE}"):
        app([*command, "--insecure-network"], standalone_mode=False)
