"""Positions that heads do not look at, and position tables that begin later."""

from dataclasses import replace

import numpy as np

from weightsmith.arithmetic import Weights, require
from weightsmith.errors import InputError, ModelError, cut, named, whole_number
from weightsmith.model import (
    Attention,
    Block,
    Head,
    PositionTable,
    Relative,
    Softmax,
    Transformer,
    position_table,
)
from weightsmith.model.positions import MAX_LENGTH
from weightsmith.rewrites.lanes import flag_index, own_positions, with_vectors
from weightsmith.rewrites.whole_model import MAX_LINE

TIMES = 2  # one −∞ takes ∞ back to 0, the second takes every score to −∞
INSTEAD = "use an arithmetic such as Fixed(4, 4)"


def hide(T: Transformer, flag: str) -> Transformer:
    """Make every head blind to the positions where a flag is up.

    Requires: `flag` is a flag, and no norm covers it; no rotary positions, no Softmax(shifted=True) and no
      Softmax(empty="uniform").
    Ensures: every head adds what it would add if it did not see the positions where the flag is up. Their score is −∞;
      so a hard head looks at them only if it sees no other position with a score above −∞.
    Exact in: every arithmetic with "symmetric", "saturation", "zero product", "unit product" and, with softmax, "exp of
      −∞".
    Because: two new key coordinates are −∞ where the flag is up, so the score ends with ⊖ ∞ ⊖ ∞; and exp(−∞) = 0.
    """
    lane = flag_index(T, flag)
    T = own_positions(T)
    heads = [head for block in T.blocks if block.attention is not None for head in block.attention.heads]
    soft = ("exp of −∞",) if any(isinstance(head.weighting, Softmax) for head in heads) else ()
    require(T.arithmetic, ("symmetric", "saturation", "zero product", "unit product", *soft), "hide", INSTEAD)
    blocks = tuple(_blind(T, b, block, flag, lane) for b, block in enumerate(T.blocks))
    return replace(T, blocks=blocks, provenance=(*T.provenance, cut(f"hide({flag!r})", MAX_LINE)))


def _blind(T: Transformer, b: int, block: Block, flag: str, lane: int) -> Block:
    if block.attention is None:
        return block
    norm = block.attention_norm
    if norm is not None and block.norm_placement == "pre" and (norm.lanes is None or flag in norm.lanes):
        raise ModelError(
            f"a norm of block {b} covers the flag {named(flag)}, so heads would not read 1 there: limit the norm "
            "first, with lanes=[…]"
        )
    heads = tuple(_blind_head(T, f"block {b}, head {i}", head, lane) for i, head in enumerate(block.attention.heads))
    return replace(block, attention=Attention(heads, block.attention.b_O))


def _blind_head(T: Transformer, where: str, head: Head, lane: int) -> Head:
    """Return a head with two more key coordinates: the query is 1 there, and the key −∞ where the flag is up."""
    how = head.weighting
    if isinstance(how, Softmax) and (how.shifted or how.empty == "uniform"):
        what = "shifted=True" if how.shifted else "empty='uniform'"
        raise ModelError(f"{where} has Softmax({what}), which gives weight to a score of −∞: write Softmax()")
    positions = head.positions
    if isinstance(positions, Relative):
        positions = replace(positions, keys=_wider(positions.keys, axis=1))
    elif positions is not None and positions.rotation(T.arithmetic, len(head.W_K), 1) is not None:
        raise ModelError(
            f"{where} has rotary positions, which would turn the coordinate that hides: write Relative(…) or Alibi()"
        )
    W_Q, W_K = _wider(head.W_Q), _wider(head.W_K)
    W_K[-TIMES:, lane] = -T.arithmetic.infinity
    b_Q = _wider(np.zeros(len(head.W_Q)) if head.b_Q is None else head.b_Q)
    b_Q[-TIMES:] = 1.0
    b_K = None if head.b_K is None else _wider(head.b_K)
    return replace(head, W_Q=W_Q, W_K=W_K, b_Q=b_Q, b_K=b_K, positions=positions)


def _wider(array: Weights, axis: int = 0) -> Weights:
    """Return an array with two zeros at the end of an axis."""
    room = [(0, TIMES if a == axis else 0) for a in range(np.ndim(array))]
    wider: Weights = np.pad(np.asarray(array), room)
    return wider


def shift_positions(T: Transformer, k: int) -> Transformer:
    """Move the position table by k: position i + k gets the vector that position i had.

    Requires: a position table; k from 1 − its length on. Flags move with it.
    Ensures: at position i + k the vector of position i is added to the embedding, and at the first k positions 0; the
      longest input has k tokens more. With k < 0 the first −k vectors are gone. Nothing else changes.
    Exact in: every arithmetic.
    Because: only rows of the table move; schemes inside attention depend on distances alone.
    """
    table = position_table(T.positions, T.arithmetic, len(T.lanes)) if isinstance(T, Transformer) else None
    if table is None:
        raise InputError(
            "shift_positions moves a position table, and this transformer has none: write PositionTable(…)"
        )
    least, most = 1 - len(table), MAX_LENGTH - len(table)
    k = whole_number(k, "k", least, most, f"by how many positions the table moves, {least} to {most:,}")
    rows = np.vstack([np.zeros((k, len(T.lanes))), table]) if k >= 0 else table[-k:]
    positions = with_vectors(T, PositionTable(rows))
    return replace(T, positions=positions, provenance=(*T.provenance, f"shift_positions({k})"))
