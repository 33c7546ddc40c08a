"""Means that are only compared with whole numbers: the half between two stands for every number between them."""

from functools import partial

import numpy as np

from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import Part
from weightsmith.programs.circuit.forms import LARGEST_CODE, Form, Integers, Sizes, distinct
from weightsmith.programs.compiler.coding import MOST_NEURONS, Coder, function_of
from weightsmith.programs.compiler.symbols import Affine, Mean, codes_of, variable_of
from weightsmith.programs.values import is_number


def by_halves(mean: Mean, coder: Coder, sizes: Sizes) -> Affine | Mean:
    """Return a mean with the half between two whole numbers for every number between them: a linear form.

    Twice that is, from the least whole number on, one for each k with mean ≥ k and one for each with mean > k: signs of
    top − k · scale · count. Where the count is 0, so are all of these, and the default is put right. A mean that would
    take too many neurons stays a mean.
    """
    default = int(mean.default) if is_number(mean.default) and mean.default == int(mean.default) else None
    if default is None and not mean.counts_always:
        return mean
    if mean.scale * int(mean.pairs[:, 1].max()) > LARGEST_CODE:
        return mean
    twice = _twice(mean)
    low, high = int(twice[0]) // 2, (int(twice[-1]) + 1) // 2
    if high - low >= MOST_NEURONS:  # each step takes one at least
        return mean
    total, parts, neurons = Form(constant=2 * low), list[Part](), 0
    steps = [
        (mean.top - mean.count * (k * mean.scale), partial(_signs, k > low, k < high)) for k in range(low, high + 1)
    ]
    if default is not None and not mean.counts_always:
        steps.append((mean.count, partial(_at_zero, 2 * default - low - high)))
        twice = distinct(np.append(twice, 2 * default))
    in_force().room(
        3 * sum(form.size for form, _ in steps),
        f"the comparison of a mean with each whole number from {low:,} to {high:,}",
    )
    for form, wanted in steps:
        if form.is_constant:
            total = total.plus(int(wanted(np.array([form.constant]))[0]))
            continue
        variable, _, _ = variable_of(form, sizes)
        free, part = function_of(variable, wanted(codes_of(form, variable, sizes)))
        total = total + free
        if part is not None:
            parts.append(part)
            neurons += len(part.kinks)
        if neurons > MOST_NEURONS:
            return mean
    known = twice - total.constant if total.is_constant else None
    return Affine(total + coder.layer(parts, known) if parts else total, 2)


def _twice(mean: Mean) -> Integers:
    """Return twice the code of each value of a mean, where something is selected: each once, in order."""
    tops, counts = mean.pairs[mean.pairs[:, 1] > 0].T
    below = counts * mean.scale
    return distinct(tops // below - -tops // below)


def _signs(at_least: bool, above: bool, codes: Integers) -> Integers:
    """Return the sum of two truths, as far as each counts: that codes are not negative, and that they are positive."""
    return np.array((codes >= 0) & at_least, np.int64) + np.array((codes > 0) & above, np.int64)


def _at_zero(number: int, codes: Integers) -> Integers:
    """Return a number where codes are 0."""
    return number * np.array(codes == 0, np.int64)
