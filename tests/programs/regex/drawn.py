"""Random regular expressions over 2 to 4 letters whose smallest automata have 2 to 30 states."""

import random
from collections.abc import Iterator

import numpy as np

from weightsmith.automata import Automaton, compile_regex

LEAST, MOST = 2, 30  # states


def automaton(table: list[list[int]], accepting: list[bool], vocabulary: str = "") -> Automaton:
    """Return an automaton from plain lists."""
    return Automaton(np.array(table), np.array(accepting), vocabulary=vocabulary)


def expressions(seed: int = 0) -> Iterator[tuple[str, str, Automaton]]:
    """Yield expressions, each with its letters and its smallest automaton, all different."""
    dice, seen = random.Random(seed), set[str]()
    while True:
        letters = "abcd"[: dice.randint(2, 4)]
        text = _expression(dice, letters, dice.randint(2, 6))
        found = compile_regex(text, tuple(letters))
        if found is not None and LEAST <= len(found.table) <= MOST and text not in seen:
            seen.add(text)
            yield text, letters, Automaton(found.table, found.accepting, found.start, letters)


def _expression(dice: random.Random, letters: str, depth: int) -> str:
    """Return an expression that is nested at most so deep."""
    if not depth or dice.random() < 0.1:
        return _letter(dice, letters)
    kind = dice.random()
    if kind < 0.45:
        return "".join(_expression(dice, letters, depth - 1) for _ in range(dice.randint(2, 3)))
    if kind < 0.7:
        return f"({'|'.join(_expression(dice, letters, depth - 1) for _ in range(dice.randint(2, 3)))})"
    inner = f"({_expression(dice, letters, depth - 1)})"
    return inner + dice.choice(["*", "*", "*", "+", "?", "{2}", "{1,3}"])


def _letter(dice: random.Random, letters: str) -> str:
    """Return a letter, a few of them, or any."""
    kind = dice.random()
    if kind < 0.75:
        return dice.choice(letters)
    if kind < 0.9:
        return f"[{''.join(sorted(dice.sample(letters, dice.randint(1, len(letters)))))}]"
    return "."
