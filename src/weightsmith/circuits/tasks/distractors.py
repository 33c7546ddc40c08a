"""Programs that stand beside another and never reach its answer."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from weightsmith.circuits.tasks.parts import (
    after,
    at,
    before,
    count,
    earlier,
    indices,
    length,
    same,
    tokens,
    where_true,
)
from weightsmith.circuits.tasks.task import Task
from weightsmith.programs import rasp
from weightsmith.programs.rasp import SOp

BESIDE = 2


def _reversed() -> SOp:
    return at(length() - indices - 1)


def _new_tokens_before() -> SOp:
    first = count(same() & before()) == 0
    return count(where_true(first) & before())


def _equal_to_the_previous() -> SOp:
    return rasp.where(earlier(1) == tokens, "=", earlier(2))


_OF_ALL: dict[str, Callable[[], SOp]] = {
    "reverse": _reversed,
    "histogram": lambda: count(same()),
    "same after": lambda: count(same() & after()),
    "next": lambda: rasp.where(earlier(-1) == tokens, "=", earlier(-2)),
}
_CAUSAL: dict[str, Callable[[], SOp]] = {
    "new tokens": _new_tokens_before,
    "repeats": _equal_to_the_previous,
    "same before": lambda: count(same() & before()),
}


def distractors_of(task: Task, causal: bool) -> tuple[Task, ...]:
    """Return programs for the vocabulary and length of a task, causal ones or others; its name decides which."""
    programs = _CAUSAL if causal else _OF_ALL
    names = sorted(programs, key=lambda name: hashlib.sha256(f"{task.name}: {name}".encode()).digest())
    return tuple(replace(task, name=name, description="", program=programs[name]) for name in names[:BESIDE])
