"""The same shards on Dask: `connected` gives a backend that sends them to a scheduler's workers."""

import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from weightsmith._version import __version__
from weightsmith.check.claim import Claim
from weightsmith.check.examine import Finding, examine
from weightsmith.check.plan import Plan, Shard
from weightsmith.errors import InputError

if TYPE_CHECKING:
    from weightsmith.check.engine import Backend, Limit

CONNECT_SECONDS = 10
TASK_SECONDS = 2.0  # a task takes as many shards as take about this long, so that sending them does not count
TASKS_AHEAD = 3  # for each thread of a worker


@contextmanager
def connected(address: str, columns: int) -> Iterator["Backend"]:
    """Connect to a scheduler, and see that its workers have this version; each runs so many inputs together."""
    try:
        Client: Any = import_module("distributed").Client
    except ImportError:
        raise InputError("a cluster needs Dask: pip install 'weightsmith[cluster]'") from None
    client = Client.__new__(Client)  # in two steps, so that one which cannot connect can be closed
    try:
        client.__init__(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except Exception as error:  # Dask's own, and those of what it connects with
        with suppress(Exception):
            client.close()
        raise InputError(
            f"the cluster {address!r:.80} cannot be reached: {str(error) or type(error).__name__}; "
            "start one with dask scheduler and dask worker, and give the scheduler's address"
        ) from None
    with client:
        _check_workers(client, address)
        yield _Cluster(client, address, columns)


def _check_workers(client: Any, address: str) -> None:
    try:
        found = client.run(_versions)
    except Exception as error:  # whatever its deserializer says
        raise InputError(
            f"the workers of the cluster {address!r:.80} do not answer: {error}; "
            f"install weightsmith {__version__} there"
        ) from None
    if not found:
        raise InputError(f"the cluster {address!r:.80} has no workers: start one with dask worker {address}")
    for worker, version in found.items():
        if version != __version__:
            raise InputError(f"the worker {worker} has weightsmith {version}, this is {__version__}: install the same")


def _versions() -> str:
    return __version__


class _Cluster:
    """Dask's workers. A task is data: which claim, which shards. When a worker dies, Dask gives its tasks to others."""

    def __init__(self, client: Any, address: str, columns: int) -> None:
        self.client, self.address, self.columns = client, address, columns

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: "Limit") -> Iterator[Finding]:
        """Send tasks that grow until they take about two seconds, and give what comes back."""
        try:
            yield from self._findings(claim, plan, shards, limit)
        except (OSError, CancelledError, import_module("distributed").KilledWorker) as error:
            raise InputError(
                f"the cluster {self.address!r:.80} was lost: {str(error) or type(error).__name__}; "
                "start it again, then the check: with ledger=… it goes on where it was"
            ) from None

    def _findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: "Limit") -> Iterator[Finding]:
        as_completed: Any = import_module("distributed").as_completed
        # The claim is the result of a task, not scattered: if its worker dies, Dask can make it again.
        shared = self.client.submit(_same, (claim, plan, self.columns), pure=False)
        waiting, size, running = list(reversed(shards)), 1, as_completed(loop=self.client.loop)
        while waiting or not running.is_empty():
            threads = max(sum(self.client.nthreads().values()), 1)
            while waiting and running.count() < TASKS_AHEAD * threads:
                batch = [waiting.pop() for _ in range(min(size, len(waiting)))]
                running.add(self.client.submit(_examine_all, shared, [(s, limit(s)) for s in batch], pure=False))
            seconds, findings = next(running).result()
            size = max(min(round(size_for(len(findings), seconds)), 2 * size), 1)
            yield from findings


def size_for(shards: int, seconds: float) -> float:
    """Return how many shards take about as long as a task should."""
    return shards * TASK_SECONDS / max(seconds, 1e-3)


def _same(value: tuple[Claim, Plan, int]) -> tuple[Claim, Plan, int]:
    return value


def _examine_all(shared: tuple[Claim, Plan, int], shards: list[tuple[Shard, int]]) -> tuple[float, list[Finding]]:
    begin = time.perf_counter()
    claim, plan, columns = shared
    findings = [examine(claim, plan, shard, longest, columns=columns) for shard, longest in shards]
    return time.perf_counter() - begin, findings
