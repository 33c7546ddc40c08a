"""Saying on the log, before machine code is compiled, how long that takes."""

import logging
from collections.abc import Mapping
from contextlib import AbstractContextManager
from typing import Any

from numba.core import event

log = logging.getLogger("weightsmith.kernels")


def announced(purpose: str, seconds: Mapping[str, float]) -> AbstractContextManager[Any]:
    """Return a context in which loops become ready, in an order: the first that must be compiled is told of.

    `seconds` says how long compiling each of them takes on an ordinary machine.
    """
    listening: AbstractContextManager[Any] = event.install_listener("numba:compile", _Announcer(purpose, seconds))
    return listening


class _Announcer(event.Listener):
    """Logs, when the first loop turns out not to be in the cache, how long all that are still missing will take."""

    def __init__(self, purpose: str, seconds: Mapping[str, float]) -> None:
        self.purpose, self.seconds, self.said = purpose, seconds, False

    def on_start(self, event: Any) -> None:
        """Compiling has begun, of a loop or of a function that it calls."""
        name = event.data["dispatcher"].py_func.__name__
        if not self.said and name in self.seconds:
            self.said = True
            rest = list(self.seconds)[list(self.seconds).index(name) :]
            seconds = sum(self.seconds[each] for each in rest)
            log.info("compiling for %s, once (about %d s)", self.purpose, max(round(seconds), 1))

    def on_end(self, event: Any) -> None:
        """Compiling has ended."""
