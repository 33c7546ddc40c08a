"""One shard, examined: with the fast kernels, or with the reference semantics when a verdict is replayed."""

import hashlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeAlias

import numpy as np

from weightsmith.automata import Inputs, Places, input_text, written
from weightsmith.check.claim import Claim, Quantity, Values
from weightsmith.check.frame import claimed_stems
from weightsmith.check.plan import Plan, Shard
from weightsmith.errors import InputError, ModelError, shown
from weightsmith.kernels.packed import batch, packed_run, ranks, run_columns, tree
from weightsmith.kernels.packed.carrier import carrier
from weightsmith.model import Transformer
from weightsmith.semantics.evaluation import Evaluation
from weightsmith.semantics.reference import evaluate

RUN_BYTES = 12 << 20  # what a run may take: more would leave the near caches
MAX_COLUMNS = 1 << 16
MAX_UNSHARED_COLUMNS = 1 << 16  # that are run together where prefixes are not shared
EMPTY_DIGEST = hashlib.sha256().hexdigest()  # the digest of a shard that a claim is not about


@dataclass(frozen=True, eq=False)
class Reader:
    """A transformer as a claim gives it inputs: the tokens of inputs come first in its vocabulary."""

    model: Transformer
    suffix: tuple[int, ...] = ()  # what follows each input
    whole: bool = True  # whether each prefix of what it reads is an input too

    def read(self, ids: Places) -> Places:
        """Return what it is run on for inputs (inputs, positions)."""
        return np.hstack([ids, np.broadcast_to(np.array(self.suffix, np.int64), (len(ids), len(self.suffix)))])


# Yields a quantity for inputs of growing length that have a stem in common.
Source: TypeAlias = Callable[[Reader, Quantity, Sequence[Inputs]], Iterator[Values]]


@dataclass(frozen=True)
class Finding:
    """What a shard showed."""

    shard: Shard
    digest: str | None  # of everything that was compared; None where a shorter refutation made it stop early
    refuted: tuple[int, int] | None  # length and place in vocabulary order of the first input that refutes the claim
    counts: Mapping[int, int] = field(default_factory=dict)  # by length: inputs gone through, if none can tell before


def examine(
    claim: Claim, plan: Plan, shard: Shard, longest: int | None = None, source: Source | None = None
) -> Finding:
    """Compare all inputs of a shard, or those up to a length.

    The digest is the SHA-256 of the digests of the stems, each of all compared values: for each length in order, for
    each of the two sides, in vocabulary order.
    """
    tier = plan.tiers[shard.tier]
    end = tier.longest if longest is None else min(longest, tier.longest)
    total, counts = hashlib.sha256(), Counter[int]()
    refuted: tuple[int, int] | None = None
    for offset, stem in claimed_stems(claim.frame, plan, shard):
        if refuted is not None:
            end = min(end, refuted[0] - 1)  # what comes later in vocabulary order must be shorter
        part = hashlib.sha256()
        found = _examine_stem(claim, stem, tier.shortest, end, part, source or by_kernels, counts)
        total.update(part.digest())
        if found is not None:
            length, place = found
            before = shard.index * tier.stems + offset
            refuted = (length, before * plan.vocabulary ** (length - tier.stem) + place)
    whole = refuted is None and end == tier.longest
    return Finding(shard, total.hexdigest() if whole else None, refuted, {} if claim.frame.countable else dict(counts))


def _examine_stem(
    claim: Claim,
    stem: Sequence[int],
    shortest: int,
    longest: int,
    digest: "hashlib._Hash",
    source: Source,
    counts: Counter[int],
) -> tuple[int, int] | None:
    lengths = claim.frame.lengths(shortest, longest)
    every = [claim.frame.claimed(Inputs(claim.vocabulary, stem, length - len(stem))) for length in lengths]
    asked = [inputs for inputs in every if len(inputs)]
    if not asked:
        return None
    sides = [source(reader(claim, T), claim.quantity, asked) for T in claim.models]
    for inputs, values in zip(asked, zip(*sides, strict=True), strict=True):
        holds, evidence = claim.judge(values, inputs)
        for array in evidence:
            digest.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).tobytes())
        if not holds.all():
            first = int(np.argmin(holds))
            counts[inputs.length] += first + 1
            return inputs.length, inputs.place(first)
        counts[inputs.length] += len(inputs)
    return None


def reader(claim: Claim, T: Transformer) -> Reader:
    """Return a transformer as a claim gives it inputs."""
    suffix = claim.frame.after(T)
    order = (*claim.vocabulary, *dict.fromkeys(suffix))
    if tuple(T.vocabulary) != order:
        places = [T.vocabulary.index(token) for token in order]
        T = replace(T, vocabulary=order, embedding=T.embedding[places], tied=False)
    return Reader(T, tuple(order.index(token) for token in suffix), claim.frame.plain)


def by_kernels(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> Iterator[Values]:
    """Compute with the kernels."""
    if reader.whole:
        return _fast(reader, quantity, asked)
    try:
        return iter(list(_fast(reader, quantity, asked)))
    except ModelError:  # of an input, or only of a beginning of one, which nobody asked for
        return by_reference(reader, quantity, asked)


def _fast(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> Iterator[Values]:
    """Share the prefixes where a transformer is causal and most of them are needed."""
    T, vocabulary, depth = reader.model, len(asked[0].vocabulary), asked[-1].depth
    below = sum(vocabulary**k for k in range(1, depth + 1))
    if T.mask == "full" or reader.suffix or sum(len(inputs) * inputs.length for inputs in asked) < below:
        yield from _plainly(reader, quantity, asked, min(below, MAX_UNSHARED_COLUMNS))
        return
    decode = carrier(T.arithmetic).decode
    layout = tree(vocabulary, asked[0].stem, depth)
    columns = run_columns(T, layout)
    for inputs in asked:
        level, order = layout.level(inputs.length - 1), ranks(vocabulary, inputs.depth)
        if quantity == "decisions":
            result: Values = np.empty(order.size, np.int32)
            result[order] = columns.decisions[level]
        else:
            values = getattr(columns, quantity)[:, level]
            result = np.empty((order.size, len(values)))
            result[order] = decode(values).T
        yield result if inputs.chosen is None else result[inputs.chosen]


def _plainly(reader: Reader, quantity: Quantity, asked: Sequence[Inputs], together: int) -> Iterator[Values]:
    """Run every input by itself, with no more columns at once than a tree would have."""
    T = reader.model
    for inputs in asked:
        positions = inputs.length + len(reader.suffix)
        parts: list[Values] = []
        for ids in inputs.ids(max(together // positions, 1)):
            layout = batch(reader.read(ids))
            columns = run_columns(T, layout)
            last = layout.level(positions - 1)
            if quantity == "decisions":
                parts.append(columns.decisions[last])
            else:
                parts.append(carrier(T.arithmetic).decode(getattr(columns, quantity)[:, last]).T)
        yield np.concatenate(parts)


def by_reference(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> Iterator[Values]:
    """Compute with the readable semantics."""
    for inputs in asked:
        parts: list[Values] = []
        for ids in inputs.ids(1024):
            found = _evaluated(reader, ids)
            if quantity == "decisions":
                parts.append(np.argmax(found.logits, axis=-1).astype(np.int32))
            else:
                parts.append(found.logits if quantity == "logits" else found.stream[-1][:, -1])
        yield np.concatenate(parts)


def _evaluated(reader: Reader, ids: Places) -> Evaluation:
    """Run inputs; where one fails, say which."""
    T, read = reader.model, reader.read(ids)
    try:
        return evaluate(T, read)
    except ModelError:
        for one in read:
            try:
                evaluate(T, one)
            except ModelError as error:
                name = shown(input_text(written(T.vocabulary, one.tolist())))
                raise ModelError(f"on the input {name}: {error}") from None
        raise


# How much memory that takes, and how many inputs may therefore be run together


def columns_for(claim: Claim, up_to: int, memory: int) -> int:
    """Choose how many inputs are run together: as many as stay near, and no more than the memory allows."""
    lengths = [(T, _positions(T, up_to, claim)) for T in claim.models]
    per_column = max(_bytes_of(T, n, 1, claim) - _bytes_of(T, n, 0, claim) for T, n in lengths)
    columns = min(RUN_BYTES // per_column, MAX_COLUMNS)
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
    return max(_bytes_of(T, n, columns, claim) for T, n in lengths)


def _positions(T: Transformer, up_to: int, claim: Claim) -> int:
    return up_to + len(claim.frame.after(T))


def _bytes_of(T: Transformer, positions: int, columns: int, claim: Claim) -> int:
    """Count what the run takes, and what is compared, as float64."""
    compared = {"decisions": 1, "logits": len(T.classes), "vectors": len(T.lanes)}[claim.quantity]
    return packed_run(T).bytes_needed(positions, columns) + 8 * 4 * compared * columns
