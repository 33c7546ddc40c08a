"""Sharpness: by how much selected positions score more than others, where gradients are to pass.

A small one gives large gradients, because positions that are not selected keep some weight, and functions are less
flat; and it leaves small margins.
"""

from dataclasses import replace
from fractions import Fraction

import numpy as np

from weightsmith.arithmetic import Arithmetic
from weightsmith.errors import InputError, brief
from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.assembly import Lanes
from weightsmith.programs.circuit.circuit import Circuit
from weightsmith.programs.places import Place, refusal
from weightsmith.programs.softmax.lowering import transformer
from weightsmith.programs.softmax.margins import Margin, Margins
from weightsmith.programs.softmax.rounding import types_for
from weightsmith.rewrites import to_arithmetic

LADDER = (3, 4, 5, 6, 7, 8, 10, 12, 14, 16, 20, 24)  # what is tried
SHARPEST = 64
ENOUGH = 1 / 8  # of half the distance between two codes, for the sharpness that is chosen


def sharpened(
    circuit: Circuit, lanes: Lanes, arithmetic: Arithmetic | None, sharpness: float | None, place: Place | None
) -> Circuit:
    """Return a circuit that lets gradients through, of this sharpness, or of the smallest that leaves `ENOUGH`."""
    names = [[str(n) for n in range(many)] for many in (circuit.sizes.tokens, len(circuit.table))]
    name, R = next(iter(types_for(arithmetic).items()))

    def least(number: Fraction) -> Margin:
        in_force().at(f"the margins at sharpness {float(number):g}", place)
        soft = replace(circuit, sharpness=number)
        meant = transformer(soft, lanes, *names, ())
        return Margins(to_arithmetic(meant, R.A), meant, soft, lanes, R).least

    found = None if sharpness is None else least(Fraction(sharpness))
    if found is not None and found.left > 0:
        return replace(circuit, sharpness=Fraction(sharpness or 0))
    tried = dict[Fraction, Margin]()
    for one in map(Fraction, LADDER):
        tried[one] = least(one)
        if tried[one].left >= ENOUGH:
            break
    best = max(tried, key=lambda one: tried[one].left)
    if not tried[best].left > 0:
        last = tried[best]
        raise refusal(
            last.place or place,
            f"{last.where}: in {name} no sharpness was found at which it can be shown that {last.statement}: write a "
            "smaller max_length, arithmetic=Float(11, 53, ties='even'), or leave out gradients=True",
        )
    if found is not None:
        raise refusal(
            found.place or place,
            f"sharpness={sharpness:g}: {found.where}: in {name} it cannot be shown that {found.statement}: write "
            f"sharpness={float(best):g}, or None for one that leaves a margin",
        )
    return replace(circuit, sharpness=best)


def require_sharpness(sharpness: object) -> float | None:
    """Return a sharpness that was given; refuse what is no number from 1 to 64."""
    number = isinstance(sharpness, int | float | np.number) and not isinstance(sharpness, bool)
    if sharpness is None or (number and 1 <= float(sharpness) <= SHARPEST):  # type: ignore[arg-type]
        return None if sharpness is None else float(sharpness)  # type: ignore[arg-type]
    raise InputError(
        f"sharpness={brief(sharpness)}: write a number from 1 to {SHARPEST}, or None for one that leaves a margin"
    )
