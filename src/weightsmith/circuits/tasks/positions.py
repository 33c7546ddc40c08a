"""Tasks that look at certain positions."""

from weightsmith.circuits.tasks.parts import EQ, at, count, earlier, everywhere, gather, indices, length, tokens
from weightsmith.circuits.tasks.task import Task
from weightsmith.programs import rasp
from weightsmith.programs.rasp import SOp

AB, ABC, DIGITS = tuple("ab"), tuple("abc"), (0, 1, 2)


def last() -> SOp:
    """Return the last token."""
    return at(length() - 1)


def _swapped() -> SOp:
    even = rasp.Map(lambda i: i % 2 == 0, indices)
    return rasp.where(even, earlier(-1), earlier(1))


def _rotated() -> SOp:
    return rasp.where(indices == 0, last(), earlier(1))


def _middle() -> SOp:
    return at(rasp.Map(lambda n: n // 2, length()))


def mirrored() -> SOp:
    """Return the token at the same distance from the other end."""
    return at(length() - indices - 1)


def _palindrome() -> SOp:
    wrong = rasp.sop_not(mirrored() == tokens)
    return count(rasp.Select(wrong, rasp.Full(True), EQ)) == 0


def _first_half_twice() -> SOp:
    half = rasp.Map(lambda n: (n + 1) // 2, length())
    return at(rasp.SequenceMap(lambda i, h: i if i < h else i - h, indices, half))


def _doubled() -> SOp:
    return at(rasp.Map(lambda i: i // 2, indices))


def _ends() -> SOp:
    even = rasp.Map(lambda i: i % 2 == 0, indices)
    return rasp.where(even, at(0), last())


def _pointer(steps: int) -> SOp:
    found: SOp = tokens
    for _ in range(steps):
        found = gather(rasp.Select(indices, found, EQ), tokens, -1)
    return found


def _third_from_the_end() -> SOp:
    return at(length() - 3, tokens, "-")


TASKS = (
    Task("first", "The first token, everywhere.", lambda: at(0), ABC, 5, "easy"),
    Task("last", "The last token, everywhere.", last, ABC, 5, "easy"),
    Task("previous", "The token before this one, or -.", lambda: earlier(1), ABC, 5, "easy"),
    Task("next", "The token after this one, or -.", lambda: earlier(-1), ABC, 5, "easy"),
    Task("third-from-the-end", "The third token from the end, or -.", _third_from_the_end, ABC, 5, "medium"),
    Task("reverse", "The input from the end to the beginning.", mirrored, ABC, 5, "medium"),
    Task("swap-neighbours", "Each pair of neighbours in the other order.", _swapped, ABC, 5, "medium"),
    Task("rotate-right", "Every token one place further, the last one first.", _rotated, ABC, 5, "medium"),
    Task("middle", "The token in the middle.", _middle, ABC, 5, "medium"),
    Task("mirrored-equal", "Whether the token at the mirrored place is equal.", lambda: mirrored() == tokens, ABC, 5,
         "medium"),
    Task("palindrome", "Whether the input reads the same backwards.", _palindrome, ABC, 5, "hard"),
    Task("first-half-twice", "The first half of the input, and again.", _first_half_twice, ABC, 5, "medium"),
    Task("each-twice", "Every token of the first half two times.", _doubled, ABC, 5, "easy"),
    Task("ends", "The first token at even positions and the last at odd ones.", _ends, ABC, 5, "medium"),
    Task("pointer", "The token at the position that this digit names, or -1.", lambda: _pointer(1), DIGITS, 5,
         "medium"),
    Task("pointer-twice", "The token two pointers away, or -1.", lambda: _pointer(2), DIGITS, 4, "hard"),
    Task("sandwiched", "Whether the neighbours on both sides are equal.",
         lambda: (earlier(1, tokens, "<") == earlier(-1, tokens, ">")), ABC, 5, "medium"),
    Task("a-in-the-first-half", "How many a there are before the middle.",
         lambda: count(rasp.Select(rasp.where((indices * 2 < length()) & (tokens == "a"), 1, 0), rasp.Full(1), EQ)
                       & everywhere()), AB, 6, "hard"),
)  # fmt: skip
