"""Budgets hold: memory as the system measures it, and time in looks at the clock between two of which little is done.

How long that is on a clock: `python -m benchmarks budgets`.
"""

import os
import signal
import subprocess
import sys
import time
import tracemalloc
from dataclasses import replace
from functools import partial
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import weightsmith as ws
from tests.automata.outside import outside
from tests.automata.unbounded import unbounded
from weightsmith.automata.extraction import Budget, UnknownError, exploring, extract
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.moore import Moore, pair, smallest

LINUX = pytest.mark.skipif(sys.platform != "linux", reason="the system says how much memory a process took")
MANY_STATES = 10**9
BATCH = 20
ENDS = ("UnknownError", "ModelError", "closed")  # a norm of 0, an empty softmax


def windowed(arithmetic: str = "fixed(4,4)", tokens: int = 2) -> ws.Transformer:
    """Return a model of one block, two lanes and one head, whose keys matter for about 4,000 positions."""
    numbers, A = np.random.default_rng(2), ws.parse_arithmetic(arithmetic)

    def draw(*shape: int) -> Any:
        return A.round(numbers.normal(size=shape))

    head = ws.Head(draw(1, 2), draw(1, 2), draw(1, 2), draw(2, 1), ws.LeftmostHard())
    return ws.Transformer(
        arithmetic=A,
        vocabulary=tuple(f"t{i}" for i in range(tokens)),
        lanes=("x", "y"),
        embedding=draw(tokens, 2),
        positions=ws.Alibi(),
        blocks=(ws.Block(ws.Attention((head,))),),
        output=draw(2, 2),
    )


def said_of(T: ws.Transformer, memory: int, seconds: float) -> str:
    try:
        return f"closed with {len(ws.automaton(T, seconds=seconds, memory=memory, states=MANY_STATES).table)} states"
    except (UnknownError, ws.ModelError) as error:
        return f"{type(error).__name__}: {error}"


def assert_in_memory(T: ws.Transformer, memory: int, seconds: float = 2.0) -> str:
    compiled()
    taken = outside(lambda: said_of(T, memory, seconds))
    assert taken.said.startswith(ENDS), taken
    assert taken.bytes <= 1.5 * memory, taken
    return taken.said


@LINUX
@pytest.mark.parametrize("tokens", [2, 26, 64])
def test_windows_of_thousands_of_positions_stay_within_the_memory(tokens: int) -> None:
    assert "more than 67,108,864 bytes" in assert_in_memory(windowed(tokens=tokens), 64 << 20, seconds=60)


@LINUX
@pytest.mark.parametrize(("tokens", "sizes"), [(2, (773, 787)), (64, (263, 269))])
def test_the_states_that_may_be_made_take_what_is_counted_for_them(tokens: int, sizes: tuple[int, int]) -> None:
    """As many pairs as fit are found and merged, in the memory that is counted for them; in half of it they are not."""
    A, B, states = counting(sizes[0], 0, tokens), counting(sizes[1], 1, tokens), 1 + sizes[0] * sizes[1]
    memory = states * exploring.state_bytes(2, tokens) + A.table.nbytes + B.table.nbytes
    compiled()
    fits = outside(lambda: paired(A, B, memory))
    assert fits.said == f"{states} pairs"
    assert fits.bytes <= 1.5 * memory, fits
    tracemalloc.start()  # a copy of this process may have memory to spare; what is allocated anew is the same in all
    try:
        paired(A, B, memory)
        assert 0.4 * memory <= tracemalloc.get_traced_memory()[1]  # arrays of the compiled loops come on top, untraced
    finally:
        tracemalloc.stop()
    assert "takes more than" in paired(A, B, memory // 2)


def counting(size: int, step: int, tokens: int) -> Moore:
    """Return a machine that counts tokens, or all but the first; with another size, all pairs can be reached."""
    state = np.arange(size)
    table = np.stack([(state + (step if token == 0 else 1)) % size for token in range(tokens)], axis=1)
    return Moore(np.concatenate([table[:1] + 1, table + 1]).astype(np.int32), np.append(0, 1 + state).astype(np.int32))


def paired(A: Moore, B: Moore, memory: int) -> str:
    budget = Budget(600, MANY_STATES, memory)
    budget.holding(A.table, B.table)
    try:
        return f"{pair(A, B, lambda a, b: a * 1000 + b, budget).states} pairs"
    except UnknownError as error:
        return f"UnknownError: {error}"


@LINUX
@pytest.mark.parametrize(
    "begin", [pytest.param(n, marks=[] if n == 0 else pytest.mark.long) for n in range(0, 220, BATCH)]
)
def test_models_that_do_not_close_stay_within_the_memory(begin: int) -> None:
    few = range(begin, begin + (6 if begin == 0 else BATCH))
    said = [assert_in_memory(unbounded(seed), 64 << 20, 1.0 if begin == 0 else 2.0) for seed in few]
    assert sum(text.startswith("UnknownError") for text in said) >= len(few) // 2


def test_little_is_done_between_two_looks_at_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    """The loops take no more steps than a slice has; then the clock is looked at, and the budget may end."""
    seen, most = list[int](), 5_000

    def watched(name: str) -> Any:
        loop = getattr(compiled(), name)

        def once(*given: Any) -> Any:
            rows, progress, before = given[-5], given[-2], int(given[-2][1])
            loop(*given)
            seen.append((int(progress[1]) - before) * given[0].shape[1] * (1 if name == "paired" else rows.shape[1]))

        return once

    faked = compiled()._replace(**{name: watched(name) for name in ("paired", "folded", "delayed")})
    for place in ("moore", "folds", "walk", "exploring"):
        monkeypatch.setattr(f"weightsmith.automata.extraction.{place}.compiled", lambda: faked)
    limits = Budget().limits
    budget = Budget(2_000, MANY_STATES, clock=partial(next, count(0.0)), limits=replace(limits, slice_steps=most))
    with pytest.raises(UnknownError, match="2000 seconds were not enough"):
        extract(unbounded(9), budget)
    widest = 64 * 30  # steps of one row
    assert most // 2 < max(seen) <= most + widest
    assert 100 < len(seen) <= 2_000


def test_what_is_held_is_counted_and_released() -> None:
    budget = Budget()
    table = np.array([[1, 2], [2, 1], [1, 1]], np.int32)
    machine = smallest(table, np.array([0, 1, 2], np.int32), budget)
    assert budget.held == machine.table.nbytes + machine.labels.nbytes > 0
    renamed = machine.renamed(np.array([0, 2, 1]), budget)
    held = budget.held
    del machine
    assert budget.held < held  # its labels are gone; the table is shared
    del renamed
    assert budget.held == 0


def test_after_an_extraction_only_the_trace_is_held() -> None:
    budget = Budget()
    D = extract(ws.library.first_equals_last(), budget)
    assert budget.held > 0
    del D
    assert budget.held == 0


@pytest.mark.skipif(os.name != "posix", reason="Ctrl-C is another signal there")
def test_control_c_ends_a_search_at_once(tmp_path: Path) -> None:
    ws.save(unbounded(9), tmp_path / "model.safetensors")
    compiled()  # so that this is not what it does meanwhile
    program = (
        "import pathlib, weightsmith.cli, weightsmith.automata.extraction.budget as b\n"
        "whole = b.Budget.check\n"
        "def check(self):\n"
        "    if self.largest > 1000: pathlib.Path('working').touch()\n"
        "    whole(self)\n"
        "b.Budget.check = check\n"
        "weightsmith.cli.main()\n"
    )
    command = [sys.executable, "-c", program, "automaton", "model.safetensors", "--seconds", "600", "--memory", "4"]
    with subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not (tmp_path / "working").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        printed = process.communicate(timeout=60)
    assert (process.returncode, *printed) == (130, "", "")
