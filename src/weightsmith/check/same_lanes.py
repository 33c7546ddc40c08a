"""The claim that lanes of two transformers hold the same values, each at a place of its stream."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, ClassVar, Self, cast

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.automata import Input, Truths
from weightsmith.check.claim import Values
from weightsmith.check.divergence import Divergence, first_divergence
from weightsmith.check.entries import damaged_entry, short_text
from weightsmith.check.frame import Frame
from weightsmith.check.models import check_same_vocabulary, refuse_chains
from weightsmith.check.places import ALL, Place, place_in
from weightsmith.check.stream_claim import Read, StreamClaim, place_text
from weightsmith.errors import InputError, brief, listed, shown
from weightsmith.model import Transformer
from weightsmith.model.checks import lane_index


@dataclass(frozen=True, eq=False)
class SameLanes(StreamClaim):
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
        check_same_vocabulary(frame.vocabulary(S), frame.vocabulary(T))
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
