"""The process that checks answers, for `referee`: it loads what checks need, and its memory is limited."""

import contextlib
import json
import resource
import sys
from typing import Any, BinaryIO

from weightsmith.exercises.grade import failed
from weightsmith.exercises.judging import judge_bytes
from weightsmith.exercises.limits import MAX_LINE
from weightsmith.exercises.tasks import exercise


def main(memory: str) -> None:
    """Check answers: each request is a line of JSON and the bytes of an answer; each result is a line of JSON."""
    most = int(memory)
    with contextlib.suppress(OSError, ValueError):
        resource.setrlimit(resource.RLIMIT_AS, (most, most))
    requests: BinaryIO = sys.stdin.buffer
    _send({"ready": True})
    while line := requests.readline(MAX_LINE):
        request = json.loads(line)
        task = exercise(request["exercise"])
        answer = requests.read(request["bytes"])
        try:
            grade = judge_bytes(task, answer)
        except (MemoryError, RecursionError):
            grade = failed(task.number, task.name, "the answer is too large: checking it takes too much memory")
        except Exception as error:  # an error of ours: the other answers are still graded
            message = f"this is a defect of Weightsmith: {type(error).__name__}: {error}; please report it"
            grade = failed(task.number, task.name, message)
        _send(grade.to_json())


def _send(message: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(message) + "\n")
    sys.stdout.flush()
