"""Normal forms: transformers whose last vector is the answer itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, Saturating
from weightsmith.errors import InputError, ModelError, listed
from weightsmith.model import Block, Neuron, Transformer, feed_forward, matrix
from weightsmith.rewrites.flag import fresh
from weightsmith.rewrites.laws_needed import COPYING, require
from weightsmith.rewrites.logits import by_attention, by_feed_forward
from weightsmith.rewrites.possible_values import ZERO, possible_values
from weightsmith.rewrites.widen import widen

Lowering: TypeAlias = Literal["feedforward", "attention"]
ONE = "use an arithmetic with 1, such as Fixed(4, 4)"


def zero_one_form(T: Transformer, lowering: Lowering = "feedforward", length: int | None = None) -> Transformer:
    """Bring the logits into the stream: the last vector is (T_NO, T_YES, 0 …), for any number of classes.

    Requires: for "attention" a causal mask and the `length` of the inputs.
    Ensures: the logits are the same, bit for bit. The first lanes, named after the classes, hold them at the last
      position; every other lane that is not a flag holds 0 there; the output is the identity on them. With "attention"
      the vocabulary gains "END", and x_1 … x_n END is decided as x_1 … x_n was.
    Exact in: every arithmetic with "symmetric", "zero product", "unit product"; "attention" needs `linear_map`'s laws.
    Because: pairs of neurons in lane order fold what the output matrix folds, in the same order; the old lanes cancel.
    """
    names = [fresh(T, name) for name in T.classes]
    return _logits_in(T, names, lowering, length, f"zero_one_form(lowering={lowering!r})")


def infinity_form(T: Transformer, lowering: Lowering = "feedforward", length: int | None = None) -> Transformer:
    """Make the answer as loud as can be: the last vector is (1, x, 0 …), with x = ∞ for YES and 0 for NO.

    Requires: two classes; for "attention" a causal mask and the `length` of the inputs.
    Ensures: every decision is the same; the first two lanes, named after the classes, hold 1 and x at the last
      position; every other lane that is not a flag holds 0 there; the output is the identity on them.
    Exact in: what `zero_one_form` needs, with "distinct difference", "1 below ∞" and "growth" (or sums that reach ∞).
    Because: relu(T_YES ⊖ T_NO) is 0 for NO, also on a tie, and positive for YES; multiplying it by ∞, as often as this
      arithmetic needs, gives 0 or ∞.
    """
    return _loud(T, lowering, length, signed=False)


def is_infinity_form(T: Transformer) -> bool:
    """Say whether the weights alone prove that a transformer is in ∞ form, at every position of every input.

    True is a proof, whoever wrote the weights. False says nothing: the reasons may lie deeper than is looked, as they
    do after lowering="attention". Of what `infinity_form` and the operators make, with feed-forward, it is True.

    >>> from weightsmith import library
    >>> T = library.contains("1")
    >>> is_infinity_form(T), is_infinity_form(infinity_form(T))
    (False, True)
    """
    A, lanes = T.arithmetic, len(T.lanes)
    if not isinstance(A, Saturating) or not A.contains(1.0) or A.infinity <= 1 or len(T.classes) != 2 or lanes < 2:
        return False
    if T.final_norm is not None or (T.output_bias is not None and T.output_bias.any()):
        return False
    if not np.array_equal(T.output, np.eye(2, lanes)):
        return False
    no, yes, *others = possible_values(T)
    silent = all(known == ZERO for lane, known in zip(T.lanes[2:], others, strict=True) if lane not in T.flags)
    answers = isinstance(yes, frozenset) and yes <= {0.0, A.infinity}
    return silent and answers and no == frozenset([1.0]) and not set(T.lanes[:2]) & set(T.flags)


def signed_infinity_form(T: Transformer, lowering: Lowering = "feedforward", length: int | None = None) -> Transformer:
    """Make both answers loud: the last vector is (−∞, ∞, 0 …) for YES and (∞, −∞, 0 …) for NO.

    Requires, Exact in: as `infinity_form`.
    Ensures: every decision is the same; the first two lanes, named after the classes, hold ±∞ at the last position;
      every other lane that is not a flag holds 0 there; the output is the identity on them.
    Because: y = 0 or ∞ as in `infinity_form`, and beside it −y; then y ⊕ (y ⊖ ∞) and −y ⊕ (∞ ⊖ y) are ±∞.
    """
    return _loud(T, lowering, length, signed=True)


def growing_blocks(arithmetic: Arithmetic) -> int | None:
    """Count the blocks that take every x > 0 to ∞: x ⊗ ∞ first, then y ⊕ (y ⊗ ∞); None if no number does."""
    A, y, count = arithmetic, float(arithmetic.multiply(arithmetic.smallest, arithmetic.infinity)), 1
    while y != A.infinity:
        grown = float(A.add(y, A.multiply(y, A.infinity))) if A.contains(y) else y
        if not A.contains(grown) or grown <= y:
            return None
        y, count = grown, count + 1
    return count


def _loud(T: Transformer, lowering: Lowering, length: int | None, signed: bool) -> Transformer:
    name = "signed_infinity_form" if signed else "infinity_form"
    A, infinity = T.arithmetic, T.arithmetic.infinity
    if len(T.classes) != 2:
        raise ModelError(f"{name} is for two classes, and there are {listed(T.classes)}: use zero_one_form")
    require(A, (*COPYING, "distinct difference", "1 below ∞"), name, ONE)
    growing = growing_blocks(A)
    if growing is None:
        require(A, ("growth",), name, "use zero_one_form, or an arithmetic such as Fixed(4, 4)")
    assert growing is not None
    made = f"{name}(lowering={lowering!r})"
    no, yes = (fresh(T, answer) for answer in T.classes)
    scratch = [fresh(T, f"{answer} logit") for answer in T.classes]
    T = widen(_logits_in(T, scratch, lowering, length, made), [no, yes], where="front")
    difference = Neuron({scratch[0]: -1.0, scratch[1]: 1.0}, {yes: infinity, **({no: -infinity} if signed else {})})
    cancel = [neuron for lane in scratch for neuron in Neuron.pair(lane, {lane: -1.0})]
    first = feed_forward(T.lanes, [difference, *cancel], adds={} if signed else {no: 1.0})
    grow = feed_forward(T.lanes, [Neuron({yes: 1.0}, {yes: infinity, **({no: -infinity} if signed else {})})])
    origin = name.replace("_", " ")
    blocks = [Block(feed_forward=first, origin=f"{origin}: times ∞")]
    blocks += [Block(feed_forward=grow, origin=f"{origin}: times ∞ again")] * (growing - 1)
    if signed:
        spread = feed_forward(T.lanes, [Neuron({yes: 1.0}, {yes: 1.0, no: -1.0})], adds={yes: -infinity, no: infinity})
        blocks.append(Block(feed_forward=spread, origin=f"{origin}: both signs"))
    return reading(replace(T, blocks=(*T.blocks, *blocks)), [no, yes])


def _logits_in(T: Transformer, names: list[str], lowering: Lowering, length: int | None, made: str) -> Transformer:
    """Put the logits into new lanes in front, with these names, and clear the others."""
    require(T.arithmetic, COPYING, made, ONE)
    if lowering == "feedforward":
        if length is not None:
            raise InputError("length is for lowering='attention': the feed-forward lowering works at every length")
        T = by_feed_forward(T, names)
    elif lowering == "attention":
        T = by_attention(T, names, length)
    else:
        raise InputError(f"lowering={lowering!r}: write 'feedforward' or 'attention'")
    T = reading(T, names)
    return replace(T, provenance=(*T.provenance, made))


def reading(T: Transformer, names: Sequence[str]) -> Transformer:
    """Let the output be the identity on these lanes, one for each class."""
    entries = dict.fromkeys(zip(T.classes, names, strict=True), 1.0)
    return replace(T, output=matrix(T.classes, T.lanes, entries), output_bias=None, final_norm=None, tied=False)
