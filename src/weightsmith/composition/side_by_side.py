"""Several transformers in one: their streams side by side, and nothing reads across."""

from collections.abc import Sequence

from weightsmith.composition.streams import common_ground, streams_beside
from weightsmith.composition.values import has_values, paired_values
from weightsmith.model import Transformer, needs_classes
from weightsmith.model.transformer import checked
from weightsmith.rewrites import zero_one_form


def side_by_side(S: Transformer, T: Transformer) -> Transformer:
    """Put two transformers into one; its logits are those of the first, then those of the second.

    Transformers with readouts say both values as one text, at every position: `left True, right 3`.

    Requires: the same arithmetic and mask; vocabularies of which one contains the other; classes, or readouts.
    Ensures: the lanes "left …" hold what S holds and the lanes "right …" what T holds, at the last stage; the logits
      are the two logits, one after the other. Inputs are over the smaller vocabulary and up to the smaller length.
    Exact in: every arithmetic ("symmetric", "zero product", "unit product" if one of them has a final norm).
    Because: each keeps the order of its lanes, and what the other adds to them is 0.
    """
    called = ("left", "right")
    return paired_values((S, T), called) if has_values((checked(S), checked(T))) else beside((S, T), called)


def beside(transformers: Sequence[Transformer], names: Sequence[str]) -> Transformer:
    """Put any number of transformers side by side, with a name for each."""
    parts = [zero_one_form(part) if part.final_norm is not None else part for part in agree(transformers)]
    classes = tuple(f"{name} {answer}" for part, name in zip(parts, names, strict=True) for answer in part.classes)
    return streams_beside(parts, names, classes=classes, provenance=(f"side by side: {', '.join(names)}",))


def agree(parts: Sequence[Transformer]) -> list[Transformer]:
    """Return parts with classes over one vocabulary and up to one length; refuse parts that do not fit."""
    for part in parts:
        needs_classes(checked(part), "composition")
    return common_ground(parts)
