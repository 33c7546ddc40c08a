"""Jobs: tasks in processes of their own, which are killed when they take too long or are cancelled."""

import json
import multiprocessing
import time
from collections.abc import Mapping, Sequence
from multiprocessing.connection import wait
from multiprocessing.process import BaseProcess
from typing import Any

from weightsmith.studio.refusal import StudioError
from weightsmith.studio.work import Allowance, work

CANCELLED = "cancelled"


class Job:
    """One task on its way. `result` waits for it in the thread that calls it."""

    def __init__(
        self,
        allowance: Allowance,
        task: str,
        files: Sequence[tuple[str, bytes]] = (),
        request: Mapping[str, Any] | None = None,
    ) -> None:
        """Prepare a job; it starts when its result is asked for."""
        self.allowance = allowance
        self.order = (task, list(files), dict(request or {}))
        self.done = self.total = 0  # inputs of a check
        self.cancelled = False
        self._process: BaseProcess | None = None

    def cancel(self) -> None:
        """End it, now or as soon as it starts."""
        self.cancelled = True
        process = self._process
        if process is not None:
            process.kill()

    def result(self) -> tuple[dict[str, Any], list[bytes]]:
        """Return the result of the task; raise its refusal, or one if it takes too long."""
        deadline = time.monotonic() + self.allowance.seconds
        context = multiprocessing.get_context("forkserver")
        receiver, sender = context.Pipe(duplex=False)
        process = context.Process(target=work, args=(sender, self.allowance, *self.order), daemon=True)
        try:
            process.start()
            self._process = process
            sender.close()
            if self.cancelled:
                raise StudioError(409, CANCELLED)
            return self._received(receiver, deadline)
        except (EOFError, OSError):
            reason = CANCELLED if self.cancelled else "the process ended without a word: perhaps memory ran out"
            raise StudioError(409 if self.cancelled else 500, reason) from None
        finally:
            receiver.close()
            if process.pid is not None:
                process.kill()
                process.join()

    def _received(self, receiver: Any, deadline: float) -> tuple[dict[str, Any], list[bytes]]:
        while True:
            message = json.loads(self._next(receiver, deadline))
            if "refused" in message:
                raise StudioError(422, message["refused"])
            if "defect" in message:
                raise StudioError(500, message["defect"])
            if "answer" in message:
                return message["answer"], [self._next(receiver, deadline) for _ in range(message["files"])]
            self.done, self.total = int(message["done"]), int(message["total"])

    def _next(self, receiver: Any, deadline: float) -> bytes:
        left = deadline - time.monotonic()
        if left <= 0 or not wait([receiver], left):
            raise StudioError(503, f"it took longer than {self.allowance.seconds:g} s, and was ended")
        received: bytes = receiver.recv_bytes()
        return received


def prepare() -> None:
    """Let the processes be forked from one that has loaded everything, so that each starts in no time."""
    multiprocessing.get_context("forkserver").set_forkserver_preload(["weightsmith.studio.work"])
