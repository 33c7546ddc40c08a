"""Facts written into a feed-forward layer, with a threshold between each key and its rivals."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array, require
from weightsmith.errors import InputError, shown
from weightsmith.memory.facts import Fact
from weightsmith.memory.patterns import Pattern, by_lane, read_keys, read_margin, read_values
from weightsmith.memory.refusals import collision, refuse
from weightsmith.memory.rivals import gather
from weightsmith.memory.seen import Tokens
from weightsmith.memory.splice import empty_layer, splice
from weightsmith.memory.threshold import Thresholds, fit
from weightsmith.memory.values import columns
from weightsmith.model import FeedForward, Transformer
from weightsmith.model.names import MAX_NAME, checked_text
from weightsmith.model.places import block_at


def write(
    T: Transformer,
    block: int,
    key: Pattern,
    value: Pattern,
    margin: float = 1.0,
    name: str | None = None,
    rivals: Sequence[Pattern] = (),
    inputs: Sequence[Tokens] = (),
) -> Transformer:
    """Add a neuron, behind the others of a block, that fires for a pattern and then adds a value to the stream.

    Requires: members for key and value; a positive margin; no rival that answers to the key as much as the key itself.
    Ensures: the neuron's pre-activation is 1 where the layer reads the key, whatever is on the key's other lanes, and
      at most −margin at every rival; with ReLU it adds just the value there and nothing here.
    Exact in: every arithmetic with "unit product"; what cannot be kept exactly is refused.
    Because: w = a ⊗ key with a = (1 + margin) / (⟨key, key⟩ − ⟨key, rival⟩), and all is computed once to see.

    Rivals are the keys of the block's other facts, the empty pattern, `rivals`, and what the layer reads of `inputs`
    at the positions where that is not the key.
    """
    layer = _layer(T, block)
    fact = Fact("" if name is None else name, key, value)
    new = neurons(T, block, layer, [fact], read_margin(margin), rivals, inputs)
    assert new.keys is not None
    said = f"key={by_lane(T, new.keys[0])!r:.400}, value={by_lane(T, read_values(T, [value], ['the value'])[0])!r:.400}"
    text = f"memory.write({f'{fact.name!r}, ' if fact.name else ''}block={block}, {said}, margin={margin!r})"
    return splice(T, block, len(layer.W_1), 0, new, text)


def write_many(
    T: Transformer,
    block: int,
    facts: Sequence[Fact | tuple[str, Pattern, Pattern]],
    margin: float = 1.0,
    rivals: Sequence[Pattern] = (),
    inputs: Sequence[Tokens] = (),
) -> Transformer:
    """Write facts, each a `Fact` or (name, key, value), in one edit; the contract of each is that of `write`."""
    if isinstance(facts, str) or not isinstance(facts, Sequence):
        raise InputError(f"facts={facts!r:.80}: write a list of (name, key, value)")
    read = [_fact(fact, i) for i, fact in enumerate(facts)]
    if not read:
        raise InputError("facts is empty: write at least one (name, key, value)")
    layer = _layer(T, block)
    new = neurons(T, block, layer, read, read_margin(margin), rivals, inputs)
    text = f"memory.write_many({len(read)} facts, block={block}, margin={margin!r})"
    return splice(T, block, len(layer.W_1), 0, new, text)


def _layer(T: Transformer, block: int) -> FeedForward:
    layer = block_at(T, block).feed_forward
    return empty_layer(T) if layer is None else layer


def neurons(
    T: Transformer,
    block: int,
    layer: FeedForward,
    facts: Sequence[Fact],
    margin: float,
    rivals: Sequence[Pattern],
    inputs: Sequence[Tokens],
) -> FeedForward:
    """Return the neurons of new facts beside a layer, or refuse."""
    names = new_names(layer, [fact.name for fact in facts])
    labels = [shown(name) if name else "the new fact" for name in names]
    keys = read_keys(T, [fact.key for fact in facts], [f"the key of {label}" for label in labels])
    values = read_values(T, [fact.value for fact in facts], [f"the value of {label}" for label in labels])
    found = matched(T, block, layer, keys, labels, margin, rivals, inputs)
    return FeedForward(
        W_1=found.W,
        b_1=found.b,
        W_2=columns(T, layer, values, labels),
        b_2=np.zeros(len(T.lanes)),
        activation=layer.activation,
        W_3=None if layer.W_3 is None else np.zeros_like(keys),
        b_3=None if layer.W_3 is None else np.ones(len(keys)),
        names=names,
        keys=keys,
    )


def matched(
    T: Transformer,
    block: int,
    layer: FeedForward,
    keys: Array,
    labels: Sequence[str],
    margin: float,
    rivals: Sequence[Pattern],
    inputs: Sequence[Tokens],
) -> Thresholds:
    """Return weights and biases that respond to keys and to none of their rivals, or refuse."""
    require(T.arithmetic, ("unit product",), "memory.write", "use an arithmetic with 1, such as Fixed(4, 4)")
    others = gather(T, block, layer, keys, labels, rivals, inputs)
    collision(T.arithmetic, layer, keys, labels)
    found = fit(T.arithmetic, keys, others.patterns, others.allowed, margin)
    if not found.good(margin).all():
        refuse(T.arithmetic, keys, labels, others, found, margin)
    return found


def new_names(layer: FeedForward, names: Sequence[str]) -> tuple[str, ...]:
    """Return names that no neuron of a layer has, or refuse."""
    taken = {name for name in layer.names if name}
    for name in names:
        checked_text(name, "the name of a fact", most=MAX_NAME)
        if name in taken:
            raise InputError(f"there is already a fact {shown(name)}: choose another name, or use memory.edit")
        taken |= {name} - {""}
    return tuple(names)


def _fact(fact: Any, place: int) -> Fact:
    if isinstance(fact, Fact):
        return fact
    if not isinstance(fact, tuple | list) or len(fact) != 3:
        raise InputError(f"fact {place} is {fact!r:.80}: write (name, key, value)")
    return Fact(*fact)
