"""A plain simulator of machines: it decides what is right, and shares nothing with the compiler."""

from typing import Any

import numpy as np
import numpy.typing as npt

import weightsmith as ws
from weightsmith.inspect.chains import written
from weightsmith.programs import CounterMachine, TuringMachine


def turing(machine: TuringMachine, tokens: tuple[str, ...], steps: int) -> tuple[list[Any], bool, list[str]]:
    """Return the steps (state, writes, moves), whether the machine halts, and the first tape without blanks around."""
    rules: dict[Any, Any] = {(state, *shows): right for (state, shows), right in machine.rules}
    final = {*machine.accept, *machine.reject, *machine.halt}
    tapes: list[dict[int, str]] = [dict(enumerate(tokens)), *({} for _ in range(machine.tapes - 1))]
    heads, state, done = [0] * machine.tapes, machine.start, list[Any]()
    while state not in final and len(done) < steps:
        read = [tape.get(head, machine.blank) for tape, head in zip(tapes, heads, strict=True)]
        if (state, *read) not in rules:
            done.append(None)
            return done, True, _tape(tapes[0], machine.blank)
        state, writes, moves = rules[state, *read]
        for n in range(machine.tapes):
            tapes[n][heads[n]] = writes[n]
            heads[n] += moves[n]
        done.append((state, tuple(writes), tuple(moves)))
    return done, state in final, _tape(tapes[0], machine.blank)


def _tape(cells: dict[int, str], blank: str) -> list[str]:
    first, last = min(cells, default=0), max(cells, default=-1)
    text = [cells.get(cell, blank) for cell in range(first, last + 1)]
    while text and text[0] == blank:
        text.pop(0)
    while text and text[-1] == blank:
        text.pop()
    return text


def counting(machine: CounterMachine, tokens: tuple[str, ...], steps: int) -> tuple[str | None, int]:
    """Return the state in which a counter machine halts ("" without a rule, None if it does not), and its steps."""
    rules: dict[Any, Any] = dict(machine.rules)
    counters, state, head = [0] * machine.counters, machine.start, 0
    for step in range(1, steps + 1):
        symbol = tokens[head] if head < len(tokens) else machine.end
        case = state, symbol, tuple("+" if counter else "0" for counter in counters)
        if case not in rules:
            return "", step
        state, advance, changes = rules[case]
        head += advance
        counters = [counter + change for counter, change in zip(counters, changes, strict=True)]
        if state in {*machine.accept, *machine.reject, *machine.halt}:
            return state, step
    return None, steps


def runs(C: ws.Chain, inputs: npt.NDArray[np.intp]) -> list[tuple[list[str], bool]]:
    """Return the tokens that a chain writes on inputs of one length, and whether it ends."""
    generated, halted = written(C, inputs)
    names = C.transformer.answers
    return [
        ([str(names[i]) for i in row if i >= 0], bool(end)) for row, end in zip(generated.tolist(), halted, strict=True)
    ]


def every_run(C: ws.Chain, most: int) -> dict[tuple[str, ...], tuple[list[str], bool]]:
    """Return the tokens that a chain writes on every input up to a length, and whether it ends."""
    found, vocabulary = dict[tuple[str, ...], tuple[list[str], bool]](), C.transformer.vocabulary
    for n in range(most + 1):
        ids = all_inputs(C, n)
        tokens = [tuple(vocabulary[i] for i in row) for row in ids.tolist()]
        found |= dict(zip(tokens, runs(C, ids), strict=True))
    return found


def all_inputs(C: ws.Chain, length: int) -> npt.NDArray[np.intp]:
    """Return all inputs of a length, (inputs, positions)."""
    size = len(C.vocabulary)
    ids = np.array([C.transformer.vocabulary.index(one) for one in C.vocabulary], np.intp)
    grid = np.indices((size,) * length).reshape(length, size**length).T
    found: npt.NDArray[np.intp] = ids[grid]
    return found
