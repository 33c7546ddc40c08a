"""Messages during long work: a line on stderr after a second, and then every ten seconds."""

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

from weightsmith.cli.output import say_aside

QUIET_SECONDS = 1.0  # before the first line
LINE_SECONDS = 10.0  # between further lines


@contextmanager
def waiting(what: str) -> Iterator[None]:
    """Print what is being done while it takes longer than a second."""
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
