"""Every head with its own rule inside attention, so that heads of other kinds can stand beside them."""

from dataclasses import replace

from weightsmith.model import Block, Transformer, added


def own_positions(T: Transformer) -> Transformer:
    """Move the rule inside attention that the heads share to each of them; the run is the same."""
    if T.attention_positions is None:
        return T
    return replace(T, positions=added(T.positions), blocks=tuple(_block(T, block) for block in T.blocks))


def _block(T: Transformer, block: Block) -> Block:
    attention, shared = block.attention, T.attention_positions
    if attention is None:
        return block
    heads = [replace(head, positions=attention.positions_of(i, shared)) for i, head in enumerate(attention.heads)]
    return replace(block, attention=replace(attention, heads=tuple(heads)))
