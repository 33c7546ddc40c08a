"""Shards on a Dask cluster: `connected` gives a backend that sends them to the workers of a scheduler."""

import logging
import time
from collections.abc import Iterator
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import Any, TypeAlias

from weightsmith._version import __version__
from weightsmith.check.claim import Claim
from weightsmith.check.examine import Backend, Finding, Limit
from weightsmith.check.neighbours import examine_all
from weightsmith.check.network import refuse_if_open
from weightsmith.check.plan import Plan, Shard
from weightsmith.errors import InputError, cut

CONNECT_SECONDS = 10
ANSWER_SECONDS = 30  # for an answer of the scheduler
WORKERS_SECONDS = 60  # to wait for workers when all are dead
POLL_SECONDS = 1.0  # between two looks at the scheduler and its workers
TASK_SECONDS = 2.0  # a task has about so much work that the time to send it does not matter
TASKS_AHEAD = 3  # for each thread of a worker
AGAIN = "then the check again: with ledger=… it goes on where it was"

Examined: TypeAlias = tuple[float, list[Finding]]
log = logging.getLogger("weightsmith.check")


@contextmanager
def connected(address: str, columns: int, insecure_network: bool = False) -> Iterator[Backend]:
    """Connect to a scheduler and check that its workers have this version; each runs batches of `columns`.

    A scheduler or worker that other machines reach without TLS is refused, except with `insecure_network`.
    """
    try:
        Client: Any = import_module("distributed").Client
    except ImportError:
        raise InputError("a cluster needs Dask: pip install 'weightsmith[cluster]'") from None
    client = Client.__new__(Client)  # in two steps, so that a client that cannot connect is closed
    try:
        if not insecure_network:
            refuse_if_open(address, "the scheduler of the cluster")
        client.__init__(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except InputError:
        raise
    except Exception as error:  # those of Dask and of its transports
        with suppress(Exception):
            client.close()
        raise InputError(
            f"the cluster {address!r:.80} cannot be reached: {_words(error)}; "
            "start one with dask scheduler and dask worker, and give the scheduler's address"
        ) from None
    with client:
        cluster = Cluster(client, address, columns, insecure_network)
        cluster.admit_workers()
        if not cluster.admitted:
            raise InputError(f"the cluster {address!r:.80} has no workers: start one with {cluster.worker_command}")
        yield cluster


class Cluster:
    """The workers of Dask. A task is a claim and shards, as data. Dask repeats the tasks of a dead worker."""

    def __init__(self, client: Any, address: str, columns: int, insecure_network: bool = False) -> None:
        """Take a client that is connected to the scheduler at an address."""
        self.client, self.address, self.columns = client, address, columns
        self.insecure_network = insecure_network
        local = not insecure_network and not address.startswith("tls://")
        self.worker_command = f"dask worker {cut(address)}{' --host 127.0.0.1' if local else ''}"
        self.admitted: set[str] = set()  # the workers that passed `admit_workers`
        self.alone_since: float | None = None  # since when there is no worker
        self.sent: tuple[Claim, Plan, Any] | None = None  # the last claim, and the task that holds it
        self.tasks = 0  # that workers have finished

    def admit_workers(self) -> None:
        """Check new workers: refuse those that other machines reach, and those with another version."""
        found = self.client.scheduler_info(n_workers=-1)
        new = {worker: about for worker, about in found.get("workers", {}).items() if worker not in self.admitted}
        if not self.insecure_network:  # before any data is sent
            refuse_if_open(found.get("address", self.address), f"the scheduler of the cluster {self.address!r:.80}")
            for worker, about in new.items():
                refuse_if_open(worker, "a worker of the cluster")
                if about.get("nanny"):
                    refuse_if_open(about["nanny"], f"the nanny of the worker {worker}")
        for worker, (version, listening) in self._asked(list(new)).items():
            if version != __version__:
                raise InputError(
                    f"the worker {worker} has weightsmith {version}, this is {__version__}: install the same"
                )
            if not self.insecure_network:  # a worker without --host listens everywhere, and reports 127.0.0.1
                for address in listening:
                    refuse_if_open(address, f"the port of the worker {worker}")
            self.admitted.add(worker)

    def _asked(self, workers: list[str]) -> dict[str, tuple[str, list[str]]]:
        if not workers:
            return {}
        try:
            answers: dict[str, tuple[str, list[str]]] = self.client.run(_about, workers=workers)
        except Exception as error:  # also those of its deserializer
            if self.admitted and isinstance(error, OSError):
                return {}  # the worker has gone, or is asked again soon
            raise InputError(
                f"the workers of the cluster {self.address!r:.80} do not answer: {_words(error)}; "
                f"install weightsmith {__version__} there"
            ) from None
        return answers

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        """Yield findings; tasks grow until they take about two seconds."""
        try:
            yield from self._findings(claim, plan, shards, limit)
        except (OSError, CancelledError, import_module("distributed").KilledWorker) as error:
            raise InputError(f"the cluster {self.address!r:.80} was lost: {_words(error)}; start it, {AGAIN}") from None

    def _findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        shared = self._shared(claim, plan)
        executor = self.client.get_executor(pure=False)
        waiting, size, running = list(reversed(shards)), 1, set[Future[Examined]]()
        while waiting or running:
            threads = max(self.threads(), 1)
            while waiting and len(running) < TASKS_AHEAD * threads:
                batch = [waiting.pop() for _ in range(min(size, len(waiting)))]
                running.add(executor.submit(_examine_all, shared, [(s, limit(s)) for s in batch]))
            done, running = wait(running, POLL_SECONDS, FIRST_COMPLETED)
            for future in done:
                seconds, findings = future.result()
                self.tasks += 1
                size = max(min(round(size_for(len(findings), seconds)), 2 * size), 1)
                yield from findings

    def _shared(self, claim: Claim, plan: Plan) -> Any:
        """Send a claim once: each worker prepares its models at the first tier, and keeps them for the next ones.

        It is the result of a task, not scattered: if its worker dies, Dask runs that task again.
        """
        if self.sent is None or self.sent[0] is not claim or self.sent[1] != plan:
            self.sent = claim, plan, self.client.submit(_same, (claim, plan, self.columns), pure=False)
        return self.sent[2]

    def threads(self) -> int:
        """Return the number of threads of all workers; raise if there has been none for a minute."""
        found = self._threads()
        if not found.keys() <= self.admitted:
            self.admit_workers()
        if found:
            self.alone_since = None
        elif self.alone_since is None:
            self.alone_since = time.monotonic()
            log.warning(
                "the cluster %s has no workers left: waiting %g s for one to come back",
                cut(self.address),
                WORKERS_SECONDS,
            )
        elif time.monotonic() - self.alone_since > WORKERS_SECONDS:
            raise InputError(
                f"the cluster {self.address!r:.80} has had no workers for {WORKERS_SECONDS:g} s: "
                f"start one with {self.worker_command}, {AGAIN}"
            )
        return sum(found.values())

    def _threads(self) -> dict[str, int]:
        """Return the threads of each worker. A client of a dead scheduler would wait for a long time."""
        end = time.monotonic() + ANSWER_SECONDS
        while self.client.status == "running":
            try:
                found: dict[str, int] = self.client.nthreads(callback_timeout=min(ANSWER_SECONDS, 5))
                return found
            except OSError:  # also a timeout
                if time.monotonic() > end:
                    raise
        raise OSError("its scheduler closed the connection")


def size_for(shards: int, seconds: float) -> float:
    """Return the number of shards for a task."""
    return shards * TASK_SECONDS / max(seconds, 1e-3)


def _words(error: BaseException) -> str:
    """Return the beginning of an error message of Dask, which may quote a whole claim."""
    return cut(str(error)) or type(error).__name__


def _about(dask_worker: Any) -> tuple[str, list[str]]:
    """Return, on a worker, its version and its addresses."""
    return __version__, [listener.listen_address for listener in dask_worker.listeners]


def _same(value: tuple[Claim, Plan, int]) -> tuple[Claim, Plan, int]:
    return value


def _examine_all(shared: tuple[Claim, Plan, int], shards: list[tuple[Shard, int]]) -> Examined:
    begin = time.perf_counter()
    claim, plan, columns = shared
    findings = examine_all(claim, plan, shards, columns)
    return time.perf_counter() - begin, findings
