"""Ctrl-C while machine code runs: it waits until the loop has returned.

Numba makes the results of a loop after it has run, and looks for signals meanwhile: a Ctrl-C that came during the loop
is then lost, becomes a `SystemError`, or leaves a hole in a tuple of arrays.
"""

import functools
import signal
import threading
from collections.abc import Callable
from types import FrameType
from typing import Any


def uninterrupted(loop: Callable[..., Any]) -> Callable[..., Any]:
    """Return the loop; a Ctrl-C that comes while it runs in the main thread is heard when it has returned."""

    @functools.wraps(loop)
    def call(*arguments: Any) -> Any:
        listening = signal.getsignal(signal.SIGINT)
        if not callable(listening) or threading.current_thread() is not threading.main_thread():
            return loop(*arguments)
        heard: list[FrameType | None] = []
        signal.signal(signal.SIGINT, lambda _, frame: heard.append(frame))
        try:
            result = loop(*arguments)
        finally:
            signal.signal(signal.SIGINT, listening)
        if heard:
            listening(signal.SIGINT, heard[0])
        return result

    return call
