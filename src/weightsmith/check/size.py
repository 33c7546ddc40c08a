"""How much memory a check takes, and how many inputs may therefore be run together."""

from weightsmith.check.claim import Claim
from weightsmith.errors import InputError
from weightsmith.kernels.packed.carrier import carrier, function_table
from weightsmith.kernels.packed.instructions import PACK_BYTES
from weightsmith.kernels.packed.layout import CHUNK
from weightsmith.kernels.packed.linear import TILE_BYTES, WHOLE
from weightsmith.kernels.packed.run import TILE
from weightsmith.model import Transformer

RUN_BYTES = 12 << 20  # what a run may take: more would leave the near caches
MOST_COLUMNS = 1 << 16


def columns_for(claim: Claim, up_to: int, memory: int) -> int:
    """Choose how many inputs are run together: as many as stay near, and no more than the memory allows."""
    per_column = max(_column_bytes(T, _positions(T, up_to, claim), claim) for T in claim.models)
    columns = min(RUN_BYTES // per_column, MOST_COLUMNS)
    allowed = (memory - bytes_of_run(claim, up_to, 0)) // per_column
    least = len(claim.vocabulary) + max(_positions(T, up_to, claim) for T in claim.models)
    if allowed < least:
        raise InputError(
            f"memory={memory}: a check of this claim needs at least {bytes_of_run(claim, up_to, least):,} bytes; "
            "allow more, or check shorter inputs"
        )
    return max(min(columns, allowed), least)


def bytes_of_run(claim: Claim, up_to: int, columns: int) -> int:
    """Return the bytes that a worker needs."""
    lengths = [(T, _positions(T, up_to, claim)) for T in claim.models]
    return max(_fixed_bytes(T, n) + columns * _column_bytes(T, n, claim) for T, n in lengths)


def _positions(T: Transformer, up_to: int, claim: Claim) -> int:
    return up_to + len(claim.frame.after(T))


def _head_sizes(T: Transformer) -> tuple[int, int]:
    heads = [head for block in T.blocks if block.attention for head in block.attention.heads]
    keys = max((len(head.W_K) for head in heads), default=0)
    return keys, max((len(head.W_V) for head in heads), default=0)


def _column_bytes(T: Transformer, positions: int, claim: Claim) -> int:
    """Count the rows that are there at once: the stream, thrice; a head's queries, keys, values, and what it mixes; its
    scores, if exponentials are not in a table; the logits; and what is compared, as float64."""
    keys, values = _head_sizes(T)
    rows = 3 * len(T.lanes) + 2 * keys + 2 * values + len(T.classes)
    compared = {"decisions": 1, "logits": len(T.classes), "vectors": len(T.lanes)}[claim.quantity]
    size = carrier(T.arithmetic).dtype.itemsize
    by_table = function_table(carrier(T.arithmetic), "exp") is not None
    exponentials = 0 if by_table else (size + 32) * positions  # computed as float64
    return rows * size + 8 * (3 + 4 * compared) + exponentials


def _fixed_bytes(T: Transformer, positions: int) -> int:
    """Count what does not depend on the columns.

    That is the neurons of a tile; and for each position its first vectors, also as float64 while they are made, the
    keys and values of narrow ones spread over a chunk, and a pack of scores.
    """
    layers = [block.feed_forward for block in T.blocks if block.feed_forward]
    size = carrier(T.arithmetic).dtype.itemsize
    neurons = max(
        (len(layer.W_1) * (TILE_BYTES + 2 * size * TILE * (layer.activation != "relu")) for layer in layers), default=0
    )
    vectors = len(T.lanes) * len(T.vocabulary) * (16 + size)
    tiles = sum(_head_sizes(T)) * (CHUNK + WHOLE) * size  # rounded up to packs
    return neurons + positions * (vectors + tiles + PACK_BYTES)
