"""How checks scale: threads, clusters on this machine, a model of larger ones, and where proofs by automata win."""

import os
import pickle
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib import import_module
from typing import Any

import weightsmith as ws
from benchmarks.checking import exhaust
from benchmarks.growth import each_step
from benchmarks.models import thinned
from benchmarks.timing import best_seconds
from weightsmith import Fixed
from weightsmith.check.claim import Claim
from weightsmith.check.cluster import TASK_SECONDS, Cluster, connected
from weightsmith.check.engine import check_exhaustively
from weightsmith.check.examine import columns_for
from weightsmith.check.neighbours import examine_all
from weightsmith.check.options import Options
from weightsmith.check.pair_claims import SameDecisions
from weightsmith.check.plan import MAX_SHARDS, Plan
from weightsmith.tables import Table

LANES, BLOCKS = 64, 8
THREADS_LENGTH, CLUSTER_LENGTH = 20, 20
CLUSTERS = (2, 4, 8)
PROOF_LENGTHS = (12, 14, 16, 18, 20)
INPUTS, CORES = (10**9, 10**12, 10**15), (10, 100, 1000, 10_000)
START_SECONDS = 10.0  # assumed: until all workers are connected and have loaded their machine code


def threads() -> tuple[Table, float]:
    """Return one worker against two, and the seconds of one core for an input."""
    T = thinned("01", LANES, BLOCKS, 0.1, THREADS_LENGTH, Fixed(4, 4))
    seconds = best_seconds({str(n): partial(exhaust, T, THREADS_LENGTH, n) for n in (1, 2)}, repeat=4)
    one, two, inputs = seconds["1"], seconds["2"], 2 ** (THREADS_LENGTH + 1) - 2
    table = Table(
        "lanes × blocks", "inputs", "one worker", "two workers", "faster by", "inputs per second and core",
        right=range(1, 6), title=f"Threads of one process, every input up to {THREADS_LENGTH} symbols",
    )  # fmt: skip
    rate = f"{inputs / one:,.0f}"
    table.add(f"{LANES} × {BLOCKS}", f"{inputs:,}", f"{one:.2f} s", f"{two:.2f} s", f"{one / two:.2f}×", rate)
    return table, one / inputs


@contextmanager
def cluster_of(workers: int) -> Iterator[Any]:
    """Start a Dask cluster of processes with one thread each, which listens on loopback only."""
    start: Any = import_module("distributed").LocalCluster
    with tempfile.TemporaryDirectory() as folder, start(
        n_workers=workers, threads_per_worker=1, host="127.0.0.1", dashboard_address=None, local_directory=folder,
        silence_logs="CRITICAL",
    ) as cluster:  # fmt: skip
        yield cluster


def clusters() -> tuple[Table, float]:
    """Return who computes and who waits in clusters of several sizes, and the seconds that a task costs beside it."""
    T = thinned("01", LANES, BLOCKS, 0.1, CLUSTER_LENGTH, Fixed(4, 4))
    claim = SameDecisions(T, T)
    plan, columns = claim.plan(CLUSTER_LENGTH), columns_for(claim, CLUSTER_LENGTH, 1 << 30)
    shards = list(plan.shards(len(plan.tiers) - 1))
    begin = time.process_time()
    examine_all(claim, plan, [(shard, CLUSTER_LENGTH) for shard in shards], columns)
    alone, cores = time.process_time() - begin, os.cpu_count() or 1
    table = Table(
        "workers", "wall", "kernels", "rest of the workers", "scheduler and client", "idle", "tasks", "bytes each way",
        right=range(8), title=f"Clusters on the {cores} cores of this machine, seconds of a processor",
        notes=[f"The claim is sent once to each worker: {len(pickle.dumps((claim, plan))):,} bytes."],
    )  # fmt: skip
    per_task = 0.0
    for workers in CLUSTERS:
        wall, theirs, own, tasks, size = _run(claim, plan, columns, workers)
        idle, per_task = cores * wall - theirs - own, own / tasks
        shown = [f"{seconds:.2f}" for seconds in (wall, alone, theirs - alone, own, idle)]
        table.add(str(workers), *shown, str(tasks), f"{size:,}")
    return table, per_task


def _run(claim: Claim, plan: Plan, columns: int, workers: int) -> tuple[float, float, float, int, int]:
    """Return wall seconds, processor seconds of the workers and of this process, tasks, and the bytes of one."""
    shards = list(plan.shards(len(plan.tiers) - 1))
    with cluster_of(workers) as local, connected(local.scheduler_address, columns) as backend:
        assert isinstance(backend, Cluster)
        for _ in range(2):  # load the machine code and prepare the models on each worker
            list(backend.findings(claim, plan, shards[: 4 * workers], lambda _: plan.up_to))
        before, backend.tasks = sum(backend.client.run(time.process_time).values()), 0
        own, begin = time.process_time(), time.perf_counter()  # the scheduler is a thread of this process
        found = list(backend.findings(claim, plan, shards, lambda _: plan.up_to))
        wall, own = time.perf_counter() - begin, time.process_time() - own
        theirs, many = sum(backend.client.run(time.process_time).values()) - before, len(shards) // backend.tasks
    sent = pickle.dumps([(shard, plan.up_to) for shard in shards[:many]])
    return wall, theirs, own, backend.tasks, len(sent) + len(pickle.dumps((0.0, found[:many])))


def model(per_input: float, per_task: float) -> Table:
    """Return how long larger checks would take, from the measured seconds of an input and of a task.

    A tier has at most `MAX_SHARDS` shards, and a task at least one of them, so more cores than that would wait.
    """
    table = Table(
        "inputs", "one core", *(f"{cores:,} cores" for cores in CORES), right=range(len(CORES) + 2),
        title=f"Model: {1e6 * per_input:.2f} µs for an input, {1e3 * per_task:.1f} ms for a task, both measured",
        notes=[
            f"Assumed: cores as fast as these, {START_SECONDS:g} s to start, one scheduler, tasks of "
            f"{TASK_SECONDS:g} s or one of {MAX_SHARDS:,} shards, and the last task runs alone.",
        ],
    )  # fmt: skip
    for inputs in INPUTS:
        work = inputs * per_input
        table.add(f"{inputs:,}", lasting(work), *(lasting(predicted(work, cores, per_task)) for cores in CORES))
    return table


def predicted(work: float, cores: int, per_task: float) -> float:
    """Return the seconds of a check with so many seconds of work: the slower of the workers and the scheduler."""
    task = max(TASK_SECONDS, work / MAX_SHARDS) if work > TASK_SECONDS else work
    tasks = max(work / task, 1)
    return START_SECONDS + max(work / min(cores, MAX_SHARDS), tasks * per_task) + task


def lasting(seconds: float) -> str:
    """Return a duration for people."""
    for size, unit in ((31_557_600, "years"), (86_400, "days"), (3600, "h"), (60, "min")):
        if seconds >= size:
            return f"{seconds / size:,.1f} {unit}"
    return f"{seconds:.1f} s"


def proofs() -> Table:
    """Return the time of a proof for all lengths against that of every input up to n."""
    table = Table(
        "model", "all lengths", *(f"n = {n}" for n in PROOF_LENGTHS), "growth a symbol", "the proof wins from",
        right=range(1, len(PROOF_LENGTHS) + 4), title="A proof by automata against every input up to n, one core",
    )  # fmt: skip
    for name, T, language in (
        ("contains('1')", ws.library.contains("1"), ".*1.*"),
        ("ends_with('01')", ws.library.ends_with("01"), ".*01"),
        ("majority('1')", ws.library.majority("1"), None),
    ):
        form = ws.infinity_form(T)
        claim = SameDecisions(T, form)
        prove = partial(ws.check.same_decisions, T, form)
        if language is not None:
            prove = partial(ws.check.recognizes, T, language)
        whole = best_seconds({"": prove}, repeat=2)[""]
        if prove().holds is None:
            continue
        run = {str(n): partial(check_exhaustively, claim, n, Options(workers=1)) for n in PROOF_LENGTHS}
        times = list(best_seconds(run, repeat=2).values())
        first = next((f"n = {n}" for n, time in zip(PROOF_LENGTHS, times, strict=True) if time > whole), "longer")
        shown = [f"{1000 * time:.0f} ms" for time in (whole, *times)]
        table.add(name, *shown, each_step(PROOF_LENGTHS, times), first)
    return table


def measure() -> Iterator[Table]:
    """Yield the tables; the model uses what the first two measured."""
    first, per_input = threads()
    yield first
    second, per_task = clusters()
    yield second
    yield model(per_input, per_task)
    yield proofs()
