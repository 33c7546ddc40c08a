"""Machines in JSON files. A file is not trusted: it gives a machine, or is refused with the line to write."""

import os
from typing import Any, NamedTuple

from weightsmith.errors import FileError, ModelError, brief, listed
from weightsmith.programs.machines.counters import CounterMachine
from weightsmith.programs.machines.finite import FiniteAutomaton
from weightsmith.programs.machines.rules import MOST_RULES
from weightsmith.programs.machines.turing import TuringMachine
from weightsmith.storage import read_json, refusals


class Kind(NamedTuple):
    """A kind of machine in a file."""

    machine: Any
    left: int  # how many entries of a row are the left side of a rule
    row: str  # an example
    size: int  # entries of a row
    fields: tuple[str, ...]  # besides kind, rules and start


KINDS = {
    "turing": Kind(
        TuringMachine, 2, '["A", "0", "B", "1", 1]: state, symbol, next state, what is written, move', 5,
        ("blank", "accept", "reject", "halt", "inputs"),
    ),
    "counter": Kind(
        CounterMachine, 3, '["p", "a", "*", "p", 1, 1]: state, symbol, tests, next state, advance, changes', 6,
        ("end", "accept", "reject", "halt"),
    ),
    "finite": Kind(FiniteAutomaton, 2, '["even", "1", "odd"]: state, symbol, next state', 3, ("accept",)),
}  # fmt: skip
EXAMPLE = '{"kind": "finite", "start": "even", "accept": ["odd"], "rules": [["even", "1", "odd"], …]}'


def read_machine(path: str | os.PathLike[str]) -> TuringMachine | CounterMachine | FiniteAutomaton:
    """Read a machine from a JSON file with a `kind`, a `start`, and `rules` as rows.

    A row of a "turing" machine is [state, symbol, next state, symbol that is written, move]; with several tapes the
    symbols and moves are lists. A row of a "counter" machine is [state, symbol, tests, next state, advance, changes],
    and of a "finite" automaton [state, symbol, next state]. The other fields are those of `TuringMachine`,
    `CounterMachine` and `FiniteAutomaton`.
    """
    data = read_json(path, "the machine")
    with refusals("cannot read", path):
        try:
            machine: TuringMachine | CounterMachine | FiniteAutomaton = _machine(data)
            return machine
        except ModelError as error:
            raise FileError(str(error)) from error


def _machine(data: dict[str, Any]) -> Any:
    kind = data.get("kind")
    if not isinstance(kind, str) or kind not in KINDS:
        raise FileError(f"the machine has kind {brief(kind)}: write one of {listed(list(KINDS))}, as in {EXAMPLE}")
    how = KINDS[kind]
    known = ("kind", "rules", "start", *how.fields)
    unknown = [name for name in data if name not in known]
    if unknown:
        raise FileError(f"the machine has a field {brief(unknown[0])}: write some of {listed(known)}")
    for name in ("rules", "start"):
        if name not in data:
            raise FileError(f"the machine has no {name}: write {EXAMPLE}")
    rows = data["rules"]
    if not isinstance(rows, list) or not rows or len(rows) > MOST_RULES:
        raise FileError(f"rules is {brief(rows)}: write 1 to {MOST_RULES:,} rows, each {how.row}")
    rules = []
    for n, row in enumerate(rows):
        if not isinstance(row, list) or len(row) != how.size:
            raise FileError(f"rule {n} is {brief(row)}: write {how.row}")
        left, right = row[: how.left], row[how.left :]
        rules.append((tuple(map(_tuples, left)), _tuples(right) if len(right) > 1 else right[0]))
    return how.machine(rules, start=data["start"], **{name: data[name] for name in how.fields if name in data})


def _tuples(value: Any) -> Any:
    """Return lists as tuples."""
    return tuple(map(_tuples, value)) if isinstance(value, list) else value
