"""How many inputs a report runs, in tests: all up to length 6, or only a few."""

from importlib import import_module
from typing import Any

import pytest

import weightsmith as ws

LENGTH = 6
MOST = 3 + 9 + 27 + 81 + 243 + 729  # inputs up to that length over three symbols


@pytest.fixture
def few_inputs(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a report run a handful of inputs, where the test itself compares values or is about something else."""
    _run(monkeypatch, 6)


def run_all_up_to_6(T: ws.Transformer, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a report run all inputs up to length 6, if there are two or three symbols, and a few longer ones."""
    most = sum(len(T.vocabulary) ** n for n in range(1, LENGTH + 1))
    _run(monkeypatch, min(most, MOST))


def _run(monkeypatch: pytest.MonkeyPatch, most: int) -> None:
    inputs = import_module("weightsmith.export.inputs")
    agreement = import_module("weightsmith.export.measure")  # in the package this name is a function
    monkeypatch.setattr(inputs, "MOST_INPUTS", most)
    monkeypatch.setattr(inputs, "RANDOM_INPUTS", 3)
    monkeypatch.setattr(agreement, "SATURATION_INPUTS", 10)
    monkeypatch.setattr(agreement, "searched", lambda T, up_to: ())  # these are the subject of test_midway
    monkeypatch.setattr("weightsmith.export.tally.TYPES", ())  # other types are another test's subject


def assert_agrees(name: str, T: ws.Transformer, report: Any) -> None:
    """See that every decision is the original's, on all inputs up to length 6 where there are not too many symbols."""
    assert report.agrees, (name, report)
    assert report.up_to >= min(LENGTH, T.max_length or LENGTH) or len(T.vocabulary) > 3, (name, report)
