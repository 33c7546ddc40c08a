"""Distractors: further programs in the same stream, which never reach the answer."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weightsmith.composition.streams import blocks_beside, restricted, summed_table
from weightsmith.errors import InputError, ModelError, brief, cut, listed
from weightsmith.inspect.comparison import Compiled, model_of
from weightsmith.model import Attention, Block, Transformer
from weightsmith.model.folds import renamed_lanes
from weightsmith.model.names import MAX_NAME, checked_names
from weightsmith.rewrites.lanes import surround


def beside(
    P: Transformer | Compiled, *others: Transformer | Compiled, names: Sequence[str] | None = None
) -> Transformer:
    """Put further programs into the stream of P; none of them reaches its answer.

    Requires: transformers or compiled programs; the others with the arithmetic and mask of P, every token of its
      vocabulary, and inputs at least as long.
    Ensures: the logits or codes of P are the same, bit for bit; in `Native` those of `sums="left"`. The heads, neurons
      and lanes of the others begin with their names, "distractor 1: " and so on, or `names`. What they answered is not
      read.
    Exact in: every arithmetic.
    Because: the lanes of P keep their order, nothing reads across, and what others add to the lanes of P is 0.

    >>> from weightsmith import library
    >>> T = beside(library.contains("1"), library.contains("0"))
    >>> [head.name for head in T.blocks[0].attention.heads]
    ['', 'distractor 1: block 0 head 0']
    """
    first = model_of(P)
    parts = [model_of(Q) for Q in others]
    if not parts:
        raise InputError("beside needs a further program: write beside(P, Q)")
    called = _names(first, len(parts), names)
    for Q, name in zip(parts, called, strict=True):
        _check(first, Q, name)
    length = first.max_length
    first = restricted(first, first.vocabulary, length)
    cut_down = [_named(restricted(Q, first.vocabulary, length), name) for Q, name in zip(parts, called, strict=True)]
    lanes = [tuple(part.lanes) for part in (first, *cut_down)]
    wide = [surround(part, sum(lanes[:i], ()), sum(lanes[i + 1 :], ())) for i, part in enumerate((first, *cut_down))]
    return replace(
        wide[0],
        embedding=np.sum([part.embedding for part in wide], axis=0),
        positions=summed_table(wide),
        blocks=blocks_beside(wide),
        flags=tuple(flag for part in wide for flag in part.flags),
        provenance=(*wide[0].provenance, cut(f"beside: {', '.join(called)}", 1000)),
        edits=(),
    )


def _names(P: Transformer, count: int, names: Any) -> tuple[str, ...]:
    if names is None:
        return tuple(f"distractor {i + 1}" for i in range(count))
    found = checked_names(names, "names", printable=True)
    if len(found) != count:
        raise InputError(f"names={brief(names)}: there are {count} further programs: write a name for each")
    return found


def _check(P: Transformer, Q: Transformer, name: str) -> None:
    """Refuse a program that would change P, or that does not run where P runs."""
    if P.arithmetic != Q.arithmetic:
        raise ModelError(
            f"{name} is in {Q.arithmetic} and the program in {P.arithmetic}: write compile(…, arithmetic=…) with one "
            "that does for both"
        )
    if P.mask != Q.mask:
        raise ModelError(f"{name} has mask={Q.mask!r} and the program {P.mask!r}: write compile(…, causal=…) alike")
    lacking = [token for token in P.vocabulary if token not in Q.vocabulary]
    if lacking:
        raise ModelError(
            f"{name} lacks {listed(lacking)} of the program's vocabulary: write one that has all of its tokens"
        )
    if Q.max_length is not None and (P.max_length is None or Q.max_length < P.max_length):
        wanted = "any length" if P.max_length is None else f"{P.max_length} tokens"
        raise ModelError(
            f"{name} takes up to {Q.max_length} tokens and the program {wanted}: write a max_length that is as large"
        )


def _named(T: Transformer, name: str) -> Transformer:
    """Say of every lane, head and neuron whose it is."""
    blocks = tuple(_named_block(block, name, b) for b, block in enumerate(T.blocks))
    T = replace(T, blocks=blocks)
    return renamed_lanes(T, T.lanes, {lane: cut(f"{name} {lane}", MAX_NAME) for lane in T.lanes})


def _named_block(block: Block, name: str, b: int) -> Block:
    if block.attention is not None:
        heads = tuple(
            replace(head, name=cut(f"{name}: {head.name or f'block {b} head {i}'}", MAX_NAME))
            for i, head in enumerate(block.attention.heads)
        )
        block = replace(block, attention=Attention(heads, block.attention.b_O))
    layer = block.feed_forward
    if layer is not None:
        old = layer.names or ("",) * len(layer.W_1)
        new = tuple(cut(f"{name}: {own or f'block {b} neuron {n}'}", MAX_NAME) for n, own in enumerate(old))
        block = replace(block, feed_forward=replace(layer, names=new))
    return block
