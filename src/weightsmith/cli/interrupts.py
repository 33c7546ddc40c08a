"""Ctrl-C during training: the current step ends first, so that a whole checkpoint is saved."""

import signal
from types import FrameType, TracebackType

from weightsmith.cli.output import say_aside

NOTHING = "stopped before a step was done: nothing to save"


class Interrupts:
    """Deferred SIGINT: poll before each step; a second Ctrl-C raises.

    Before the first poll there is nothing to save: one Ctrl-C raises at once, and a message says so.
    """

    def __init__(self) -> None:
        """Begin without an interrupt."""
        self.asked = False
        self.heard = False

    def __call__(self) -> bool:
        """Return whether to stop; False at the first poll."""
        heard = self.heard
        self.asked = True
        return heard

    def __enter__(self) -> "Interrupts":
        """Install the handler, unless SIGINT is ignored, as in the background of a shell."""
        self.before = signal.getsignal(signal.SIGINT)
        if self.before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Restore the handler."""
        signal.signal(signal.SIGINT, self.before or signal.SIG_DFL)
        if isinstance(error, KeyboardInterrupt) and not self.asked:
            say_aside(NOTHING)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.heard or not self.asked:
            raise KeyboardInterrupt
        self.heard = True
