"""Runs: one input through one transformer, with every intermediate value, and many inputs at once."""

import os
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, overload
from warnings import warn

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, position_of
from weightsmith.inspect import trace
from weightsmith.inspect.drawing import drawn
from weightsmith.inspect.hook import hook
from weightsmith.kernels.engines import engine_for
from weightsmith.model import Transformer, lane_index, needs_classes, read_tokens, token_ids
from weightsmith.model.names import place_of
from weightsmith.model.readout import NO_VALUE
from weightsmith.model.sites import stage_names
from weightsmith.model.tokens import Tokens, read_inputs
from weightsmith.model.transformer import checked
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

MOST_SHOWN = 1 << 13  # numbers of a stream that a notebook shows as tables
CHOOSE = ("r.table(lanes=[…], positions=[…]) chooses", "r.attention_table(block, head) shows one", "r.outputs has all")


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
    changed: bool = False  # whether values were replaced
    sums: Sums | None = None  # as they were asked for

    @property
    def decision(self) -> Any:
        """The output at the last position: a class, or the value of a readout, as in `outputs`."""
        T = self.transformer
        if T.readout is None:
            return T.classes[int(np.argmax(self.logits))]  # the first of the largest
        (answer,) = read_answers(T, self.stream[-1, -1:], self.sums)
        return self._answer(len(self.tokens) - 1, int(answer))

    @cached_property
    def outputs(self) -> tuple[Any, ...]:
        """The output at each position; the decision is the last one.

        A code without a value is refused; in a run whose values were replaced it is NO_VALUE, shown as ?.
        """
        return tuple(self._answer(position, answer) for position, answer in enumerate(self.answer_ids.tolist()))

    @cached_property
    def answer_ids(self) -> AnswerIds:
        """The output at each position, as an index of `transformer.answers`; −1 for a code without a value."""
        ids = read_answers(self.transformer, self.stream[-1], self.sums)
        if self.transformer.readout is None:
            ids[-1] = np.argmax(self.logits)  # the same numbers; in Native perhaps added in another order
        return ids

    @property
    def places(self) -> AnswerIds:
        """The name of `answer_ids` in earlier versions."""
        warn("write run.answer_ids instead of run.places", DeprecationWarning, stacklevel=2)
        return self.answer_ids

    @cached_property
    def codes(self) -> Array | None:
        """The values of the readout's lanes at each position, (positions, lanes); None with classes."""
        T = self.transformer
        return None if T.readout is None else read_codes(T, self.stream[-1], self.sums)

    def _answer(self, position: int, answer: int) -> Any:
        """Return an answer by its index; refuse −1, naming the code without a value, unless values were replaced."""
        T = self.transformer
        if answer < 0 and self.changed:
            return NO_VALUE
        if answer < 0 and T.readout is not None and self.codes is not None:
            T.readout.refuse(position, self.codes[position].tolist())
        return T.answers[answer]

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
        i = slice(None) if position is None else position_of(position, len(self.tokens))
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
        """Return the stream as a table: after every sublayer, at every position, in every lane, or in chosen ones."""
        return trace.stream_table(self, lanes, stages, positions, CHOOSE[0])

    def attention_table(self, block: int | None = None, head: int | None = None) -> Table:
        """Return the weights and scores of all heads, of a block or of one head as a table."""
        return trace.attention_table(self, block, head)

    def svg(self) -> str:
        """Return a picture for papers: the lanes that each sublayer changed, the arcs of the heads, the outputs."""
        return drawn(self)

    def save_html(
        self,
        path: str | os.PathLike[str],
        *,
        beside: "Run | Transformer | None" = None,
        circuit: Mapping[str, Any] | int | None = None,
    ) -> None:
        """Write a page that shows the run, and optionally another one beside it: one file, which needs no network.

        The page contains the model, so its readers can type other inputs. With a circuit of `export.circuit`, or the
        length up to which it is to be found, it shows that too.
        """
        meaning("save_html")(self, path, beside=beside, circuit=circuit)

    def __repr__(self) -> str:
        """Return the input and the decision."""
        try:
            said = repr(self.decision)
        except InputError:  # a code without a value
            said = "?"
        return f"Run(tokens={self.tokens!r}, decision={said}, logits={self.logits!r})"

    def __str__(self) -> str:
        """Return the whole run as text: the stream, scores and weights of the heads, the decision."""
        return str(trace.whole_page(self, None, None, CHOOSE))

    def _repr_html_(self) -> str:
        """Return the run as HTML, for notebooks: a page that shows it and runs other inputs, or else tables.

        A run of many values has a summary instead of tables of them all.
        """
        few = self.stream.size <= MOST_SHOWN
        plain = trace.whole_page(self, None, None, CHOOSE)._repr_html_() if few else None
        shown: str = meaning("in_notebook")(self, plain)
        return shown


def run(T: Transformer, tokens: Tokens, *, sums: Sums | None = None, change: Change = unchanged) -> Run:
    """Run a transformer on one input: a text, a list of tokens, or a list or array of ids.

    In a finite arithmetic every sum is a left fold. In `Native` sums are the machine's, by BLAS: fast, and their last
    bits depend on the machine; with sums="left" they are left folds there too, as in the checker.

    `change` is a hook: a function that is called at every site, in the order of the run, with the `Site` and an array
    of the values there, and returns the values to go on with, an array of the same shape whose numbers are members of
    the arithmetic: lambda site, x: 0 * x if str(site) == "block 0 head 1" else x. Sites are the stream after the
    embedding and after each sublayer, the output of each head, and the activations of each feed-forward layer.

    >>> from weightsmith import library
    >>> run(library.contains("1"), "0010").decision
    'YES'
    """
    read = read_tokens(T, tokens)
    found = evaluate(T, np.array(token_ids(T, read)), sums=sums, change=hook(change))
    stream = np.stack(found.stream).astype(np.float64, copy=False)
    logits, activations = found.logits.astype(np.float64), [layer.astype(np.float64) for layer in found.activations]
    for array in (logits, stream, *activations):
        array.setflags(write=False)
    heads = tuple(tuple(head.as_float64() for head in block) for block in found.heads)
    return Run(T, read, logits, stream, heads, tuple(activations), (), change is not unchanged, sums)


def decisions(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[Any]:
    """Decide many inputs, those of the same length together; each decision is that of `run`."""
    result: list[Any] = [None] * len(inputs)
    for members, found in batches(T, inputs):
        for n, answer in zip(members, last_answers(T, found), strict=True):
            result[n] = T.answers[answer] if answer >= 0 else run(T, inputs[n]).decision  # which raises
    return result


def last_answers(T: Transformer, found: Evaluation, sums: Sums | None = None) -> AnswerIds:
    """Return the answers at the last position of inputs that were run together, as indices of `T.answers`."""
    return engine_for(T, sums).last_answers(found)


def logits(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Array:
    """Return the logits of many inputs, (inputs, classes), those of the same length together."""
    needs_classes(checked(T), "logits")
    result = np.zeros((len(inputs), len(T.classes)))
    for members, found in batches(T, inputs):
        result[members] = found.logits
    return result


def batches(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> Iterator[tuple[list[int], Evaluation]]:
    """Run inputs length by length, as many at once as memory allows; yield their numbers and the evaluation."""
    for members, ids in grouped(T, inputs, lambda length: NUMBERS_AT_ONCE // numbers_held(T, length)):
        yield members, evaluate(T, ids)


def grouped(
    T: Transformer, inputs: Sequence[str | Sequence[str]], most: Callable[[int], int]
) -> Iterator[tuple[list[int], Ids]]:
    """Yield inputs length by length, at most `most(length)` at once: their numbers and their token ids."""
    read = read_inputs(T, inputs)
    place = {token: i for i, token in enumerate(T.vocabulary)}
    for length in sorted({len(tokens) for tokens in read}):
        members = [n for n, tokens in enumerate(read) if len(tokens) == length]
        count = max(1, most(length))
        for first in range(0, len(members), count):
            some = members[first : first + count]
            yield some, np.array([[place[token] for token in read[n]] for n in some])


def read_answers(T: Transformer, h: Array, sums: Sums | None = None) -> AnswerIds:
    """Return the answer at each position of a stream (…, positions, lanes): see `Reference.read_answers`."""
    return engine_for(T, sums).read_answers(h)


def read_codes(T: Transformer, h: Array, sums: Sums | None = None) -> Array:
    """Return the values of the readout's lanes at each position: see `Reference.read_codes`."""
    return engine_for(T, sums).read_codes(h)


def evaluate(
    T: Transformer, ids: Ids, past: Past = NOTHING, *, sums: Sums | None = None, change: Change = unchanged
) -> Evaluation:
    """Run on token ids, (…, positions), by the definition or with the machine's sums."""
    return engine_for(T, sums).evaluate(ids, past, change)
