"""Tasks of logic and arithmetic: flags, parities, sums, carries, tables."""

from weightsmith.circuits.tasks.parts import (
    at,
    before,
    count,
    earlier,
    indices,
    length,
    so_far,
    tokens,
    where_true,
)
from weightsmith.circuits.tasks.task import Task
from weightsmith.programs import rasp
from weightsmith.programs.rasp import SOp

BITS, AB, ABC, DIGITS = (0, 1), tuple("ab"), tuple("abc"), (0, 1, 2)
BEATS = {"r": "s", "s": "p", "p": "r"}


def _ones() -> SOp:
    return count(where_true(tokens == 1))


def _ones_so_far() -> SOp:
    return count(where_true(tokens == 1) & so_far())


def _odd(number: SOp) -> SOp:
    return rasp.Map(lambda n: n % 2, number)


def _sum() -> SOp:
    return count(where_true(tokens == 1)) + 2 * count(where_true(tokens == 2))


def _sum_so_far() -> SOp:
    return count(where_true(tokens == 1) & so_far()) + 2 * count(where_true(tokens == 2) & so_far())


def _has(token: str) -> SOp:
    return count(where_true(tokens == token)) > 0


def _alternates() -> SOp:
    return count(where_true(earlier(1) == tokens)) == 0


def _increment() -> SOp:
    """Return the bits of a number plus 1, the lowest bit first."""
    carry = count(where_true(tokens == 0) & before()) == 0
    return rasp.SequenceMap(lambda bit, one: (bit + one) % 2, tokens, rasp.Map(int, carry))


def _twos_complement() -> SOp:
    """Return the bits of minus a number, the lowest bit first: what follows the first 1 is inverted."""
    flips = count(where_true(tokens == 1) & before()) > 0
    return rasp.SequenceMap(lambda bit, flip: bit ^ flip, tokens, rasp.Map(int, flips))


def _even_against_odd() -> SOp:
    even = rasp.Map(lambda i: i % 2 == 0, indices)
    one, other = count(where_true(even & (tokens == 1))), count(where_true(rasp.sop_not(even) & (tokens == 1)))
    return one - other


def _winner() -> SOp:
    return rasp.SequenceMap(
        lambda one, other: "=" if one == other else "first" if BEATS[one] == other else "last", at(0), at(length() - 1)
    )


def _beats_the_previous() -> SOp:
    return rasp.SequenceMap(lambda old, new: BEATS[new] == old, earlier(1), tokens)


TASKS = (
    Task("parity", "Whether the number of ones is odd.", lambda: _odd(_ones()), BITS, 6, "medium"),
    Task("parity-so-far", "Whether the number of ones up to here is odd.", lambda: _odd(_ones_so_far()), BITS, 6,
         "medium"),
    Task("ones-mod-3", "The number of ones modulo 3.", lambda: rasp.Map(lambda n: n % 3, _ones()), BITS, 6, "medium"),
    Task("sum", "The sum of the digits.", _sum, DIGITS, 5, "medium"),
    Task("sum-so-far", "The sum of the digits up to here.", _sum_so_far, DIGITS, 5, "medium"),
    Task("sum-mod-3", "The sum of the digits modulo 3.", lambda: rasp.Map(lambda n: n % 3, _sum()), DIGITS, 5,
         "medium"),
    Task("xor-of-the-ends", "The exclusive or of the first and the last bit.",
         lambda: rasp.SequenceMap(lambda one, other: one ^ other, at(0), at(length() - 1)), BITS, 6, "medium"),
    Task("xor-with-previous", "The exclusive or with the bit before.",
         lambda: rasp.SequenceMap(lambda one, other: one ^ other, earlier(1, tokens, 0), tokens), BITS, 6, "easy"),
    Task("all-so-far", "Whether all bits up to here are 1.",
         lambda: count(where_true(tokens == 0) & so_far()) == 0, BITS, 6, "easy"),
    Task("exactly-one-a", "Whether a occurs exactly once.", lambda: count(where_true(tokens == "a")) == 1, ABC, 5,
         "easy"),
    Task("a-implies-b", "Whether b occurs if a does.", lambda: rasp.sop_not(_has("a")) | _has("b"), ABC, 5, "easy"),
    Task("alternates", "Whether no two neighbours are equal.", _alternates, ABC, 5, "medium"),
    Task("increment", "A binary number plus 1, lowest bit first.", _increment, BITS, 6, "medium"),
    Task("negate", "A binary number with the other sign, lowest bit first.", _twos_complement, BITS, 6, "medium"),
    Task("even-against-odd", "Ones at even positions minus ones at odd ones.", _even_against_odd, BITS, 6, "hard"),
    Task("shift-by-first", "Each digit plus the first one, modulo 3.",
         lambda: rasp.SequenceMap(lambda digit, by: (digit + by) % 3, tokens, at(0)), DIGITS, 5, "medium"),
    Task("difference", "Each digit minus the one before, modulo 3.",
         lambda: rasp.SequenceMap(lambda old, new: (new - old) % 3, earlier(1, tokens, 0), tokens), DIGITS, 5, "easy"),
    Task("winner", "Who wins of the first and the last of rock, paper and scissors.", _winner, ("r", "p", "s"), 5,
         "medium"),
    Task("beats-the-previous", "Whether this one of rock, paper and scissors beats the one before.",
         _beats_the_previous, ("r", "p", "s"), 5, "easy"),
)  # fmt: skip
