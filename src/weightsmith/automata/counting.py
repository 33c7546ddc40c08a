"""Languages of a counter, which no automaton decides; and the first input on which an automaton is wrong."""

from collections.abc import Callable, Hashable
from dataclasses import dataclass
from typing import Any

from weightsmith.automata.automaton import Automaton
from weightsmith.automata.inputs import Input, written
from weightsmith.errors import InputError

MAX_PAIRS = 1_000_000


@dataclass(frozen=True)
class Counting:
    """A language given by a counter: `step` is applied for each token, `belongs` at the end."""

    step: Callable[[Any, str], Hashable]
    belongs: Callable[[Any], bool]
    start: Hashable = 0

    def first_unlike(self, automaton: Automaton) -> Input | None:
        """Return the shortest input, the first in vocabulary order, on which an automaton is wrong; None for none.

        No automaton decides the language, so the search ends.
        """
        rows, tokens = automaton.table.tolist(), tuple(automaton.vocabulary)
        order: list[tuple[int, Hashable]] = [(automaton.start, self.start)]
        came: list[tuple[int, int]] = [(-1, -1)]  # the predecessor in `order`, and the token
        seen: set[tuple[int, Hashable]] = set()
        for here, (state, number) in enumerate(order):  # grows inside the loop
            for token, text in enumerate(tokens):
                pair = rows[state][token], self.step(number, text)
                if pair in seen:
                    continue
                seen.add(pair)
                order.append(pair)
                came.append((here, token))
                if bool(automaton.accepting[pair[0]]) != self.belongs(pair[1]):
                    return _path(came, tokens)
            if len(order) > MAX_PAIRS:
                raise InputError(f"no wrong input was found among the first {MAX_PAIRS:,} pairs of state and number")
        return None


def _path(came: list[tuple[int, int]], tokens: tuple[str, ...]) -> Input:
    here, ids = len(came) - 1, list[int]()
    while here > 0:
        here, token = came[here]
        ids.append(token)
    return written(tokens, ids[::-1])
