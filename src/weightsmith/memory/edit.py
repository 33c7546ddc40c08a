"""Neurons changed, silenced and taken out."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weightsmith.errors import InputError
from weightsmith.memory.patterns import Pattern, by_lane, member, read_keys, read_margin, read_values
from weightsmith.memory.seen import Tokens
from weightsmith.memory.splice import cut, splice, spliced
from weightsmith.memory.values import columns
from weightsmith.memory.write import matched, new_names
from weightsmith.model import Transformer
from weightsmith.model.places import layer_at, neuron_at, neuron_text


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
    """Return a neuron another key, another value, another name, or all of them; what is None stays as it is.

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
        new = replace(new, W_1=found.W, b_1=found.b, keys=keys)
        if layer.W_3 is not None:
            new = replace(new, W_3=np.zeros_like(keys), b_3=np.ones(1))
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
    """Take a neuron out; those behind it move up. A layer that loses its last neuron stays, with its b_2."""
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
    """Make a neuron's value 0: it stays and fires, and adds nothing."""
    n, layer = neuron_at(T, block, neuron), layer_at(T, block)
    new = replace(cut(layer, n, 1), W_2=np.zeros((len(T.lanes), 1)))
    return splice(T, block, n, 1, new, f"memory.ablate({neuron_text(layer, n)!r}, block={block})")
