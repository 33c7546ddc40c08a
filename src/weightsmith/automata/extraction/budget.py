"""The budget of an extraction: seconds, states and bytes.

Bytes are counted for arrays that grow with the number of states, letters, keys or terms: for live arrays
(`Budget.holding`), and before each step for its temporary ones. Python, NumPy and the loops take a constant on top.
"""

import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy.typing as npt

from weightsmith.automata.extraction.compiled import compiled, in_python, is_compiled
from weightsmith.automata.extraction.limits import Limits, current
from weightsmith.errors import InputError, UnknownError, brief, whole_field

DEFAULT_SECONDS, DEFAULT_STATES, DEFAULT_MEMORY = 60.0, 2_000_000, 1 << 30
R = TypeVar("R")
MOST_STATES = 1 << 30  # for int32, with room for the states of one more step


@dataclass
class Budget:
    """Seconds, states of a single machine, and bytes; and the current step of the extraction."""

    seconds: float = DEFAULT_SECONDS
    states: int = DEFAULT_STATES
    memory: int = DEFAULT_MEMORY
    clock: Callable[[], float] = time.monotonic
    limits: Limits = field(default_factory=current)
    step: str = field(default="", init=False)  # "block 1, head 0, class of queries 3 of 7"
    largest: int = field(default=0, init=False)  # states of the largest machine so far
    compiling: float = field(default=0.0, init=False)  # seconds, which are not counted
    _held: list[int] = field(default_factory=lambda: [0], init=False, repr=False)  # bytes
    _end: float | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse impossible values."""
        if type(self.seconds) not in (int, float) or not self.seconds > 0:
            raise InputError(f"seconds={brief(self.seconds)}: write how long it may take, such as 60")
        whole_field(self, "states", 1, meaning="how many states a machine may have")
        whole_field(self, "memory", 1 << 20, meaning="a number of bytes, a million or more")

    def rest(self, states: int) -> "Budget":
        """Return the rest of the time and the bytes, for machines with at most `states` states."""
        some = Budget(self.left(), min(states, self.states), self.memory, self.clock, self.limits)
        some._held = self._held
        return some

    def check(self) -> None:
        """Raise when the time is over."""
        self.left()

    def start(self) -> None:
        """Start the clock, unless it runs."""
        if self._end is None:
            self._end = self.clock() + self.seconds

    def compile(self) -> None:
        """Compile the loops, unless they are used in Python; compiling takes no time of the budget."""
        self.start()
        assert self._end is not None
        before, begin = self.clock(), time.perf_counter()
        compiled()
        self._end += self.clock() - before
        self.compiling += time.perf_counter() - begin

    def search(self, function: "Callable[[Budget], R]") -> R:
        """Return function(budget): by loops in Python if it ends soon, else by machine code.

        Both give the same result. Small work does not wait for a compiler.
        """
        self.start()
        if not is_compiled():
            limits = replace(self.limits, slice_steps=min(self.limits.python_steps, self.limits.slice_steps))
            seconds = min(limits.python_milliseconds / 1000, self.left())
            moment = Budget(seconds, self.states, self.memory, self.clock, limits)
            moment.start()
            try:
                with in_python():
                    return function(moment)
            except UnknownError:  # the moment is over, or an array too large; or memory, which is asked for again
                pass
        self.compile()
        return function(self)

    def left(self) -> float:
        """Return the seconds that are left; raise if none are."""
        self.start()
        assert self._end is not None
        left = self._end - self.clock()
        if left <= 0:
            raise self.stop(f"{self.seconds:g} seconds were not enough")
        return left

    @property
    def held(self) -> int:
        """The bytes of live arrays."""
        return self._held[0]

    def holding(self, *arrays: npt.NDArray[Any]) -> None:
        """Count the bytes of arrays while they live."""
        for array in arrays:
            self._held[0] += array.nbytes
            weakref.finalize(array, _released, self._held, array.nbytes).atexit = False

    def room(self, size: int, what: str) -> None:
        """Raise if `size` more bytes exceed the memory."""
        self.check()
        if size + self.held > self.memory:
            raise self.stop(f"{what} would take more than {self.memory:,} bytes")

    def states_of(self, size: int) -> int:
        """Return how many states the next machine may have, if each takes `size` bytes until it is minimised."""
        self.check()
        return max(0, min(self.states, (self.memory - self.held) // size, MOST_STATES))

    def too_many(self, limit: int, size: int) -> "UnknownError":
        """Return the error for a machine with more than `limit` states of `size` bytes."""
        if limit >= min(self.states, MOST_STATES):
            return self.stop(f"a machine has more than {limit:,} states")
        return self.stop(
            f"a machine of more than {limit:,} states of {size:,} bytes takes more than {self.memory:,} bytes"
        )

    def stop(self, why: str) -> "UnknownError":
        """Return the error that names the step and the reason."""
        step = self.step or "the embedding"
        return UnknownError(f"{step}: {why}; the largest machine so far has {self.largest:,} states")


def _released(held: list[int], size: int) -> None:
    held[0] -= size
