"""What a feed-forward layer reads."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from weightsmith.arithmetic import Array
from weightsmith.errors import InputError, shown
from weightsmith.inspect.run import evaluate
from weightsmith.model import Block, Transformer, read_tokens
from weightsmith.semantics.layers import run_norm

Tokens = str | Sequence[str]
BATCH = 256  # inputs that are run together


def seen_by(T: Transformer, block: int, stream: Array) -> Array:
    """Return what the feed-forward layer of a block reads, of the stream (…, lanes) after the block's attention."""
    part = T.blocks[block]
    if part.norm_placement == "post":
        return stream
    return run_norm(
        T.arithmetic.core, part.feed_forward_norm, stream, tuple(T.lanes), f"block {block} feed-forward norm"
    )


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
