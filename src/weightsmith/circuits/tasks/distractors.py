"""Programs that stand beside another and never reach its answer."""

import hashlib
from collections.abc import Callable
from dataclasses import replace

from weightsmith.circuits.tasks.parts import (
    EQ,
    after,
    at,
    before,
    count,
    indices,
    length,
    same,
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


def _repeats() -> SOp:
    return count(where_true(_equal(indices - 1)) & before())


def _equal(place: SOp) -> SOp:
    """Return whether the token at a place is equal; where there is no such place, it is not."""
    return count(rasp.Select(indices, place, EQ) & same()) > 0


_OF_ALL: dict[str, Callable[[], SOp]] = {
    "reverse": _reversed,
    "histogram": lambda: count(same()),
    "same after": lambda: count(same() & after()),
    "next": lambda: _equal(indices + 2),
}
_CAUSAL: dict[str, Callable[[], SOp]] = {
    "new tokens": _new_tokens_before,
    "repeats": _repeats,
    "same before": lambda: count(same() & before()),
}


def distractors_of(task: Task, causal: bool) -> tuple[Task, ...]:
    """Return programs for the vocabulary and length of a task, causal ones or others; its name decides which."""
    programs = _CAUSAL if causal else _OF_ALL
    names = sorted(programs, key=lambda name: hashlib.sha256(f"{task.name}: {name}".encode()).digest())
    return tuple(replace(task, name=name, description="", program=programs[name]) for name in names[:BESIDE])
