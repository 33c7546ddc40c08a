"""Words that tell the states of a model's automaton apart, where it has a small one."""

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from weightsmith.automata.extraction import UnknownError, automaton
from weightsmith.errors import WeightsmithError
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Ids

SECONDS = 0.5
STATES = 2_000
MEMORY = 1 << 28
SMALL = 64  # states that are distinguished; of a larger automaton, as many
MOST_WEIGHTS = 5_000

Word = tuple[int, ...]


def words_of_states(T: Transformer, letters: Sequence[int]) -> list[Ids]:
    """Return a word that reaches each state, then each letter, then what tells the state after it from others."""
    headless = any(block.attention is not None and not block.attention.heads for block in T.blocks)
    if T.mask != "causal" or T.weights > MOST_WEIGHTS or headless or _knows_positions(T):
        return []
    try:
        A = automaton(T, yes=T.answers[0], seconds=SECONDS, states=STATES, memory=MEMORY)
    except (UnknownError, WeightsmithError):
        return []
    said = A.outputs
    reached = _reached(A.table, A.start, letters)
    some = dict(list(reached.items())[:: 1 + len(reached) // SMALL])
    ends = _longest(_telling(A.table, said, list(some), letters))
    return [np.array((*word, a, *end)) for word in some.values() for a in letters for end in ends]


def _knows_positions(T: Transformer) -> bool:
    """Return whether answers depend on positions or distances; then an automaton is seldom small."""
    own = (head for block in T.blocks if block.attention is not None for head in block.attention.heads)
    return T.positions is not None or any(head.positions is not None for head in own)


def _reached(table: npt.NDArray[np.int32], start: int, letters: Sequence[int]) -> dict[int, Word]:
    """Return the shortest word to each state."""
    words: dict[int, Word] = {start: ()}
    queue = [start]
    for state in queue:
        for a in letters:
            after = int(table[state, a])
            if after not in words:
                words[after] = (*words[state], a)
                queue.append(after)
    return words


def _telling(
    table: npt.NDArray[np.int32], said: npt.NDArray[np.integer], states: Sequence[int], letters: Sequence[int]
) -> set[Word]:
    """Return words that tell each of some states from those a letter away, as short as there are."""
    found: set[Word] = set()
    for one, other in ((state, int(table[state, a])) for state in states for a in letters):
        seen: dict[tuple[int, int], Word] = {(one, other): ()}
        queue = [(one, other)]
        for pair in queue:
            if said[pair[0]] != said[pair[1]]:
                found.add(seen[pair])
                break
            for a in letters:
                after = (int(table[pair[0], a]), int(table[pair[1], a]))
                if after[0] != after[1] and after not in seen:
                    seen[after] = (*seen[pair], a)
                    queue.append(after)
    return found


def _longest(words: set[Word]) -> list[Word]:
    """Return the longest of words that begin alike: the others are mostly their beginnings."""
    best: dict[int, Word] = {}
    for word in sorted(words, key=lambda word: (len(word), word)):
        if word:
            best[word[0]] = word
    return list(best.values()) or [()]
