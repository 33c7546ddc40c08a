"""Budgets of automata: how far a call exceeds its limits of time and memory, measured from outside.

No search succeeds: each reaches its limit of time or memory, or a bound of the extraction. A search is
`automaton(T)`; a check is `same_decisions(T, T)`, with the inputs that it runs before and after the search. It takes
some minutes: `make bench ONLY=budgets`.
"""

from collections import Counter
from collections.abc import Callable, Iterator

from tests.automata.outside import Taken, outside
from tests.automata.unbounded import unbounded

import weightsmith as ws
from weightsmith.automata.extraction import UnknownError, automaton
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.tables import Table

MODELS, SECONDS, STATES = 200, 2.0, 10**9
MEMORIES = (64 << 20, 256 << 20)
UNKNOWN = "unknown: "


def measure() -> Iterator[Table]:
    """Yield a row for each kind of call and memory: the largest time and memory used."""
    for A in (ws.Fixed(4, 4), ws.Fixed(8, 8), ws.Float(4, 3), ws.Float.like("float16")):  # loads and compiles first
        T = ws.library.majority("1", arithmetic=A)
        ws.check.same_decisions(T, T, up_to=4)
    compiled()
    ws.check.same_decisions(T, T, seconds=0.1)
    table = Table(
        "call", "memory", "models", "by time", "longest s", "most of the memory",
        right=range(1, 6), title=f"given up with seconds={SECONDS:g}",
    )  # fmt: skip
    calls: dict[str, Callable[[ws.Transformer, int], str]] = {"search": _searched, "check": _checked}
    each = MODELS // len(MEMORIES) // len(calls)
    for (name, call), memory in ((one, memory) for one in calls.items() for memory in MEMORIES):
        found = [taken for taken in _taken(call, memory, each) if taken.said.startswith(UNKNOWN)]
        why = Counter("seconds were not" in taken.said for taken in found)
        table.add(
            name, f"{memory >> 20} MiB", f"{len(found)}", f"{why[True]}",
            f"{max(taken.seconds for taken in found):.2f}", f"{max(taken.bytes for taken in found) / memory:.2f}",
        )  # fmt: skip
    yield table


def _taken(call: Callable[[ws.Transformer, int], str], memory: int, models: int) -> Iterator[Taken]:
    given_up = seed = 0
    while given_up < models:
        T = unbounded(seed)
        taken = outside(lambda T=T: call(T, memory))  # type: ignore[misc]
        given_up += taken.said.startswith(UNKNOWN)
        seed += 1
        yield taken


def _searched(T: ws.Transformer, memory: int) -> str:
    try:
        return f"{len(automaton(T, seconds=SECONDS, memory=memory, states=STATES).table)} states"
    except UnknownError as error:
        return f"{UNKNOWN}{error}"
    except ws.ModelError as error:
        return str(error)


def _checked(T: ws.Transformer, memory: int) -> str:
    try:
        verdict = ws.check.same_decisions(T, T, seconds=SECONDS, memory=memory, states=STATES, workers=1)
    except (ws.ModelError, ws.InputError) as error:
        return str(error)
    return f"{UNKNOWN}{verdict}" if verdict.holds is None else str(verdict)
