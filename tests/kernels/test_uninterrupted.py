"""Ctrl-C in machine code: `raise` of the C library sends it while a loop runs, at the same place every time."""

import ctypes
import signal
import threading
from collections.abc import Iterator
from types import FrameType
from typing import Any

import numba as nb
import numpy as np
import pytest

import weightsmith as ws
from weightsmith.automata.extraction.compiled import compiled
from weightsmith.kernels.packed.machine_code import uninterrupted
from weightsmith.kernels.packed.run import packed_run

send = ctypes.CDLL(None)["raise"]
send.argtypes, send.restype = [ctypes.c_int], ctypes.c_int


@nb.njit
def interrupted(number: int) -> Any:
    if number:
        send(number)
    return np.zeros(1), np.ones(2)


@pytest.fixture(autouse=True)
def listening() -> Iterator[None]:
    """Hear Ctrl-C, also where the tests themselves ignore it."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


def test_ctrl_c_in_a_loop_that_returns_two_arrays_is_an_interrupt_and_nothing_else() -> None:
    loop = uninterrupted(interrupted)
    for _ in range(3):
        with pytest.raises(KeyboardInterrupt):
            loop(int(signal.SIGINT))
        assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
        assert [one.tolist() for one in loop(0)] == [[0], [1, 1]]


def test_whoever_listens_is_told_once_and_after_the_loop() -> None:
    told: list[int] = []

    def hear(number: int, _: FrameType | None) -> None:
        told.append(number)

    signal.signal(signal.SIGINT, hear)
    found = uninterrupted(interrupted)(int(signal.SIGINT))
    assert [one.tolist() for one in found] == [[0], [1, 1]]
    assert told == [signal.SIGINT]
    assert signal.getsignal(signal.SIGINT) is hear


def test_an_error_in_the_loop_leaves_ctrl_c_as_it_was() -> None:
    def broken() -> None:
        assert signal.getsignal(signal.SIGINT) is not signal.default_int_handler
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        uninterrupted(broken)()
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


def test_ctrl_c_that_is_ignored_stays_so_and_other_threads_change_nothing() -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    assert len(uninterrupted(interrupted)(int(signal.SIGINT))) == 2
    signal.signal(signal.SIGINT, signal.default_int_handler)
    found: list[Any] = []
    thread = threading.Thread(target=lambda: found.append(uninterrupted(interrupted)(0)))
    thread.start()
    thread.join()
    assert len(found[0]) == 2


def test_loops_of_kernels_return_nothing_that_could_be_left_half_made() -> None:
    signatures = packed_run(ws.library.contains("1")).loops._signatures
    assert {str(one.return_type) for one in signatures.values()} == {"none", "int64"}


def test_all_loops_of_automata_wait() -> None:
    assert all(loop.__code__ is compiled()[0].__code__ for loop in compiled())
    assert compiled()[0].__code__ is uninterrupted(interrupted).__code__
