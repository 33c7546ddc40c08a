"""Languages that a counter decides, which no automaton does; and the first input on which an automaton is wrong."""

from collections.abc import Callable
from dataclasses import dataclass

from weightsmith.automata.automaton import Automaton
from weightsmith.automata.inputs import Input, written
from weightsmith.errors import InputError

MAX_PAIRS = 1_000_000


@dataclass(frozen=True)
class Counting:
    """The inputs for which a number, which begins at 0 and changes with each token, is such that they belong."""

    step: Callable[[int, str], int]
    belongs: Callable[[int], bool]

    def first_unlike(self, automaton: Automaton) -> Input | None:
        """Return the shortest input, the smallest in vocabulary order, that an automaton is wrong about; None for none.

        An automaton that is right for ever on a language that none decides does not exist, so the search ends.
        """
        rows, tokens = automaton.table.tolist(), tuple(automaton.vocabulary)
        order: list[tuple[int, int]] = [(automaton.start, 0)]
        came: list[tuple[int, int]] = [(-1, -1)]  # from which pair, by which token
        seen: set[tuple[int, int]] = set()
        for place, (state, number) in enumerate(order):  # it grows meanwhile
            for token, text in enumerate(tokens):
                pair = rows[state][token], self.step(number, text)
                if pair in seen:
                    continue
                seen.add(pair)
                order.append(pair)
                came.append((place, token))
                if bool(automaton.accepting[pair[0]]) != self.belongs(pair[1]):
                    return _path(came, tokens)
            if len(order) > MAX_PAIRS:
                raise InputError(f"no wrong input was found among the first {MAX_PAIRS:,} pairs of state and number")
        return None


def _path(came: list[tuple[int, int]], tokens: tuple[str, ...]) -> Input:
    place, ids = len(came) - 1, list[int]()
    while place > 0:
        place, token = came[place]
        ids.append(token)
    return written(tokens, ids[::-1])
