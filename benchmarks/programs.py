"""Compiled programs against Tracr: sizes and compile times.

Tracr's sizes are those of its commit 9ce2b8c, measured once: see tests/programs/tracr_rows.py, which has the programs.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from statistics import median
from string import ascii_letters, ascii_lowercase

from rich.table import Table
from tests.programs.lined import lined_program
from tests.programs.tracr_rows import ROWS, Row

from benchmarks.growth import power
from benchmarks.timing import best_seconds
from weightsmith.errors import InputError
from weightsmith.programs import CompiledProgram, Program, compile

KNOWN = ("hist", "reverse_1", "sort_1", "sort_freq", "shuffle_dyck2_1", "shuffle_dyck3_1")
LENGTHS = (10, 40, 100)
PAGE = Path(__file__).parents[1] / "docs" / "programs.md"
BEGIN, END = "<!-- sizes -->\n\n", "\n\n<!-- end of sizes -->"
RUNS = 7  # of each command
SEEDS = 200  # of random programs of each kind
RANDOM = (((2, 4), ascii_lowercase, 8), ((6, 8), "abc", 50), ((6, 8), ascii_letters[:50], 8))  # steps, tokens, length
HIST = "hist = selector_width(select(tokens, tokens, ==));\n"


def measure() -> Iterator[Table]:
    yield sizes()
    yield times()
    yield random()
    yield command()


def compiled(row: Row, max_length: int) -> CompiledProgram:
    return compile(row.make(max_length), row.vocabulary, max_length)


def sizes() -> Table:
    columns = ("blocks", "lanes", "parameters", "not 0")
    table = Table("program", "length", *columns, "compiled in", title="Compiled programs, and Tracr's in brackets")
    ours, theirs = [0] * 4, [0] * 4
    for row in ROWS:
        mine, tracr = figures(row), (row.blocks, row.lanes, row.parameters, row.nonzero)
        ours = [a + b for a, b in zip(ours, mine, strict=True)]
        theirs = [a + b for a, b in zip(theirs, tracr, strict=True)]
        table.add_row(row.name, str(row.max_length), *beside(mine, tracr), seconds(row, row.max_length))
    table.add_row("all", "", *beside(ours, theirs), "")
    return table


def figures(row: Row) -> tuple[int, int, int, int]:
    """Return the numbers of blocks, lanes, parameters and non-zero parameters."""
    T = compiled(row, row.max_length).transformer
    return len(T.blocks), len(T.lanes), T.weights, T.nonzero_weights


def beside(mine: tuple[int, ...] | list[int], tracr: tuple[int, ...] | list[int]) -> list[str]:
    return [f"{a:,} ({b:,})" for a, b in zip(mine, tracr, strict=True)]


def seconds(row: Row, length: int) -> str:
    """Return the best of several times, in a process that has compiled before."""
    try:
        return f"{1000 * compiling(row, length):,.0f} ms"
    except InputError as error:
        return f"refused: {str(error).splitlines()[0][:60]}"


@cache
def compiling(row: Row, length: int) -> float:
    """Return the seconds of compiling, or raise."""
    return best_seconds({"compile": lambda: compiled(row, length)}, repeat=5)["compile"]


def growing(row: Row) -> str:
    """Return how the time of compiling grows with the length; nothing where a length is refused."""
    try:
        return power(LENGTHS, [compiling(row, n) for n in LENGTHS])
    except InputError:
        return ""


def markdown() -> str:
    """Return the sizes as docs/programs.md shows them; `python -m benchmarks.programs` writes them there."""
    lines = ["| program | length | blocks | lanes | parameters | not 0 |", "|---|---:|---:|---:|---:|---:|"]
    for row in ROWS:
        cells = beside(figures(row), (row.blocks, row.lanes, row.parameters, row.nonzero))
        lines.append(f"| {' | '.join([row.name, str(row.max_length), *cells])} |")
    return "\n".join(lines)


def times() -> Table:
    table = Table("program", *(f"up to {n} tokens" for n in LENGTHS), "grows as", title="How long compiling takes")
    for row in ROWS:
        if row.name in KNOWN:
            table.add_row(row.name, *(seconds(row, n) for n in LENGTHS), growing(row))
    return table


def random() -> Table:
    """Return the slowest and the largest of random programs with fixed seeds, each in a separate process."""
    columns = ("programs", "compiled", "seconds: median", "most", "of seed", "MB: median", "most", "of seed")
    table = Table("steps, tokens, length", *columns, title="Random programs: what compiling takes")
    for (least, more), vocabulary, length in RANDOM:
        spent = []
        for seed in range(SEEDS):
            program = lined_program(seed, least + seed % more, vocabulary)
            spent.append((*_alone(program, vocabulary, length), seed))
        by_time, by_memory = sorted(spent), sorted(spent, key=lambda one: one[1])
        table.add_row(
            f"{least} to {least + more - 1}, {len(vocabulary)}, {length}",
            *(str(SEEDS), str(sum(made for _, _, made, _ in spent))),
            *(f"{median(one[0] for one in spent):.2f}", f"{by_time[-1][0]:.2f}", str(by_time[-1][3])),
            *(f"{median(one[1] for one in spent):.0f}", f"{by_memory[-1][1]:.0f}", str(by_memory[-1][3])),
        )
    return table


def _alone(program: Program, vocabulary: str, length: int) -> tuple[float, float, bool]:
    """Compile a program in a separate process; return the seconds, the megabytes, and whether it compiled."""
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    reading, writing = os.pipe()
    process = os.fork()
    if process == 0:
        begin, made = time.process_time(), True
        try:
            compile(program, vocabulary, length)
        except InputError:
            made = False
        os.write(writing, f"{time.process_time() - begin} {int(made)}".encode())
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        taken, done = pipe.read().split()
    _, _, usage = os.wait4(process, 0)
    return float(taken), max(0, usage.ru_maxrss - before) / 1024, done == b"1"


def command() -> Table:
    """Return how long commands take, from the shell and back: medians, because one run may wait for another process.

    Python alone, with numpy, is their floor; what a command takes is also said as a multiple of that.
    """
    bare = "python -c 'import numpy'"
    with tempfile.TemporaryDirectory() as folder:
        (Path(folder) / "hist.rasp").write_text(HIST)
        words = ["compile", "hist.rasp", "--vocabulary", "abc", "--max-length", "20", "-o", "model.safetensors"]
        peers = {
            "weightsmith compile hist.rasp": [sys.executable, "-m", "weightsmith", *words],
            "weightsmith run": [sys.executable, "-m", "weightsmith", "run", "model.safetensors", "abca"],
            "weightsmith info": [sys.executable, "-m", "weightsmith", "info", "model.safetensors"],
            "weightsmith --help": [sys.executable, "-m", "weightsmith", "--help"],
            "weightsmith --version": [sys.executable, "-m", "weightsmith", "--version"],
            bare: [sys.executable, "-c", "import numpy"],
        }
        spent: dict[str, list[tuple[float, float]]] = {name: [] for name in peers}
        for _ in range(RUNS + 1):  # one after the other, so that a busy minute hits all of them alike
            for name, line in peers.items():
                spent[name].append(_spent(line, folder))
    wall, cpu = ({name: median(one[n] for one in runs[1:]) for name, runs in spent.items()} for n in (0, 1))
    table = Table("command", "seconds", "of the processor", "import numpy = 1", title="From the shell and back")
    for name in peers:
        table.add_row(name, f"{wall[name]:.2f}", f"{cpu[name]:.2f}", f"{cpu[name] / cpu[bare]:.1f}")
    return table


def _spent(line: list[str], folder: str) -> tuple[float, float]:
    """Return the wall time and the processor time of a command, with cached byte code."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    wall, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(line, check=True, capture_output=True, cwd=folder, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - wall, cpu


if __name__ == "__main__":
    before, _, rest = PAGE.read_text("utf-8").partition(BEGIN.strip())
    PAGE.write_text(f"{before}{BEGIN}{markdown()}{END}{rest.partition(END.strip())[2]}", "utf-8")
