"""weightsmith library says what was decided, and no more."""

import json
import os
import subprocess
import sys
from dataclasses import replace

import pytest

from tests.cli.test_cli import good
from weightsmith import Fixed
from weightsmith.cli.library import cell, verdict
from weightsmith.library import ENTRIES, Entry

PARITY = next(entry for entry in ENTRIES if entry.name == "parity")
A = Fixed(4, 4)


@pytest.fixture(scope="module")
def shown() -> str:
    program = [sys.executable, "-m", "weightsmith", "library"]
    env = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run(program, capture_output=True, text=True, check=True, env=env).stdout


def test_the_table_fits_80_columns_and_no_word_of_it_is_cut(shown: str) -> None:
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def test_a_known_wrong_input_stands_below_the_length_that_was_decided(shown: str) -> None:
    lines = [line.split() for line in shown.splitlines()]
    row = next(i for i, words in enumerate(lines) if words[:1] == ["parity()"])
    assert lines[row][-6:] == ["✗", "1111", "≤", "8", "≤", "8"]
    assert lines[row + 1] == ["✗", "1^16", "✗", "1^9"]


def test_the_legend_says_that_nothing_was_decided_between(shown: str) -> None:
    legend = " ".join(shown.split())
    assert "≤ 8: right on every input up to that length. ✗ alone: the shortest input that is decided wrongly" in legend
    assert "≤ and ✗: right up to that length, and wrong on this longer input, run again now; nothing was" in legend


def test_what_was_decided_and_what_was_only_run_again_are_told_apart() -> None:
    assert verdict(PARITY, A, 8) == {"up_to": 8, "wrong": None, "known_wrong": "1^16"}
    assert verdict(PARITY, Fixed(2, 2), 8) == {"up_to": 8, "wrong": "1111", "known_wrong": None}
    assert cell(verdict(PARITY, A, 8)) == "≤ 8\n✗ 1^16"
    assert cell(verdict(PARITY, Fixed(2, 2), 8)) == "✗ 1111"


def test_a_known_input_that_is_decided_rightly_is_not_called_wrong() -> None:
    entry: Entry = replace(PARITY, fails_at={"fixed(4,4)": "1" * 15})
    assert verdict(entry, A, 4) == {"up_to": 4, "wrong": None, "known_wrong": None}
    assert cell(verdict(entry, A, 4)) == "≤ 4"


def test_an_arithmetic_that_a_builder_refuses_is_named_with_its_reason() -> None:
    found = verdict(PARITY, Fixed(0, 2), 2)
    assert list(found) == ["refused"]
    assert "fixed(0,2)" in found["refused"]
    assert cell(found) == "refused"


def test_json_has_the_three_answers_in_keys_of_their_own() -> None:
    rows = {row["name"]: row.get("checked") for row in json.loads(good("library", "--up-to", "2", "--json"))}
    assert rows["parity_chain(max_length=8)"]["fixed(2,2)"] == {"up_to": 2, "wrong": None, "known_wrong": None}
    assert rows["majority('1')"]["fixed(4,4)"] == {"up_to": 2, "wrong": None, "known_wrong": "1^256 0^255"}
