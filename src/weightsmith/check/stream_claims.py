"""Claims about vectors inside the stream: at a site and a position, of one transformer or of two."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata import Input, Inputs, Truths, called, source_of
from weightsmith.automata.extraction import Budget
from weightsmith.automata.extraction.exploring import Ints, distinct_rows
from weightsmith.automata.extraction.moore import Moore
from weightsmith.automata.extraction.search import as_few, first_difference
from weightsmith.check.claim import HAS_FUNCTION, Claim, Failure, Quantity, Values, Watched
from weightsmith.check.condition_text import Given, condition
from weightsmith.check.conditions import Condition, LaneAt, holds_of, number_text, read_condition
from weightsmith.check.divergence import Divergence, first_divergence
from weightsmith.check.entries import damaged_entry, function_text, short_text
from weightsmith.check.frame import Frame
from weightsmith.check.models import check_same_vocabulary, refuse_chains
from weightsmith.check.places import ALL, LAST, Place, place_in, until
from weightsmith.errors import InputError, brief, listed, shown
from weightsmith.model import Transformer
from weightsmith.model.checks import lane_index

Function = Callable[[Array], Truths]
FAILS, HOLDS = 1, 2  # labels of machines that say whether a condition holds
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


@dataclass(frozen=True, eq=False)
class _Stream(Claim):
    """A claim about vectors at places of the stream; `reads` lists the places, each with its model and lanes."""

    in_form = False

    @property
    def reads(self) -> "tuple[Read, ...]":
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

    def name(self, read: "Read", q: int) -> str:
        """Return the name of a place, for a verdict."""
        place = read.place if read.place.position != ALL else Place(read.place.stage, q)
        return str(place)

    def values_text(self, read: "Read", vector: Array) -> str:
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
class Vectors(_Stream):
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


@dataclass(frozen=True, eq=False)
class SameLanes(_Stream):
    """Lanes of two transformers hold the same values, bit for bit, each at a place of its stream."""

    kind = "same_lanes"
    about = 2
    by_automata: ClassVar[bool] = True
    S: Transformer
    T: Transformer
    pairs: tuple[tuple[str, str], ...]
    places: tuple[Place, Place]

    @classmethod
    def of(cls, S: Transformer, T: Transformer, lanes: object, at: object, frame: Frame) -> Self:
        """Return the claim; read and check its lanes and its places."""
        refuse_chains("same_lanes", S, T)
        check_same_vocabulary(S, T, frame)
        return cls(S, T, _pairs(S, T, lanes), _places(S, T, at), frame=frame)

    @property
    def models(self) -> tuple[Transformer, ...]:
        """Both transformers."""
        return self.S, self.T

    @cached_property
    def reads(self) -> tuple[Read, ...]:
        """The lanes of both, in the order of the pairs."""
        sides = zip(self.models, self.places, strict=True)
        return tuple(
            Read(i, place, tuple(lane_index(T, pair[i]) for pair in self.pairs)) for i, (T, place) in enumerate(sides)
        )

    def holds_at(self, values: Sequence[Values], q: int) -> Truths:
        """Compare the lanes."""
        vectors = [self.at(values, read.model, read.place, q) for read in self.reads]
        if any(found is None for found in vectors):
            return np.ones(len(values[0]), np.bool_)
        both = zip(vectors, self.reads, strict=True)
        first, second = (found[:, list(read.lanes)] for found, read in both if found is not None)
        return np.asarray((first == second).all(axis=1), np.bool_)

    def holds_of_codes(self, first: Array, second: Array) -> Truths:
        """Compare values."""
        return np.asarray((first == second).all(axis=1), np.bool_)

    def name(self, read: Read, q: int) -> str:
        """Return the name of a place and its model."""
        return f"the {'second' if read.model else 'first'}, {super().name(read, q)}"

    def divergence(self, tokens: Input) -> Divergence | None:
        """Return where the whole streams part, up to the places."""
        first, second = (self.run(self.runs[self.stages.index(read.at)], tokens) for read in self.reads)
        return first_divergence(first, second)

    def described(self) -> dict[str, Any]:
        """Return the lanes and the places."""
        return {"lanes": [list(pair) for pair in self.pairs], "at": [place.to_json() for place in self.places]}

    @classmethod
    def read(cls, data: Mapping[str, Any], models: Sequence[Transformer], frame: Frame) -> Self:
        """Read the lanes and the places."""
        S, T = models
        pairs = [tuple(pair) for pair in data["lanes"]]
        return cls.of(S, T, pairs, tuple(tuple(place) for place in data["at"]), frame)

    @classmethod
    def cited(cls, entries: Mapping[str, Any]) -> str:
        """Name the lanes and the places."""
        pairs, at = entries.get("lanes"), entries.get("at")
        if not isinstance(pairs, list) or not all(_is_pair(pair) for pair in pairs):
            raise damaged_entry("lanes", pairs)
        if not isinstance(at, list) or len(at) != 2:
            raise damaged_entry("at", at)
        text = short_text(", ".join(shown(a) if a == b else f"{shown(a)} and {shown(b)}" for a, b in pairs))
        return f"same lanes, {text}, at {place_text(at[0])} and at {place_text(at[1])}"

    def __str__(self) -> str:
        """Return the places and the frame."""
        first, second = self.places
        where = str(first) if first == second else f"{first} and {second}"
        return f"same lanes at {where}{self.frame}{self._least()}"


def place_text(at: object) -> str:
    """Return the place of a certificate, which is untrusted."""
    if not isinstance(at, list) or len(at) != 2 or not isinstance(at[0], str) or len(at[0]) > 100:
        raise damaged_entry("at", at)
    if not (type(at[1]) is int or at[1] == ALL):
        raise damaged_entry("at", at)
    return f"{shown(at[0])}, position {at[1]}" if at[1] != ALL else f"{shown(at[0])}, every position"


def _is_pair(pair: object) -> bool:
    return isinstance(pair, list) and len(pair) == 2 and all(isinstance(lane, str) for lane in pair)


def _pairs(S: Transformer, T: Transformer, lanes: object) -> tuple[tuple[str, str], ...]:
    """Return pairs of lanes: those of a mapping, of pairs or of names, or (None) all common lanes."""
    if lanes is None:
        common = [lane for lane in S.lanes if lane in T.lanes]
        if not common:
            raise InputError(f"there is no common lane: write pairs, such as {{{S.lanes[0]!r}: {T.lanes[0]!r}}}")
        return tuple((lane, lane) for lane in common)
    wrong = f"lanes={brief(lanes)}: write lanes of the first and the second, such as {{'x0': 'x0'}}"
    if isinstance(lanes, Mapping):
        found = list(lanes.items())
    elif isinstance(lanes, list | tuple):
        found = [(lane, lane) if isinstance(lane, str) else lane for lane in lanes]
    else:
        raise InputError(wrong)
    if not found or not all(isinstance(pair, tuple) and len(pair) == 2 for pair in found):
        raise InputError(wrong)
    for first, second in found:
        for model, lane in ((S, first), (T, second)):
            if not isinstance(lane, str):
                raise InputError(f"{brief(lane)} is no lane: write one of {listed(model.lanes)}")
            lane_index(model, lane)
    return tuple(found)


def _places(S: Transformer, T: Transformer, at: object) -> tuple[Place, Place]:
    """Return the places of two models: `at` is one for both, or a pair of them."""
    pair = isinstance(at, tuple | list) and len(at) == 2 and not isinstance(at[1], int | np.integer) and at[1] != ALL
    both: tuple[Any, Any] = tuple(cast(Any, at)) if pair else (at, at)
    places = place_in(S, both[0]), place_in(T, both[1])
    if (places[0].position == ALL) != (places[1].position == ALL):
        raise InputError(f"at={brief(at)}: every position of one is compared with every position of the other")
    return places
