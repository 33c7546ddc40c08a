"""What an extraction may take, and how it says where it stopped.

Bytes are counted where arrays grow with the number of states, letters, keys or terms: those that are held
(`Budget.holding`), and before each step those that it will take beside them. Python, NumPy and the loops themselves
come on top; they do not grow.
"""

import time
import weakref
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy.typing as npt

from weightsmith.automata.extraction.compiled import compiled
from weightsmith.automata.extraction.limits import Limits, current
from weightsmith.errors import InputError, UnknownError, brief, whole_field

DEFAULT_SECONDS, DEFAULT_STATES, DEFAULT_MEMORY = 60.0, 2_000_000, 1 << 30
MOST_STATES = 1 << 30  # that a number of 4 bytes can count, with room for those of one more step


@dataclass
class Budget:
    """Seconds, states of a single machine, and bytes; and the place at which an extraction works just now."""

    seconds: float = DEFAULT_SECONDS
    states: int = DEFAULT_STATES
    memory: int = DEFAULT_MEMORY
    clock: Callable[[], float] = time.monotonic
    limits: Limits = field(default_factory=current)
    place: str = field(default="", init=False)  # "block 1, head 0, class of queries 3 of 7"
    largest: int = field(default=0, init=False)  # states of the largest machine so far
    _held: list[int] = field(default_factory=lambda: [0], init=False, repr=False)  # bytes
    _end: float | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what is no budget."""
        if type(self.seconds) not in (int, float) or not self.seconds > 0:
            raise InputError(f"seconds={brief(self.seconds)}: write how long it may take, such as 60")
        whole_field(self, "states", 1, meaning="how many states a machine may have")
        whole_field(self, "memory", 1 << 20, meaning="a number of bytes, a million or more")

    def rest(self, states: int) -> "Budget":
        """Return what is left of the time and the bytes, for machines of no more than so many states."""
        some = Budget(self.left(), min(states, self.states), self.memory, self.clock, self.limits)
        some._held = self._held
        return some

    def check(self) -> None:
        """Stop when the time is over."""
        self.left()

    def start(self) -> None:
        """Start the clock, unless it runs; before, the loops are compiled, which takes nothing of the budget."""
        if self._end is None:
            compiled()
            self._end = self.clock() + self.seconds

    def left(self) -> float:
        """Return how many seconds are left; stop where none are."""
        self.start()
        assert self._end is not None
        left = self._end - self.clock()
        if left <= 0:
            raise self.stop(f"{self.seconds:g} seconds were not enough")
        return left

    @property
    def held(self) -> int:
        """How many bytes the arrays have that are held."""
        return self._held[0]

    def holding(self, *arrays: npt.NDArray[Any]) -> None:
        """Count the bytes of arrays, for as long as they are there."""
        for array in arrays:
            self._held[0] += array.nbytes
            weakref.finalize(array, _released, self._held, array.nbytes).atexit = False

    def room(self, size: int, what: str) -> None:
        """Stop before so many bytes more are taken."""
        self.check()
        if size + self.held > self.memory:
            raise self.stop(f"{what} would take more than {self.memory:,} bytes")

    def states_of(self, size: int) -> int:
        """Return how many states the next machine may have, if each takes so many bytes until it is small."""
        self.check()
        return max(0, min(self.states, (self.memory - self.held) // size, MOST_STATES))

    def too_many(self, limit: int, size: int) -> "UnknownError":
        """Return the error that says that a machine has more states than it may have, of so many bytes each."""
        if limit >= min(self.states, MOST_STATES):
            return self.stop(f"a machine has more than {limit:,} states")
        return self.stop(
            f"a machine of more than {limit:,} states of {size:,} bytes takes more than {self.memory:,} bytes"
        )

    def stop(self, why: str) -> "UnknownError":
        """Return the error that says why it goes no further."""
        place = self.place or "the embedding"
        return UnknownError(f"{place}: {why}; the largest machine so far has {self.largest:,} states")


def _released(held: list[int], size: int) -> None:
    held[0] -= size
