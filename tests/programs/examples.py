"""The example programs in both front ends, with what they compute: the test set of everything that takes programs."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

from tests.programs import examples_as_text as text
from tests.programs import examples_in_python as python
from tests.programs import meanings
from weightsmith.programs import Program, parse_rasp, program, rasp


def anything(tokens: Sequence[Any]) -> bool:
    return True


@dataclass(frozen=True)
class Example:
    """A program, its tokens, and a plain function that says what it computes, for inputs that are `valid`."""

    name: str
    make: Callable[[], Program]
    vocabulary: tuple[Any, ...]
    meaning: Callable[[Sequence[Any]], list[Any]]
    valid: Callable[[Sequence[Any]], bool] = anything

    def inputs(self, up_to: int) -> list[tuple[Any, ...]]:
        """Return all valid inputs from one token up to so many."""
        lengths = range(1, up_to + 1)
        return [one for n in lengths for one in product(self.vocabulary, repeat=n) if self.valid(one)]


def of_python(name: str, sop: Callable[[], rasp.SOp], *rest: Any) -> Example:
    return Example(f"{name} in Python", lambda: program(sop(), name), *rest)


def of_text(name: str, source: str, *rest: Any) -> Example:
    return Example(f"{name} as text", lambda: parse_rasp(source), *rest)


def distinct(tokens: Sequence[Any]) -> bool:
    return len(set(tokens)) == len(tokens)


def one_plus(tokens: Sequence[Any]) -> bool:
    return tokens.count("+") == 1


ABC, ABCD, NUMBERS, DIGITS = tuple("abc"), tuple("abcd"), (1, 2, 3), tuple("123")
ONE, TWO, THREE = ("()",), ("()", "{}"), ("()", "{}", "[]")
SUMS = tuple("018+")

IN_PYTHON = [
    of_python("length", python.length, ABCD, meanings.length),
    of_python("the primitive length", lambda: rasp.length, ABC, meanings.length),
    of_python("hist", python.hist, ABCD, meanings.hist),
    of_python("reverse", python.reverse, ABCD, meanings.reverse),
    of_python("fraction", lambda: python.fraction_so_far(rasp.tokens == "a"), ABC, meanings.fraction_so_far("a")),
    of_python("balance", lambda: python.balance("(", ")"), tuple("()x"), meanings.balance("(", ")")),
    of_python("shuffle_dyck1", lambda: python.shuffle_dyck(ONE), tuple("()x"), meanings.shuffle_dyck(ONE)),
    of_python("shuffle_dyck2", lambda: python.shuffle_dyck(TWO), tuple("(){}"), meanings.shuffle_dyck(TWO)),
    of_python("shuffle_dyck3", lambda: python.shuffle_dyck(THREE), tuple("(){}[]"), meanings.shuffle_dyck(THREE)),
    of_python(
        "sort_unique", lambda: python.sort_unique(rasp.tokens, rasp.tokens), (1, 2, 3, 4), meanings.in_order, distinct
    ),
    of_python("sort", lambda: python.sort(rasp.tokens, rasp.tokens, 40), NUMBERS, meanings.in_order),
    of_python("stable sort", lambda: python.stable_sort(rasp.tokens, rasp.tokens), ABCD, meanings.in_order),
    of_python("sort_freq", lambda: python.sort_by_frequency(40), ABC, meanings.by_frequency),
    of_python("most frequent", python.most_frequent, ABC, meanings.most_frequent),
    of_python("hist of hist", python.hist_of_hist, ABC, meanings.hist_of_hist),
    of_python("next identical", python.next_identical, ABC, meanings.next_identical),
    of_python("shift by 1", lambda: python.shift_by(1, rasp.tokens), ABC, meanings.shifted(1, None)),
    of_python("shift by 2", lambda: python.shift_by(2, rasp.tokens), ABC, meanings.shifted(2, None)),
    of_python("pattern a", lambda: python.ends_pattern("a"), ABC, meanings.ends_pattern("a", None)),
    of_python("pattern ab", lambda: python.ends_pattern("ab"), ABC, meanings.ends_pattern("ab", None)),
    of_python("pattern abc", lambda: python.ends_pattern("abc"), ABC, meanings.ends_pattern("abc", None)),
    of_python("count", lambda: python.count_of("a"), ABC, meanings.count_of("a")),
    of_python("rare", lambda: python.rare(2), ABC, meanings.rare(2)),
    of_python("three at once", python.three_at_once, NUMBERS, meanings.three_at_once),
    of_python("dyck1", lambda: python.dyck_prefixes(ONE), tuple("()x"), meanings.dyck_prefixes(ONE)),
    of_python("dyck2", lambda: python.dyck_prefixes(TWO), tuple("(){}"), meanings.dyck_prefixes(TWO)),
    of_python("dyck3", lambda: python.dyck_prefixes(THREE), tuple("(){}[]"), meanings.dyck_prefixes(THREE)),
    of_python("sum of two", python.sum_of_two, SUMS, meanings.sum_of_two, one_plus),
    of_python("parity", lambda: python.parity("a"), ABC, meanings.parity("a")),
    of_python("ends", python.smallest_and_largest, NUMBERS, meanings.smallest_and_largest),
]

AS_TEXT = [
    of_text("length", text.LENGTH, ABCD, meanings.length),
    of_text("hist", text.HIST, ABCD, meanings.hist),
    of_text("reverse", text.REVERSE, ABCD, meanings.reverse),
    of_text("fraction", text.FRACTION, ABC, meanings.fraction_so_far("a")),
    of_text("balance", text.BALANCE, tuple("()x"), meanings.balance("(", ")")),
    of_text("shuffle_dyck1", text.shuffle_dyck(ONE), tuple("()x"), meanings.shuffle_dyck(ONE)),
    of_text("shuffle_dyck2", text.shuffle_dyck(TWO), tuple("(){}"), meanings.shuffle_dyck(TWO)),
    of_text("shuffle_dyck3", text.shuffle_dyck(THREE), tuple("(){}[]"), meanings.shuffle_dyck(THREE)),
    of_text("sort", text.SORT, DIGITS, lambda tokens: sorted(map(int, tokens))),
    of_text("sort_freq", text.SORT_BY_FREQUENCY, ABC, meanings.by_frequency),
    of_text("most frequent", text.MOST_FREQUENT, ABC, meanings.most_frequent),
    of_text("hist of hist", text.HIST_OF_HIST, ABC, meanings.hist_of_hist),
    of_text("next identical", text.NEXT_IDENTICAL, ABC, meanings.next_identical),
    of_text("shift by 1", text.SHIFT, ABC, meanings.shifted(1, "-")),
    of_text("pattern abc", text.PATTERN, ABC, meanings.ends_pattern("abc", False)),
    of_text("count", text.COUNT, ABC, meanings.count_of("a")),
    of_text("rare", text.RARE, ABC, meanings.rare(2)),
    of_text("three at once", text.THREE, DIGITS, lambda tokens: meanings.three_at_once([int(t) for t in tokens])),
    of_text("dyck1", text.dyck_prefixes(ONE), tuple("()x"), meanings.dyck_prefixes(ONE)),
    of_text("dyck2", text.dyck_prefixes(TWO), tuple("(){}"), meanings.dyck_prefixes(TWO)),
    of_text("dyck3", text.dyck_prefixes(THREE), tuple("(){}[]"), meanings.dyck_prefixes(THREE)),
    of_text("sum of two", text.SUM_OF_TWO, SUMS, meanings.sum_of_two, one_plus),
    of_text("parity", text.PARITY, ABC, meanings.parity("a")),
    of_text("rover", text.ROVER, tuple("abAB,"), meanings.rover),
    of_text("ends", text.ENDS, DIGITS, lambda tokens: meanings.smallest_and_largest([int(t) for t in tokens])),
]

EXAMPLES = IN_PYTHON + AS_TEXT
