"""One shard, examined: with the fast kernels, or with the reference semantics when a verdict is replayed."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

import numpy as np

from weightsmith.check.claims import Claim, Quantity, Values
from weightsmith.check.plan import Plan, Shard
from weightsmith.kernels import batch, ranks, run_columns, tree
from weightsmith.kernels.carrier import carrier
from weightsmith.model import Transformer
from weightsmith.semantics.reference import evaluate

# Give a quantity for all continuations of a stem, for each number of tokens more up to a depth, in vocabulary order.
Source: TypeAlias = Callable[[Transformer, Quantity, Sequence[int], int, int], Iterator[Values]]

PLAIN_COLUMNS = 1 << 16  # of a transformer that is not causal, run together


@dataclass(frozen=True)
class Finding:
    """What a shard showed."""

    shard: Shard
    digest: str | None  # of everything that was compared; None where a shorter refutation made it stop early
    refuted: tuple[int, int] | None  # length and place in vocabulary order of the first input that refutes the claim


def examine(
    claim: Claim, plan: Plan, shard: Shard, longest: int | None = None, source: Source | None = None
) -> Finding:
    """Compare all inputs of a shard, or those up to a length.

    The digest is the SHA-256 of the digests of the stems, each of all compared values: for each length in order, for
    each of the two sides, in vocabulary order.
    """
    tier = plan.tiers[shard.tier]
    end = tier.longest if longest is None else min(longest, tier.longest)
    total = hashlib.sha256()
    refuted: tuple[int, int] | None = None
    for offset, stem in enumerate(plan.stems_of(shard)):
        if refuted is not None:
            end = min(end, refuted[0] - 1)  # what comes later in vocabulary order must be shorter
        part = hashlib.sha256()
        found = _examine_stem(claim, stem, tier.shortest, end, part, source or by_kernels)
        total.update(part.digest())
        if found is not None:
            length, place = found
            before = shard.index * tier.stems + offset
            refuted = (length, before * plan.vocabulary ** (length - tier.stem) + place)
    whole = refuted is None and end == tier.longest
    return Finding(shard, total.hexdigest() if whole else None, refuted)


def _examine_stem(
    claim: Claim, stem: Sequence[int], shortest: int, longest: int, digest: "hashlib._Hash", source: Source
) -> tuple[int, int] | None:
    least, most = shortest - len(stem), longest - len(stem)
    if most < least:
        return None
    sides = [source(reordered(claim, T), claim.quantity, stem, least, most) for T in claim.models]
    for depth, values in zip(range(least, most + 1), zip(*sides, strict=True), strict=True):
        holds, evidence = claim.judge(values, stem, depth)
        for array in evidence:
            digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
        if not holds.all():
            return len(stem) + depth, int(np.argmin(holds))
    return None


def reordered(claim: Claim, T: Transformer) -> Transformer:
    """Give a transformer whose vocabulary has the order of the claim's."""
    if tuple(T.vocabulary) == claim.vocabulary:
        return T
    order = [T.vocabulary.index(token) for token in claim.vocabulary]
    return replace(T, vocabulary=claim.vocabulary, embedding=T.embedding[order], tied=False)


def by_kernels(T: Transformer, quantity: Quantity, stem: Sequence[int], least: int, most: int) -> Iterator[Values]:
    """Compute with the kernels; a causal transformer shares prefixes."""
    vocabulary = len(T.vocabulary)
    decode = carrier(T.arithmetic).decode
    if T.mask == "full":
        yield from _plainly(T, quantity, stem, least, most)
        return
    layout = tree(vocabulary, stem, most)
    columns = run_columns(T, layout)
    for depth in range(least, most + 1):
        level, order = layout.level(len(stem) + depth - 1), ranks(vocabulary, depth)
        if quantity == "decisions":
            decisions = np.empty(order.size, np.int32)
            decisions[order] = columns.decisions[level]
            yield decisions
        else:
            values = getattr(columns, quantity)[:, level]
            result = np.empty((order.size, len(values)))
            result[order] = decode(values).T
            yield result


def _plainly(T: Transformer, quantity: Quantity, stem: Sequence[int], least: int, most: int) -> Iterator[Values]:
    """Compute with the kernels, every input by itself, with no more columns at once than a tree would have."""
    together = min(sum(len(T.vocabulary) ** k for k in range(1, most + 1)), PLAIN_COLUMNS)
    for depth in range(least, most + 1):
        positions = len(stem) + depth
        parts: list[Values] = []
        for ids in _inputs(len(T.vocabulary), stem, depth, max(together // positions, 1)):
            layout = batch(ids)
            columns = run_columns(T, layout)
            last = layout.level(positions - 1)
            if quantity == "decisions":
                parts.append(columns.decisions[last])
            else:
                parts.append(carrier(T.arithmetic).decode(getattr(columns, quantity)[:, last]).T)
        yield np.concatenate(parts)


def by_reference(T: Transformer, quantity: Quantity, stem: Sequence[int], least: int, most: int) -> Iterator[Values]:
    """Compute with the readable semantics."""
    for depth in range(least, most + 1):
        parts: list[Values] = []
        for ids in _inputs(len(T.vocabulary), stem, depth, 1024):
            found = evaluate(T, ids)
            if quantity == "decisions":
                parts.append(np.argmax(found.logits, axis=-1).astype(np.int32))
            else:
                parts.append(found.logits if quantity == "logits" else found.stream[-1][:, -1])
        yield np.concatenate(parts)


def _inputs(vocabulary: int, stem: Sequence[int], depth: int, most: int) -> Iterator[Values]:
    """Give all continuations of a stem in vocabulary order, (inputs, positions), so many at a time."""
    count = vocabulary**depth
    powers = np.array([vocabulary**k for k in range(depth - 1, -1, -1)], dtype=np.int64)
    for first in range(0, count, most):
        rank = np.arange(first, min(first + most, count), dtype=np.int64)
        rest = rank[:, np.newaxis] // powers % vocabulary
        yield np.concatenate([np.broadcast_to(np.array(stem, dtype=np.int64), (len(rank), len(stem))), rest], axis=1)
