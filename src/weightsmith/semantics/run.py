"""The meaning of a transformer: one input through every step, written to be read beside the paper.

Every value below is a member of the arithmetic, and every sum is a left fold in index order. This file defines each
bit; faster runs must equal it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt

from weightsmith.arithmetic import Array
from weightsmith.model import Block, Transformer, position_table, read_tokens
from weightsmith.semantics.attention import HeadRun, run_head
from weightsmith.semantics.layers import run_feed_forward, run_norm
from weightsmith.semantics.overflow import finite

SEMANTICS_VERSION = 1  # goes up when a bit of any run changes


@dataclass(frozen=True, eq=False)
class Run:
    """One input through one transformer, with every intermediate value."""

    transformer: Transformer = field(repr=False)
    tokens: tuple[str, ...]
    decision: str
    logits: Array  # (classes)
    stream: Array = field(repr=False)  # (1 + 2·blocks, positions, lanes): after embedding, after each sublayer
    heads: tuple[tuple[HeadRun, ...], ...] = field(repr=False)  # [block][head]
    neurons: tuple[Array, ...] = field(repr=False)  # [block]: (positions, neurons)

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
        blocks = range(len(self.transformer.blocks))
        return ("embedding", *(f"block {b} {part}" for b in blocks for part in ("attention", "feed-forward")))


def run(T: Transformer, tokens: str | Sequence[str]) -> Run:
    """Run a transformer on one input.

    >>> from weightsmith import library
    >>> run(library.contains("1"), "0010").decision
    'YES'
    """
    read = read_tokens(T, tokens)
    found = evaluate(T, np.array([T.vocabulary.index(token) for token in read]))
    decision = T.classes[int(np.argmax(found.logits))]  # the first of the largest
    stream = np.stack(found.stream)
    for array in (found.logits, stream, *found.neurons):
        array.setflags(write=False)
    return Run(T, read, decision, found.logits, stream, tuple(found.heads), tuple(found.neurons))


def decisions(T: Transformer, inputs: Sequence[str | Sequence[str]]) -> list[str]:
    """Decide many inputs, those of the same length together; each decision is that of `run`."""
    read = [read_tokens(T, tokens) for tokens in inputs]
    place = {token: i for i, token in enumerate(T.vocabulary)}
    result = [""] * len(read)
    for length in {len(tokens) for tokens in read}:
        members = [n for n, tokens in enumerate(read) if len(tokens) == length]
        found = evaluate(T, np.array([[place[token] for token in read[n]] for n in members]))
        for n, best in zip(members, np.argmax(found.logits, axis=-1), strict=True):
            result[n] = T.classes[best]
    return result


@dataclass(frozen=True)
class Evaluation:
    """Every value of a run, for one input or with a further axis in front for several of the same length."""

    stream: list[Array]
    heads: list[tuple[HeadRun, ...]]
    neurons: list[Array]
    logits: Array


def evaluate(T: Transformer, ids: npt.NDArray[np.integer]) -> Evaluation:
    """Run on places in the vocabulary, (…, positions)."""
    A = T.arithmetic
    h = T.embedding[ids]
    table = position_table(T.positions, A, len(T.lanes), ids.shape[-1])
    if table is not None:
        h = A.add(h, table)
    stream, heads, neurons = [finite(A, h, "embedding")], [], []
    for b, block in enumerate(T.blocks):
        h, block_heads = _attention(T, block, h, f"block {b}")
        stream.append(finite(A, h, f"block {b} attention"))
        h, activations = _feed_forward(T, block, h, f"block {b}")
        stream.append(finite(A, h, f"block {b} feed-forward"))
        heads.append(block_heads)
        neurons.append(activations)
    last = run_norm(A, T.final_norm, h[..., -1:, :], tuple(T.lanes), "final norm")[..., 0, :]
    logits = A.matvec(T.output, last)
    if T.output_bias is not None:
        logits = A.add(logits, T.output_bias)
    return Evaluation(stream, heads, neurons, finite(A, logits, "output"))


def _attention(T: Transformer, block: Block, h: Array, name: str) -> tuple[Array, tuple[HeadRun, ...]]:
    """Add the heads' outputs, folded in order, to the stream once."""
    if block.attention is None:
        return h, ()
    A, norm, lanes = T.arithmetic, block.attention_norm, tuple(T.lanes)
    seen = run_norm(A, norm, h, lanes, f"{name} attention norm") if block.norm_placement == "pre" else h
    heads = tuple(run_head(T, head, seen, f"{name}, head {i}") for i, head in enumerate(block.attention.heads))
    total = np.zeros_like(h)
    for head in heads:
        total = A.add(total, head.output)
    h = A.add(h, total)
    return run_norm(A, norm, h, lanes, f"{name} attention norm") if block.norm_placement == "post" else h, heads


def _feed_forward(T: Transformer, block: Block, h: Array, name: str) -> tuple[Array, Array]:
    """Add the feed-forward layer's output to the stream."""
    if block.feed_forward is None:
        return h, np.zeros((*h.shape[:-1], 0))
    A, norm, lanes = T.arithmetic, block.feed_forward_norm, tuple(T.lanes)
    seen = run_norm(A, norm, h, lanes, f"{name} feed-forward norm") if block.norm_placement == "pre" else h
    output, activations = run_feed_forward(A, block.feed_forward, seen)
    h = A.add(h, output)
    return run_norm(
        A, norm, h, lanes, f"{name} feed-forward norm"
    ) if block.norm_placement == "post" else h, activations
