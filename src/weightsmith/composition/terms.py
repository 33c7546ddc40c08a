"""Boolean functions as short sums of products, by the Quine–McCluskey method."""

from typing import NamedTuple

import numpy as np

from weightsmith.composition.formula import Truth


class Term(NamedTuple):
    """A product: the variables that must be true, and those that must be false."""

    positive: tuple[int, ...]
    negative: tuple[int, ...]


def sum_of_products(truth: Truth) -> list[Term]:
    """Return terms whose disjunction is the function with this truth table; none for the constant False.

    They are the prime implicants without those that the others make superfluous; long ones go first, and among these
    the ones with many variables that must be true.

    >>> sum_of_products(np.array([False, True, True, True]))
    [Term(positive=(0,), negative=()), Term(positive=(1,), negative=())]
    """
    count = len(truth).bit_length() - 1
    wanted = np.flatnonzero(truth)
    cubes = sorted(
        _prime_implicants(wanted.tolist(), count), key=lambda cube: (-cube[1].bit_count(), cube[0].bit_count(), cube)
    )
    covers = [wanted & ~free == value for value, free in cubes]
    covered_by = np.sum(covers, axis=0)
    terms: list[Term] = []
    for (value, free), cover in zip(reversed(cubes), reversed(covers), strict=True):
        if (covered_by[cover] > 1).all():
            covered_by -= cover
        else:
            terms.append(_term(value, free, count))
    return terms[::-1]


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
