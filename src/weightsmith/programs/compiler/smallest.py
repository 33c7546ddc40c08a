"""The smallest arithmetic in which a plan can be proved: a quick bound first, then the proof itself."""

from collections.abc import Iterable, Sequence

from weightsmith.arithmetic import Fixed
from weightsmith.programs.budget import in_force
from weightsmith.programs.circuit.circuit import EVERY, Boundary, Circuit
from weightsmith.programs.circuit.forms import Form, TooLargeError
from weightsmith.programs.circuit.lanes import Lanes
from weightsmith.programs.compiler.lowering import BlockPlan, Saturation, blocks_of, transformer
from weightsmith.programs.proof.lemmas import LemmaError
from weightsmith.programs.proof.meaning import Meaning
from weightsmith.programs.proof.weights import Proof

MOST_BITS = 25  # of the arithmetics that are tried: float64 holds their products exactly


def smallest(plan: Circuit, lanes: Lanes, meaning: Meaning, names: list[str], history: list[str]) -> Proof:
    """Return the proof in the smallest Fixed: whole numbers need no bits after the point."""
    blocks = blocks_of(plan, lanes)
    held = max(_fired(blocks), _added_up(blocks, lanes, plan.sizes.positions), *(lane.reach for lane in lanes.lanes))
    bits, why = max(2, held.bit_length()), ""
    boundaries = {head.boundary for block in blocks for head in block.heads}
    while bits <= MOST_BITS:
        in_force().check()
        saturation = Saturation.of(Fixed(bits, 0))
        if boundaries and (saturation is None or _scores(boundaries - {EVERY}, saturation) >= 1 << bits):
            bits += 1
            continue
        T = transformer(plan, lanes, blocks, Fixed(bits, 0), names, history)
        try:
            if T is None:
                raise LemmaError("a weight is too large", 1 << bits)
            return Proof(T, meaning)
        except LemmaError as error:
            why = str(error)
            if error.needs is None:
                raise
            bits = max(bits + 1, error.needs.bit_length())
    raise TooLargeError(
        f"no arithmetic of up to {MOST_BITS} bits will do{f': {why}' if why else ''}; write a smaller max_length, or a "
        "program with fewer values"
    )


def _fired(blocks: list[BlockPlan]) -> int:
    """Return the largest output of a neuron times its weight: it is largest at an end of its codes."""
    largest = 0
    for one in (neurons for block in blocks for neurons in block.neurons):
        ends = int(one.part.codes[0]), int(one.part.codes[-1])
        for direction, offset, slope in one.part.kinks:
            fired = max(direction * end - offset for end in ends)
            largest = max(largest, fired * max(abs(slope * lane) for lane in one.lanes))
    return largest


def _added_up(blocks: list[BlockPlan], lanes: Lanes, positions: int) -> int:
    """Return the largest sum of a head, if all positions are selected."""
    largest = 0
    for b, block in enumerate(blocks):
        there = [lane.by(2 * b) for lane in lanes.lanes]
        partial = [0] * len(there)
        for head in block.heads:
            values = [_combined(there, read[:-1]).plus(read[-1]) for read, _ in head.values]
            for lane in range(len(there)):
                partial[lane] += _combined(values, [to[lane] for _, to in head.values]).reach
            largest = max(largest, *partial, *(value.reach for value in values))
    return largest * positions


def _combined(forms: Sequence[Form], factors: Sequence[int]) -> Form:
    total = Form()
    for form, factor in zip(forms, factors, strict=True):
        total = total + form * factor if factor else total
    return total


def _scores(boundaries: Iterable[Boundary], saturation: Saturation) -> int:
    """Return the largest score of a head; `lowering` has its queries and keys."""
    largest = saturation.up
    for boundary in boundaries:
        factor, shift = saturation.scale(boundary)
        if boundary.key.is_constant or boundary.query.is_constant:
            score = boundary.query * factor - boundary.key * factor
            largest = max(largest, score.plus(shift).reach)
        else:
            centre = (boundary.key.least + boundary.key.most) // 2
            query, key = boundary.query * factor, boundary.key.plus(-centre) * factor
            largest = max(largest, query.plus(shift - factor * centre).reach + key.reach)
    return largest
