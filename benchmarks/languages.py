"""Regular expressions as weights: sizes, and the times of compiling and of the proof, over 500 random expressions."""

import time
from collections import Counter
from collections.abc import Iterator
from itertools import islice

import numpy as np
from tests.programs.regex.drawn import expressions

from weightsmith.programs import CompiledLanguage, NotStarFreeError, compile_regex
from weightsmith.programs.regex.images import TooManyStatesError
from weightsmith.tables import Table

COUNT, SEED = 500, 2  # as in tests/programs/regex/test_random.py
SHARES = ((50, "median"), (95, "95 %"), (100, "most"))


def measure() -> Iterator[Table]:
    compile_regex("(ab|ba)*", "ab")  # loads and compiles first
    results, rows = Counter[str](), list[tuple[float, ...]]()
    states, refusals = list[int](), list[float]()
    for text, letters, automaton in islice(expressions(SEED), COUNT):
        begin = time.perf_counter()
        try:
            P = compile_regex(text, letters, prove=False)
        except (NotStarFreeError, TooManyStatesError) as error:
            refusals.append(1000 * (time.perf_counter() - begin))
            results[type(error).__name__] += 1
            continue
        compiled, begin = time.perf_counter() - begin, time.perf_counter()
        assert P.verdict.holds
        proved = time.perf_counter() - begin
        results["proved"] += 1
        states.append(len(automaton.table))
        rows.append((*sizes(P), 1000 * compiled, 1000 * proved))
    yield _table(results, states, rows, refusals)


def sizes(P: CompiledLanguage) -> tuple[int, ...]:
    heads = sum(len(block.attention.heads) for block in P.blocks if block.attention is not None)
    neurons = sum(len(block.feed_forward.b_1) for block in P.blocks if block.feed_forward is not None)
    return len(P.blocks), heads, neurons, len(P.lanes), P.weights, P.nonzero_weights


def _table(results: Counter[str], states: list[int], rows: list[tuple[float, ...]], refusals: list[float]) -> Table:
    names = ("states", "blocks", "heads", "neurons", "lanes", "weights", "not 0", "compile, ms", "proof, ms")
    said = ", ".join(f"{count} {what}" for what, count in results.items())
    table = Table("", *names, right=range(1, len(names) + 1), title=f"{COUNT} random expressions: {said}")
    columns = np.array([(n, *row) for n, row in zip(states, rows, strict=True)])
    for share, name in SHARES:
        table.add(name, *(f"{number:,.0f}" for number in np.percentile(columns, share, axis=0, method="higher")))
    table.notes.append(f"a refusal takes {np.median(refusals):.1f} ms in the median, {max(refusals):.0f} at most")
    return table
