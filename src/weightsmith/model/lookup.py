"""Looking up blocks, heads, feed-forward layers and neurons of a transformer, by number or name."""

from typing import Any

from weightsmith.errors import InputError, brief, existing, listed, named, nearest_names, shown
from weightsmith.model.block import Attention, Block, FeedForward
from weightsmith.model.transformer import Transformer, checked


def block_at(T: Transformer, block: Any) -> Block:
    """Return a block by its number."""
    if not checked(T).blocks:
        raise InputError(f"there is no block {brief(block)}: the transformer has none; write pad_blocks(T, 1) first")
    return T.blocks[existing(block, len(T.blocks), "block")]


def attention_at(T: Transformer, block: Any) -> Attention:
    """Return the attention of a block that has some."""
    attention = block_at(T, block).attention
    if attention is None:
        with_some = [b for b, there in enumerate(T.blocks) if there.attention is not None]
        known = f"write a block of {with_some}" if with_some else "no block has any"
        raise InputError(f"block {block} has no attention, and so no heads: {known}")
    return attention


def head_at(T: Transformer, block: Any, head: Any) -> int:
    """Return the number of a head that the block has."""
    return existing(head, len(attention_at(T, block).heads), "head", f" in block {block}")


def layer_at(T: Transformer, block: Any) -> FeedForward:
    """Return the feed-forward layer of a block that has one."""
    layer = block_at(T, block).feed_forward
    if layer is None:
        raise InputError(f"block {block} has no feed-forward layer: memory.write(T, {block}, key, value) makes one")
    return layer


def neuron_at(T: Transformer, block: Any, neuron: Any) -> int:
    """Return the number of a neuron, which is given by its number or its name."""
    layer = layer_at(T, block)
    if not isinstance(neuron, str):
        return existing(neuron, len(layer.W_1), "neuron", f" in block {block}")
    numbers = [n for n, name in enumerate(layer.names) if name == neuron and name]
    if len(numbers) > 1:
        raise InputError(
            f"block {block} has {len(numbers)} neurons called {named(neuron)}: write a number of {numbers}"
        )
    if not numbers:
        known_names = [name for name in layer.names if name]
        known = (
            f"{nearest_names(neuron, known_names)}the names are {listed(known_names)}"
            if known_names
            else "no neuron has a name"
        )
        raise InputError(f"block {block} has no neuron called {named(neuron)}: {known}")
    return numbers[0]


def neuron_text(layer: FeedForward, neuron: int) -> str:
    """Return a neuron's name, or its number."""
    return shown(layer.names[neuron]) if layer.names and layer.names[neuron] else f"neuron {neuron}"
