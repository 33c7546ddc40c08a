"""Means that are only compared with whole numbers: then every number between two whole ones may be the half between."""

from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import partial
from math import ceil, floor

import numpy as np

from weightsmith.programs.compiler.coding import Coder, Part, function_of
from weightsmith.programs.compiler.forms import Form
from weightsmith.programs.compiler.symbols import Affine, Integers, Mean, Sizes, codes_of, variable_of
from weightsmith.programs.form import Aggregate, Apply, Constant, Indices, Length, Node, Row, Select, Width
from weightsmith.programs.graph import Program
from weightsmith.programs.operators import COMPARISONS, Named
from weightsmith.programs.values import is_number

SUMS = ("+", "-", "negative")


def compared_with_whole(program: Program, node: Aggregate) -> bool:
    """Say whether a node, to which whole numbers may be added, is only compared with whole numbers.

    Some of these must vary: a mean and a constant are compared without this.
    """
    found = _others(program, node)
    return found is not None and not all(isinstance(one, Constant) for one in found)


def _others(program: Program, node: Node) -> list[Node] | None:
    """Return what a node is added to and compared with; None where anything else is done, or one is no whole number."""
    users = [user for user in program.nodes if node in user.parts]
    if not users or node is program.output:
        return None
    found: list[Node] = []
    for user in users:
        others = [part for part in user.parts if part is not node]
        if len(others) + 1 < len(user.parts) or not all(map(_is_whole, others)):
            return None
        found += others
        if isinstance(user, Apply) and isinstance(user.operator, Named) and user.operator.symbol in SUMS:
            further = _others(program, user)
            if further is None:
                return None
            found += further
        elif not _compares(user):
            return None
    return found


def _compares(user: Node) -> bool:
    if isinstance(user, Select):
        return isinstance(user.comparison, str)
    return isinstance(user, Apply) and isinstance(user.operator, Named) and user.operator.symbol in COMPARISONS


def _is_whole(node: Node) -> bool:
    match node:
        case Indices() | Length() | Width():
            return True
        case Constant(value):
            return is_number(value) and value == int(value)
        case Row(values):
            return all(is_number(value) and value == int(value) for value in values)
        case Apply(Named("+" | "-" | "*" | "negative"), arguments):
            return all(map(_is_whole, arguments))
    return False


def by_halves(mean: Mean, coder: Coder, sizes: Sizes) -> Affine | Mean:
    """Return a mean with the half between two whole numbers for every number between them: a linear form.

    Twice that is, from the least whole number on, one for each k with mean ≥ k and one for each with mean > k: signs of
    top − k · scale · count. Where the count is 0, so are all of these, and the default is put right.
    """
    if not mean.counts_always and not (is_number(mean.default) and mean.default == int(mean.default)):
        return mean
    twice = np.array([_twice(int(top), int(count), mean) for top, count in mean.pairs])
    selected = [Fraction(int(top), int(count) * mean.scale) for top, count in mean.pairs if count]
    low, high = floor(min(selected)), ceil(max(selected))
    total, parts = Form(constant=2 * low), list[Part]()
    for form, wanted in _steps(mean, low, high):
        if form.is_constant:
            total = total.plus(int(wanted(np.array([form.constant]))[0]))
            continue
        variable, _, _ = variable_of(form, sizes)
        free, part = function_of(variable, wanted(codes_of(form, variable, sizes)))
        total, parts = total + free, parts + ([] if part is None else [part])
    known = np.unique(twice - total.constant) if total.is_constant else None
    return Affine(total + coder.layer(parts, known) if parts else total, 2)


def _steps(mean: Mean, low: int, high: int) -> Iterator[tuple[Form, Callable[[Integers], Integers]]]:
    """Yield forms, and functions of each whose sum is twice what the mean is above the least whole number."""
    for k in range(low, high + 1):
        at_least, above = int(k > low), int(k < high)
        yield mean.top - mean.count * (k * mean.scale), partial(_signs, at_least, above)
    if not mean.counts_always:
        yield mean.count, partial(_at_zero, 2 * int(mean.default) - low - high)  # type: ignore[arg-type]


def _signs(at_least: int, above: int, codes: Integers) -> Integers:
    return at_least * (codes >= 0).astype(np.int64) + above * (codes > 0).astype(np.int64)


def _at_zero(number: int, codes: Integers) -> Integers:
    return number * (codes == 0).astype(np.int64)


def _twice(top: int, count: int, mean: Mean) -> int:
    if count == 0:
        return 2 * int(mean.default)  # type: ignore[arg-type]
    value = Fraction(top, count * mean.scale)
    return floor(value) + ceil(value)
