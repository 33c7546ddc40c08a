"""Where things are: blocks and neurons by number or name, and what a feed-forward layer reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError
from weightsmith.model import Block, FeedForward, Transformer, read_tokens
from weightsmith.model.names import brief, listed, nearest_names, shown
from weightsmith.semantics.layers import run_norm
from weightsmith.semantics.run import evaluate

Tokens = str | Sequence[str]
BATCH = 256  # inputs that are run together


def checked(T: Any) -> Transformer:
    """Refuse what is not a transformer."""
    if not isinstance(T, Transformer):
        raise InputError(f"{T!r:.80} is not a transformer: write load('model.safetensors') for a file")
    return T


def block_at(T: Transformer, block: Any) -> Block:
    """Give a block by its number."""
    checked(T)
    if not T.blocks:
        raise InputError(f"there is no block {brief(block)}: the transformer has none; write pad_blocks(T, 1) first")
    if type(block) is not int or not 0 <= block < len(T.blocks):
        raise InputError(f"there is no block {brief(block)}: the blocks are 0 to {len(T.blocks) - 1}")
    return T.blocks[block]


def layer_at(T: Transformer, block: Any) -> FeedForward:
    """Give the feed-forward layer of a block that has one."""
    layer = block_at(T, block).feed_forward
    if layer is None:
        raise InputError(f"block {block} has no feed-forward layer: memory.write(T, {block}, key, value) makes one")
    return layer


def neuron_at(T: Transformer, block: Any, neuron: Any) -> int:
    """Give the number of a neuron, which is given by its number or its name."""
    layer = layer_at(T, block)
    if isinstance(neuron, str):
        places = [n for n, name in enumerate(layer.names) if name == neuron and name]
        if len(places) > 1:
            raise InputError(
                f"block {block} has {len(places)} neurons called {shown(neuron)}: write a number of {places}"
            )
        if not places:
            named = [name for name in layer.names if name]
            known = f"{nearest_names(neuron, named)}the names are {listed(named)}" if named else "no neuron has a name"
            raise InputError(f"block {block} has no neuron called {shown(neuron[:80])}: {known}")
        return places[0]
    count = len(layer.W_1)
    if isinstance(neuron, bool) or not isinstance(neuron, int | np.integer) or not 0 <= neuron < count:
        known = f"the neurons are 0 to {count - 1}" if count else "its feed-forward layer is empty"
        raise InputError(f"block {block} has no neuron {brief(neuron)}: {known}")
    return int(neuron)


def neuron_text(layer: FeedForward, neuron: int) -> str:
    """Give a neuron's name, or its number."""
    return shown(layer.names[neuron]) if layer.names and layer.names[neuron] else f"neuron {neuron}"


def seen_by(T: Transformer, block: int, stream: Array) -> Array:
    """Give what the feed-forward layer of a block reads, of the stream (…, lanes) after the block's attention."""
    part = T.blocks[block]
    if part.norm_placement == "post":
        return stream
    return run_norm(T.arithmetic, part.feed_forward_norm, stream, tuple(T.lanes), f"block {block} feed-forward norm")


@dataclass(frozen=True, eq=False)
class Seen:
    """What a feed-forward layer reads at every position of some inputs."""

    vectors: Array  # (rows, lanes)
    places: tuple[tuple[int, int], ...]  # which input, which position
    inputs: tuple[tuple[str, ...], ...]

    def text(self, row: int) -> str:
        """Name a row in a message."""
        number, position = self.places[row]
        return f"the input {shown(' '.join(self.inputs[number])[:200])} at position {position}"


def look(T: Transformer, block: int, inputs: Sequence[Tokens]) -> Seen:
    """Run inputs up to the feed-forward layer of a block."""
    if isinstance(inputs, str) or not isinstance(inputs, Sequence):
        raise InputError(f"inputs={inputs!r:.80}: write a list of inputs, such as ['01', '10']")
    here = T.blocks[block]
    start = replace(
        T, blocks=(*T.blocks[:block], Block(here.attention, None, here.attention_norm, None, here.norm_placement))
    )
    read = tuple(read_tokens(T, tokens) for tokens in inputs)
    token_place = {token: i for i, token in enumerate(T.vocabulary)}
    vectors: list[Array] = []
    places: list[tuple[int, int]] = []
    for length in sorted({len(tokens) for tokens in read}):
        numbers = [n for n, tokens in enumerate(read) if len(tokens) == length]
        for begin in range(0, len(numbers), BATCH):
            batch = numbers[begin : begin + BATCH]
            found = evaluate(start, np.array([[token_place[token] for token in read[n]] for n in batch]))
            stream = found.stream[-1].astype(np.float64)
            vectors.append(seen_by(T, block, stream).reshape(-1, len(T.lanes)))
            places += [(n, i) for n in batch for i in range(length)]
    stacked = np.concatenate(vectors) if vectors else np.zeros((0, len(T.lanes)))
    return Seen(stacked, tuple(places), read)
