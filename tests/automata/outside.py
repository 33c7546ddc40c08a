"""What a call takes, measured from outside: in a process of its own, by the system."""

import os
import time
import warnings
from collections.abc import Callable
from typing import NamedTuple


class Taken(NamedTuple):
    """What a process took, and what it said at its end."""

    seconds: float
    bytes: int  # of memory, at most, more than a process takes that does nothing
    said: str


def outside(call: Callable[[], str]) -> Taken:
    """Call a function in a copy of this process, and measure that."""
    nothing = _peak(lambda: "")
    begin = time.monotonic()
    peak = _peak(call)
    return Taken(time.monotonic() - begin, peak[0] - nothing[0], peak[1])


def _peak(call: Callable[[], str]) -> tuple[int, str]:
    reading, writing = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of other threads: none of them holds a lock of ours
        process = os.fork()
    if process == 0:
        said = "it crashed"
        try:
            said = call()
        except BaseException as error:
            said = f"{type(error).__name__}: {error}"
        finally:
            os.write(writing, said.encode()[:4000])
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as pipe:
        said = pipe.read().decode(errors="replace")
    _, status, usage = os.wait4(process, 0)
    return usage.ru_maxrss * 1024, said or f"it ended with {status}"
