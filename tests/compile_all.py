"""Compile every loop for every kind of numbers, on all cores: what is in the cache no test has to compile again.

Two processes of tests that begin together would each compile most of it.
"""

import os
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

KINDS = (
    *("fixed(4,4)", "fixed(8,8)", "float(4,4)", "float(5,12)", "float32", "fixed(4,4,ties=even)"),
    *("float(4,4,ties=even)", "float(5,12,ties=even)", "float64"),
)


def compile_for(arithmetic: str) -> None:
    """Have all loops for an arithmetic compiled, unless they are."""
    from weightsmith import parse_arithmetic
    from weightsmith.kernels.packed.carrier import carrier
    from weightsmith.kernels.packed.compiled import LOOPS, compiled

    compiled(carrier(parse_arithmetic(arithmetic))).ready(LOOPS)


def compile_automata() -> None:
    """Have the loops of automata compiled, unless they are."""
    from weightsmith.automata.extraction.compiled import compiled

    compiled()


if __name__ == "__main__":
    with ProcessPoolExecutor(len(os.sched_getaffinity(0)), get_context("spawn")) as pool:
        first = pool.submit(compile_automata)
        list(pool.map(compile_for, KINDS))
        first.result()
