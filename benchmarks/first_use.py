"""How long the first check of a new process takes, on a machine that has no machine code yet: `import` included."""

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator

from weightsmith.tables import Table

TIMES = 3
CALLS = {
    "import numpy": "import numpy",
    "import weightsmith": "import weightsmith as ws; ws.run",
    "a proof for all lengths": "ws.check.recognizes(T, '.*1.*')",
    "every input up to 10": "ws.check.recognizes(T, '.*1.*', up_to=10)",
    "every input up to 18, compiled": "ws.check.recognizes(T, '.*1.*', up_to=18)",
}


def measure() -> Iterator[Table]:
    """Yield a row for each call: the median of fresh processes with empty caches, and its ratio to the first."""
    table = Table(
        "first call of a process", "seconds", "against numpy", right=(1, 2), title="Without machine code on disk"
    )
    first = 0.0
    for name, call in CALLS.items():
        code = call if name.startswith("import") else f"import weightsmith as ws; T = ws.library.contains('1'); {call}"
        seconds = sorted(_seconds(code) for _ in range(TIMES))[TIMES // 2]
        first = first or seconds
        table.add(name, f"{seconds:.2f}", f"{seconds / first:.1f}×")
    yield table


def _seconds(code: str) -> float:
    with tempfile.TemporaryDirectory() as folder:
        begin = time.perf_counter()
        environment = {**os.environ, "NUMBA_CACHE_DIR": folder}
        subprocess.run([sys.executable, "-c", code], env=environment, check=True, capture_output=True)
        return time.perf_counter() - begin
