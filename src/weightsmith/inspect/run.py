"""Runs: one input through one transformer, with every intermediate value, and many inputs at once."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, overload

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError
from weightsmith.inspect import trace
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer, lane_index, needs_classes, read_tokens, token_ids
from weightsmith.model.lookup import checked, stage_names
from weightsmith.model.names import place_of
from weightsmith.model.tokens import read_inputs
from weightsmith.operators import meaning
from weightsmith.semantics.evaluation import (
    NOTHING,
    AnswerIds,
    Change,
    Evaluation,
    HeadRun,
    Ids,
    Past,
    numbers_held,
    unchanged,
)
from weightsmith.semantics.evaluation import NUMBERS_AT_ONCE as NUMBERS_AT_ONCE
from weightsmith.semantics.evaluation import Sums as Sums
from weightsmith.tables import Table

CHOOSE = (
    "r.table(lanes=[…], positions=[…]) chooses",
    "r.attention_table(block, head) shows one",
    "r.outputs has all",
)


@dataclass(frozen=True, eq=False, repr=False)
class Run:
    """One input through one transformer, with every intermediate value."""

    transformer: Transformer
    tokens: tuple[str, ...]
    logits: Array  # (classes); with a readout there is none
    stream: Array  # (1 + 2·blocks, positions, lanes): after embedding, after each sublayer
    heads: tuple[tuple[HeadRun, ...], ...]  # [block][head]
    activations: tuple[Array, ...]  # [block]: (positions, neurons)
    swaps: tuple[Any, ...] = ()  # what `inspect` put in on the way
    changed: bool = False  # whether somebody changed values on their way
    sums: Sums | None = None  # as they were asked for

    @property
    def decision(self) -> Any:
        """What it says at the last position: a class, or the value of a readout."""
        T = self.transformer
        if T.readout is None:
            return T.classes[int(np.argmax(self.logits))]  # the first of the largest
        (place,) = read_answers(T, self.stream[-1, -1:], self.sums)
        return self._answer(len(self.tokens) - 1, int(place))

    @cached_property
    def outputs(self) -> tuple[Any, ...]:
        """What it says at each position; the decision is the last of them."""
        return tuple(self._answer(position, place) for position, place in enumerate(self.places.tolist()))

    @cached_property
    def places(self) -> AnswerIds:
        """What it says at each position, as places among the answers; −1 where a code stands for nothing."""
        places = read_answers(self.transformer, self.stream[-1], self.sums)
        if self.transformer.readout is None:
            places[-1] = np.argmax(self.logits)  # the same numbers; in Native perhaps added in another order
        return places

    @cached_property
    def codes(self) -> Array | None:
        """What the lanes of a readout hold at each position, (positions, its lanes); None with classes."""
        T = self.transformer
        return None if T.readout is None else read_codes(T, self.stream[-1], self.sums)

    def _answer(self, position: int, place: int) -> Any:
        """Return what a place among the answers stands for, or say which code stands for nothing."""
        T = self.transformer
        if place < 0 and T.readout is not None and self.codes is not None:
            T.readout.refuse(position, self.codes[position].tolist())
        return T.answers[place]

    @property
    def attention(self) -> tuple[tuple[Array, ...], ...]:
        """The weights: attention[block][head] is (positions, positions)."""
        return tuple(tuple(head.weights for head in block) for block in self.heads)

    @property
    def scores(self) -> tuple[tuple[Array, ...], ...]:
        """The scores: scores[block][head] is (positions, positions), 0 where j is not visible from i."""
        return tuple(tuple(head.scores for head in block) for block in self.heads)

    @property
    def empty_softmax(self) -> int:
        """How many rows of attention had no weight, because every exponential was 0."""
        return sum(int(head.empty.sum()) for block in self.heads for head in block)

    @property
    def stages(self) -> tuple[str, ...]:
        """A name for each stage of the stream."""
        return stage_names(self.transformer)

    @overload
    def at(self, stage: str, position: int, lane: str) -> float: ...
    @overload
    def at(self, stage: str, position: int | None = None, lane: str | None = None) -> Any: ...

    def at(self, stage: str, position: int | None = None, lane: str | None = None) -> Any:
        """Return the stream after a sublayer, at a position and in a lane: r.at("block 0 attention", 3, "found").

        Without a position, or without a lane, the result is an array over all of them. Position −1 is the last one.
        """
        stream: Any = self.stream[place_of(stage, self.stages, "stage")]
        i = slice(None) if position is None else trace.position_of(self, position)
        j = slice(None) if lane is None else lane_index(self.transformer, lane)
        found = stream[i, j]
        return found if isinstance(found, np.ndarray) else float(found)

    def table(
        self,
        lanes: str | Sequence[str] | None = None,
        *,
        stages: str | Sequence[str] | None = None,
        positions: int | Sequence[int] | None = None,
    ) -> Table:
        """Return the stream as a table: after every sublayer, at every position, in every lane, or in those given."""
        return trace.stream_table(self, lanes, stages, positions, CHOOSE[0])

    def attention_table(self, block: int | None = None, head: int | None = None) -> Table:
        """Return the weights and scores of all heads, of a block or of one head as a table."""
        return trace.attention_table(self, block, head)

    def save_html(self, path: str | os.PathLike[str], *, beside: "Run | Transformer | None" = None) -> None:
        """Write a page that shows the run, and another one beside it: one file, which needs no network.

        It carries the model, so whoever opens it can type other inputs.
        """
        meaning("save_html")(self, path, beside=beside)

    def __repr__(self) -> str:
        """Return the input and what was said of it."""
        try:
            said = repr(self.decision)
        except InputError:  # a code that stands for nothing
            said = "?"
        return f"Run(tokens={self.tokens!r}, decision={said}, logits={self.logits!r})"

    def __str__(self) -> str:
        """Return the whole run as text: the stream, what the heads looked at, the decision."""
        return str(trace.whole_page(self, None, None, CHOOSE))

    def _repr_html_(self) -> str:
        """Return the run as HTML, for notebooks: a page that shows it and runs other inputs, or else tables."""
        shown: str = meaning("in_notebook")(self, trace.whole_page(self, None, None, CHOOSE)._repr_html_())
        return shown


def run(T: Transformer, tokens: str | Sequence[str], *, sums: Sums | None = None, change: Change = unchanged) -> Run:
    """Run a transformer on one input.

    In a finite arithmetic every sum is a left fold. In `Native` sums are the machine's, by BLAS: fast, and their last
    bits depend on the machine; with sums="left" they are left folds there too, as in the checker. `change` may replace
    values on their way.

    >>> from weightsmith import library
    >>> run(library.contains("1"), "0010").decision
    'YES'
    """
    read = read_tokens(T, tokens)
    found = evaluate(T, np.array(token_ids(T, read)), sums=sums, change=change)
    stream = np.stack(found.stream).astype(np.float64, copy=False)
    logits, activations = found.logits.astype(np.float64), [layer.astype(np.float64) for layer in found.activations]
    for array in (logits, stream, *activations):
        array.setflags(write=False)
    heads = tuple(tuple(_as_float64(head) for head in block) for block in found.heads)
    return Run(T, read, logits, stream, heads, tuple(activations), (), change is not unchanged, sums)


def _as_float64(head: HeadRun) -> HeadRun:
    """Return float32 values as float64, which changes none of them."""
    if head.mixed.dtype == np.float64:
        return head
    arrays = {name: getattr(head, name).astype(np.float64) for name in ("weights", "keys", "values", "mixed")}
    score, project = partial(_made_float64, head.score), partial(_in_float32, head.project)
    return replace(head, **arrays, score=score, project=project)


def _made_float64(score: Callable[[], Array]) -> Array:
    return score().astype(np.float64)


def _in_float32(project: Callable[[Array], Array], mixed: Array) -> Array:
    return project(mixed.astype(np.float32)).astype(np.float64)


def decisions(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[Any]:
    """Decide many inputs, those of the same length together; each decision is that of `run`."""
    result: list[Any] = [None] * len(inputs)
    for members, found in batches(T, inputs):
        for n, place in zip(members, last_answers(T, found), strict=True):
            result[n] = T.answers[place] if place >= 0 else run(T, inputs[n]).decision  # which says what is wrong
    return result


def last_answers(T: Transformer, found: Evaluation, sums: Sums | None = None) -> AnswerIds:
    """Return what is said at the last position of inputs that were run together: places among the answers."""
    return engine_for(T, sums).last_answers(found)


def logits(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Array:
    """Return the logits of many inputs, (inputs, classes), those of the same length together."""
    needs_classes(checked(T), "logits")
    result = np.zeros((len(inputs), len(T.classes)))
    for members, found in batches(T, inputs):
        result[members] = found.logits
    return result


def batches(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Iterator[tuple[list[int], Evaluation]]:
    """Run inputs of one length after those of another, as many at once as memory allows; say which they are."""
    for members, ids in grouped(T, inputs, lambda length: NUMBERS_AT_ONCE // numbers_held(T, length)):
        yield members, evaluate(T, ids)


def grouped(
    T: Transformer, inputs: Sequence[str | Sequence[str]], most: Callable[[int], int]
) -> Iterator[tuple[list[int], Ids]]:
    """Yield inputs of one length after those of another, at most so many of a length at once: which, and their ids."""
    read = read_inputs(T, inputs)
    place = {token: i for i, token in enumerate(T.vocabulary)}
    for length in sorted({len(tokens) for tokens in read}):
        members = [n for n, tokens in enumerate(read) if len(tokens) == length]
        count = max(1, most(length))
        for first in range(0, len(members), count):
            some = members[first : first + count]
            yield some, np.array([[place[token] for token in read[n]] for n in some])


def read_answers(T: Transformer, h: Array, sums: Sums | None = None) -> AnswerIds:
    """Return what is said at each position of a stream (…, positions, lanes): see `Reference.read_answers`."""
    return engine_for(T, sums).read_answers(h)


def read_codes(T: Transformer, h: Array, sums: Sums | None = None) -> Array:
    """Return what the lanes of a readout hold at each position: see `Reference.read_codes`."""
    return engine_for(T, sums).read_codes(h)


def evaluate(
    T: Transformer, ids: Ids, past: Past = NOTHING, *, sums: Sums | None = None, change: Change = unchanged
) -> Evaluation:
    """Run on places in the vocabulary, (…, positions), by the definition or with the machine's sums."""
    return engine_for(T, sums).evaluate(ids, past, change)
