"""A Dask scheduler and workers as processes of their own, on this machine only."""

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.check.processes import PATIENCE, start, until


@contextmanager
def a_scheduler(folder: Path) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A scheduler on a free port of this machine."""
    found = folder / "scheduler.json"
    with (folder / "scheduler.log").open("w") as log:
        process = start(
            *("-m", "distributed.cli.dask_scheduler", "--host", "127.0.0.1", "--port", 0, "--no-dashboard"),
            *("--no-jupyter", "--scheduler-file", found),
            stdout=log,
            stderr=log,
        )
    try:
        until(lambda: found.exists() and found.read_text().strip().endswith("}"), process)
        yield json.loads(found.read_text())["address"], process
    finally:
        process.terminate()
        process.wait(PATIENCE)


def a_worker(folder: Path, address: str, *before: str) -> subprocess.Popen[str]:
    """A worker with one thread, and without a nanny that would start it again."""
    name = len(list(folder.glob("worker*.log")))
    with (folder / f"worker{name}.log").open("w") as log:
        return start(
            *(before or ("-m", "distributed.cli.dask_worker")),
            *(address, "--host", "127.0.0.1", "--nthreads", 1, "--no-dashboard", "--no-nanny"),
            *("--local-directory", folder, "--name", name),
            stdout=log,
            stderr=log,
        )


def wait_for_workers(address: str, count: int) -> None:
    client_of: Any = import_module("distributed").Client
    with client_of(address, timeout=PATIENCE, set_as_default=False) as client:
        until(lambda: len(client.scheduler_info(n_workers=-1)["workers"]) == count)
