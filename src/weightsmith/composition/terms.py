"""Boolean functions as short sums of products, found by the method of Quine and McCluskey."""

from typing import NamedTuple

import numpy as np

from weightsmith.composition.formula import Truth


class Term(NamedTuple):
    """A product: the variables that must be true, and those that must be false."""

    positive: tuple[int, ...]
    negative: tuple[int, ...]


def sum_of_products(truth: Truth) -> list[Term]:
    """Return terms whose disjunction is the function with this truth table; none for the constant False.

    They are prime implicants: those without which some assignment would be missed, then greedily the ones that cover
    most of what is left, with few variables that must be true.

    >>> sum_of_products(np.array([False, True, True, True]))
    [Term(positive=(0,), negative=()), Term(positive=(1,), negative=())]
    """
    count = len(truth).bit_length() - 1
    wanted = np.flatnonzero(truth).tolist()
    cubes = sorted(_prime_implicants(wanted, count), key=lambda cube: (cube[0].bit_count(), cube))
    covers = {cube: {m for m in wanted if m & ~cube[1] == cube[0]} for cube in cubes}
    chosen = {only[0] for m in wanted if len(only := [cube for cube in cubes if m in covers[cube]]) == 1}
    left = set(wanted).difference(*(covers[cube] for cube in chosen))
    while left:
        best = max(cubes, key=lambda cube: len(covers[cube] & left))
        chosen.add(best)
        left -= covers[best]
    return [_term(*cube, count) for cube in cubes if cube in chosen]


def _prime_implicants(wanted: list[int], count: int) -> set[tuple[int, int]]:
    """Return the largest cubes (value, free bits) inside a set: two that differ in one bit are one larger one."""
    primes: set[tuple[int, int]] = set()
    level = {(m, 0) for m in wanted}
    while level:
        joined: set[tuple[int, int]] = set()
        larger: set[tuple[int, int]] = set()
        for value, free in level:
            for bit in (1 << i for i in range(count)):
                if not value & bit and not free & bit and (value | bit, free) in level:
                    joined |= {(value, free), (value | bit, free)}
                    larger.add((value, free | bit))
        primes |= level - joined
        level = larger
    return primes


def _term(value: int, free: int, count: int) -> Term:
    bound = [i for i in range(count) if not free >> i & 1]
    return Term(tuple(i for i in bound if value >> i & 1), tuple(i for i in bound if not value >> i & 1))
