"""The smallest arithmetic in which a plan can be proved: a quick bound first, then the proof itself."""

from weightsmith.arithmetic import Fixed
from weightsmith.programs.compiler.boundaries import EVERY
from weightsmith.programs.compiler.forms import TooLargeError
from weightsmith.programs.compiler.lemmas import LemmaError
from weightsmith.programs.compiler.placing import Lanes
from weightsmith.programs.compiler.plan import Plan
from weightsmith.programs.compiler.proof import Proof
from weightsmith.programs.compiler.weights import BlockPlan, Saturation, blocks_of, transformer

MOST_BITS = 25  # of the arithmetics that are tried: what float64 carries exactly


def smallest(plan: Plan, lanes: Lanes, names: list[str], history: list[str]) -> Proof:
    """Return the proof in the smallest Fixed: whole numbers need no bits after the point."""
    blocks = blocks_of(plan, lanes)
    held = _held(plan, lanes)
    bits, why = max(2, held.bit_length()), ""
    while bits <= MOST_BITS:
        saturation = Saturation.of(Fixed(bits, 0))
        if saturation is None or _scores(blocks, saturation) >= 1 << bits:
            bits += 1
            continue
        T = transformer(plan, lanes, blocks, Fixed(bits, 0), names, history)
        try:
            if T is None:
                raise LemmaError("a weight is too large", 1 << bits)
            return Proof(T, plan, lanes)
        except LemmaError as error:
            why = str(error)
            if error.needs is None:
                raise
            bits = max(bits + 1, error.needs.bit_length())
    raise TooLargeError(
        f"no arithmetic of up to {MOST_BITS} bits will do{f': {why}' if why else ''}; write a smaller max_length, or a "
        "program with fewer values"
    )


def _held(plan: Plan, lanes: Lanes) -> int:
    """Return a number that is held for sure: the largest code of a lane, or of the output."""
    codes = [abs(end) for lane in lanes.lanes for end in (lane.least, lane.most)]
    return max([*codes, *(abs(code) for entry, _ in plan.table for code in entry)], default=1)


def _scores(blocks: list[BlockPlan], saturation: Saturation) -> int:
    """Return how large the scores of heads become, at least."""
    largest = saturation.up
    for boundary in {head.boundary for block in blocks for head in block.heads} - {EVERY}:
        factor, shift = saturation.scale(boundary)
        for form in (boundary.query, boundary.key):
            middle = (form.least + form.most) // 2
            largest = max(largest, factor * max(abs(form.most - middle), abs(form.least - middle)))
        if boundary.key.is_constant:
            largest = max(largest, *(abs(factor * end + shift) for end in (boundary.query.least, boundary.query.most)))
    return largest
