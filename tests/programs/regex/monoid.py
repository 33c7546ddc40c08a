"""Is a language star-free? By its transition monoid alone, from the definition; nothing of the compiler is used."""

from collections.abc import Sequence

MOST_ELEMENTS = 30_000


def is_aperiodic(table: Sequence[Sequence[int]], most: int = MOST_ELEMENTS) -> bool | None:
    """Return whether every word w has wⁿ = wⁿ⁺¹ for some n, as a map of states; None if the monoid is too large."""
    states, letters = len(table), [tuple(row[a] for row in table) for a in range(len(table[0]))]
    seen = set(letters)
    waiting = list(seen)
    while waiting:
        here = waiting.pop()
        if _has_period(here, states):
            return False
        for letter in letters:
            there = tuple(letter[q] for q in here)
            if there not in seen:
                seen.add(there)
                waiting.append(there)
        if len(seen) > most:
            return None
    return True


def _has_period(word: tuple[int, ...], states: int) -> bool:
    """Return whether the powers of a word never become constant."""
    power, length = word, 1
    while length < states:  # wⁿ for a power n of 2 from the number of states on
        power, length = tuple(power[q] for q in power), 2 * length
    return any(word[q] != q for q in power)
