"""A claim about vectors inside the stream: where it reads, how it is judged, and how all lengths are decided."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata import Input, Inputs, Truths
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.exploring import Ints, distinct_rows
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import as_few, first_difference
from weightsmith.check.claim import Claim, Failure, Quantity, Values, Watched
from weightsmith.check.conditions import number_text
from weightsmith.check.entries import damaged_entry
from weightsmith.check.places import ALL, LAST, Place, until
from weightsmith.errors import InputError, shown
from weightsmith.model import Transformer

SAME_INPUT = "leave out up_to only for the last position, which is -1"


class Codes:
    """Numbers for the values of some lanes, in the order in which they are met."""

    def __init__(self, lanes: Sequence[int]) -> None:
        """Begin with none; `lanes` are indices."""
        self.lanes, self.known = list(lanes), dict[tuple[float, ...], int]()

    def numbers(self, vectors: Array) -> Ints:
        """Return the number of each vector; new values get the next one."""
        rows, which = distinct_rows(vectors[:, self.lanes])
        known = self.known
        numbers = [known.setdefault(tuple(row), len(known)) for row in rows.tolist()]
        return np.array(numbers, np.int32)[which]

    def outcomes(self, vectors: Array) -> Ints:
        """Number vectors that may never occur: these numbers are not kept."""
        return distinct_rows(vectors[:, self.lanes])[1]

    def to_json(self) -> list[list[float]]:
        """Return the values in order."""
        return [list(code) for code in self.known]


@dataclass(frozen=True)
class Read:
    """The lanes, by index, that a claim reads at a place of one of its models."""

    model: int
    place: Place
    lanes: tuple[int, ...]

    @property
    def at(self) -> tuple[int, int]:
        """The model and the stage."""
        return self.model, self.place.stage


@dataclass(frozen=True, eq=False)
class StreamClaim(Claim):
    """A claim about vectors at places of the stream; `reads` lists the places, each with its model and lanes."""

    in_form = False

    @property
    def reads(self) -> tuple[Read, ...]:
        """The lanes that it reads, by place."""
        raise NotImplementedError

    @cached_property
    def stages(self) -> tuple[tuple[int, int], ...]:
        """The number of a model and a stage, for each run."""
        return tuple(dict.fromkeys((read.model, read.place.stage) for read in self.reads))

    @cached_property
    def runs(self) -> tuple[Transformer, ...]:
        """The models up to each stage: their last vectors are those of the stage."""
        return tuple(until(self.models[number], stage) for number, stage in self.stages)

    @cached_property
    def quantity(self) -> Quantity:  # type: ignore[override]
        """The last vectors of the runs, or those of all positions."""
        return "vectors" if all(read.place.position == LAST for read in self.reads) else "streams"

    def at(self, values: Sequence[Values], model: int, place: Place, q: int) -> Array | None:
        """Return the vectors (inputs, lanes) at a place, which is q where the place is every position."""
        found = values[self.stages.index((model, place.stage))]
        if self.quantity == "vectors":
            return found
        index = q if place.position == ALL else place.index(found.shape[1])
        return None if index is None or index >= found.shape[1] else found[:, index]

    def judge(self, values: Sequence[Values], inputs: Inputs) -> tuple[Truths, list[Values]]:
        """Return for each input whether the claim holds; an input without one of the positions satisfies it."""
        holds = np.ones(len(values[0]), np.bool_)
        for q in self._positions(values):
            holds &= self.holds_at(values, q)
        return holds, [self._evidence(number, found) for number, found in enumerate(values)]

    def _positions(self, values: Sequence[Values]) -> Iterable[int]:
        every = any(read.place.position == ALL for read in self.reads)
        return range(min(found.shape[1] for found in values)) if every else (0,)

    def _evidence(self, number: int, found: Values) -> Values:
        """Return the values of the lanes that are read."""
        lanes = sorted({lane for read in self.reads for lane in read.lanes if read.at == self.stages[number]})
        return np.ascontiguousarray(found[..., lanes]).reshape(len(found), -1)

    def holds_at(self, values: Sequence[Values], q: int) -> Truths:
        """Return for each input whether the claim holds at position q, if it is about every position."""
        raise NotImplementedError

    def sides(self, tokens: Input, evidence: Sequence[Values]) -> dict[str, str]:
        """Return the values at each place."""
        values = [self.run(T, tokens).stream[-1][np.newaxis] for T in self.runs]
        if self.quantity == "vectors":
            values = [found[:, -1] for found in values]
        failing = [q for q in self._positions(values) if not self.holds_at(values, q).all()]
        said = {}
        for read in self.reads:
            vector = self.at(values, read.model, read.place, failing[0] if failing else 0)
            if vector is not None:
                said[self.name(read, failing[0] if failing else 0)] = self.values_text(read, vector[0])
        return said

    def name(self, read: Read, q: int) -> str:
        """Return the name of a place, for a verdict."""
        place = read.place if read.place.position != ALL else Place(read.place.stage, q)
        return str(place)

    def values_text(self, read: Read, vector: Array) -> str:
        """Return the values of the lanes that are read."""
        lanes = self.models[read.model].lanes
        return ", ".join(f"{shown(lanes[i])}={number_text(float(vector[i]))}" for i in read.lanes)

    def _least(self) -> str:
        """Say how long inputs are that have all positions, for the name of the claim."""
        behind = (len(self.frame.after(self.models[read.model])) for read in self.reads)
        least = max(read.place.shortest - more for read, more in zip(self.reads, behind, strict=True))
        return f", inputs of {least} tokens or more" if least > 1 and self.frame.length is None else ""

    def check_places(self, up_to: int | None) -> None:
        """Refuse a claim about no input: where each is too short for one of the positions."""
        longest = min((n for n in (up_to, self.frame.length, self.longest) if n is not None), default=None)
        for read in self.reads:
            behind = len(self.frame.after(self.models[read.model]))
            if longest is not None and read.place.shortest > longest + behind:
                raise InputError(
                    f"no input has the position {read.place.position}: the longest has {longest + behind} positions; "
                    f"write up_to={read.place.shortest - behind}, or another position"
                )

    # All lengths

    @property
    def no_automaton(self) -> str | None:
        """Return why automata cannot decide it."""
        if len(self.reads) > 2:
            return f"{self.kind} compares {len(self.reads)} places: for all lengths, at most two; or write up_to=10"
        for read in self.reads:
            position, behind = read.place.position, len(self.frame.after(self.models[read.model]))
            if self.models[read.model].mask != "causal" and position != -1:
                return (
                    f"position {position} under a full mask depends on the tokens after it: for all lengths, write "
                    "position -1; or say up to which length, as in up_to=10"
                )
            if position == ALL:
                if not self.frame.plain or any(other.place.position != ALL for other in self.reads):
                    return (
                        "every position, of some inputs or beside another position: say up_to=10, or write position -1"
                    )
            elif position >= 0:
                return (
                    f"position {position} counts from the left: {SAME_INPUT}. With a causal mask no later token "
                    f"changes it, so up_to={position + 1} covers it"
                )
            elif -position - 1 > behind:
                return f"position {position} is not the last: {SAME_INPUT}; or say up to which length, as in up_to=10"
        return None

    @cached_property
    def codes(self) -> tuple[Codes, ...]:
        """The values that are met at each place while automata are made."""
        return tuple(Codes(read.lanes) for read in self.reads)

    @property
    def watched(self) -> tuple[Watched, ...]:
        """A machine for each place: it says the values of the lanes after each input."""
        return tuple(self._watched(k, codes.numbers, codes.outcomes) for k, codes in enumerate(self.codes))

    def _watched(self, k: int, numbers: Callable[[Array], Ints], outcomes: Callable[[Array], Ints]) -> Watched:
        read = self.reads[k]
        behind = self.frame.after(self.models[read.model])
        left_out = 0 if read.place.position == ALL else -int(read.place.position) - 1
        model = self.runs[self.stages.index(read.at)]
        return Watched(model, behind[: len(behind) - left_out], numbers, outcomes)

    def first_failure(self, machines: Sequence[list[Moore]], within: Moore | None, budget: Budget) -> Failure:
        """Walk through the machines of two places; the values at both decide."""
        few = [as_few(each, len(codes.known), budget) for each, codes in zip(machines, self.codes, strict=True)]
        known = [np.array([*codes.known]).reshape(len(codes.known), -1) for codes in self.codes]
        ids = first_difference(few[0], few[1], lambda a, b: self._wrong(known, a, b), within, budget)
        return Failure(ids, [each[0] if len(each) == 1 else None for each in few])

    def _wrong(self, known: Sequence[Array], a: Ints, b: Ints) -> Truths:
        """Return where labels of two machines refute the claim; a label 0 says nothing."""
        wrong, spoken = np.zeros(len(a), np.bool_), (a > 0) & (b > 0)
        pairs, which = np.unique(np.stack([a[spoken], b[spoken]]), axis=1, return_inverse=True)
        wrong[spoken] = ~self.holds_of_codes(known[0][pairs[0] - 1], known[1][pairs[1] - 1])[which.reshape(-1)]
        return wrong

    def holds_of_codes(self, first: Array, second: Array) -> Truths:
        """Return whether the claim holds, for values of the lanes at two places."""
        raise NotImplementedError

    def proof_entries(self) -> dict[str, Any]:
        """Return the values that labels stand for."""
        return {"codes": [codes.to_json() for codes in self.codes]}


def place_text(at: object) -> str:
    """Return the place of a certificate, which is untrusted."""
    if not isinstance(at, list) or len(at) != 2 or not isinstance(at[0], str) or len(at[0]) > 100:
        raise damaged_entry("at", at)
    if not (type(at[1]) is int or at[1] == ALL):
        raise damaged_entry("at", at)
    return f"{shown(at[0])}, position {at[1]}" if at[1] != ALL else f"{shown(at[0])}, every position"
