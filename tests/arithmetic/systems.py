"""Arithmetics that tests go through, with every tie rule."""

import numpy as np

from weightsmith import parse_arithmetic
from weightsmith.arithmetic import Array, Saturating

TIES = ("zero", "even", "away")


FORMS = ("fixed(2,3)", "fixed(4,4)", "float(3,3)", "float(2,4)", "float(4,3)", "e4m3", "e5m2", "float16")


def tied(form: str, ties: str) -> str:
    if ties == "zero":
        return form
    return f"{form[:-1]},ties={ties})" if form.endswith(")") else f"{form}(ties={ties})"


def saturating(text: str) -> Saturating:
    arithmetic = parse_arithmetic(text)
    assert isinstance(arithmetic, Saturating)
    return arithmetic


SYSTEMS = [saturating(tied(form, ties)) for form in FORMS for ties in TIES]


def hard_cases(A: Saturating) -> Array:
    """Give the members, the midpoints between them, the floats beside both, and the far ends."""
    members = A.values()
    points = np.concatenate([members, (members[1:] + members[:-1]) / 2])
    beside = [np.nextafter(points, np.inf), np.nextafter(points, -np.inf)]
    ends = [0.0, -0.0, 5e-324, -5e-324, 1.7e308, -1.7e308, np.inf, -np.inf, 0.49999999999999994]
    return np.concatenate([points, *beside, ends])
