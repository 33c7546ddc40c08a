"""Budgets of compiling: seconds, and memory that is counted before it is used.

The budget in force is that of the innermost `with Budget(…):`, in each thread its own; without one nothing is limited.
It is looked up where something grows (`check`, `room`, `hold`) instead of being handed down through every function.
"""

import time
from collections.abc import Callable
from contextvars import ContextVar, Token
from dataclasses import dataclass, field
from math import inf
from types import TracebackType

from weightsmith.errors import InputError, brief, whole_number
from weightsmith.programs.places import Place, refusal

DEFAULT_MEMORY = 2 << 30
NUMBER = 8  # bytes
VALUE = 20  # numbers' worth of memory that a value takes: a fraction, its two whole numbers, its places in lists


class OverBudgetError(InputError):
    """Compiling exceeds its seconds or memory; the error names the step, the amount and the purpose."""


@dataclass(eq=False)
class Budget:
    """Seconds and bytes; `at` says which step of a program is being compiled, and where it stands."""

    seconds: float = inf
    memory: float = inf
    clock: Callable[[], float] = time.monotonic
    held: int = field(default=0, init=False)  # numbers that are kept
    most: int = field(default=0, init=False)  # numbers that were kept or asked for at once
    _step: str = field(default="", init=False)
    _place: Place | None = field(default=None, init=False)
    _end: float = field(default=inf, init=False)
    _tokens: list[Token["Budget"]] = field(default_factory=list, init=False, repr=False)

    def __enter__(self) -> "Budget":
        """Put it in force, and start the clock."""
        self._end = self.clock() + self.seconds
        self._tokens.append(_IN_FORCE.set(self))
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _: TracebackType | None) -> None:
        """Put back the one before."""
        _IN_FORCE.reset(self._tokens.pop())

    def at(self, step: str, place: Place | None) -> None:
        """Set the step that is being compiled."""
        self._step, self._place = step, place
        self.check()

    def check(self) -> None:
        """Stop when the time is over."""
        if self.clock() >= self._end:
            more = f"{2 * self.seconds:g}"
            raise self._refusal(
                f"compiling has taken {self.seconds:g} seconds, and this step is not done: write seconds={more} "
                f"or more (--seconds {more}), a smaller max_length, or simpler steps"
            )

    def room(self, numbers: int, what: str) -> None:
        """Stop before numbers are made that the memory cannot hold."""
        self.check()
        self.most = max(self.most, self.held + numbers)
        needed = NUMBER * (self.held + numbers)
        if needed > self.memory:
            raise self._refusal(
                f"{what} would take {numbers:,} numbers, besides {self.held:,} that are kept; they take more than "
                f"memory={self.memory:,} bytes: write memory={needed:_} or more (--memory {_gigabytes(needed):g}), a "
                "smaller max_length, or simpler steps"
            )

    def hold(self, numbers: int, what: str) -> None:
        """Stop as `room` does, and count the numbers as kept."""
        self.room(numbers, what)
        self.held += numbers

    def _refusal(self, what: str) -> OverBudgetError:
        text = str(refusal(self._place, f"{self._step}: {what}" if self._step else what))
        return OverBudgetError(text)


def _gigabytes(size: int) -> float:
    """Return a number of bytes in GiB, rounded up to the next hundredth."""
    return -(-size * 100 >> 30) / 100


_UNLIMITED = Budget()
_IN_FORCE: ContextVar[Budget] = ContextVar("budget")


def in_force() -> Budget:
    """Return the budget in force."""
    return _IN_FORCE.get(_UNLIMITED)


def allowed(seconds: float | None, memory: int) -> Budget:
    """Return a budget, or refuse its seconds and memory."""
    if seconds is not None and (type(seconds) not in (int, float) or not seconds > 0):
        raise InputError(f"seconds={brief(seconds)}: write how long compiling may take, such as 60, or None")
    memory = whole_number(memory, "memory", 1 << 20, meaning="a number of bytes, a million or more")
    return Budget(inf if seconds is None else float(seconds), memory)
