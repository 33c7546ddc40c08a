"""The claim that a condition holds for the vector at a site and a position of the stream."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Self

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata import Truths, called, source_of
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.exploring import Ints
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import first_difference
from weightsmith.check.claim import HAS_FUNCTION, Failure, Values, Watched
from weightsmith.check.condition_text import Given, condition
from weightsmith.check.conditions import Condition, LaneAt, holds_of, read_condition
from weightsmith.check.entries import damaged_entry, function_text, short_text
from weightsmith.check.frame import Frame
from weightsmith.check.models import refuse_chains
from weightsmith.check.places import ALL, Place, place_in
from weightsmith.check.stream_claim import Read, StreamClaim, place_text
from weightsmith.errors import InputError, shown
from weightsmith.model import Transformer
from weightsmith.model.checks import lane_index

Function = Callable[[Array], Truths]
FAILS, HOLDS = 1, 2  # labels of machines that say whether a condition holds


@dataclass(frozen=True, eq=False)
class Vectors(StreamClaim):
    """A condition holds for the vector at a place of the stream."""

    kind = "vectors"
    about = 1
    T: Transformer
    condition: Condition | Function
    place: Place

    @classmethod
    def of(cls, T: Transformer, given: Given | Function, at: object, frame: Frame) -> Self:
        """Return the claim; read and check its condition and its place."""
        refuse_chains("vectors", T)
        if not isinstance(given, str | Condition | Mapping) and callable(given):
            return cls(T, given, place_in(T, at), frame=frame)
        return cls(T, condition(given).about(T), place_in(T, at), frame=frame)

    @property
    def models(self) -> tuple[Transformer, ...]:
        """The transformer."""
        return (self.T,)

    @property
    def by_automata(self) -> bool:  # type: ignore[override]
        """Whether its condition consists of data."""
        return isinstance(self.condition, Condition)

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """The place of the claim, and those that the condition names."""
        if not isinstance(self.condition, Condition):
            return (Read(0, self.place, tuple(range(len(self.T.lanes)))),)
        found: dict[Place, set[int]] = {self.place: set()}
        for lane in self.condition.lanes:
            found.setdefault(lane.place(self.place), set()).add(lane_index(self.T, lane.lane))
        places = {place: lanes for place, lanes in found.items() if lanes}
        return tuple(Read(0, place, tuple(sorted(lanes))) for place, lanes in (places or found).items())

    def holds_at(self, values: Sequence[Values], q: int) -> Truths:
        """Evaluate the condition."""
        inputs = len(values[0])
        if not isinstance(self.condition, Condition):
            vectors = self.at(values, 0, self.place, q)
            return np.ones(inputs, np.bool_) if vectors is None else self._called(vectors)
        if any(self.at(values, 0, read.place, q) is None for read in self.reads):
            return np.ones(inputs, np.bool_)

        def lane(read: LaneAt) -> Array:
            vectors = self.at(values, 0, read.place(self.place), q)
            assert vectors is not None
            return vectors[:, lane_index(self.T, read.lane)]

        return holds_of(self.condition, lane, self.T.arithmetic, inputs)

    def _called(self, vectors: Array) -> Truths:
        """Call the condition once, with all vectors."""
        assert not isinstance(self.condition, Condition)
        function = self.condition
        holds = called(lambda given: np.asarray(function(given)), "the condition", vectors)
        if holds.dtype != np.bool_ or holds.shape != vectors.shape[:1]:
            raise InputError(
                f"the condition gives {holds.dtype} values of shape {holds.shape} for vectors of shape "
                f"{vectors.shape}: it must give one bool for each input, such as (vectors[:, 0] == 1)"
            )
        return np.asarray(holds, np.bool_)

    @property
    def no_automaton(self) -> str | None:
        """Return why automata cannot decide it."""
        if not isinstance(self.condition, Condition):
            return (
                "a Python function is no condition for all lengths: write a text such as 'x0 == 1', "
                "or say up to which length, as in up_to=10"
            )
        return super().no_automaton

    @property
    def watched(self) -> tuple[Watched, ...]:
        """Of one place, whether the condition holds; of two, the values."""
        if len(self.reads) > 1:
            return super().watched
        return (self._watched(0, self._truths, self._truths),)

    def _truths(self, vectors: Array) -> Ints:
        values = [vectors if self.quantity == "vectors" else vectors[:, np.newaxis]]
        only = Place(self.reads[0].place.stage, ALL)
        alone = Vectors(self.T, self.condition, only) if self.quantity == "streams" else self
        return alone.holds_at(values, 0).astype(np.int32)

    def first_failure(self, machines: Sequence[list[Moore]], within: Moore | None, budget: Budget) -> Failure:
        """Find where the condition does not hold."""
        if len(self.reads) > 1:
            return super().first_failure(machines, within, budget)
        everything = Moore(np.zeros((1, len(self.vocabulary)), np.int32), np.ones(1, np.int32))
        ids = first_difference(machines[0], [everything], lambda a, b: a == FAILS, within, budget)
        return Failure(ids, [None])

    def holds_of_codes(self, first: Array, second: Array) -> Truths:
        """Evaluate the condition for values at two places."""
        assert isinstance(self.condition, Condition)
        columns = {
            (read.place, lane): codes[:, j]
            for read, codes in zip(self.reads, (first, second), strict=True)
            for j, lane in enumerate(read.lanes)
        }
        return holds_of(
            self.condition,
            lambda read: columns[read.place(self.place), lane_index(self.T, read.lane)],
            self.T.arithmetic,
            len(first),
        )

    def proof_entries(self) -> dict[str, Any]:
        """Return the values that labels stand for; of one place, labels say whether the condition holds."""
        return super().proof_entries() if len(self.reads) > 1 else {}

    # Certificates

    def described(self) -> dict[str, Any]:
        """Return the condition and the place."""
        if isinstance(self.condition, Condition):
            return {"condition": self.condition.to_json(), "at": self.place.to_json()}
        return {"function": source_of(self.condition), "at": self.place.to_json()}

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Transformer], frame: Frame) -> Self:
        """Read the condition and the place."""
        (T,) = models
        refuse_chains("vectors", T)
        given = data["function"] if cls.had_function(data) else read_condition(data["condition"], T)
        return cls(T, given, place_in(T, data["at"]), frame=frame)

    @classmethod
    def had_function(cls, data: Mapping[str, Any]) -> bool:
        """Return whether the condition is a Python function."""
        return "function" in data

    @property
    def code(self) -> frozenset[str]:
        """The condition, if it is a function."""
        return frozenset() if isinstance(self.condition, Condition) else frozenset(["function"])

    @property
    def not_data(self) -> str | None:
        """The reason why it cannot be sent to another machine."""
        return super().not_data if isinstance(self.condition, Condition) else HAS_FUNCTION

    @classmethod
    def cited(cls, entries: Mapping[str, Any]) -> str:
        """Name the condition and the place."""
        where = place_text(entries.get("at"))
        if cls.had_function(entries):
            return f"vectors at {where} satisfy {function_text('function', entries.get('function'))}"
        data = entries.get("condition")
        try:
            text = str(read_condition(data, None))
        except (TypeError, ValueError, LookupError, RecursionError, AttributeError):
            raise damaged_entry("condition", data) from None
        return f"vectors at {where} satisfy {short_text(shown(text), text)}"

    def __str__(self) -> str:
        """Return the condition, the place and the frame."""
        what = short_text(str(self.condition)) if isinstance(self.condition, Condition) else "a function"
        return f"vectors at {self.place} satisfy {what}{self.frame}{self._least()}"
