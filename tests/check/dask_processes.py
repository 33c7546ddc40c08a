"""A Dask scheduler and workers as processes of their own, on this machine only."""

import json
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from typing import Any

from tests.check.processes import PATIENCE, start, until

LOOPBACK_ONLY = ("--host", "127.0.0.1", "--no-dashboard", "--dashboard-address", "127.0.0.1:0")


@contextmanager
def a_scheduler(folder: Path, *more: str) -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """A scheduler on a free port of this machine."""
    found = folder / "scheduler.json"
    with (folder / "scheduler.log").open("w") as log:
        process = start(
            *("-m", "distributed.cli.dask_scheduler", *LOOPBACK_ONLY, "--port", 0, "--no-jupyter"),
            *("--scheduler-file", found, *more),
            stdout=log,
            stderr=log,
        )
    try:
        until(lambda: found.exists() and found.read_text().strip().endswith("}"), process)
        yield json.loads(found.read_text())["address"], process
    finally:
        end(process)


def a_worker(folder: Path, address: str, *more: str, before: tuple[str, ...] = ()) -> subprocess.Popen[str]:
    """A worker with one thread, and without a nanny that would start it again."""
    name = len(list(folder.glob("worker*.log")))
    with (folder / f"worker{name}.log").open("w") as log:
        return start(
            *(before or ("-m", "distributed.cli.dask_worker")),
            *(address, *LOOPBACK_ONLY, "--nthreads", 1, "--no-nanny"),
            *("--local-directory", folder, "--name", name, *more),
            stdout=log,
            stderr=log,
        )


def wait_for_workers(address: str, count: int) -> None:
    client_of: Any = import_module("distributed").Client
    with client_of(address, timeout=PATIENCE, set_as_default=False) as client:
        until(lambda: len(client.nthreads()) == count)


def end(process: subprocess.Popen[str]) -> None:
    """End a process and the processes that it started, each by its id."""
    psutil: Any = import_module("psutil")
    try:
        started = psutil.Process(process.pid).children(recursive=True) if process.poll() is None else []
    except psutil.NoSuchProcess:
        started = []
    process.terminate()
    process.wait(PATIENCE)
    for child in started:
        try:  # a nanny ends its worker; this is for when it could not
            child.kill()  # psutil sees to it that it is still the same process
        except psutil.NoSuchProcess:
            continue


def listening(*processes: subprocess.Popen[str]) -> list[str]:
    """Return where processes and those that they started listen: the address of each socket, without the port."""
    psutil: Any = import_module("psutil")
    parents = [psutil.Process(process.pid) for process in processes]
    return [
        connection.laddr.ip
        for process in [each for parent in parents for each in (parent, *parent.children(recursive=True))]
        for connection in process.net_connections("inet")
        if connection.status == psutil.CONN_LISTEN or connection.type == socket.SOCK_DGRAM
    ]
