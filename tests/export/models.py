"""Models that every target has to decide as the original does, and how far their inputs go."""

from collections.abc import Callable
from importlib import import_module
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.library import ENTRIES, EXAMPLES

AGREEMENT = import_module("weightsmith.export.agreement")  # the name in the package may be a function
LENGTH = 6
ALL_UP_TO_6 = 3 + 9 + 27 + 81 + 243 + 729  # inputs over three symbols

Build = Callable[[], ws.Transformer]


def _combined() -> dict[str, Build]:
    one, start, more = ws.library.contains("1"), ws.library.starts_with("01"), ws.library.majority("1")
    return {
        "and": lambda: one & start,
        "or not": lambda: one | ~more,
        "exclusive or": lambda: start ^ more,
        "if-then-else": lambda: ws.if_then_else(one, start, more),
    }


RECOGNISERS: dict[str, Build] = {entry.call: entry.build for entry in ENTRIES}
INFINITY_FORMS: dict[str, Build] = {
    f"∞ {entry.call}": lambda entry=entry: ws.infinity_form(entry.build())  # type: ignore[misc]
    for entry in ENTRIES
}
COMBINED: dict[str, Build] = _combined()
SHOWN: dict[str, Build] = {example.call: example.build for example in EXAMPLES}


@pytest.fixture
def few_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a report run a handful of inputs, where the test itself compares values or is about something else."""
    monkeypatch.setattr(AGREEMENT, "MOST_INPUTS", 6)
    monkeypatch.setattr(AGREEMENT, "RANDOM_INPUTS", 3)


def run_all_up_to_6(T: ws.Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a report run all inputs up to length 6, if there are two or three symbols, and a few longer ones."""
    most = sum(len(T.vocabulary) ** n for n in range(1, LENGTH + 1))
    monkeypatch.setattr(AGREEMENT, "MOST_INPUTS", min(most, ALL_UP_TO_6))


def assert_agrees(T: ws.Transformer, report: Any) -> None:
    """See that every decision is the original's, on all inputs up to length 6 where there are not too many symbols."""
    assert report.agrees, report
    assert report.up_to >= LENGTH or len(T.vocabulary) > 3, report
