"""Budgets of automata: how far beyond its seconds and its memory a search goes, measured from outside.

The models do not close: each is given up by its time, its memory, or a bound of the extraction. It takes some minutes:
`make bench ONLY=budgets`.
"""

from collections import Counter
from collections.abc import Iterator

from tests.automata.outside import Taken, outside
from tests.automata.unbounded import unbounded

import weightsmith as ws
from weightsmith.automata.extraction import UnknownError, automaton
from weightsmith.tables import Table

MODELS, SECONDS, STATES = 200, 2.0, 10**9
MEMORIES = (64 << 20, 256 << 20)


def measure() -> Iterator[Table]:
    """Yield a row for each memory: the largest and the median of what was taken."""
    automaton(ws.library.majority("1"))  # compiles
    table = Table(
        "memory", "models", "by time", "by memory", "longest s", "most of the memory",
        right=range(1, 6), title=f"searches that were given up, seconds={SECONDS:g}",
    )  # fmt: skip
    for memory in MEMORIES:
        found = [taken for taken in _taken(memory) if taken.said.startswith("UnknownError")][: MODELS // len(MEMORIES)]
        why = Counter("time" if "seconds were not" in taken.said else "memory" for taken in found)
        table.add(
            f"{memory >> 20} MiB", f"{len(found)}", f"{why['time']}", f"{why['memory']}",
            f"{max(taken.seconds for taken in found):.2f}", f"{max(taken.bytes for taken in found) / memory:.2f}",
        )  # fmt: skip
    yield table


def _taken(memory: int) -> Iterator[Taken]:
    given_up = seed = 0
    while given_up < MODELS // len(MEMORIES):
        T = unbounded(seed)
        taken = outside(lambda T=T: _said(T, memory))  # type: ignore[misc]
        given_up += taken.said.startswith("UnknownError")
        seed += 1
        yield taken


def _said(T: ws.Transformer, memory: int) -> str:
    try:
        return f"{len(automaton(T, seconds=SECONDS, memory=memory, states=STATES).table)} states"
    except (UnknownError, ws.ModelError) as error:
        return f"{type(error).__name__}: {error}"
