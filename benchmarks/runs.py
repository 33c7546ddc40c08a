"""The reference run: time per token, with the whole trace."""

from functools import partial

from rich.table import Table

from benchmarks.growth import power
from benchmarks.timing import best_seconds
from weightsmith import Arithmetic, Fixed, Float, Native, Softmax, random_transformer, run

LANES, BLOCKS = (4, 16, 64), 4


def measure() -> list[Table]:
    table = Table("arithmetic", "lanes × blocks", "milliseconds per token", title="Reference run, 16 tokens")
    arithmetics: list[Arithmetic] = [Fixed(4, 4), Float(4, 3), Float.like("float16"), Native("float64")]
    spent: dict[str, list[float]] = {str(A): [] for A in arithmetics}
    for lanes in LANES:
        peers = {}
        for A in arithmetics:
            T = random_transformer("01", lanes, BLOCKS, 2, 4 * lanes, 16, A, weighting=Softmax(shifted=True))
            peers[str(A)] = partial(run, T, "01" * 8)
        for name, time in best_seconds(peers, repeat=3).items():
            spent[name].append(time)
            table.add_row(name, f"{lanes} × {BLOCKS}", f"{1000 * time / 16:.2f}")
        table.add_section()
    for name, times in spent.items():
        table.add_row(name, "n lanes: grows as", power(LANES, times))
    return [table]
