"""25 programs whose softmax models let gradients through."""

from collections.abc import Callable, Sequence
from functools import cache
from random import Random
from typing import Any

from tests.programs import examples_as_text as text
from tests.programs import examples_in_python as python
from weightsmith.circuits.pairs import Pair
from weightsmith.inspect import outputs
from weightsmith.programs import CompiledProgram, Program, compile, parse_rasp, program, rasp

ABC, NUMBERS = "abc", (1, 2, 3)
LENGTH = 8


def at(place: Any, what: Any) -> Any:
    """Return what stands at a place."""
    return rasp.Aggregate(rasp.Select(rasp.indices, place, rasp.Comparison.EQ), what)


def more_than(one: str, other: str) -> Any:
    """Return whether there are more of one token than of another."""
    return python.count_of(one) > python.count_of(other)


PROGRAMS: dict[str, tuple[Callable[[], Any], Sequence[Any]]] = {
    "length": (python.length, ABC),
    "hist": (python.hist, ABC),
    "reverse": (python.reverse, ABC),
    "fraction": (lambda: python.fraction_so_far(rasp.tokens == "a"), ABC),
    "balance": (lambda: python.balance("(", ")"), "()x"),
    "shuffle dyck 2": (lambda: python.shuffle_dyck(("()", "{}")), "(){}"),
    "sort": (lambda: python.sort(rasp.tokens, rasp.tokens, LENGTH), NUMBERS),
    "stable sort": (lambda: python.stable_sort(rasp.tokens, rasp.tokens), NUMBERS),
    "sort as text": (lambda: parse_rasp(text.SORT), "123"),
    "hist of hist": (python.hist_of_hist, "ab"),
    "shift by 1": (lambda: python.shift_by(1, rasp.tokens), ABC),
    "shift by 2": (lambda: python.shift_by(2, rasp.tokens), ABC),
    "pattern ab": (lambda: python.ends_pattern("ab"), ABC),
    "pattern abc": (lambda: python.ends_pattern("abc"), ABC),
    "count": (lambda: python.count_of("a"), ABC),
    "rare": (lambda: python.rare(2), ABC),
    "three at once": (python.three_at_once, NUMBERS),
    "sum of two": (python.sum_of_two, "01+"),
    "parity": (lambda: python.parity("a"), ABC),
    "parity as text": (lambda: parse_rasp(text.PARITY), ABC),
    "first token": (lambda: at(rasp.Full(0), rasp.tokens), ABC),
    "as the last": (lambda: at(python.length() - 1, rasp.tokens) == rasp.tokens, ABC),
    "palindrome": (lambda: python.reverse() == rasp.tokens, ABC),
    "as the one before": (lambda: python.shift_by(1, rasp.tokens) == rasp.tokens, ABC),
    "more a than b": (lambda: more_than("a", "b"), ABC),
}


@cache
def compiled(name: str, length: int = LENGTH, gradients: bool = True) -> CompiledProgram:
    """Return a program as a softmax model."""
    make, vocabulary = PROGRAMS[name]
    made = make()
    parsed = made if isinstance(made, Program) else program(made, name)
    return compile(parsed, vocabulary, length, backend="softmax", gradients=gradients)


def pairs_of(P: CompiledProgram, count: int, longest: int, seed: int = 0) -> list[Pair]:
    """Return pairs of one changed token, or of all, of every length in turn, at a position where the answer changes.

    Where no answer ever changes, as that of the length, they are any pairs.
    """
    draw, found, T = Random(seed), list[Pair](), P.transformer
    tries = 0
    while len(found) < count and tries < 20:
        tries += 1
        clean, corrupted = list[tuple[str, ...]](), list[tuple[str, ...]]()
        for n in range(count):
            one = [draw.choice(T.vocabulary) for _ in range(1 + n % longest)]
            other = [draw.choice(T.vocabulary) for _ in one]
            if n % 2:
                place = draw.randrange(len(one))
                other = [*one[:place], other[place], *one[place + 1 :]]
            clean.append(tuple(one))
            corrupted.append(tuple(other))
        for one, other, a, b in zip(clean, corrupted, outputs(T, clean), outputs(T, corrupted), strict=True):
            changed = [n for n, (x, y) in enumerate(zip(a, b, strict=True)) if x != y]
            found += [Pair(one, other, draw.choice(changed))] if changed else []
    if not found:
        found = [Pair(one, other, len(one) - 1) for one, other in zip(clean, corrupted, strict=True)]
    return found[:count]
