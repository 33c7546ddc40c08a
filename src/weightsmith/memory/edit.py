"""Edits of a feed-forward layer: write facts; change, silence and delete neurons; undo."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from weightsmith.errors import InputError, ModelError, brief
from weightsmith.memory.facts import Fact, Pattern, by_lane, read_keys, read_margin, read_values
from weightsmith.memory.neurons import columns, matched, neurons, new_names, open_gates
from weightsmith.memory.read import Tokens
from weightsmith.model import Edit, FeedForward, Transformer, digest
from weightsmith.model.folds import joined, selected
from weightsmith.model.frozen import NEURONS
from weightsmith.model.lookup import block_at, layer_at, neuron_at, neuron_text
from weightsmith.model.members import member
from weightsmith.model.transformer import checked


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
        raise InputError(f"facts={brief(facts)}: write a list of (name, key, value)")
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


def _fact(fact: Any, place: int) -> Fact:
    if isinstance(fact, Fact):
        return fact
    if not isinstance(fact, tuple | list) or len(fact) != 3:
        raise InputError(f"fact {place} is {brief(fact)}: write (name, key, value)")
    return Fact(*fact)


def edit(
    T: Transformer,
    block: int,
    neuron: int | str,
    key: Pattern | None = None,
    value: Pattern | None = None,
    margin: float = 1.0,
    name: str | None = None,
    rivals: Sequence[Pattern] = (),
    inputs: Sequence[Tokens] = (),
) -> Transformer:
    """Change the key, the value or the name of a neuron, or all three; None keeps the old one.

    Requires: for a new key what `write` requires, the neuron's old key not being a rival.
    Ensures: with a new key, that of `write`; the neuron stays where it is, and so does every other.
    Exact in: every arithmetic with "unit product"; what cannot be kept exactly is refused.
    Because: it is the neuron that `write` makes, in the place of the old one.
    """
    n, layer = neuron_at(T, block, neuron), layer_at(T, block)
    if key is None and value is None and name is None:
        raise InputError("nothing to edit: write key=…, value=… or name=…")
    new, label, said = cut(layer, n, 1), neuron_text(layer, n), []
    rest = spliced(layer, n, 1, None)
    if key is not None:
        keys = read_keys(T, [key], [f"the key of {label}"])
        found = matched(T, block, rest, keys, [label], read_margin(margin), rivals, inputs)
        new = replace(new, W_1=found.W, b_1=found.b, keys=keys, **open_gates(layer, keys))
        said += [f"key={by_lane(T, keys[0])!r:.400}", f"margin={margin!r}"]
    if value is not None:
        values = read_values(T, [value], [f"the value of {label}"])
        new = replace(new, W_2=columns(T, layer, values, [label]))
        said.append(f"value={by_lane(T, values[0])!r:.400}")
    if name is not None:
        new = replace(new, names=new_names(rest, [name]))
        said.append(f"name={name!r}")
    return splice(T, block, n, 1, new, f"memory.edit({label!r}, block={block}, {', '.join(said)})")


def delete(T: Transformer, block: int, neuron: int | str) -> Transformer:
    """Delete a neuron; the neurons after it move up. A layer without neurons stays, with its b_2."""
    n = neuron_at(T, block, neuron)
    return splice(T, block, n, 1, None, f"memory.delete({neuron_text(layer_at(T, block), n)!r}, block={block})")


def scale(T: Transformer, block: int, neuron: int | str, factor: float) -> Transformer:
    """Multiply a neuron's value by a factor: each entry of its column of W_2 becomes entry ⊗ factor."""
    n, layer = neuron_at(T, block, neuron), layer_at(T, block)
    number = member(T.arithmetic, factor, "factor")
    old = cut(layer, n, 1)
    new = replace(old, W_2=T.arithmetic.multiply(old.W_2, number))
    return splice(T, block, n, 1, new, f"memory.scale({neuron_text(layer, n)!r}, {number!r}, block={block})")


def ablate(T: Transformer, block: int, neuron: int | str) -> Transformer:
    """Set a neuron's value to 0: it stays and fires, and adds nothing."""
    n, layer = neuron_at(T, block, neuron), layer_at(T, block)
    new = replace(cut(layer, n, 1), W_2=np.zeros((len(T.lanes), 1)))
    return splice(T, block, n, 1, new, f"memory.ablate({neuron_text(layer, n)!r}, block={block})")


def splice(T: Transformer, block: int, first: int, count: int, new: FeedForward | None, text: str) -> Transformer:
    """Replace `count` neurons of a block, from `first` on, by others, and record the edit for `undo`."""
    old = block_at(T, block).feed_forward
    layer = empty_layer(T) if old is None else old
    before = cut(layer, first, count) if count else None
    text = text if len(text) <= 1000 else text[:999] + "…"
    edited = _with_layer(T, block, spliced(layer, first, count, new), (*T.provenance, text))
    now = 0 if new is None else len(new.W_1)
    return replace(edited, edits=(*T.edits, Edit(text, int(block), first, now, before, old is None, digest(edited))))


def undo(T: Transformer) -> Transformer:
    """Undo the last edit: weights, names, provenance and edits are as they were before it.

    Refused if another function has changed the model since.
    """
    if not checked(T).edits:
        raise ModelError("there is no edit to undo: memory.write and the other edits leave one")
    edit = T.edits[-1]
    if digest(T) != edit.digest:
        raise ModelError(
            f"the last edit was {brief(edit.text)}, and something else has changed the model since: "
            "undo the edit in the model before that change, and make the change again"
        )
    layer = T.blocks[edit.block].feed_forward if edit.block < len(T.blocks) else None
    if layer is None or edit.first + edit.count > len(layer.W_1) or not _fits(layer, edit.before):
        raise ModelError(f"the edit {brief(edit.text)} does not fit the model: it was not made by Weightsmith")
    lines = list(T.provenance)
    if edit.text in lines:
        lines.pop(len(lines) - 1 - lines[::-1].index(edit.text))
    restored = None if edit.created else spliced(layer, edit.first, edit.count, edit.before)
    return replace(_with_layer(T, edit.block, restored, tuple(lines)), edits=T.edits[:-1])


def _fits(layer: FeedForward, before: FeedForward | None) -> bool:
    if before is None:
        return True
    return layer.activation == before.activation and layer.W_1.shape[1:] == before.W_1.shape[1:]


def _with_layer(T: Transformer, block: int, layer: FeedForward | None, lines: tuple[str, ...]) -> Transformer:
    changed = replace(T.blocks[block], feed_forward=layer)
    return replace(T, blocks=(*T.blocks[:block], changed, *T.blocks[block + 1 :]), provenance=lines)


def empty_layer(T: Transformer) -> FeedForward:
    """Return a layer with ReLU and without neurons."""
    lanes = len(T.lanes)
    return FeedForward(np.zeros((0, lanes)), np.zeros(0), np.zeros((lanes, 0)), np.zeros(lanes))


def cut(layer: FeedForward, first: int, count: int) -> FeedForward:
    """Return some neurons of a layer as a layer, without its b_2."""
    return selected(layer, NEURONS, slice(first, first + count), b_2=np.zeros_like(layer.b_2))


def spliced(layer: FeedForward, first: int, count: int, new: FeedForward | None) -> FeedForward:
    """Return a layer in which some neurons are replaced by others; its b_2 stays."""
    end = len(layer.W_1)
    parts = [cut(layer, 0, first), *([new] if new is not None else []), cut(layer, first + count, end)]
    return joined(parts, NEURONS, b_2=layer.b_2)
