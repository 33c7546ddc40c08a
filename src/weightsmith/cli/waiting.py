"""What takes longer than a second says so: a line on stderr, and another one now and then."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from weightsmith.cli.output import say_aside

QUIET_SECONDS = 1.0  # what takes less says nothing
LINE_SECONDS = 10.0  # between lines


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Say what is being done, for as long as it is done, if that is long."""
    begin, ended = time.monotonic(), threading.Event()

    def tell() -> None:
        pause = QUIET_SECONDS
        while not ended.wait(pause):
            seconds = time.monotonic() - begin
            say_aside(f"{what} …{'' if pause == QUIET_SECONDS else f' {seconds:.0f} s'}")
            pause = LINE_SECONDS

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        ended.set()
        teller.join()
