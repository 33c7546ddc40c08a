"""Machines in files: what is read is the machine, and hostile files are refused by name."""

import json
from pathlib import Path
from typing import Any

import pytest

import weightsmith as ws
from weightsmith.errors import FileError
from weightsmith.programs import CounterMachine, FiniteAutomaton, TuringMachine, machines, read_machine

TURING = {
    "kind": "turing",
    "start": "A",
    "blank": "0",
    "halt": "H",
    "rules": [["A", "0", "B", "1", 1], ["B", "0", "H", "1", -1]],
}
COUNTER = {
    "kind": "counter",
    "start": "p",
    "accept": ["yes"],
    "rules": [["p", "a", "*", "p", 1, 1], ["p", "=", "+", "yes", 0, 0]],
}
FINITE = {"kind": "finite", "start": "even", "accept": ["odd"], "rules": [["even", "1", "odd"], ["odd", "1", "even"]]}
TWO_TAPES = {"kind": "turing", "start": "A", "accept": "H", "rules": [["A", ["0", "_"], "H", ["0", "0"], [1, 0]]]}


def read(data: Any, folder: Path) -> Any:
    (folder / "machine.json").write_text(data if isinstance(data, str) else json.dumps(data))
    return read_machine(folder / "machine.json")


def test_each_kind_is_read(tmp_path: Path) -> None:
    turing = TuringMachine({("A", "0"): ("B", "1", 1), ("B", "0"): ("H", "1", -1)}, start="A", blank="0", halt="H")
    assert read(TURING, tmp_path).table == turing.table
    counter = CounterMachine({("p", "a", "*"): ("p", 1, 1), ("p", "=", "+"): ("yes", 0, 0)}, start="p", accept="yes")
    assert read(COUNTER, tmp_path).table == counter.table
    finite = FiniteAutomaton({("even", "1"): "odd", ("odd", "1"): "even"}, start="even", accept="odd")
    assert read(FINITE, tmp_path).table == finite.table
    assert read(TWO_TAPES, tmp_path).tapes == 2
    assert ws.programs.compile_machine(read(FINITE, tmp_path), max_length=4)("111") == "YES"


@pytest.mark.parametrize(
    ("data", "said"),
    [
        ("{", "the machine"),
        ("[]", "the machine"),
        ("{" * 100, "the machine"),
        ({}, 'the machine has kind None: write one of turing, counter, finite, as in {"kind"'),
        ({**FINITE, "kind": ["finite"]}, "the machine has kind"),
        ({**FINITE, "blank": "_"}, "the machine has a field 'blank': write some of kind, rules, start, accept"),
        ({"kind": "finite", "rules": FINITE["rules"]}, "the machine has no start: write"),
        ({"kind": "finite", "start": "even"}, "the machine has no rules: write"),
        ({**FINITE, "rules": {}}, "rules is {}: write 1 to 16,384 rows"),
        ({**FINITE, "rules": [["even", "1"]]}, 'rule 0 is [\'even\', \'1\']: write ["even", "1", "odd"]'),
        ({**FINITE, "rules": [*FINITE["rules"], ["even", "1", "even"]]}, "two rules for even on 1: 'odd' and 'even'"),
        ({**FINITE, "rules": [["even", "1", ["odd"]]]}, "a state must be a text"),
        ({**FINITE, "rules": [[["even"], "1", "odd"]]}, "a state must be a text"),
        ({**TURING, "rules": [["A", "0", "H", "1", "R"]]}, "the move 'R' of"),
        ({**TURING, "rules": [["A", "0", "H", "1", 1e300]]}, "write -1, 0 or 1"),
        ({**TURING, "start": 5}, "the start must be a text"),
        ({**COUNTER, "rules": [["p", "a", "0", "yes", 1, -1]]}, "which may be 0: test it with '+'"),
        ({**FINITE, "rules": [["even", "1", "odd"]] * 20000}, "write 1 to 16,384 rows"),
    ],
)
def test_hostile_files_are_refused_by_name(data: Any, said: str, tmp_path: Path) -> None:
    with pytest.raises(FileError) as refused:
        read(data, tmp_path)
    assert "machine.json" in str(refused.value)
    assert said in str(refused.value)
    assert len(str(refused.value)) < 600


def test_a_chain_replays_its_certificate(tmp_path: Path) -> None:
    C = ws.programs.compile_machine(read(FINITE, tmp_path), max_length=3)
    C.certificate().save(tmp_path / "certificate.json")
    assert machines.replay_machine(tmp_path / "certificate.json", C).max_length == 3
