"""Print every table: `make bench`, which pins the threads of BLAS."""

import os
import platform

import numpy as np
from rich.console import Console

from benchmarks import rounding, runs

console = Console(width=110)
console.print(f"Python {platform.python_version()}, numpy {np.__version__}, {os.cpu_count()} cores, BLAS on one thread")
for subject in (rounding, runs):
    console.print(subject.measure())
