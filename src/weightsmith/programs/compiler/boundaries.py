"""Selectors as sums of saturated heads.

A head selects the pairs whose difference reaches a boundary. Conditions on several differences become one on a number
that has them as its digits; then every boundary of the condition costs one head, added or subtracted. Where that takes
too many, `or` is by inclusion and exclusion: s or t = s + t − (s and t).
"""

from collections.abc import Sequence
from itertools import permutations, product
from math import prod
from typing import Any

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import EVERY, Boundaries, Boundary
from weightsmith.programs.circuit.forms import LARGEST_CODE, Form, Integers, TooLargeError
from weightsmith.programs.circuit.selections import (
    Booleans,
    Both,
    Condition,
    Difference,
    Either,
    Opposite,
    Selection,
    both,
    conditions,
    either,
)

MOST_PAIRS = 2_000_000
MOST_HEADS = 64
DEPTH = 6  # of inclusion and exclusion


def boundaries_of(pairs: Selection, depth: int = DEPTH) -> Boundaries:
    """Return heads whose signed sum selects just these pairs, as few as are found."""
    if isinstance(pairs, bool):
        return {EVERY: 1} if pairs else {}
    best = _direct(pairs)
    if best is not None and len(best) <= 2:
        return best
    if depth > 0:
        for other in _expanded(pairs, depth - 1):
            best = other if best is None or len(other) < len(best) else best
    if best is None or len(best) > MOST_HEADS:
        raise TooLargeError(
            f"a selector with conditions on {len(_differences(pairs))} differences would need "
            f"{'more heads than are tried' if best is None else f'{len(best)} heads'}: at most {MOST_HEADS} are "
            "offered; write a simpler selector"
        )
    return best


def _added(*parts: tuple[int, Boundaries]) -> Boundaries:
    total: Boundaries = {}
    for factor, heads in parts:
        for boundary, sign in heads.items():
            total[boundary] = total.get(boundary, 0) + factor * sign
    return {boundary: sign for boundary, sign in total.items() if sign}


def _expanded(selection: Selection, depth: int) -> list[Boundaries]:
    """Return other ways to write a selection as a sum."""

    def summed(*parts: tuple[int, Selection]) -> list[Boundaries]:
        return [_added(*((factor, boundaries_of(part, depth)) for factor, part in parts))]

    match selection:
        case Opposite(inner):
            return summed((1, True), (-1, inner))
        case Either((first, *rest)):
            other = either(*rest)
            return summed((1, first), (1, other), (-1, both(first, other)))
        case Both(parts):
            for number, part in enumerate(parts):
                others = both(*parts[:number], *parts[number + 1 :])
                if isinstance(part, Either):
                    first, other = part.parts[0], either(*part.parts[1:])
                    return summed((1, both(others, first)), (1, both(others, other)), (-1, both(others, first, other)))
                if isinstance(part, Opposite):
                    return summed((1, others), (-1, both(others, part.inner)))
    return []


def _differences(pairs: Selection) -> list[Difference]:
    return list({one.difference.same: one.difference for one in conditions(pairs)}.values())


def _direct(pairs: Selection) -> Boundaries | None:
    """Return the heads for a number that has all differences as its digits, in the best order."""
    digits = _differences(pairs)
    if len(digits) > 4 or prod(len(digit.codes) for digit in digits) > MOST_PAIRS:
        return None
    if prod(int(digit.codes[-1] - digit.codes[0]) + 1 for digit in digits) > LARGEST_CODE:
        return None
    in_force().check()
    truth = _truth(pairs, digits)
    ways = [(order, signs) for order in _orders(digits) for signs in product((1, -1), repeat=len(digits))]
    counts = [_changes(_along(truth, *way)) for way in ways]
    order, signs = ways[int(np.argmin(counts))]
    if min(counts) > MOST_HEADS:
        return None
    weights = _radices(digits, order, signs)
    return _boundaries(digits, weights, _along(_number(digits, weights), order, signs), _along(truth, order, signs))


def _orders(digits: Sequence[Difference]) -> list[tuple[int, ...]]:
    """Return the orders of digits that are tried, lowest first; of many digits, flags come last."""
    if len(digits) <= 3:
        return list(permutations(range(len(digits))))
    return [tuple(sorted(range(len(digits)), key=lambda n: -len(digits[n].codes)))]


def _truth(pairs: Selection, digits: Sequence[Difference]) -> Booleans:
    """Return whether the pairs hold for every combination of differences."""
    shape = tuple(len(digit.codes) for digit in digits)
    match pairs:
        case Condition(difference, holds):
            place = next(n for n, digit in enumerate(digits) if digit.same == difference.same)
            axes = [1] * len(digits)
            axes[place] = len(holds)
            return np.broadcast_to(holds.reshape(axes), shape)
        case Both(parts):
            return np.asarray(np.logical_and.reduce([_truth(part, digits) for part in parts]), np.bool_)
        case Either(parts):
            return np.asarray(np.logical_or.reduce([_truth(part, digits) for part in parts]), np.bool_)
        case Opposite(inner):
            return ~_truth(inner, digits)
    return np.full(shape, bool(pairs))


def _along(table: Any, order: Sequence[int], signs: Sequence[int]) -> Any:
    """Return the entries of a table of differences, in the ascending order of the number that has these as digits."""
    turned = np.flip(table, tuple(axis for axis, sign in enumerate(signs) if sign < 0))
    return np.transpose(turned, order[::-1]).ravel()


def _changes(held: Booleans) -> int:
    """Return how many boundaries there are, the one before all numbers among them."""
    return int(held[0]) + int(np.count_nonzero(held[1:] != held[:-1]))


def _boundaries(digits: Sequence[Difference], weights: Sequence[int], codes: Integers, held: Booleans) -> Boundaries:
    """Return the boundaries along one direction: where the truth changes, and all pairs if it begins with them."""
    key, query = Form(), Form()
    for digit, weight in zip(digits, weights, strict=True):
        key, query = key + digit.key * weight, query + digit.query * weight
    of = tuple((digit.same, weight) for digit, weight in zip(digits, weights, strict=True))
    heads: Boundaries = {EVERY: 1} if held[0] else {}
    for change in np.flatnonzero(held[1:] != held[:-1]):
        selected = int(codes[change + 1])
        refused = max(int(codes[change]), _before(selected, key, query))
        heads[Boundary(key, query, refused, selected, of)] = 1 if held[change + 1] else -1
    return heads


def _before(selected: int, key: Form, query: Form) -> int:
    """Return the last number before a boundary that query − key could be if all its parts were independent."""
    try:
        queries, keys = query.codes, -key.codes[::-1]
    except TooLargeError:
        return selected - 1
    last = np.searchsorted(keys, selected - queries) - 1  # of the last key, for each query, that stays before it
    found = (queries + keys[last])[last >= 0]
    return int(found.max()) if len(found) else selected - 1


def _number(digits: Sequence[Difference], weights: Sequence[int]) -> Integers:
    """Return the number that has the differences as digits, for every combination of them."""
    codes: Integers = np.zeros((1,) * len(digits), np.int64)
    for place, (digit, weight) in enumerate(zip(digits, weights, strict=True)):
        axes = [1] * len(digits)
        axes[place] = -1
        codes = codes + (digit.codes * weight).reshape(axes)
    return codes


def _radices(digits: Sequence[Difference], order: Sequence[int], signs: Sequence[int]) -> list[int]:
    weights, radix = [0] * len(digits), 1
    for place in order:
        weights[place] = radix * signs[place]
        radix *= int(digits[place].codes[-1] - digits[place].codes[0]) + 1
    return weights
