"""A process that does one task for the studio within its limits, and sends progress and the result.

It sends JSON texts, and after the last one the bytes of files; never code.
"""

import contextlib
import json
import math
import os
import resource
import signal
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from multiprocessing.connection import Connection
from typing import Any

from weightsmith.errors import WeightsmithError, cut
from weightsmith.studio.tasks import perform

REPORT_SECONDS = 0.1  # between two reports


@dataclass(frozen=True)
class Allowance:
    """Limits of the process."""

    seconds: float
    memory: int  # bytes of addresses


def work(
    sender: Connection, allowance: Allowance, task: str, files: Sequence[tuple[str, bytes]], request: Mapping[str, Any]
) -> None:
    """Do a task and send the result."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the studio, which ends its processes itself
    _limit(resource.RLIMIT_AS, allowance.memory)
    cores = os.cpu_count() or 1
    _limit(resource.RLIMIT_CPU, math.ceil(allowance.seconds) * cores + 10)  # if the studio is gone, it ends by itself
    last = 0.0

    def report(done: int, total: int) -> None:
        nonlocal last
        if time.monotonic() - last > REPORT_SECONDS:
            last = time.monotonic()
            _send(sender, {"done": str(done), "total": str(total)})  # numbers of any size

    try:
        answer = perform(task, files, request, report)
    except WeightsmithError as error:
        _send(sender, {"refused": str(error)})
    except MemoryError:
        _send(sender, {"refused": "this needs more memory than the studio gives: use the command line"})
    except RecursionError:
        _send(sender, {"refused": "what was given is nested too deeply: write it with fewer parts inside each other"})
    except Exception as error:
        said = cut(str(error))
        _send(sender, {"defect": f"this is a defect of Weightsmith: {type(error).__name__}: {said}; please report it"})
    else:
        _send(sender, {"answer": answer.data, "files": len(answer.files)})
        for file in answer.files:
            sender.send_bytes(file)


def _send(sender: Connection, message: dict[str, Any]) -> None:
    sender.send_bytes(json.dumps(message).encode())


def _limit(what: int, most: int) -> None:
    _, hard = resource.getrlimit(what)
    with contextlib.suppress(OSError, ValueError):  # a system that knows no such limit
        resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
