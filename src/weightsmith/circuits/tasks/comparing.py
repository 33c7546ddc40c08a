"""Tasks that compare numbers, and put tokens in order."""

from weightsmith.circuits.tasks.parts import (
    EQ,
    GEQ,
    GT,
    LT,
    after,
    at,
    before,
    count,
    earlier,
    everywhere,
    gather,
    in_order,
    indices,
    length,
    rank,
    same,
    so_far,
    tokens,
    where_true,
)
from weightsmith.circuits.tasks.task import Task
from weightsmith.programs import rasp
from weightsmith.programs.rasp import Selector, SOp

NUMBERS, ABC = (1, 2, 3), tuple("abc")


def _smaller() -> Selector:
    return rasp.Select(tokens, tokens, LT)


def _larger() -> Selector:
    return rasp.Select(tokens, tokens, GT)


def _has(number: int) -> SOp:
    return count(where_true(tokens == number)) > 0


def _maximum() -> SOp:
    return rasp.where(_has(3), 3, rasp.where(_has(2), 2, 1))


def _minimum() -> SOp:
    return rasp.where(_has(1), 1, rasp.where(_has(2), 2, 3))


def _largest_so_far() -> SOp:
    return count(rasp.Select(tokens, tokens, GEQ) & before()) == 0


def _rises() -> SOp:
    return rasp.SequenceMap(lambda old, new: old < new, earlier(1, tokens, 9), tokens)


def _falls() -> SOp:
    return rasp.SequenceMap(lambda old, new: old > new, earlier(1, tokens, 0), tokens)


def _peak() -> SOp:
    left = rasp.SequenceMap(lambda old, new: old < new, earlier(1, tokens, 0), tokens)
    right = rasp.SequenceMap(lambda new, old: new < old, earlier(-1, tokens, 0), tokens)
    return left & right


def _first_and_last() -> SOp:
    return rasp.SequenceMap(
        lambda first, last: "<" if first < last else ">" if first > last else "=", at(0), at(length() - 1)
    )


def _distinct_rank() -> SOp:
    first = count(same() & before()) == 0
    return count(_smaller() & where_true(first))


def _where_largest() -> SOp:
    best = (count(_larger()) == 0) & (count(same() & before()) == 0)
    return gather(where_true(best), indices)


def _missing() -> SOp:
    return rasp.where(_has(1), rasp.where(_has(2), rasp.where(_has(3), 4, 3), 2), 1)


def _without_a() -> SOp:
    is_a = tokens == "a"
    return in_order(rasp.where(is_a, "-", tokens), rasp.where(is_a, 1, 0))


def _each_once() -> SOp:
    again = count(same() & before()) > 0
    return in_order(rasp.where(again, "-", tokens), rasp.where(again, 1, 0))


def _by_frequency() -> SOp:
    return in_order(tokens, -count(same()))


def _odd_first() -> SOp:
    return in_order(tokens, rasp.Map(lambda token: (token + 1) % 2, tokens))


def _median() -> SOp:
    middle = rasp.Map(lambda n: (n - 1) // 2, length())
    return gather(rasp.Select(rank(tokens), middle, EQ), tokens)


TASKS = (
    Task("number-smaller", "How many numbers are smaller than this one.", lambda: count(_smaller()), NUMBERS, 5,
         "easy"),
    Task("larger-before", "How many larger numbers stand before this one.", lambda: count(_larger() & before()),
         NUMBERS, 5, "easy"),
    Task("smaller-after", "How many smaller numbers stand after this one.", lambda: count(_smaller() & after()),
         NUMBERS, 5, "medium"),
    Task("maximum", "The largest number.", _maximum, NUMBERS, 5, "medium"),
    Task("minimum", "The smallest number.", _minimum, NUMBERS, 5, "medium"),
    Task("range", "The largest number minus the smallest.", lambda: _maximum() - _minimum(), NUMBERS, 5, "medium"),
    Task("is-maximum", "Whether this number is the largest.", lambda: count(_larger()) == 0, NUMBERS, 5, "easy"),
    Task("record", "Whether this number is larger than all before.", _largest_so_far, NUMBERS, 5, "medium"),
    Task("rises-so-far", "How often a number was larger than the one before.",
         lambda: count(where_true(_rises()) & so_far()), NUMBERS, 5, "medium"),
    Task("sorted", "Whether the numbers never fall.", lambda: count(where_true(_falls())) == 0, NUMBERS, 5, "medium"),
    Task("peak", "Whether this number is larger than both neighbours.", _peak, NUMBERS, 5, "medium"),
    Task("peaks", "How many numbers are larger than both neighbours.", lambda: count(where_true(_peak())), NUMBERS, 5,
         "hard"),
    Task("first-against-last", "How the first number compares with the last.", _first_and_last, NUMBERS, 5, "medium"),
    Task("distinct-smaller", "How many distinct numbers are smaller than this one.", _distinct_rank, NUMBERS, 5,
         "hard"),
    Task("where-largest", "The first position of the largest number.", _where_largest, NUMBERS, 5, "hard"),
    Task("smallest-missing", "The smallest whole number that does not occur.", _missing, NUMBERS, 5, "medium"),
    Task("rank", "The place of each number when all are sorted.", lambda: rank(tokens), NUMBERS, 5, "medium"),
    Task("sort", "The numbers sorted.", lambda: in_order(tokens, tokens), NUMBERS, 5, "hard"),
    Task("median", "The lower median of the numbers.", _median, NUMBERS, 5, "hard"),
    Task("odd-first", "The odd numbers in order of appearance, then the even ones.", _odd_first, NUMBERS, 5, "hard"),
    Task("by-frequency", "The tokens, the most frequent ones first.", _by_frequency, ABC, 4, "hard"),
    Task("without-a", "The input without its a, filled up with -.", _without_a, ABC, 5, "hard"),
    Task("each-once", "The distinct tokens in order of appearance, filled up with -.", _each_once, ABC, 5, "hard"),
    Task("larger-than-first", "How many numbers are larger than the first one.",
         lambda: count(rasp.Select(tokens, at(0), GT) & everywhere()), NUMBERS, 5, "medium"),
)  # fmt: skip
