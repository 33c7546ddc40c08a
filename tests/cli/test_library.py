"""weightsmith library says what was decided, and no more."""

import json
import os
import re
import subprocess
import sys
from dataclasses import replace
from itertools import product

import pytest

from tests.cli.commands import good
from weightsmith import Fixed, parse_arithmetic
from weightsmith.automata import Counting
from weightsmith.cli.library import cell, short, verdict
from weightsmith.library import ENTRIES, Entry

PARITY = next(entry for entry in ENTRIES if entry.name == "parity")


@pytest.fixture(scope="module")
def shown() -> str:
    program = [sys.executable, "-m", "weightsmith", "library"]
    env = {**os.environ, "COLUMNS": "80", "NO_COLOR": "1"}
    return subprocess.run(program, capture_output=True, text=True, check=True, env=env).stdout


def test_the_table_fits_80_columns_and_no_word_of_it_is_cut(shown: str) -> None:
    assert max(map(len, shown.splitlines())) <= 80
    assert "…" not in shown


def test_what_is_proved_and_what_is_wrong_stand_in_one_row(shown: str) -> None:
    lines = [line.split() for line in shown.splitlines()]
    row = next(i for i, words in enumerate(lines) if words[:1] == ["parity()"])
    assert lines[row][-6:] == ["✗", "1111", "✗", "1^16", "✗", "1^9"]
    row = next(i for i, words in enumerate(lines) if words[:1] == ["ends_with('01')"])
    assert lines[row][-3:] == ["all"] * 3
    assert lines[row + 1] == ["lengths"] * 3


def test_the_legend_says_what_all_lengths_means(shown: str) -> None:
    assert "all lengths: proved right on every input." in " ".join(shown.split())


def test_failures_are_decided_and_not_looked_up() -> None:
    for entry in ENTRIES:
        for arithmetic, known in entry.fails_at.items():
            found = verdict(replace(entry, fails_at={}), parse_arithmetic(arithmetic), None)
            assert found == {"scope": "all lengths", "wrong": short(tuple(known))}


@pytest.mark.parametrize("entry", [e for e in ENTRIES if e.language is not None], ids=lambda entry: entry.name)
def test_a_language_is_that_of_its_predicate(entry: Entry) -> None:
    T = entry.build()
    for length in range(1, 9):
        for tokens in product(entry.symbols, repeat=length):
            if isinstance(entry.language, Counting):
                number = entry.language.start
                for token in tokens:
                    number = entry.language.step(number, token)
                belongs = entry.language.belongs(number)
            else:
                assert entry.language is not None
                belongs = re.fullmatch(entry.language, "".join(tokens)) is not None
            assert belongs == entry.predicate(tokens)
    assert set(entry.symbols) <= set(T.vocabulary)


def test_an_arithmetic_that_a_builder_refuses_is_named_with_its_reason() -> None:
    found = verdict(PARITY, Fixed(0, 2), 2)
    assert list(found) == ["refused"]
    assert "fixed(0,2)" in found["refused"]
    assert cell(found) == "refused"


def test_json_has_the_answers_in_keys_of_their_own() -> None:
    rows = {row["name"]: row.get("checked") for row in json.loads(good("library", "--up-to", "2", "--json"))}
    assert rows["parity_chain(max_length=8)"]["fixed(2,2)"] == {"scope": "up to 2", "wrong": None}
    assert rows["majority('1')"]["fixed(4,4)"] == {"scope": "up to 2", "wrong": None}
