"""Tasks that count."""

from weightsmith.circuits.tasks.parts import (
    EQ,
    after,
    before,
    count,
    earlier,
    indices,
    length,
    same,
    so_far,
    tokens,
    where_true,
)
from weightsmith.circuits.tasks.task import Task
from weightsmith.programs import rasp
from weightsmith.programs.rasp import SOp

ABC, ABCD = tuple("abc"), tuple("abcd")


def _first_of_its_kind() -> SOp:
    return count(same() & before()) == 0


def _pairs() -> SOp:
    return (earlier(1) == "a") & (tokens == "b")


def _majority() -> SOp:
    a, b = count(where_true(tokens == "a")), count(where_true(tokens == "b"))
    return rasp.where(a > b, "a", rasp.where(b > a, "b", "="))


def _runs() -> SOp:
    begins = rasp.sop_not(earlier(1) == tokens)
    return count(where_true(begins) & so_far())


def _counts_with_my_count() -> SOp:
    counts = count(same())
    of_a_kind = rasp.Select(counts, counts, EQ) & where_true(_first_of_its_kind())
    return count(of_a_kind)


TASKS = (
    Task("count-a", "How many tokens of the input are a.", lambda: count(where_true(tokens == "a")), ABC, 5, "easy"),
    Task(
        "count-a-so-far", "How many tokens up to here are a.",
        lambda: count(where_true(tokens == "a") & so_far()), ABC, 5, "easy",
    ),
    Task(
        "count-a-after", "How many tokens after this one are a.",
        lambda: count(where_true(tokens == "a") & after()), ABC, 5, "easy",
    ),
    Task("count-same", "How often this token occurs in the input.", lambda: count(same()), ABC, 5, "easy"),
    Task(
        "count-same-before", "How often this token occurred before.", lambda: count(same() & before()), ABC, 5, "easy"
    ),
    Task(
        "count-different", "How many tokens differ from this one.", lambda: length() - count(same()), ABC, 5, "medium"
    ),
    Task(
        "distinct", "How many distinct tokens the input has.",
        lambda: count(where_true(_first_of_its_kind())), ABC, 5, "medium",
    ),
    Task(
        "distinct-so-far", "How many distinct tokens the input has up to here.",
        lambda: count(where_true(_first_of_its_kind()) & so_far()), ABC, 5, "medium",
    ),
    Task("count-ab", "How often b follows a in the input.", lambda: count(where_true(_pairs())), ABC, 5, "medium"),
    Task(
        "count-a-even", "How many tokens at even positions, from 0 on, are a.",
        lambda: count(where_true((tokens == "a") & rasp.Map(lambda i: i % 2 == 0, indices))), ABC, 5, "medium",
    ),
    Task(
        "a-minus-b", "The number of a minus the number of b.",
        lambda: count(where_true(tokens == "a")) - count(where_true(tokens == "b")), ABC, 5, "medium",
    ),
    Task("majority", "Which of a and b occurs more often, or =.", _majority, ABC, 5, "medium"),
    Task("occurs-once", "Whether this token occurs only here.", lambda: count(same()) == 1, ABC, 5, "easy"),
    Task("runs", "How many runs of equal tokens there are up to here.", _runs, ABC, 5, "hard"),
    Task(
        "counts-with-my-count", "How many distinct tokens occur as often as this one.",
        _counts_with_my_count, ABC, 5, "hard",
    ),
)  # fmt: skip
