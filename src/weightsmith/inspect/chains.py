"""Runs of chains: one input, and many at once."""

import html
import os
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeAlias, cast

import numpy as np
import numpy.typing as npt

from weightsmith.errors import InputError, brief, named, shown
from weightsmith.inspect.run import Run, run
from weightsmith.kernels.steps import stepper, texts_at_once
from weightsmith.model import Answer, Chain, token_ids, tokens_text
from weightsmith.operators import meaning
from weightsmith.semantics.evaluation import AnswerIds, Ids, Sums
from weightsmith.tables import Table

Truths: TypeAlias = npt.NDArray[np.bool_]

WIDEST_TEXT = 60  # letters of a text in a message
FEW_WEIGHTS = 3  # positions that a table names for a head, the heaviest first


@dataclass(frozen=True, eq=False, repr=False)
class ChainRun:
    """A chain on one input: everything that it wrote, and its answer."""

    chain: Chain
    tokens: tuple[str, ...]  # of the input
    generated: tuple[str, ...]
    halted: bool  # whether the chain ended by itself

    @property
    def text(self) -> tuple[str, ...]:
        """The input, the prompt and the generated tokens."""
        return (*self.tokens, *self.chain.prompt, *self.generated)

    @property
    def answer(self) -> Answer:
        """What the last token stands for; with several outputs, a tuple for the last tokens."""
        if not self.halted:
            raise InputError(unended(self.chain, self.tokens, len(self.generated)))
        meanings = dict(cast(Sequence[tuple[str, str]], self.chain.answers))
        said = tuple(meanings[token] for token in self.generated[-self.chain.outputs :])
        return said if self.chain.outputs > 1 else said[0]

    @property
    def decision(self) -> Answer:
        """The answer."""
        return self.answer

    @cached_property
    def run(self) -> Run:
        """The run of the transformer on the whole text before the last token: every step is one of its positions."""
        return run(self.chain.transformer, self.text[:-1])

    def table(self) -> Table:
        """Return a row for each step: where each head reads, and the token that is written."""
        first, whole = len(self.tokens) + len(self.chain.prompt) - 1, self.run
        heads = [(b, h) for b, block in enumerate(whole.attention) for h in range(len(block))]
        table = Table(
            "step", "position", *(f"block {b} head {h} reads" for b, h in heads), "token", right=(0, 1), lead=2
        )
        for step, token in enumerate(self.generated):
            read = [_read(whole, b, h, first + step) for b, h in heads]
            table.add(str(step + 1), str(first + step), *read, shown(token))
        return table

    def save_html(self, path: str | os.PathLike[str]) -> None:
        """Write a page that plays the chain on this input, token by token: one file, which needs no network."""
        meaning("save_html")(self, path)

    def _repr_html_(self) -> str:
        """Show the run in a notebook: the chain plays, and below it stand the steps as text."""
        shown: str = meaning("in_notebook")(self, f"<pre>{html.escape(str(self))}</pre>")
        return shown

    def __repr__(self) -> str:
        """Return the input, the generated tokens and the answer."""
        answer = repr(self.answer) if self.halted else "?"
        return f"ChainRun(tokens={self.tokens!r}, generated={self.generated!r}, answer={answer}, halted={self.halted})"

    def line(self) -> str:
        """Return the text and the answer in two lines."""
        end = f"answer: {self.answer}" if self.halted else unended(self.chain, self.tokens, len(self.generated))
        return f"{tokens_text(self.chain.transformer.vocabulary, self.text)}\n{end}"

    def __str__(self) -> str:
        """Return the text, the steps as a table, and the answer."""
        text, end = self.line().split("\n", 1)
        return f"{text}\n{self.table()}\n{end}"


def run_chain(C: Chain, tokens: str | Sequence[str], sums: Sums | None = None) -> ChainRun:
    """Run a chain on one input. A chain that does not end gives a run that is not `halted`, and has no answer."""
    read = C.read(tokens)
    ids = np.array(token_ids(C.transformer, read), np.intp)[np.newaxis]
    (generated,), (halted,) = written(C, ids, sums)
    answers = cast(tuple[str, ...], C.transformer.answers)
    return ChainRun(C, read, tuple(answers[i] for i in generated if i >= 0), bool(halted))


def chain_answers(C: Chain, inputs: Sequence[str | Sequence[str]]) -> list[Answer]:
    """Return the answers of a chain for many inputs, those of the same length together."""
    read = [C.read(tokens) for tokens in inputs]
    result: list[Answer] = [()] * len(read)
    for length in sorted({len(tokens) for tokens in read}):
        members = [n for n, tokens in enumerate(read) if len(tokens) == length]
        ids = np.array([token_ids(C.transformer, read[n]) for n in members], np.intp)
        generated, halted = written(C, ids)
        for n, row, ended in zip(members, generated.tolist(), halted.tolist(), strict=True):
            tokens = tuple(str(C.transformer.answers[i]) for i in row if i >= 0)
            result[n] = ChainRun(C, read[n], tokens, ended).answer
    return result


def written(C: Chain, ids: Ids, sums: Sums | None = None, by_definition: bool = False) -> tuple[AnswerIds, Truths]:
    """Run a chain on inputs of one length, (inputs, positions), by ids of the transformer's vocabulary.

    Return the generated tokens, (inputs, steps), as indices of the transformer's answers, −1 after the last one; and
    whether each chain ended. `by_definition` runs the whole text at every step.
    """
    length = ids.shape[1]
    most = C.steps_for(length)
    if not C.until and most < C.outputs:
        raise InputError(f"the chain has {most} steps on inputs of length {length}, and {C.outputs} tokens answer")
    some = texts_at_once(C.transformer, length + len(C.prompt) + most, sums)
    parts = [_written(C, ids[i : i + some], most, sums, by_definition) for i in range(0, max(1, len(ids)), some)]
    generated = np.full((len(ids), max(part.shape[1] for part, _ in parts)), -1, np.intp)
    for i, (part, _) in enumerate(parts):
        generated[i * some : i * some + len(part), : part.shape[1]] = part
    return generated, np.concatenate([halted for _, halted in parts])


def _written(C: Chain, ids: Ids, most: int, sums: Sums | None, by_definition: bool) -> tuple[AnswerIds, Truths]:
    """Do as `written`, for inputs that run together."""
    T, ends = C.transformer, np.array([value in C.until for value in C.transformer.answers])
    token_of = np.array(token_ids(T, cast(tuple[str, ...], T.answers)), np.intp)
    prompt = np.broadcast_to(np.array(token_ids(T, C.prompt), np.intp), (len(ids), len(C.prompt)))
    running, halted, columns = np.arange(len(ids)), np.full(len(ids), not C.until), []
    growing = stepper(T, sums, by_definition)
    answers = growing.begin(np.hstack([ids.astype(np.intp), prompt]), 0 if C.until else most - 1)
    while True:
        _refuse_codes(C, answers, running, ids)
        columns.append(np.full(len(ids), -1, np.intp))
        columns[-1][running] = answers
        over = ends[answers]
        halted[running[over]] = True
        left = np.flatnonzero(~over)
        if not len(left) or len(columns) == most:
            return np.stack(columns, axis=1), halted
        if len(left) < len(running):
            growing.keep(left)
        running = running[left]
        answers = growing.append(token_of[answers[left]])


def _refuse_codes(C: Chain, answers: AnswerIds, running: AnswerIds, ids: Ids) -> None:
    if (answers < 0).any():
        which = ids[running[int(np.argmax(answers < 0))]]
        tokens = [C.transformer.vocabulary[i] for i in which.tolist()]
        name = named(tokens_text(C.transformer.vocabulary, tokens))
        raise InputError(f"on the input {name}: the lanes of the readout hold a code that is not in its table")


def unended(C: Chain, tokens: Sequence[str], steps: int) -> str:
    """Say that a chain does not end on an input."""
    name = tokens_text(C.transformer.vocabulary, tokens)
    room = C.transformer.max_length
    table = room is not None and (C.steps is None or steps < C.declared_steps(len(tokens)))
    bound = "where its position table is full" if table else "the most that it may write"
    return (
        f"the chain does not end on {brief(name, WIDEST_TEXT)}: none of {', '.join(map(shown, C.until))} is among its "
        f"first {steps} tokens, {bound}"
    )


def _read(whole: Run, block: int, head: int, position: int) -> str:
    """Say where a head reads at a position: the heaviest positions with their tokens."""
    weights: Any = whole.attention[block][head][position]
    order = [j for j in np.argsort(-weights, kind="stable").tolist() if weights[j] != 0]
    parts = [f"{j} {shown(whole.tokens[j])}" + ("" if weights[j] == 1 else f" × {weights[j]:g}") for j in order]
    return ", ".join(parts[:FEW_WEIGHTS]) + (f", {len(parts) - FEW_WEIGHTS} more" if len(parts) > FEW_WEIGHTS else "")
