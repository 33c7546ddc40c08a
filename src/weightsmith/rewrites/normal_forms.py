"""Normal forms: transformers whose last vector is the answer itself."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal, TypeAlias

import numpy as np

from weightsmith.arithmetic import Arithmetic, Saturating, require
from weightsmith.errors import InputError, ModelError, brief, is_whole, listed, named
from weightsmith.model import Attention, Block, Neuron, Transformer, feed_forward, matrix, needs_classes
from weightsmith.model.transformer import checked
from weightsmith.rewrites.lanes import COPYING, drop_flags, fresh, plain_lanes, widen, with_table
from weightsmith.rewrites.many_classes import MAX_CLASSES, DecidingLanes, deciding_blocks, is_decided_loudly
from weightsmith.rewrites.maps import ROUTING, lay_route, routed_head
from weightsmith.rewrites.possible_values import ZERO, possible_values
from weightsmith.rewrites.vectors import add_vector, cancelling_block

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
    needs_classes(checked(T), "zero_one_form")
    names = [fresh(T, name) for name in T.classes]
    return _logits_in(T, names, lowering, length, f"zero_one_form(lowering={brief(lowering)})")


def infinity_form(T: Transformer, lowering: Lowering = "feedforward", length: int | None = None) -> Transformer:
    """Make the answer as loud as can be: the last vector is (1, x, 0 …), with x = ∞ for YES and 0 for NO.

    Requires: two classes or more; for "attention" a causal mask and the `length` of the inputs.
    Ensures: every decision is the same; the first two lanes, named after the classes, hold 1 and x at the last
      position; every other lane that is not a flag holds 0 there; the output is the identity on them. With more than
      two classes, the first lanes hold ∞ for the decision, the first of the largest on a tie, and 0 for all others.
    Exact in: what `zero_one_form` needs, with "distinct difference", "1 below ∞" and "growth" (or sums that reach ∞).
    Because: relu(T_YES ⊖ T_NO) is 0 for NO, also on a tie, and positive for YES; multiplying it by ∞, as often as this
      arithmetic needs, gives 0 or ∞. With more classes this is done for every two of them.
    """
    return _loud(T, lowering, length, signed=False)


def is_infinity_form(T: Transformer) -> bool:
    """Say whether the weights alone prove that a transformer is in ∞ form, at every position of every input.

    True is a proof, for weights from any source. False says nothing: the check may not go deep enough, as after
    lowering="attention". Of what `infinity_form` and the operators make, with feed-forward, it is True.

    >>> from weightsmith import library
    >>> T = library.contains("1")
    >>> is_infinity_form(T), is_infinity_form(infinity_form(T))
    (False, True)
    """
    A, lanes = checked(T).arithmetic, len(T.lanes)
    if not isinstance(A, Saturating) or not A.contains(1.0) or A.infinity <= 1 or lanes < len(T.classes):
        return False
    if T.final_norm is not None or (T.output_bias is not None and T.output_bias.any()):
        return False
    if len(T.classes) != 2:
        growing = growing_blocks(A)
        return len(T.classes) > 2 and growing is not None and is_decided_loudly(T, growing)
    if not np.array_equal(T.output, np.eye(2, lanes)):
        return False
    no, yes, *others = possible_values(T)
    silent = all(known == ZERO for lane, known in zip(T.lanes[2:], others, strict=True) if lane not in T.flags)
    answers = isinstance(yes, frozenset) and yes <= {0.0, A.infinity}
    return silent and answers and no == frozenset([1.0]) and not set(T.lanes[:2]) & set(T.flags)


def signed_infinity_form(T: Transformer, lowering: Lowering = "feedforward", length: int | None = None) -> Transformer:
    """Make both answers loud: the last vector is (−∞, ∞, 0 …) for YES and (∞, −∞, 0 …) for NO.

    Requires, Exact in: as `infinity_form`.
    Ensures: every decision is the same; the first lanes, named after the classes, hold ∞ for the decision and −∞ for
      all others at the last position; every other lane that is not a flag holds 0 there; the output is the identity on
      them.
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
    A, infinity = checked(T).arithmetic, T.arithmetic.infinity
    needs_classes(T, name)
    if not 2 <= len(T.classes) <= MAX_CLASSES:
        raise ModelError(
            f"{name} is for 2 to {MAX_CLASSES} classes, and there are {len(T.classes)}, {listed(T.classes)}: "
            "use zero_one_form"
        )
    require(A, (*COPYING, "distinct difference", "1 below ∞"), name, ONE)
    growing = growing_blocks(A)
    if growing is None:
        require(A, ("growth",), name, "use zero_one_form, or an arithmetic such as Fixed(4, 4)")
    assert growing is not None
    made = f"{name}(lowering={brief(lowering)})"
    if len(T.classes) > 2:
        used = DecidingLanes.of(T)
        T = widen(_logits_in(T, list(used.logits), lowering, length, made), used.in_front, where="front")
        blocks = deciding_blocks(A, T.lanes, used, growing, signed, name.replace("_", " "))
        return reading(replace(T, blocks=(*T.blocks, *blocks)), used.answers)
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
        raise InputError(f"lowering={brief(lowering)}: write 'feedforward' or 'attention'")
    T = reading(T, names)
    return replace(T, provenance=(*T.provenance, made))


def reading(T: Transformer, names: Sequence[str]) -> Transformer:
    """Let the output be the identity on these lanes, one for each class."""
    entries = dict.fromkeys(zip(T.classes, names, strict=True), 1.0)
    return replace(T, output=matrix(T.classes, T.lanes, entries), output_bias=None, final_norm=None, tied=False)


END = "END"


def by_feed_forward(T: Transformer, names: list[str]) -> Transformer:
    """One block, at every position: new lanes in front take output · h ⊕ bias, and the old lanes cancel.

    With a final norm the layer reads the normed stream, so the old lanes cancel in a second block.
    """
    old, plain, norm = list(T.lanes), plain_lanes(T), T.final_norm
    weights, bias = T.output, np.zeros(len(names)) if T.output_bias is None else T.output_bias
    T = widen(T, names, where="front")
    writes = [dict(zip(names, column.tolist(), strict=True)) for column in weights.T]
    cancel = [{lane: -1.0} if lane in plain else {} for lane in old]
    adds = dict(zip(names, bias.tolist(), strict=True))
    if norm is None:
        steps = [[{**logit, **away} for logit, away in zip(writes, cancel, strict=True)]]
    else:
        steps = [writes, cancel]
    blocks: list[Block] = []
    for step in steps:
        neurons = [neuron for lane, to in zip(old, step, strict=True) for neuron in Neuron.pair(lane, to)]
        first = not blocks
        blocks.append(
            Block(
                feed_forward=feed_forward(T.lanes, neurons, adds if first else {}),
                feed_forward_norm=T.final_norm if first else None,
                origin="logits into the stream" if first else "clear the other lanes",
            )
        )
    return replace(T, blocks=(*T.blocks, *blocks))


def by_attention(T: Transformer, names: list[str], length: int | None) -> Transformer:
    """Write to a further position, that of an END token, through an attention head; the inputs have one length."""
    if T.mask != "causal":
        raise ModelError("lowering='attention' needs mask='causal': END must not be seen from before")
    if not is_whole(length) or length < 1:
        raise InputError(
            f"lowering='attention' needs the length of the inputs, and length={brief(length)}: write length=4"
        )
    if T.max_length is not None and length > T.max_length:
        raise InputError(f"length={brief(length)} is beyond the position table, which holds {T.max_length}")
    if END in T.vocabulary:
        raise ModelError(f"the vocabulary has the token {named(END)} already: use lowering='feedforward'")
    require(T.arithmetic, ROUTING, "lowering='attention'", "use lowering='feedforward'")
    old, output, bias = list(T.lanes), T.output, T.output_bias
    silent = np.vstack([T.embedding, np.zeros(len(T.lanes))])
    T = replace(with_table(T, length + 1), vocabulary=(*T.vocabulary, END), embedding=silent, tied=False)
    T = widen(T, names, where="front")
    T, route = lay_route(T, length - 1, length)
    clear = cancelling_block(T, route.not_here, plain_lanes(T))
    entries = {(to, of): float(output[c, j]) for c, to in enumerate(names) for j, of in enumerate(old)}
    head = routed_head(T, route, old, entries, spare=True)
    block = Block(Attention((head,)), attention_norm=T.final_norm, origin="logits to END")
    T = replace(T, blocks=(*T.blocks, clear, block))
    if bias is not None:
        T = add_vector(T, dict(zip(names, bias.tolist(), strict=True)), at=route.here)
    return drop_flags(T, route.flags)
