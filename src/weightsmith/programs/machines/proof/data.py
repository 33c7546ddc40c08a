"""A machine's table as data, and back: what is read is not trusted."""

from dataclasses import asdict
from typing import Any

from weightsmith.errors import brief
from weightsmith.programs.machines.table import Case, Counter, Register, StepTable, Tape, Token
from weightsmith.programs.proof.parsing import items, keys, refuse, text, truth, whole


def table_data(table: StepTable) -> dict[str, Any]:
    """Return a table as data."""
    return {
        "start": table.start,
        "inputs": list(table.inputs),
        "prompt": table.prompt,
        "registers": [
            {
                "kind": type(one).__name__.lower(),
                **({"symbols": list(one.symbols), **_tape(one)} if isinstance(one, Tape) else {}),
            }
            for one in table.registers
        ],
        "tokens": [{**asdict(one), "writes": list(one.writes), "moves": list(one.moves)} for one in table.tokens],
        "rules": [[state, list(shows), number] for (state, shows), number in table.rules.items()],
    }


def _tape(tape: Tape) -> dict[str, Any]:
    return {"blank": tape.blank, "input": tape.input, "written": tape.written}


def read_table(data: Any) -> StepTable:
    """Return the table that data describes; refuse what is none."""
    found = keys(data, "the machine", "start inputs prompt registers tokens rules")
    registers = tuple(_register(one) for one in items(found["registers"], "the registers"))
    tokens = tuple(_token(one, len(registers)) for one in items(found["tokens"], "the tokens"))
    rules, listed = dict[Case, int](), items(found["rules"], "the rules")
    if not tokens or not registers:
        refuse("the machine has no tokens or no registers")
    for one in listed:
        state, shows, number = _just(one, 3)
        case = text(state, "a state"), tuple(text(shown, "a symbol") for shown in _just(shows, len(registers)))
        rules[case] = whole(number, "a token", 0, len(tokens) - 1)
    inputs = tuple(text(one, "an input") for one in items(found["inputs"], "the inputs"))
    return StepTable(
        text(found["start"], "the start"), inputs, text(found["prompt"], "the prompt"), registers, tokens, rules
    )


def _register(data: Any) -> Register:
    if isinstance(data, dict) and data.get("kind") == "counter":
        keys(data, "a counter", "kind")
        return Counter()
    found = keys(data, "a tape", "kind symbols blank input written")
    symbols = tuple(text(one, "a symbol") for one in items(found["symbols"], "the symbols"))
    return Tape(symbols, text(found["blank"], "the blank"), *(truth(found[one], one) for one in ("input", "written")))


def _token(data: Any, registers: int) -> Token:
    found = keys(data, "a token", "name state writes moves answer")
    writes = tuple(None if one is None else text(one, "a symbol") for one in _just(found["writes"], registers))
    moves = tuple(whole(one, "a move", -1, 1) for one in _just(found["moves"], registers))
    answer = None if found["answer"] is None else text(found["answer"], "an answer")
    return Token(text(found["name"], "a token"), text(found["state"], "a state"), writes, moves, answer)


def _just(value: Any, size: int) -> list[Any]:
    found = items(value, "a part of a rule", size)
    if len(found) != size:
        refuse(f"a part of a rule is {brief(value)}, and needs {size} entries")
    return found
