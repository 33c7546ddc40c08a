"""The checks of a studio: started, watched, cancelled; their verdicts are kept for a while."""

import itertools
import os
import threading
from dataclasses import dataclass
from typing import Any

from weightsmith.studio.jobs import CANCELLED, Job
from weightsmith.studio.limits import Limits
from weightsmith.studio.refusal import StudioError
from weightsmith.studio.work import Allowance


@dataclass
class RunningCheck:
    """A check, also after its end."""

    number: int
    claim: str
    about: list[dict[str, int]]  # the models, and which states of them
    job: Job
    state: str = "running"  # then "holds", "refuted", "unknown", "cancelled" or "failed"
    verdict: dict[str, Any] | None = None
    error: str = ""

    def data(self) -> dict[str, Any]:
        """Return it for the page."""
        return {
            "id": self.number,
            "claim": self.claim,
            "models": self.about,
            "state": self.state,
            "done": str(self.job.done),
            "total": str(self.job.total),
            "share": self.job.done / self.job.total if self.job.total else 0.0,
            "verdict": self.verdict,
            "error": self.error,
        }

    def finish(self) -> None:
        """Wait for the verdict."""
        try:
            self.verdict, _ = self.job.result()
        except StudioError as refusal:
            self.error = str(refusal)
            self.state = CANCELLED if self.job.cancelled else "failed"
        else:
            self.state = {True: "holds", False: "refuted", None: "unknown"}[self.verdict["holds"]]


class Checks:
    """All checks of a studio."""

    def __init__(self, limits: Limits) -> None:
        """Begin with none."""
        self.limits = limits
        self.all: dict[int, RunningCheck] = {}
        self._numbers = itertools.count(1)

    def start(
        self, claim: str, about: list[dict[str, int]], files: list[tuple[str, bytes]], request: dict[str, Any]
    ) -> RunningCheck:
        """Start a check in a process of its own."""
        running = sum(check.state == "running" for check in self.all.values())
        if running >= self.limits.checks:
            raise StudioError(429, f"{running} checks are running, which is as many as may be: cancel one, or wait")
        allowance = Allowance(self.limits.check_seconds, self.limits.job_memory)
        workers = max(1, (os.cpu_count() or 1) - 1)  # one core is for the page
        order = {**request, "workers": workers, "memory": self.limits.check_memory}
        check = RunningCheck(next(self._numbers), claim, about, Job(allowance, "check", files, order))
        self.all[check.number] = check
        self._forget()
        threading.Thread(target=check.finish, daemon=True, name=f"check {check.number}").start()
        return check

    def check(self, number: object) -> RunningCheck:
        """Return a check by its number."""
        if type(number) is not int or number not in self.all:
            raise StudioError(404, "there is no such check any more: start it again")
        return self.all[number]

    def cancel_all(self) -> None:
        """End every check."""
        for check in self.all.values():
            if check.state == "running":
                check.job.cancel()

    def _forget(self) -> None:
        ended = [number for number, check in self.all.items() if check.state != "running"]
        for number in ended[: max(0, len(self.all) - self.limits.checks_kept)]:
            del self.all[number]
