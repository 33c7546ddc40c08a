"""A transformer in a few lines of text."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from weightsmith.errors import listed
from weightsmith.model.block import Block, Head
from weightsmith.model.norms import Norm
from weightsmith.model.positions import position_text
from weightsmith.model.readout import value_text

if TYPE_CHECKING:
    from weightsmith.model.transformer import Transformer


def description(T: "Transformer") -> str:
    """Describe vocabulary, lanes, blocks with their origin, and how many weights there are."""
    width = max(10, len(f"block {len(T.blocks) - 1}"))
    return "\n".join([f"Transformer in {T.arithmetic}", *(f"  {key:<{width}}  {text}" for key, text in facts(T))])


def facts(T: "Transformer") -> list[tuple[str, str]]:
    """Return the main facts about a transformer as pairs of a word and a text."""
    rows = [
        ("vocabulary", f"{len(T.vocabulary)}: {listed(T.vocabulary)}"),
        ("lanes", f"{len(T.lanes)}: {listed(T.lanes)}"),
        ("positions", position_text(T.positions) + _of_heads(T.blocks)),
        ("mask", T.mask),
    ]
    rows += [(f"block {b}", block_text(block)) for b, block in enumerate(T.blocks)]
    if T.final_norm is not None:
        rows.append(("final norm", norm_text(T.final_norm)))
    if T.readout is None:
        rows.append(("classes", "the vocabulary, by the embedding itself (tied)" if T.tied else listed(T.classes)))
    else:
        said = listed([value_text(value) for value in T.readout.answers])
        rows.append(("readout", f"{listed(T.readout.lanes)}: {_count(len(T.readout.table), 'code')} for {said}"))
    rows.append(("weights", f"{T.weights:,}, of which {T.nonzero_weights:,} are not 0"))
    return rows


def _of_heads(blocks: Sequence[Block]) -> str:
    """Describe the positions that heads have of their own."""
    heads = [head for block in blocks if block.attention is not None for head in block.attention.heads]
    own = [type(head.positions).__name__ for head in heads if head.positions is not None]
    return (
        f"; {len(own)} of {_count(len(heads), 'head')} with its own scheme ({', '.join(sorted(set(own)))})"
        if own
        else ""
    )


def block_text(block: Block) -> str:
    """Describe a block: heads, neurons, norms and origin."""
    words = []
    if block.attention is not None:
        heads = block.attention.heads
        kinds = sorted({head_kind(head) for head in heads})
        words.append(_count(len(heads), "head") + (f" ({', '.join(kinds)})" if kinds else ""))
    if block.feed_forward is not None:
        words.append(f"{_count(len(block.feed_forward.W_1), 'neuron')} ({block.feed_forward.activation})")
    for where, norm in (("attention", block.attention_norm), ("feed-forward", block.feed_forward_norm)):
        if norm is not None:
            words.append(f"{norm_text(norm)} {'before' if block.norm_placement == 'pre' else 'after'} {where}")
    if block.parallel:
        words.append("in parallel")
    text = ", ".join(words) or "empty"
    return f"{text} · {block.origin}" if block.origin else text


def head_kind(head: Head) -> str:
    """Describe what a head sees and how it weights that: "strict RightmostHard", "Softmax, window 4096"."""
    window = "" if head.window is None else f", window {head.window}"
    return ("strict " if head.strict else "") + type(head.weighting).__name__ + window


def norm_text(norm: Norm | None) -> str:
    """Describe a norm."""
    if norm is None or norm.lanes is None:
        return type(norm).__name__
    return f"{type(norm).__name__} over {listed(norm.lanes)}"


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"
