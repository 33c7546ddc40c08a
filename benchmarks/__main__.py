"""Print every table: `make bench`, which pins the threads of BLAS. One subject: `make bench ONLY=checking`."""

import os
import platform
import sys
from collections.abc import Callable, Iterable

import numpy as np
from rich.console import Console
from rich.table import Table

from benchmarks import checking, memory, native, rounding, runs, training

console = Console(width=120)
console.print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, BLAS on one thread")
subjects: dict[str, Callable[[], Iterable[Table]]] = {
    "rounding": rounding.measure,
    "runs": runs.measure,
    "native": native.measure,
    "checking": checking.measure,
    "memory": memory.measure,
    "training": training.measure,
}
for name in sys.argv[1:] or subjects:
    for table in subjects[name]():
        console.print(table)
