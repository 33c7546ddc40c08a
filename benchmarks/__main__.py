"""Print every table: `make bench`, which pins the threads of BLAS. One subject: `make bench ONLY=checking`."""

import os
import platform
import sys
from importlib import import_module

import numpy as np
from rich.console import Console

from benchmarks.growth import peak_mebibytes
from weightsmith.check import engine
from weightsmith.kernels import engines

SUBJECTS = (
    "rounding",
    "runs",
    "native",
    "interventions",
    "reading",
    "first_use",
    "checking",
    "scale",
    "automata",
    "memory",
    "training",
    "page",
    "export",
    "programs",
    "growing",
    "chains",
    "languages",
)
# Only when named: like, seeds, exact, drift, moods, mood_text, norms and shipped write data; expressions has no times;
# budgets takes long

engine.SMALL_WORK = engines.SMALL_WORK = 0  # the kernels are measured, also on small checks and chains
console = Console(width=120)
console.print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, BLAS on one thread")
for name in sys.argv[1:] or SUBJECTS:
    for table in import_module(f"benchmarks.{name}").measure():
        console.print(table)
    if (peak := peak_mebibytes()) is not None:
        console.print(f"{name}: peak memory of this process so far {peak:,.0f} MiB\n")
