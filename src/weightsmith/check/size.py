"""How much memory a check takes, and how many inputs may therefore be run together."""

from weightsmith.check.claim import Claim
from weightsmith.errors import InputError
from weightsmith.kernels.packed import packed_run
from weightsmith.model import Transformer

RUN_BYTES = 12 << 20  # what a run may take: more would leave the near caches
MOST_COLUMNS = 1 << 16


def columns_for(claim: Claim, up_to: int, memory: int) -> int:
    """Choose how many inputs are run together: as many as stay near, and no more than the memory allows."""
    lengths = [(T, _positions(T, up_to, claim)) for T in claim.models]
    per_column = max(_bytes(T, n, 1, claim) - _bytes(T, n, 0, claim) for T, n in lengths)
    columns = min(RUN_BYTES // per_column, MOST_COLUMNS)
    allowed = (memory - bytes_of_run(claim, up_to, 0)) // per_column
    least = len(claim.vocabulary) + max(n for _, n in lengths)
    if allowed < least:
        raise InputError(
            f"memory={memory}: a check of this claim needs at least {bytes_of_run(claim, up_to, least):,} bytes; "
            "allow more, or check shorter inputs"
        )
    return max(min(columns, allowed), least)


def bytes_of_run(claim: Claim, up_to: int, columns: int) -> int:
    """Return the bytes that a worker needs."""
    lengths = [(T, _positions(T, up_to, claim)) for T in claim.models]
    return max(_bytes(T, n, columns, claim) for T, n in lengths)


def _positions(T: Transformer, up_to: int, claim: Claim) -> int:
    return up_to + len(claim.frame.after(T))


def _bytes(T: Transformer, positions: int, columns: int, claim: Claim) -> int:
    """Count what the run takes, and what is compared, as float64."""
    compared = {"decisions": 1, "logits": len(T.classes), "vectors": len(T.lanes)}[claim.quantity]
    return packed_run(T).bytes_needed(positions, columns) + 8 * 4 * compared * columns
