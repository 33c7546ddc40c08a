"""Random transformers, for tests, examples and counterexamples."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from weightsmith.arithmetic import Arithmetic, Array, Native, or_default
from weightsmith.errors import InputError, brief, whole_number
from weightsmith.model.block import Attention, Block, FeedForward, Head
from weightsmith.model.positions import PositionTable
from weightsmith.model.transformer import Mask, Transformer
from weightsmith.model.weightings import Softmax, Weighting

MAX_WEIGHTS = 1 << 26


def random_transformer(
    vocabulary: str | Sequence[str] = "01",
    lanes: int = 4,
    blocks: int = 2,
    heads: int = 1,
    neurons: int = 4,
    max_length: int = 8,
    arithmetic: Arithmetic | None = None,
    seed: int = 0,
    *,
    classes: Sequence[str] = ("NO", "YES"),
    mask: Mask = "causal",
    weighting: Weighting | None = None,
    tied: bool = False,
    parallel: bool = False,
) -> Transformer:
    """Return a transformer with random weights, normally distributed and rounded into the arithmetic.

    The same arguments give the same transformer. With `tied` it is a language model whose output is its embedding;
    with `parallel` every block is.
    The weighting is Softmax() by default; in `Native`, where exp would overflow, Softmax(shifted=True).
    """
    A = or_default(arithmetic)
    lanes, blocks = whole_number(lanes, "lanes", 1), whole_number(blocks, "blocks", 0)
    heads, neurons = whole_number(heads, "heads", 0), whole_number(neurons, "neurons", 0)
    max_length, seed = whole_number(max_length, "max_length", 1), whole_number(seed, "seed", 0)
    per_block = heads * 4 * lanes**2 + neurons * (2 * lanes + 1) + lanes
    if (len(vocabulary) + max_length + len(classes)) * lanes + blocks * per_block > MAX_WEIGHTS:
        raise InputError(f"that would be more than {MAX_WEIGHTS:,} weights: choose smaller sizes")
    random = np.random.default_rng(seed)

    def draw(*shape: int) -> Array:
        return A.round(random.normal(size=shape))

    def head() -> Head:
        W_Q, W_K, W_V, W_O = (draw(lanes, lanes) for _ in range(4))
        return Head(W_Q, W_K, W_V, W_O, Softmax(shifted=isinstance(A, Native)) if weighting is None else weighting)

    def block() -> Block:
        attention = Attention(tuple(head() for _ in range(heads))) if heads else None
        layer = FeedForward(draw(neurons, lanes), draw(neurons), draw(lanes, neurons), draw(lanes)) if neurons else None
        return Block(attention, layer, origin="random", parallel=parallel)

    T = Transformer(
        arithmetic=A,
        vocabulary=tuple(vocabulary),
        lanes=tuple(f"x{i}" for i in range(lanes)),
        embedding=draw(len(vocabulary), lanes),
        positions=PositionTable(draw(max_length, lanes)),
        blocks=tuple(block() for _ in range(blocks)),
        output=draw(len(classes), lanes),
        classes=classes,
        mask=mask,
        provenance=(f"random_transformer(seed={brief(seed)})",),
    )
    return replace(T, output=T.embedding, classes=T.vocabulary, tied=True) if tied else T
