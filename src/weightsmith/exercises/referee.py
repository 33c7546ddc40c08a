"""Answers are checked in another process, `judge_process`. It runs no code of a student: it reads answers as data.

One process checks many answers, one after the other. A check that takes too long, or too much memory, ends the process;
the next answer gets a new one.
"""

import json
import os
import selectors
import subprocess
import tempfile
import time
from pathlib import Path
from typing import Any, Self

from weightsmith.exercises.definition import Exercise
from weightsmith.exercises.grade import POINTS, RESULTS, Grade, failed
from weightsmith.exercises.limits import MAX_LINE, Limits
from weightsmith.exercises.running import command, end, environment

STARTING = 60.0  # seconds until the process has loaded everything


class Referee:
    """Checks answers in another process."""

    def __init__(self, limits: Limits) -> None:
        """Remember the limits; the process starts with the first answer."""
        self.limits = limits
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="weightsmith-referee-")

    def end(self) -> None:
        """End the process."""
        self._stop()
        self._folder.cleanup()

    def grade(self, exercise: Exercise, answer: bytes) -> Grade:
        """Return the grade of an answer."""
        begin = time.perf_counter()
        try:
            process = self._running()
            request = json.dumps({"exercise": exercise.number, "bytes": len(answer)}).encode() + b"\n"
            assert process.stdin is not None
            process.stdin.write(request + answer)
            process.stdin.flush()
            data = json.loads(self._line(process, self.limits.check_seconds))
        except TimeoutError:
            self._stop()
            message = f"the answer is too large: checking it takes longer than {self.limits.check_seconds:g} s"
            return failed(exercise.number, exercise.name, message, time.perf_counter() - begin)
        except (OSError, ValueError):  # it has ended: too little memory
            self._stop()
            message = "the process that checks the answer has ended: perhaps the answer is too large"
            return failed(exercise.number, exercise.name, message, time.perf_counter() - begin)
        except BaseException:
            self._stop()
            raise
        return _grade(data)

    def cancel(self) -> None:
        """End the process from another thread: the answer that it checks gets no grade."""
        process = self._process
        if process is not None:
            process.kill()

    def _running(self) -> subprocess.Popen[bytes]:
        """Return the process, started and ready."""
        if self._process is None or self._process.poll() is not None:
            self._stop()
            self._process = subprocess.Popen(
                command("judge_process", str(self.limits.check_memory)),
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                cwd=self._folder.name,
                env={**environment(Path(self._folder.name)), **_compiled()},
                start_new_session=True,
            )
            self._line(self._process, STARTING)
        return self._process

    def _line(self, process: subprocess.Popen[bytes], seconds: float) -> bytes:
        """Return the next line of the process; raise TimeoutError if it takes too long, EOFError if it has ended."""
        assert process.stdout is not None
        deadline, line = time.monotonic() + seconds, b""
        with selectors.DefaultSelector() as selector:
            selector.register(process.stdout, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                left = deadline - time.monotonic()
                if left <= 0 or not selector.select(left):
                    raise TimeoutError
                part = os.read(process.stdout.fileno(), MAX_LINE)
                if not part:
                    raise ConnectionError
                line += part
        return line

    def _stop(self) -> None:
        if self._process is not None:
            end(self._process)
            self._process = None


class Referees:
    """Referees for several threads: each is started when all others are busy, and kept for the next answer."""

    def __init__(self, limits: Limits) -> None:
        """Begin with none."""
        self.limits = limits
        self._started: list[Referee] = []
        self._idle: list[Referee] = []

    def __enter__(self) -> Self:
        """Return the referees."""
        return self

    def __exit__(self, *error: object) -> None:
        """End their processes."""
        for referee in self._started:
            referee.end()

    def grade(self, exercise: Exercise, answer: bytes) -> Grade:
        """Return the grade of an answer."""
        try:
            referee = self._idle.pop()
        except IndexError:
            referee = Referee(self.limits)
            self._started.append(referee)
        try:
            return referee.grade(exercise, answer)
        finally:
            self._idle.append(referee)

    def cancel(self) -> None:
        """End the processes from another thread: the answers that they check get no grade."""
        for referee in list(self._started):
            referee.cancel()


def _compiled() -> dict[str, str]:
    """Return the setting of where compiled loops are kept, if the user has one."""
    name = "NUMBA_CACHE_DIR"
    return {name: os.environ[name]} if name in os.environ else {}


def _grade(data: dict[str, Any]) -> Grade:
    """Return the grade that another process has sent."""
    assert data["result"] in RESULTS and 0 <= data["points"] <= POINTS  # noqa: PT018
    keys = ("exercise", "name", "result", "points", "message", "counterexample", "says", "expected", "seconds")
    return Grade(**{key: data[key] for key in keys})
