"""Checking one shard, with the fast kernels, or with the reference semantics in a replay."""

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, NamedTuple, Protocol, TypeAlias

import numpy as np

from weightsmith.automata import Inputs, TokenIds, input_text, written
from weightsmith.check.claim import Claim, Quantity, Values
from weightsmith.check.frame import prefixes
from weightsmith.check.layouts import Reader, batch_size, read_tree, shares_prefixes, trees
from weightsmith.check.models import ChainRuns, Model, engine_of, has_readout, reference_of
from weightsmith.check.plan import Plan, Shard, depth_within
from weightsmith.check.two_models import handover_of, values_of_both
from weightsmith.errors import InputError, ModelError, named
from weightsmith.kernels.packed import PackedRun
from weightsmith.model import Chain, Transformer
from weightsmith.semantics.reference import Reference

RUN_BYTES = 12 << 20  # of a run, so that it stays in the caches
MAX_COLUMNS = 1 << 16
EMPTY_DIGEST = hashlib.sha256().hexdigest()  # of a shard without inputs of the claim
REFERENCE_INPUTS = 1024  # that the reference runs at once

# Yields a quantity for inputs of growing length with a common prefix.
Source: TypeAlias = Callable[[Reader, Quantity, Sequence[Inputs]], Iterator[Values]]
# Does so for all models of a claim.
Evaluation: TypeAlias = Callable[[Sequence[Inputs]], Iterator[tuple[Values, ...]]]


@dataclass(frozen=True)
class Refutation:
    """The first input of a shard that refutes a claim: its length, and its rank in vocabulary order."""

    length: int
    rank: int
    evidence: tuple[Any, ...] = field(default=(), compare=False)  # see `Claim.judge`

    @property
    def order(self) -> tuple[int, int]:
        """The key by which inputs are ordered."""
        return self.length, self.rank


Limit: TypeAlias = Callable[[Shard], int]  # the greatest length of a shard's inputs that can still matter


@dataclass(frozen=True)
class Finding:
    """The result of checking a shard."""

    shard: Shard
    digest: str | None  # of all compared values; None if the shard was not finished
    refuted: Refutation | None
    counts: Mapping[int, int] = field(default_factory=dict)  # of checked inputs, by length


class Backend(Protocol):
    """Checks shards: the threads of this machine, or a cluster."""

    def findings(self, claim: Claim, plan: Plan, shards: list[Shard], limit: Limit) -> Iterator[Finding]:
        """Yield the finding of each shard as soon as it is known."""


def examine(
    claim: Claim,
    plan: Plan,
    shard: Shard,
    longest: int | None = None,
    source: Source | None = None,
    columns: int = MAX_COLUMNS,
) -> Finding:
    """Check all inputs of a shard, or those up to a length, in batches of `columns`.

    The digest is the SHA-256 of the digests of all compared values, for each length in order and for each of the two
    sides, in vocabulary order. It does not depend on the size of batches.
    """
    return examine_alone(claim, plan, shard, longest, Runs(claim, plan, source or by_kernels).values, columns)


def examine_alone(
    claim: Claim, plan: Plan, shard: Shard, longest: int | None, values: Evaluation, columns: int
) -> Finding:
    """Do as `examine`, with given values of all models."""
    tier = plan.tiers[shard.tier]
    end = tier.longest if longest is None else min(longest, tier.longest)
    run = _Examination(claim, values)
    shortest, depth = tier.shortest, depth_within(plan.vocabulary, plan.up_to, columns)
    while shortest <= end and run.refuted is None:
        lengths = range(shortest, min(shortest + depth - 1, end) + 1)
        size = max(lengths[-1] - depth, tier.apart)
        before = shard.index * plan.vocabulary ** (size - tier.apart)
        for number, stem in prefixes(claim.frame, plan, shard, size, lengths):
            run.go_through(stem, before + number, lengths)
        shortest = lengths[-1] + 1
    whole = run.refuted is None and end == tier.longest
    return Finding(shard, run.digest() if whole else None, run.refuted, run.counts)


class Runs:
    """The runs of a claim's models on the same inputs."""

    def __init__(self, claim: Claim, plan: Plan, source: Source) -> None:
        """Find what two models share."""
        self.claim, self.source = claim, source
        self.readers = [reader(claim, T) for T in claim.runs]
        positions = min(plan.up_to, claim.longest or plan.up_to) + len(self.readers[0].suffix)
        self.shared = handover_of(self.readers, positions, plan.inputs) if source is by_kernels else None

    def values(self, asked: Sequence[Inputs]) -> Iterator[tuple[Values, ...]]:
        """Yield the values of all models, for each length."""
        if self.shared is not None:
            return values_of_both(self.shared, self.readers[0], self.claim.quantity, asked, self._apart)
        return self._apart(asked)

    def _apart(self, asked: Sequence[Inputs]) -> Iterator[tuple[Values, ...]]:
        return zip(*(self.source(each, self.claim.quantity, asked) for each in self.readers), strict=True)


class _Examination:
    """The state of one shard."""

    def __init__(self, claim: Claim, values: Evaluation) -> None:
        self.claim, self.models, self.values = claim, claim.runs, values
        self.refuted: Refutation | None = None
        self.counts = dict[int, int]()
        self.hashes: dict[int, list[hashlib._Hash]] = {}  # by length, for each side

    def go_through(self, stem: Sequence[int], number: int, lengths: range) -> None:
        """Check the continuations of a prefix, the number-th of its size; after a refutation, only shorter ones."""
        frame, vocabulary = self.claim.frame, self.claim.vocabulary
        end = lengths[-1] if self.refuted is None else self.refuted.length - 1
        wanted = frame.lengths(lengths[0], end)
        every = (frame.restricted(Inputs(vocabulary, stem, length - len(stem))) for length in wanted)
        asked = [inputs for inputs in every if len(inputs)]
        if not asked:
            return
        for inputs, values in zip(asked, self.values(asked), strict=True):
            self._check_codes(values, inputs)
            holds, evidence = self.claim.judge(values, inputs)
            self._remember(inputs.length, evidence)
            count = len(holds)
            first = count if holds.all() else int(np.argmin(holds))
            self.counts[inputs.length] = self.counts.get(inputs.length, 0) + min(first + 1, count)
            if first < count:
                rank = number * len(vocabulary) ** inputs.depth + inputs.rank(first)
                self.refuted = Refutation(inputs.length, rank, tuple(array[first] for array in evidence))
                return

    def _check_codes(self, values: Sequence[Values], inputs: Inputs) -> None:
        """Refuse an input on which the lanes of a readout hold a code without a value."""
        if self.claim.quantity != "decisions":
            return
        for T, found in zip(self.models, values, strict=True):
            if has_readout(T) and (found < 0).any():
                tokens = next(islice(inputs.written(), int(np.argmax(found < 0)), None))
                try:
                    self.claim.run(T, tokens).decision  # noqa: B018
                except InputError as error:
                    raise InputError(f"on the input {named(input_text(tokens))}: {error}") from None

    def _remember(self, length: int, evidence: Sequence[Values]) -> None:
        hashes = self.hashes.setdefault(length, [hashlib.sha256() for _ in evidence])
        for side, array in zip(hashes, evidence, strict=True):
            side.update(np.ascontiguousarray(array).astype(array.dtype.newbyteorder("<"), copy=False).data)

    def digest(self) -> str:
        """Return the digest of all compared values."""
        total = hashlib.sha256()
        for length in sorted(self.hashes):
            for side in self.hashes[length]:
                total.update(side.digest())
        return total.hexdigest()


def reader(claim: Claim, T: Model) -> Reader:
    """Return a model with its vocabulary in the order of the claim."""
    if isinstance(T, Chain):
        return Reader(T if T.vocabulary == claim.vocabulary else replace(T, inputs=claim.vocabulary))
    suffix = claim.frame.after(T)
    order = (*claim.vocabulary, *dict.fromkeys(suffix))
    if tuple(T.vocabulary) != order:
        rows = [T.vocabulary.index(token) for token in order]
        T = replace(T, vocabulary=order, embedding=T.embedding[rows], tied=False)
    return Reader(T, tuple(order.index(token) for token in suffix), claim.frame.plain)


def by_kernels(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> Iterator[Values]:
    """Compute with the kernels."""
    if reader.whole:
        return _fast(reader, quantity, asked)
    try:
        return iter(list(_fast(reader, quantity, asked)))
    except ModelError:  # on an input, or only on a prefix that is no input
        return by_reference(reader, quantity, asked)


def _fast(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> Iterator[Values]:
    """Run trees of shared prefixes, or every input by itself."""
    engine = engine_of(reader.model)
    if not isinstance(engine, PackedRun) or not shares_prefixes(reader, quantity, asked):
        yield from _plainly(reader, quantity, asked)
        return
    for layout, some in trees(reader, asked):
        columns = engine.evaluate(layout)
        for inputs in some:
            yield read_tree(columns, layout, reader, quantity, inputs)


def _plainly(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> Iterator[Values]:
    """Run every input by itself, in batches no larger than a tree."""
    engine = engine_of(reader.model)
    for inputs in asked:
        some = batch_size(reader, inputs, asked)
        yield np.concatenate([engine.results(reader.read(ids), quantity) for ids in inputs.ids(some)])


def by_reference(reader: Reader, quantity: Quantity, asked: Sequence[Inputs]) -> Iterator[Values]:
    """Compute with the reference semantics."""
    for inputs in asked:
        parts = [_by_reference(reader, quantity, ids) for ids in inputs.ids(REFERENCE_INPUTS)]
        whole: Values = np.concatenate(parts)
        plain = quantity in ("decisions", "outputs") and not isinstance(reader.model, Chain)
        yield whole.astype(np.int32) if plain else whole


def _by_reference(reader: Reader, quantity: Quantity, ids: TokenIds) -> Values:
    """Run inputs; name the input that fails."""
    T, read = reader.model, reader.read(ids)
    engine = reference_of(T)
    try:
        return engine.results(read, quantity)
    except ModelError:
        for one in read:
            try:
                engine.results(one[np.newaxis], quantity)
            except ModelError as error:
                name = named(input_text(written(T.vocabulary, one.tolist())))
                raise ModelError(f"on the input {name}: {error}") from None
        raise


# Memory, and the size of batches


def columns_for(claim: Claim, up_to: int, memory: int) -> int:
    """Return the size of batches: as many columns as fit the caches and the memory."""
    runs = _runs(claim, up_to)
    per_column = max(run.bytes(1) - run.bytes(0) for run in runs)
    wider = 1 + max(len(claim.frame.after(T)) for T in claim.models)  # a suffix behind the inputs of a tree
    columns = min(RUN_BYTES // per_column, MAX_COLUMNS)
    allowed = (memory - max(run.bytes(0) for run in runs)) // per_column
    least = wider * len(claim.vocabulary) + max(run.positions for run in runs)
    if allowed < least:
        raise InputError(
            f"memory={memory}: a check of this claim needs at least {bytes_of_run(claim, up_to, least):,} bytes; "
            "allow more, or check shorter inputs"
        )
    return max(min(columns, allowed), least) // wider


def bytes_of_run(claim: Claim, up_to: int, columns: int) -> int:
    """Return the bytes of a run, for one worker."""
    return max(run.bytes(columns) for run in _runs(claim, up_to))


class _RunSize(NamedTuple):
    engine: Reference | PackedRun | ChainRuns
    positions: int  # of the longest inputs, with their suffix
    width: int  # bytes of each column besides those of the engine

    def bytes(self, columns: int) -> int:
        """Return the bytes of a run, of the compared values and of what one model hands over."""
        return self.engine.bytes_needed(self.positions, columns) + self.width * columns


def _runs(claim: Claim, up_to: int) -> list[_RunSize]:
    """Return the size of a run of each model."""
    sizes = []
    for T in claim.runs:
        engine, width = engine_of(T), 8 * 4  # of a compared float64 number, with copies
        if isinstance(T, Transformer) and claim.quantity in ("logits", "vectors", "streams"):
            width *= len(T.classes if claim.quantity == "logits" else T.lanes)
        if isinstance(engine, PackedRun) and len(claim.runs) == 2:  # a stream that one of two models hands over
            width += len(T.lanes) * engine.carrier.dtype.itemsize
        sizes.append(_RunSize(engine, up_to + len(claim.frame.after(T)), width))
    return sizes
