"""Reading feed-forward layers: which neurons fire, which classes they promote, and which inputs trigger them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, brief, position_of, shown, whole_number
from weightsmith.inspect.run import Run, batches
from weightsmith.memory.facts import activation, by_lane, respond
from weightsmith.model import Block, Transformer, needs_classes, read_tokens
from weightsmith.model.lookup import block_at, layer_at, neuron_at
from weightsmith.model.sites import feed_forward_source
from weightsmith.semantics.layers import run_norm

Tokens = str | Sequence[str]


def seen_by(T: Transformer, block: int, stream: Array) -> Array:
    """Return the input of a block's feed-forward layer, from the stream (…, lanes) at `feed_forward_source`."""
    part = T.blocks[block]
    if part.norm_placement == "post":
        return stream
    return run_norm(
        T.arithmetic.core, part.feed_forward_norm, stream, tuple(T.lanes), f"block {block} feed-forward norm"
    )


def pattern(run: Run, block: int, position: int = -1) -> Array:
    """Return the input of a block's feed-forward layer at a position, over all lanes, after its norm.

    Used as a key of `write`, it gives a neuron that fires there.
    """
    if not isinstance(run, Run):
        raise InputError(f"{brief(run)} is not a run: write memory.pattern(run(T, tokens), block)")
    T, place = run.transformer, position_of(position, len(run.tokens))
    block_at(T, block)
    return seen_by(T, block, run.stream[feed_forward_source(T, block), place].astype(np.float64))


@dataclass(frozen=True, eq=False)
class Seen:
    """The inputs of a feed-forward layer at every position of some token sequences."""

    vectors: Array  # (rows, lanes)
    sources: tuple[tuple[int, int], ...]  # the input and the position of each row
    inputs: tuple[tuple[str, ...], ...]

    def text(self, row: int) -> str:
        """Name a row in a message."""
        number, position = self.sources[row]
        return f"the input {shown(' '.join(self.inputs[number])[:200])} at position {position}"


def read_inputs(T: Transformer, inputs: Sequence[Tokens]) -> tuple[tuple[str, ...], ...]:
    """Return the tokens of each input of a list."""
    if isinstance(inputs, str) or not isinstance(inputs, Sequence):
        raise InputError(f"inputs={brief(inputs)}: write a list of inputs, such as ['01', '10']")
    return tuple(read_tokens(T, tokens) for tokens in inputs)


def look(T: Transformer, block: int, inputs: Sequence[Tokens]) -> Seen:
    """Run inputs up to the feed-forward layer of a block."""
    read = read_inputs(T, inputs)
    here = T.blocks[block]
    half = [] if here.parallel else [Block(here.attention, None, here.attention_norm, None, here.norm_placement)]
    start = replace(T, blocks=(*T.blocks[:block], *half))
    vectors: list[Array] = []
    sources: list[tuple[int, int]] = []
    for members, found in batches(start, read):
        stream = found.stream[-1].astype(np.float64)
        vectors.append(seen_by(T, block, stream).reshape(-1, len(T.lanes)))
        sources += [(n, i) for n in members for i in range(stream.shape[-2])]
    stacked = np.concatenate(vectors) if vectors else np.zeros((0, len(T.lanes)))
    return Seen(stacked, tuple(sources), read)


@dataclass(frozen=True)
class Firing:
    """One neuron at one position."""

    position: int
    token: str
    neuron: int
    name: str
    response: float  # its pre-activation
    activation: float
    margin: float  # distance of the pre-activation to 0
    added: Mapping[str, float]  # to the stream, before the layer's sum is rounded


def read(run: Run, block: int, all: bool = False) -> list[Firing]:
    """List the neurons of a block that fired in a run, position by position; with `all` also those that did not.

    A neuron fires where its pre-activation is above 0.
    """
    if not isinstance(run, Run):
        raise InputError(f"{brief(run)} is not a run: write memory.read(run(T, tokens), block)")
    T = run.transformer
    layer = block_at(T, block).feed_forward
    if layer is None:
        return []
    every = np.arange(len(layer.W_1))
    responses = respond(T.arithmetic, layer, every, seen_by(T, block, run.stream[feed_forward_source(T, block)]))
    result = []
    for position, n in np.argwhere((responses > 0) | all):
        response, active = float(responses[position, n]), float(run.activations[block][position, n])
        added = by_lane(T, T.arithmetic.multiply(active, layer.W_2[:, n]))
        name = layer.names[n] if layer.names else ""
        token = run.tokens[position]
        result.append(Firing(int(position), token, int(n), name, response, active, abs(response), added))
    return result


@dataclass(frozen=True)
class Promoted:
    """Changes of logits by a neuron's value, by class: the largest gains, and the largest losses."""

    raised: tuple[tuple[str, float], ...]
    lowered: tuple[tuple[str, float], ...]


def promoted(T: Transformer, block: int, neuron: int | str, k: int = 5) -> Promoted:
    """Return the classes whose logits a neuron's value raises and lowers most, for an activation of 1.

    This is output · value; later blocks and the final norm are left out.
    """
    n = neuron_at(T, block, neuron)
    needs_classes(T, "promoted")
    k = whole_number(k, "k", 0, meaning="how many classes to list, 0 or more")
    change = T.arithmetic.matvec(T.output, layer_at(T, block).W_2[:, n])

    def best(sign: int) -> tuple[tuple[str, float], ...]:
        order = np.argsort(-sign * change, kind="stable")[:k]
        return tuple((T.classes[c], float(change[c])) for c in order if sign * change[c] > 0)

    return Promoted(best(1), best(-1))


@dataclass(frozen=True)
class Trigger:
    """A position of an input that makes a neuron fire."""

    tokens: tuple[str, ...]
    position: int
    response: float  # the neuron's pre-activation
    activation: float


def triggers(T: Transformer, block: int, neuron: int | str, inputs: Sequence[Tokens]) -> list[Trigger]:
    """List the positions of some inputs at which a neuron fires, the strongest response first."""
    n = neuron_at(T, block, neuron)
    A, layer, seen = T.arithmetic, layer_at(T, block), look(T, block, inputs)
    responses: Array = respond(A, layer, np.array([n]), seen.vectors)[:, 0]
    fired = [(-float(responses[row]), *seen.sources[row], int(row)) for row in np.flatnonzero(responses > 0)]
    return [
        Trigger(seen.inputs[i], position, -minus, activation(A, layer, n, seen.vectors[row]))
        for minus, i, position, row in sorted(fired)
    ]
