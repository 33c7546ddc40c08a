"""The programs by which Tracr is measured, at the vocabulary and the length of its own tests, and how large they get.

The programs are ours, the figures those of Tracr at commit 9ce2b8c. Blocks are pairs of attention and feed-forward;
parameters are all numbers of a model, embeddings included.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tests.programs import examples_in_python as python
from weightsmith.programs import rasp
from weightsmith.programs.rasp import SOp


@dataclass(frozen=True)
class Row:
    """A program, at which length, over which tokens, and what it takes in Tracr."""

    name: str
    make: Callable[[int], SOp]  # of the length
    vocabulary: tuple[Any, ...]
    max_length: int
    blocks: int
    lanes: int
    parameters: int
    nonzero: int


def always(sop: Callable[[], SOp]) -> Callable[[int], SOp]:
    """Return a program that does not depend on the length."""
    return lambda length: sop()


ABC, ABCD, FOUR, THREE = tuple("abc"), tuple("abcd"), (1, 2, 3, 4), (1, 2, 3)
BRACKETS = tuple("abc()")
PAIRS, MORE_PAIRS = ("()", "{}"), ("()", "{}", "[]")

ROWS = [
    Row("frac_prevs_1", always(lambda: python.fraction_so_far(rasp.tokens == "l")), tuple("helo"), 5, 2, 14, 1_108, 43),
    Row("frac_prevs_2", always(lambda: python.fraction_so_far(rasp.tokens == "(")), BRACKETS, 10, 2, 20, 2_514, 95),
    Row("frac_prevs_3", always(lambda: python.fraction_so_far(rasp.tokens == ")")), BRACKETS, 10, 2, 20, 2_514, 95),
    Row("shift_by_one", always(lambda: python.shift_by(1, rasp.tokens)), ABCD, 5, 1, 16, 726, 36),
    Row("shift_by_two", always(lambda: python.shift_by(2, rasp.tokens)), ABCD, 5, 1, 16, 726, 35),
    Row("detect_pattern_a", always(lambda: python.ends_pattern("a")), ABCD, 5, 1, 13, 291, 17),
    Row("detect_pattern_ab", always(lambda: python.ends_pattern("ab")), tuple("ab"), 5, 2, 18, 1_598, 52),
    Row("detect_pattern_abc", always(lambda: python.ends_pattern("abc")), ABC, 6, 3, 26, 6_558, 96),
    Row("reverse_1", always(python.reverse), ABCD, 5, 4, 43, 19_700, 246),
    Row("length_categorical_1", always(lambda: rasp.categorical(python.length())), ABCD, 3, 1, 15, 806, 68),
    Row("length_numerical_1", always(lambda: rasp.numerical(python.length())), ABCD, 3, 1, 12, 650, 61),
    Row("pair_balance_1", always(lambda: python.balance("(", ")")), BRACKETS, 10, 2, 23, 5_442, 174),
    Row("shuffle_dyck2_1", always(lambda: python.shuffle_dyck(PAIRS)), tuple("(){}"), 5, 8, 55, 246_884, 792),
    Row("shuffle_dyck3_1", always(lambda: python.shuffle_dyck(MORE_PAIRS)), tuple("(){}[]"), 6, 9, 73, 725_253, 1_445),
    Row("hist", always(python.hist), ABCD, 5, 1, 19, 1_208, 74),
    Row("sort_unique_1", always(lambda: python.sort_unique(rasp.tokens, rasp.tokens)), FOUR, 5, 2, 23, 2_826, 97),
    Row("sort_unique_2", always(lambda: python.sort_unique(rasp.tokens, 1 - rasp.indices)), ABCD, 5, 3, 28, 4_971, 112),
    Row("sort_1", lambda n: python.sort(rasp.tokens, rasp.tokens, n), FOUR, 5, 3, 43, 17_544, 377),
    Row("sort_2", lambda n: python.sort(rasp.tokens, 1 - rasp.indices, n), ABCD, 5, 4, 53, 34_980, 522),
    Row("sort_freq", python.sort_by_frequency, FOUR, 5, 5, 66, 64_122, 741),
    Row(
        "make_count_less_freq_categorical_1",
        always(lambda: rasp.categorical(python.rare(2))),
        *(ABCD, 6, 2, 29, 4_287, 168),
    ),
    Row("make_count_less_freq_numerical_1", always(lambda: rasp.numerical(python.rare(2))), ABCD, 6, 2, 23, 3_417, 155),
    Row("make_count_1", always(lambda: python.count_of("a")), ABC, 8, 1, 24, 1_761, 97),
    Row(
        "make_nary_sequencemap_1",
        always(lambda: python.with_all(lambda x, y, z: x + y - z, rasp.tokens, rasp.tokens, rasp.indices)),
        *(THREE, 5, 3, 74, 22_270, 261),
    ),
    Row(
        "make_nary_sequencemap_2",
        always(lambda: python.with_all(lambda x, y, z: x * y / z, rasp.indices, rasp.indices, rasp.tokens)),
        *(THREE, 3, 3, 53, 10_107, 168),
    ),
]
