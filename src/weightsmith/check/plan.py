"""How all inputs up to a length are divided among shards.

A *shard* holds the inputs that begin with one of its stems, all stems of a length being divided among the shards in
vocabulary order. Shards are arranged in *tiers* of growing length, so that the shortest refuting input is found
first. A tier computes the prefixes of its inputs again, from the stems on; it spans so many lengths that this adds no
more than a sixteenth.
"""

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_LENGTH = 10_000  # tokens: with one symbol that is a check; with more, only a refutation ends it
MAX_DIGITS = 4300  # Python writes no longer numbers out, and certificates have numbers of inputs
MAX_SHARDS = 4096  # in a tier: beyond that a shard takes several stems
MIN_GROWTH = 16  # a tier holds at least so many times as many inputs as all tiers before it


@dataclass(frozen=True)
class Tier:
    """All inputs with lengths in a range."""

    shortest: int
    longest: int
    stem: int  # the length of a stem
    shards: int
    stems: int  # how many each shard has


@dataclass(frozen=True, order=True)
class Shard:
    """One of them, by its tier and its place there."""

    tier: int
    index: int


@dataclass(frozen=True)
class Plan:
    """All inputs of length 1 … up_to over a vocabulary, in shards."""

    vocabulary: int
    up_to: int
    tiers: tuple[Tier, ...]

    @property
    def inputs(self) -> int:
        """How many there are: Σ |V|^k."""
        return self.up_to_length(self.up_to)

    def up_to_length(self, length: int) -> int:
        """Return the number of inputs of length 1 … length."""
        return sum(int(self.vocabulary**k) for k in range(1, length + 1))

    def shards(self, tier: int) -> Iterator[Shard]:
        """Return the shards of a tier in order."""
        return (Shard(tier, index) for index in range(self.tiers[tier].shards))

    def inputs_of(self, shard: Shard) -> int:
        """Return the number of inputs in a shard."""
        tier = self.tiers[shard.tier]
        below = range(tier.shortest - tier.stem, tier.longest - tier.stem + 1)
        return tier.stems * sum(int(self.vocabulary**k) for k in below)

    def first_in(self, shard: Shard, length: int) -> int:
        """Return the place of a shard's first input of a length among all of that length, in vocabulary order."""
        tier = self.tiers[shard.tier]
        return shard.index * tier.stems * int(self.vocabulary ** (length - tier.stem))

    def stems_of(self, shard: Shard) -> Iterator[tuple[int, ...]]:
        """Return the stems of a shard as places in the vocabulary."""
        tier = self.tiers[shard.tier]
        for rank in range(shard.index * tier.stems, (shard.index + 1) * tier.stems):
            yield tokens(rank, tier.stem, self.vocabulary)


def tokens(rank: int, length: int, vocabulary: int) -> tuple[int, ...]:
    """Return the input of a length that stands at a place in vocabulary order."""
    result = []
    for _ in range(length):
        rank, token = divmod(rank, vocabulary)
        result.append(token)
    return tuple(reversed(result))


def rank(ids: Sequence[int], vocabulary: int) -> int:
    """Return the place of an input among those of its length, in vocabulary order."""
    result = 0
    for token in ids:
        result = result * vocabulary + token
    return result


def longest_of(vocabulary: int) -> int:
    """Return the greatest length that a check may have."""
    return MAX_LENGTH if vocabulary == 1 else min(MAX_LENGTH, int(MAX_DIGITS / math.log10(vocabulary)) - 1)


def make_plan(vocabulary: int, up_to: int, columns: int) -> Plan:
    """Divide so that a stem with everything below it has at most so many inputs, if a single token more allows it."""
    depth, inputs = 1, vocabulary
    while depth < up_to and inputs + vocabulary ** (depth + 1) <= columns:
        depth, inputs = depth + 1, inputs + vocabulary ** (depth + 1)
    step = 1
    while step < depth and vocabulary**step < MIN_GROWTH:
        step += 1
    ends = [up_to]
    while ends[-1] > depth:
        ends.append(ends[-1] - step)
    most = 0
    while most < up_to and vocabulary ** (most + 1) <= MAX_SHARDS:
        most += 1
    tiers = []
    for shortest, longest in zip([1, *(end + 1 for end in ends[:0:-1])], reversed(ends), strict=True):
        stem = max(longest - depth, 0)
        apart = min(stem, most)  # tokens of a stem that tell its shard
        tiers.append(Tier(shortest, longest, stem, vocabulary**apart, vocabulary ** (stem - apart)))
    return Plan(vocabulary, up_to, tuple(tiers))
