"""Runs: one input through one transformer, with every intermediate value, and many inputs at once."""

import os
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias, overload

import numpy as np

from weightsmith.arithmetic import Array, Native
from weightsmith.errors import InputError, brief
from weightsmith.inspect import trace
from weightsmith.kernels.blas import BlasRun
from weightsmith.model import Transformer, lane_index, read_tokens, token_places
from weightsmith.model.names import place_of
from weightsmith.model.places import checked, stage_names
from weightsmith.operators import meaning
from weightsmith.semantics import reference
from weightsmith.semantics.evaluation import (
    NOTHING,
    Change,
    Evaluation,
    HeadRun,
    Ids,
    Past,
    Places,
    numbers_held,
    unchanged,
)
from weightsmith.tables import Table

NUMBERS_AT_ONCE = 1 << 26  # when many inputs are run together: half a gigabyte of float64
CHOOSE = (
    "r.table(lanes=[…], positions=[…]) chooses",
    "r.attention_table(block, head) shows one",
    "r.outputs has all",
)
Sums: TypeAlias = Literal["left", "machine"]


@dataclass(frozen=True, eq=False)
class Run:
    """One input through one transformer, with every intermediate value."""

    transformer: Transformer = field(repr=False)
    tokens: tuple[str, ...]
    decision: str
    logits: Array  # (classes)
    stream: Array = field(repr=False)  # (1 + 2·blocks, positions, lanes): after embedding, after each sublayer
    heads: tuple[tuple[HeadRun, ...], ...] = field(repr=False)  # [block][head]
    activations: tuple[Array, ...] = field(repr=False)  # [block]: (positions, neurons)
    swaps: tuple[Any, ...] = field(default=(), repr=False)  # what `inspect` put in on the way
    changed: bool = field(default=False, repr=False)  # whether somebody changed values on their way
    sums: Sums | None = field(default=None, repr=False)  # as they were asked for

    @cached_property
    def outputs(self) -> tuple[str, ...]:
        """What it says at each position; the decision is the last of them."""
        T = self.transformer
        places = read_answers(T, self.stream[-1], self.sums)
        return (*(T.classes[c] for c in places[:-1]), self.decision)

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
    found = evaluate(T, np.array(token_places(T, read)), sums=sums, change=change)
    decision = T.classes[int(np.argmax(found.logits))]  # the first of the largest
    stream = np.stack(found.stream).astype(np.float64, copy=False)
    logits, activations = found.logits.astype(np.float64), [layer.astype(np.float64) for layer in found.activations]
    for array in (logits, stream, *activations):
        array.setflags(write=False)
    heads = tuple(tuple(_as_float64(head) for head in block) for block in found.heads)
    return Run(T, read, decision, logits, stream, heads, tuple(activations), (), change is not unchanged, sums)


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


def decisions(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[str]:
    """Decide many inputs, those of the same length together; each decision is that of `run`."""
    result = [""] * len(inputs)
    for members, found in batches(T, inputs):
        for n, best in zip(members, np.argmax(found.logits, axis=-1), strict=True):
            result[n] = T.classes[best]
    return result


def logits(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Array:
    """Return the logits of many inputs, (inputs, classes), those of the same length together."""
    result = np.zeros((len(inputs), len(checked(T).classes)))
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
    read = [read_tokens(T, tokens) for tokens in inputs]
    place = {token: i for i, token in enumerate(T.vocabulary)}
    for length in sorted({len(tokens) for tokens in read}):
        members = [n for n, tokens in enumerate(read) if len(tokens) == length]
        count = max(1, most(length))
        for first in range(0, len(members), count):
            some = members[first : first + count]
            yield some, np.array([[place[token] for token in read[n]] for n in some])


def read_answers(T: Transformer, h: Array, sums: Sums | None = None) -> Places:
    """Return what is said at each position of a stream (…, positions, lanes): see `reference.read_answers`."""
    return BlasRun(T).read_answers(h) if _by_machine(T, sums) else reference.read_answers(T, h)


def evaluate(
    T: Transformer, ids: Ids, past: Past = NOTHING, *, sums: Sums | None = None, change: Change = unchanged
) -> Evaluation:
    """Run on places in the vocabulary, (…, positions), by the definition or with the machine's sums."""
    if sums not in (None, "left", "machine"):
        raise InputError(f"sums={brief(sums)}: write 'left' for left folds, or 'machine'")
    if sums == "machine" and not isinstance(T.arithmetic, Native):
        raise InputError(f"sums='machine' is for Native arithmetics: in {T.arithmetic} a sum is a left fold")
    if _by_machine(T, sums):
        return BlasRun(T).evaluate(ids, past, change)
    return reference.evaluate(T, ids, past, change)


def _by_machine(T: Transformer, sums: Sums | None) -> bool:
    return isinstance(T.arithmetic, Native) and sums != "left"
