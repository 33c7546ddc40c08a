"""What an extraction may take, and how it says where it stopped."""

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from weightsmith.automata.extraction.compiled import compiled
from weightsmith.errors import InputError, UnknownError, brief, whole_number

DEFAULT_SECONDS, DEFAULT_STATES, DEFAULT_MEMORY = 60.0, 2_000_000, 1 << 30
STATES_PER_SECOND = 800_000  # that are made, paired and merged, at least
STATE_BYTES = 200  # that a state takes while machines are paired and made small: rows, tables, slots, classes


@dataclass
class Budget:
    """Seconds, states of a single machine, and bytes; and the place at which an extraction works just now."""

    seconds: float = DEFAULT_SECONDS
    states: int = DEFAULT_STATES
    memory: int = DEFAULT_MEMORY
    clock: Callable[[], float] = time.monotonic
    place: str = field(default="", init=False)  # "block 1, head 0, class of queries 3 of 7"
    largest: int = field(default=0, init=False)  # states of the largest machine so far
    _end: float | None = field(default=None, init=False, repr=False)

    def __post_init__(self) -> None:
        """Refuse what is no budget."""
        if type(self.seconds) not in (int, float) or not self.seconds > 0:
            raise InputError(f"seconds={brief(self.seconds)}: write how long it may take, such as 60")
        whole_number(self.states, "states", 1, meaning="how many states a machine may have")
        whole_number(self.memory, "memory", 1 << 20, meaning="a number of bytes, a million or more")

    def rest(self, states: int) -> "Budget":
        """Return what is left of the time, for machines of no more than so many states."""
        return Budget(self._left(), min(states, self.states), self.memory, self.clock)

    @property
    def limit(self) -> int:
        """How many states the next machine may have: no more than can be made in the time that is left."""
        in_time = int(self._left() * STATES_PER_SECOND) + 1
        return min(self.states, self.memory // STATE_BYTES, in_time, (1 << 31) - 1)

    def check(self) -> None:
        """Stop when the time is over."""
        self._left()

    def start(self) -> None:
        """Start the clock, unless it runs; before, the loops are compiled, which takes nothing of the budget."""
        if self._end is None:
            compiled()
            self._end = self.clock() + self.seconds

    def _left(self) -> float:
        self.start()
        assert self._end is not None
        left = self._end - self.clock()
        if left <= 0:
            raise UnknownError(self._text(f"{self.seconds:g} seconds were not enough"))
        return left

    def room(self, numbers: int, what: str) -> None:
        """Stop before so many numbers are held."""
        self.check()
        if 8 * numbers > self.memory:
            raise UnknownError(self._text(f"{what} would take more than {self.memory:,} bytes"))

    def count(self, states: int) -> None:
        """Take note of a machine; one without states did not fit."""
        self.largest = max(self.largest, states)
        if states == 0:
            limit = self.limit
            if limit < min(self.states, self.memory // STATE_BYTES):
                raise UnknownError(self._text(f"a machine of more than {limit:,} states takes longer than is left"))
            raise UnknownError(self._text(f"a machine has more than {limit:,} states"))

    def stop(self, why: str) -> "UnknownError":
        """Return the error that says why it goes no further."""
        return UnknownError(self._text(why))

    def _text(self, why: str) -> str:
        return f"{self.place or 'the embedding'}: {why}; the largest machine so far has {self.largest:,} states"
