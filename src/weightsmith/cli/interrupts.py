"""Ctrl-C while a model is trained: the step that is under way ends first, so that what is saved is whole."""

import signal
from types import FrameType, TracebackType

from weightsmith.cli.output import say_aside

NOTHING = "stopped before a step was done: nothing to save"


class Interrupts:
    """Ctrl-C as an answer: call it before each step to hear whether there was one.

    From the first question on, the first Ctrl-C makes the answers True, and a second one stops at once. Before that
    there is nothing to save, which is said, and one Ctrl-C stops at once.
    """

    def __init__(self) -> None:
        """Begin without one."""
        self.asked = False
        self.heard = False

    def __call__(self) -> bool:
        """Return whether to stop; the first answer is no, since nothing was heard before."""
        heard = self.heard
        self.asked = True
        return heard

    def __enter__(self) -> "Interrupts":
        """Listen, unless Ctrl-C is ignored, as in the background of a shell."""
        self.before = signal.getsignal(signal.SIGINT)
        if self.before is not signal.SIG_IGN:
            signal.signal(signal.SIGINT, self._hear)
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Let Ctrl-C do what it did."""
        signal.signal(signal.SIGINT, self.before or signal.SIG_DFL)
        if isinstance(error, KeyboardInterrupt) and not self.asked:
            say_aside(NOTHING)

    def _hear(self, number: int, frame: FrameType | None) -> None:
        if self.heard or not self.asked:
            raise KeyboardInterrupt
        self.heard = True
