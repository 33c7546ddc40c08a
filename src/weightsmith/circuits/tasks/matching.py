"""Tasks that match patterns, look up what belongs to a token, and follow brackets."""

from weightsmith.circuits.tasks.parts import (
    EQ,
    after,
    at,
    before,
    count,
    earlier,
    gather,
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

AB, ABC, ROUND, BOTH = tuple("ab"), tuple("abc"), ("(", ")"), ("(", ")", "x")
KEYS = ("a", "b", "1", "2")


def ends_with(pattern: str) -> SOp:
    """Return whether the tokens up to here end with a pattern."""
    found = tokens == pattern[-1]
    for back, token in enumerate(reversed(pattern[:-1]), 1):
        found = (earlier(back) == token) & found
    return found


def _occurs(pattern: str) -> SOp:
    return count(where_true(ends_with(pattern))) > 0


def _first_place(nowhere: int = -1) -> SOp:
    first = (tokens == "a") & (count(where_true(tokens == "a") & before()) == 0)
    return gather(where_true(first), indices, nowhere)


def _last_place() -> SOp:
    last = (tokens == "a") & (count(where_true(tokens == "a") & after()) == 0)
    return gather(where_true(last), indices, -1)


def _order() -> SOp:
    return count(same() & before())


def _next_same() -> SOp:
    order = _order()
    return gather(same() & rasp.Select(order, order + 1, EQ), indices, -1)


def _previous_same(nowhere: int = -1) -> SOp:
    order = _order()
    return gather(same() & rasp.Select(order, order - 1, EQ), indices, nowhere)


def _after_the_previous() -> SOp:
    return at(_previous_same(-2) + 1, tokens, "-")


def _run_so_far() -> SOp:
    changes = rasp.sop_not(earlier(1) == tokens)
    runs = count(where_true(changes) & so_far())
    return count(same(runs) & so_far())


def _value_of_key() -> SOp:
    before_it = earlier(1)
    found = rasp.Map(lambda token: token in ("a", "b"), tokens)
    return rasp.where(found, earlier(-1), before_it)


def _token_after_first_a() -> SOp:
    return at(_first_place(-2) + 1, tokens, "-")


def _every_b_after_an_a() -> SOp:
    bad = (tokens == "b") & (count(where_true(tokens == "a") & before()) == 0)
    return count(where_true(bad)) == 0


def depth() -> SOp:
    """Return how many brackets are open after this token."""
    return count(where_true(tokens == "(") & so_far()) - count(where_true(tokens == ")") & so_far())


def _balanced_so_far() -> SOp:
    failed = count(where_true(depth() < 0) & so_far()) > 0
    return rasp.where(failed, "F", rasp.where(depth() == 0, "T", "P"))


def _balanced() -> SOp:
    ok = (count(where_true(depth() < 0)) == 0) & (count(where_true(tokens == "(")) == count(where_true(tokens == ")")))
    return ok


def _bracket_left_open() -> SOp:
    level = rasp.where(tokens == "(", depth(), depth() + 1)
    return (tokens == "(") & (count(same(level) & where_true(tokens == ")") & after()) == 0)


def _bigram_again() -> SOp:
    both = rasp.SequenceMap(lambda one, two: f"{one}{two}", earlier(1), tokens)
    return count(same(both) & before()) > 0


TASKS = (
    Task("ends-with-ab", "Whether the last two tokens up to here are a and b.", lambda: ends_with("ab"), ABC, 5,
         "easy"),
    Task("ends-with-aba", "Whether the last three tokens up to here are a, b and a.", lambda: ends_with("aba"), AB, 6,
         "medium"),
    Task("contains-aba", "Whether a, b, a ever follow each other.", lambda: _occurs("aba"), AB, 6, "hard"),
    Task("ab-so-far", "How often b followed a up to here.", lambda: count(where_true(ends_with("ab")) & so_far()), ABC,
         5, "medium"),
    Task("first-a", "The first position of a, or -1.", _first_place, ABC, 5, "medium"),
    Task("last-a", "The last position of a, or -1.", _last_place, ABC, 5, "medium"),
    Task("after-the-first-a", "The token after the first a, or -.", _token_after_first_a, ABC, 5, "hard"),
    Task("next-same", "The next position of this token, or -1.", _next_same, ABC, 5, "hard"),
    Task("previous-same", "The previous position of this token, or -1.", _previous_same, ABC, 5, "hard"),
    Task("induction", "The token that followed this one the last time, or -.", _after_the_previous, ABC, 4, "hard"),
    Task("same-as-previous", "Whether the token before is equal.", lambda: earlier(1) == tokens, ABC, 5, "easy"),
    Task("run-so-far", "How many equal tokens in a row end here.", _run_so_far, ABC, 4, "hard"),
    Task("first-equals-last", "Whether the first token equals the last.", lambda: at(0) == at(length() - 1), ABC, 5,
         "medium"),
    Task("comes-again", "Whether this token occurs again later.", lambda: count(same() & after()) > 0, ABC, 5, "easy"),
    Task("b-only-after-a", "Whether every b has an a somewhere before it.", _every_b_after_an_a, ABC, 5, "hard"),
    Task("pair-again", "Whether this token and the one before occurred together before.", _bigram_again, AB, 6, "hard"),
    Task("key-or-value", "Of a letter the token after it, of a digit the token before it.", _value_of_key, KEYS, 4,
         "medium"),
    Task("depth", "How many brackets are open.", depth, ROUND, 7, "medium"),
    Task("inside-brackets", "Whether this x stands inside brackets.", lambda: (tokens == "x") & (depth() > 0), BOTH, 5,
         "medium"),
    Task("balanced-so-far", "T if the brackets up to here match, P if they can still, F if not.", _balanced_so_far,
         ROUND, 7, "hard"),
    Task("balanced", "Whether all brackets match.", _balanced, ROUND, 6, "hard"),
    Task("left-open", "Whether this bracket opens and no later one closes its level.", _bracket_left_open, ROUND, 6,
         "hard"),
    Task("closed-too-early", "How often a bracket closed that was not open.",
         lambda: count(where_true((depth() < 0) & (tokens == ")")) & so_far()), ROUND, 6, "medium"),
    Task("a-before-the-first-b", "How many a stand before the first b.",
         lambda: count(where_true((tokens == "a") & (count(where_true(tokens == "b") & before()) == 0))), ABC, 5,
         "hard"),
)  # fmt: skip
