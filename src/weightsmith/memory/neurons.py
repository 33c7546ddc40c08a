"""Neurons for facts: fitted so that they fire for a key and for none of its rivals, or refused with the reason."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, NoReturn

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Native, require
from weightsmith.arithmetic.rounding import next_above
from weightsmith.errors import InputError, brief, named
from weightsmith.memory.facts import Fact, Pattern, fact_neurons, read_keys, read_patterns, read_values, respond
from weightsmith.memory.read import Tokens, look
from weightsmith.memory.threshold import Chosen, Thresholds, fit, overlaps
from weightsmith.model import FeedForward, Transformer
from weightsmith.model.lookup import neuron_text
from weightsmith.model.names import MAX_NAME, checked_text

SAME = {"float32": 1e-5, "float64": 1e-9}  # in Native: inputs as close as this are the same, computed in another order


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
    labels = [named(name) if name else "the new fact" for name in names]
    keys = read_keys(T, [fact.key for fact in facts], [f"the key of {label}" for label in labels])
    values = read_values(T, [fact.value for fact in facts], [f"the value of {label}" for label in labels])
    found = matched(T, block, layer, keys, labels, margin, rivals, inputs)
    return FeedForward(
        W_1=found.W,
        b_1=found.b,
        W_2=columns(T, layer, values, labels),
        b_2=np.zeros(len(T.lanes)),
        activation=layer.activation,
        names=names,
        keys=keys,
        **open_gates(layer, keys),
    )


def open_gates(layer: FeedForward, keys: Array) -> dict[str, Any]:
    """Return the gates of neurons written for keys, by field: constantly 1; {} in a layer without gates."""
    return {} if layer.W_3 is None else {"W_3": np.zeros_like(keys), "b_3": np.ones(len(keys))}


def new_names(layer: FeedForward, names: Sequence[str]) -> tuple[str, ...]:
    """Return names that no neuron of a layer has, or refuse."""
    taken = {name for name in layer.names if name}
    for name in names:
        checked_text(name, "the name of a fact", most=MAX_NAME)
        if name in taken:
            raise InputError(f"there is already a fact {named(name)}: choose another name, or use memory.edit")
        taken |= {name} - {""}
    return tuple(names)


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


def columns(T: Transformer, layer: FeedForward, values: Array, labels: Sequence[str]) -> Array:
    """Return (lanes, facts): the members c with act(1) ⊗ c = value; refuse a value for which there is none.

    In the machine's arithmetic, where functions are not exact, the nearest c is taken; `facts` shows the result.
    """
    A = T.arithmetic
    for flag in T.flags:
        for n in np.flatnonzero(values[:, T.lanes.index(flag)]).tolist():
            raise InputError(f"the value of {labels[n]} writes to {named(flag)}, which is a flag: choose other lanes")
    full = float(A.activate(layer.function, 1.0))
    if full == 0:
        raise InputError(f"{layer.activation}(1) is 0 in {A}, so no value comes out: use a finer arithmetic")
    sizes = np.abs(values)
    result = A.divide(sizes, full)
    above = next_above(A, result)  # a miss is always too small: members are denser below a power of two
    result = np.where((A.multiply(full, result) != sizes) & (A.multiply(full, above) == sizes), above, result)
    wrong = np.argwhere(A.multiply(full, result) != sizes)
    if wrong.size and not isinstance(A, Native):
        n, j = (int(place) for place in wrong[0])
        nearest = float(A.multiply(full, result[n, j]) * np.sign(values[n, j]))
        raise InputError(
            f"the value of {labels[n]}, lane {named(T.lanes[j])}: {brief(float(values[n, j]))} is not {full:g} times a "
            f"member of {A}, and {full:g} is {layer.activation}(1); write {brief(nearest)} instead"
        )
    return (result * np.sign(values)).T + 0.0


@dataclass(frozen=True, eq=False)
class Rivals:
    """Patterns for which new neurons must not fire: the empty one, then old facts, then new ones."""

    patterns: Array  # (rivals, lanes)
    allowed: Chosen  # (keys, rivals): whether it is a rival of the key
    texts: Sequence[str | Callable[[], str]]  # a text, or a function that returns one

    def text(self, rival: int) -> str:
        """Name a rival."""
        text = self.texts[rival]
        return text if isinstance(text, str) else text()


def differ(A: Arithmetic, rows: Array, key: Array) -> Chosen:
    """Return which rows are other inputs than a key; in `Native`, one computed in another order differs by rounding."""
    if not isinstance(A, Native):
        return np.asarray((rows != key).any(axis=1))
    most = SAME[A.dtype] * np.abs(key).max(initial=0.0)
    return np.asarray(np.abs(rows - key).max(axis=1, initial=0.0) > most)


def gather(
    T: Transformer,
    block: int,
    layer: FeedForward,
    keys: Array,
    labels: Sequence[str],
    rivals: Sequence[Pattern],
    inputs: Sequence[Tokens],
) -> Rivals:
    """Collect the rivals of new keys."""
    if isinstance(rivals, str) or not isinstance(rivals, Sequence):
        raise InputError(f"rivals={brief(rivals)}: write a list of patterns, such as [{{{brief(T.lanes[0])}: 1.0}}]")
    old = fact_neurons(layer)
    given = read_patterns(T, rivals, [f"rival {i}" for i in range(len(rivals))])
    seen = look(T, block, inputs)
    vectors, first = np.unique(seen.vectors, axis=0, return_index=True)
    known = layer.keys[old] if layer.keys is not None else np.zeros((0, len(T.lanes)))
    patterns = np.vstack([np.zeros((1, len(T.lanes))), known, keys, given, vectors])
    allowed = np.full((len(keys), len(patterns)), True)
    here = 1 + len(old) + np.arange(len(keys))
    allowed[np.arange(len(keys)), here] = False
    for n, key in enumerate(keys if len(vectors) else ()):
        lanes = np.flatnonzero(key)
        allowed[n, len(patterns) - len(vectors) :] = differ(T.arithmetic, vectors[:, lanes], key[lanes])
    texts: list[str | Callable[[], str]] = ["the empty pattern"]
    texts += [f"the fact {neuron_text(layer, int(n))}" for n in old]
    texts += [f"the new fact {label}" if label != "the new fact" else "another new fact" for label in labels]
    texts += [f"rival {i}" for i in range(len(given))]
    texts += [partial(seen.text, int(row)) for row in first]
    return Rivals(patterns, allowed, texts)


def collision(A: Arithmetic, layer: FeedForward, keys: Array, labels: Sequence[str]) -> None:
    """Refuse keys that an old fact answers to: both would add their values there."""
    old = fact_neurons(layer)
    if not old.size:
        return
    responses = respond(A, layer, old, keys)  # (keys, old facts)
    n, i = divmod(int(np.argmax(responses)), len(old))
    if responses[n, i] >= 0:
        raise InputError(
            f"the fact {neuron_text(layer, int(old[i]))}, which is there already, responds to the key of {labels[n]} "
            f"with {responses[n, i]:g}, and it must stay below 0: edit it first, with this key among its rivals, or "
            "write both with write_many"
        )


def refuse(
    A: Arithmetic, keys: Array, labels: Sequence[str], rivals: Rivals, found: Thresholds, margin: float
) -> NoReturn:
    """Refuse: say why one of the keys has no good neuron. `found` has the best neuron of the first such key."""
    s, r, strongest = overlaps(keys, rivals.patterns, rivals.allowed)
    r, wrong = r[:, 0], np.flatnonzero(~found.good(margin))
    n = int(wrong[np.argmax(s[wrong] <= r[wrong])])  # one that no neuron can distinguish, if there is one
    if s[n] <= r[n]:
        raise InputError(
            f"{labels[n]} cannot be distinguished from {rivals.text(int(strongest[n, 0]))}: ⟨key, key⟩ = {s[n]:g} and "
            f"⟨key, rival⟩ = {r[n]:g}, so what fires for the key fires there too; "
            "add a lane to the key on which they differ"
        )
    at_key, at_rival, rival = float(found.at_key[n]), float(found.at_rival[n]), rivals.text(int(found.rival[n]))
    if at_key == 1 and at_rival < 0:
        works = "the largest margin that works is" if A.bits <= 16 else "a margin that works is"
        raise InputError(
            f"{labels[n]} cannot keep margin={margin:g} in {A}: its response is 1 at its key and "
            f"{at_rival:g} at {rival}; {works} {brief(-at_rival)}: write margin={brief(-at_rival)}"
        )
    raise InputError(
        f"{labels[n]} cannot be written in {A}: its response would be {at_key:g} at its key and "
        f"{at_rival:g} at {rival}, and it must be 1 and at most {-margin:g};"
        " no margin works here: use a wider arithmetic, or another key"
    )
