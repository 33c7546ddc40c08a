"""Compiling the loops of checks and proofs ahead, for every kind of numbers, so that no later check waits for them."""

from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

from weightsmith.arithmetic import parse_arithmetic
from weightsmith.automata.extraction.compiled import compiled as compiled_automata
from weightsmith.check.engine import processors
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.compiled import LOOPS, compiled

# An arithmetic for each kind of machine code
KINDS = (
    *("fixed(4,4)", "fixed(8,8)", "float(4,4)", "float(5,12)", "float32", "fixed(4,4,ties=even)"),
    *("float(4,4,ties=even)", "float(5,12,ties=even)", "float64"),
)


def warm_up(arithmetics: Sequence[str] = KINDS) -> None:
    """Compile the loops for arithmetics and for automata on all cores, unless they are in the cache on disk."""
    for text in arithmetics:
        parse_arithmetic(text)  # refused before anything is compiled
    with ProcessPoolExecutor(processors(), get_context("spawn")) as pool:
        first = pool.submit(_automata)
        list(pool.map(_kernels, arithmetics))
        first.result()


def _kernels(arithmetic: str) -> None:
    compiled(carrier(parse_arithmetic(arithmetic))).ready(LOOPS)


def _automata() -> None:
    compiled_automata()
