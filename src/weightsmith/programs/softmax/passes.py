"""The passes from a program to a transformer of averaging heads, with its margins: see `compiler.passes`."""

from weightsmith.arithmetic import Arithmetic
from weightsmith.programs.circuit.assembly import place
from weightsmith.programs.compiler.compiled import ProgramProof
from weightsmith.programs.compiler.needs import simplify
from weightsmith.programs.graph import Program
from weightsmith.programs.softmax.planner import SoftmaxPlanner
from weightsmith.programs.softmax.proof import prove, require_floats
from weightsmith.programs.softmax.sharpness import require_sharpness, sharpened
from weightsmith.programs.values import Value


def softmax_proof(
    program: Program,
    tokens: tuple[Value, ...],
    length: int,
    names: list[str],
    history: list[str],
    arithmetic: Arithmetic | None,
    gradients: bool,
    sharp: float | None,
) -> ProgramProof:
    """Return the transformer of averaging heads, with its margins."""
    require_floats(arithmetic)
    given = require_sharpness(sharp)
    circuit = SoftmaxPlanner.through(program, simplify(program), tokens, length).plan()
    lanes, output = place(circuit), program.output.note.place
    if gradients:
        circuit = sharpened(circuit, lanes, arithmetic, given, output)
    return prove(circuit, lanes, names, history, arithmetic, output)
