"""The checker: compared with PyTorch and other arithmetics, by length, by memory, on two cores."""

import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path

import apytypes
import numpy as np
from rich.table import Table

from benchmarks.growth import each_step
from benchmarks.models import thinned
from benchmarks.timing import best_seconds
from weightsmith import Fixed, Float, Transformer, infinity_form, zero_one_form
from weightsmith.arithmetic import Array
from weightsmith.check import two_models as sharing
from weightsmith.check.claims import FinalVectors
from weightsmith.check.engine import check_exhaustively
from weightsmith.check.options import Options
from weightsmith.check.pair_claims import SameDecisions
from weightsmith.check.verdict import Verdict
from weightsmith.kernels.packed import handover, packed_run
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.kernels.packed.compiled import compiled
from weightsmith.kernels.packed.instructions import SIMD_BYTES
from weightsmith.kernels.packed.linear import COLUMN_PADDING, TILE_BYTES
from weightsmith.kernels.packed.matrices import sparse
from weightsmith.kernels.packed.scratch import aligned

SIZES = ((16, 4), (32, 6), (64, 8))
LENGTH = 16
LENGTHS = (6, 8, 10, 12)
PAIR_LENGTH = 8
WORKERS_LENGTH = 20
CORES = 2


@dataclass(frozen=True, eq=False)
class Decided(FinalVectors):
    """A claim that always holds, so that only the runs are measured."""

    quantity = "decisions"


def exhaust(T: Transformer, up_to: int, workers: int = CORES) -> Verdict:
    """Decide every input up to a length, exactly."""
    return check_exhaustively(Decided(T, lambda found: np.full(len(found), True)), up_to, Options(workers=workers))


def against_torch() -> Table:
    """All inputs up to length 16, exactly, against those of length 16 alone in float32."""
    from benchmarks.torch_peer import decisions_of

    table = Table(
        "lanes × blocks", "weights", "arithmetic", "exact check", "PyTorch float32", "faster by", "float32 differs on",
        title=f"Every input up to {LENGTH} symbols, exactly, against PyTorch on those of {LENGTH}, {CORES} cores each",
    )  # fmt: skip
    for density in (0.1, 1.0):
        for lanes, blocks in SIZES:
            models = [thinned("01", lanes, blocks, density, LENGTH, A) for A in (Fixed(4, 4), Float.like("float16"))]
            peers = [decisions_of(T, LENGTH, CORES) for T in models]
            wrong = [differing(T, peer()) for T, peer in zip(models, peers, strict=True)]
            work = {str(T.arithmetic): partial(exhaust, T, LENGTH) for T in models}
            seconds = best_seconds({**work, "PyTorch": peers[0]}, repeat=2)
            name = "dense" if density == 1 else f"{density:.0%} not 0"
            for T, part in zip(models, wrong, strict=True):
                exact, other = seconds[str(T.arithmetic)], seconds["PyTorch"]
                table.add_row(
                    f"{lanes} × {blocks}", name, str(T.arithmetic), f"{exact:.2f} s", f"{other:.2f} s",
                    f"{other / exact:.1f}×", f"{part:.2%} of the decisions",
                )  # fmt: skip
        table.add_section()
    return table


def two_models() -> Table:
    """A model and a rewrite of it, exactly, with and without sharing, against PyTorch on both."""
    from benchmarks.torch_peer import decisions_of

    table = Table(
        "T and", "sublayers of both that run", "exact check", "without sharing", "PyTorch float32", "faster by",
        "without sharing by",
        title=f"The same decisions on every input up to {PAIR_LENGTH} of 4 symbols, 32 lanes, 6 blocks, 10 % not 0, "
        f"against PyTorch on both models at {PAIR_LENGTH}; {CORES} cores each",
    )  # fmt: skip
    T = thinned("0123", 32, 6, 0.1, PAIR_LENGTH, Fixed(4, 4))
    for form in (zero_one_form, infinity_form):
        S = form(T)
        work = {str(on): partial(compare, T, S, on) for on in (True, False)}
        peers = {str(i): decisions_of(model, PAIR_LENGTH, CORES) for i, model in enumerate((T, S))}
        seconds = best_seconds({**work, **peers}, repeat=3)
        shared, apart, other = seconds["True"], seconds["False"], seconds["0"] + seconds["1"]
        found = handover(packed_run(T), packed_run(S), PAIR_LENGTH)
        every = sum(
            part is not None for model in (T, S) for b in model.blocks for part in (b.attention, b.feed_forward)
        )
        table.add_row(
            f"{form.__name__}(T)", f"{every - (found.sublayers if found else 0)} of {every}", f"{shared:.3f} s",
            f"{apart:.3f} s", f"{other:.2f} s", f"{other / shared:.1f}×", f"{other / apart:.1f}×",
        )  # fmt: skip
    return table


def compare(S: Transformer, T: Transformer, shared: bool) -> Verdict:
    """Check that two models make the same decisions; what they have in common runs once, or twice."""
    least, sharing.MIN_INPUTS = sharing.MIN_INPUTS, 0 if shared else sys.maxsize
    try:
        return check_exhaustively(SameDecisions(S, T), PAIR_LENGTH, Options(workers=CORES))
    finally:
        sharing.MIN_INPUTS = least


def differing(T: Transformer, found: np.ndarray) -> float:
    """Return the share of the inputs that float32 decides differently."""
    from weightsmith.automata import Inputs
    from weightsmith.check.examine import by_kernels
    from weightsmith.check.layouts import Reader

    exact = next(by_kernels(Reader(T), "decisions", [Inputs(tuple(T.vocabulary), (), LENGTH)]))
    return float((exact != found).mean())


def multiply_adds() -> Table:
    """One matrix times many vectors, with every product and every sum rounded, on one core."""
    table = Table(
        "64 × 64 matrix, 16,384 vectors", "multiply-adds per second", "against apytypes", "against float32 BLAS",
        title="Rounded multiply-adds, one core (zeros count as done)",
    )  # fmt: skip
    random = np.random.default_rng(0)
    x = random.normal(size=(64, 16384))
    for zeros in (0.0, 0.95):
        M = random.normal(size=(64, 64)) / 8 * (random.random((64, 64)) >= zeros)
        few = 256  # vectors for apytypes, which is slower
        work: dict[str, tuple[Callable[[], object], int]] = {}
        for A in (Fixed(4, 4), Float.like("float16"), Float.like("e4m3")):
            work[str(A)] = _ours(A, M, x), x.shape[1]
        work["apytypes, fixed(4,4)"] = _apytypes(M, x[:, :few]), few
        M32, x32 = M.astype(np.float32), x.astype(np.float32)
        work["float32 BLAS (numpy)"] = partial(np.matmul, M32, x32), x.shape[1]
        seconds = best_seconds({name: run for name, (run, _) in work.items()}, repeat=5)
        rate = {name: M.size * count / seconds[name] for name, (_, count) in work.items()}
        for name, value in rate.items():
            table.add_row(
                f"{name}, {'dense' if not zeros else '95 % zeros'}", f"{value:.2e}",
                f"{value / rate['apytypes, fixed(4,4)']:.0f}×", f"{value / rate['float32 BLAS (numpy)']:.2f}×",
            )  # fmt: skip
        table.add_section()
    return table


def _ours(A: Fixed | Float, M: Array, x: Array) -> Callable[[], object]:
    c = carrier(A)
    matrix = sparse(c, A.round(M))
    columns, out = (aligned(64, x.shape[1] + COLUMN_PADDING, c.dtype) for _ in range(2))  # as in a run
    columns[:, : x.shape[1]] = c.encode(A.round(x))
    sizes, none = np.zeros(TILE_BYTES // SIMD_BYTES, c.dtype), sparse(c, np.zeros((0, 0)))
    apply = compiled(c).apply
    return lambda: apply(matrix, none, columns, 0, out, out, 0, x.shape[1], False, sizes, c.constants)


def _apytypes(M: Array, x: Array) -> Callable[[], object]:
    """Quantise after each product and each sum, as Weightsmith does."""
    matrix, columns = (apytypes.APyFixedArray.from_array(array, int_bits=5, frac_bits=4) for array in (M, x))
    ties, saturate = apytypes.QuantizationMode.TIES_ZERO, apytypes.OverflowMode.SAT

    def run() -> object:
        with apytypes.APyFixedAccumulatorContext(int_bits=5, frac_bits=4, quantization=ties, overflow=saturate):
            return matrix @ columns

    return run


def over_lengths() -> Table:
    """Time per input: it depends on the number of prefixes, not on the length."""
    table = Table(
        "model, one core", *(f"n = {n}" for n in LENGTHS), "largest : smallest", "whole check, a symbol more",
        title="Microseconds per input, all inputs up to n",
    )  # fmt: skip
    half, fixed = Float.like("float16"), Fixed(4, 4)
    for vocabulary, lanes, blocks, density, A in (
        ("01", 64, 8, 1.0, half), ("0123", 16, 4, 0.1, fixed), ("01", 16, 4, 0.1, fixed),
    ):  # fmt: skip
        T = thinned(vocabulary, lanes, blocks, density, 12, A)
        seconds = best_seconds({str(n): partial(exhaust, T, n, 1) for n in LENGTHS}, repeat=4, least=0.5)
        times = [seconds[str(n)] / sum(len(vocabulary) ** k for k in range(1, n + 1)) for n in LENGTHS]
        table.add_row(
            f"{len(vocabulary)} symbols, {lanes} × {blocks}, {density:.0%} not 0, {A}",
            *(f"{1e6 * time:.2f}" for time in times), f"{max(times) / min(times):.2f}",
            each_step(LENGTHS, [seconds[str(n)] for n in LENGTHS]),
        )  # fmt: skip
    return table


MEMORY = """
from pathlib import Path
from benchmarks.checking import exhaust
from benchmarks.models import thinned
from weightsmith import Fixed
exhaust(thinned("01", {lanes}, {blocks}, 0.1, 20, Fixed(4, 4)), {n})
# not ru_maxrss, which counts what the process that started this one had
print(Path("/proc/self/status").read_text().partition("VmHWM:")[2].split()[0])
"""


def memory() -> Table:
    """Peak memory of the whole process, with Python and Numba."""
    table = Table(
        "lanes × blocks", "n = 1", "n = 12", "n = 20", "budget", title="Peak memory, two symbols, two workers"
    )
    for lanes, blocks in SIZES[:2]:
        peaks = []
        for n in (1, 12, 20):
            program = MEMORY.format(lanes=lanes, blocks=blocks, n=n)
            root = Path(__file__).parent.parent
            done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True, cwd=root)
            peaks.append(int(done.stdout) / 1024)
        table.add_row(f"{lanes} × {blocks}", *(f"{peak:.0f} MiB" for peak in peaks), "1024 MiB")
    return table


def workers() -> Table:
    """One core against two."""
    table = Table(
        "lanes × blocks", "one worker", "two workers", "faster by", title=f"Every input up to {WORKERS_LENGTH} symbols"
    )
    for lanes, blocks in SIZES[1:]:
        T = thinned("01", lanes, blocks, 0.1, WORKERS_LENGTH, Fixed(4, 4))
        seconds = best_seconds({str(n): partial(exhaust, T, WORKERS_LENGTH, n) for n in (1, 2)}, repeat=5)
        one, two = seconds["1"], seconds["2"]
        table.add_row(f"{lanes} × {blocks}", f"{one:.2f} s", f"{two:.2f} s", f"{one / two:.2f}×")
    return table


def measure() -> Iterator[Table]:
    for subject in (multiply_adds, over_lengths, workers, memory, against_torch, two_models):
        yield subject()
