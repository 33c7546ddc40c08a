"""How all inputs up to a length are divided among shards: whoever checks the same claim divides them alike.

A *shard* holds the inputs that begin with the same tokens. Shards are arranged in *tiers* of growing length, so that
the shortest refuting input is found first. A tier spans so many lengths that to compute the prefixes of its inputs
again adds no more than a sixteenth. Nothing here depends on a machine, its memory or its number of cores: a certificate
and a ledger can be checked against the plan that follows from their claim.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_LENGTH = 10_000  # tokens: with one symbol that is a check; with more, only a refutation ends it
MAX_SHARDS = 4096  # in a tier
MIN_GROWTH = 16  # a tier holds at least so many times as many inputs as all tiers before it
SHARD_WORK = 1 << 29  # multiplications that a shard takes, if its size allows
MIN_INPUTS, MAX_INPUTS = 1 << 11, 1 << 16  # of a shard, if the tier has as many


@dataclass(frozen=True)
class Tier:
    """All inputs with lengths in a range."""

    shortest: int
    longest: int
    apart: int  # how many tokens the inputs of a shard begin with
    shards: int


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
        return inputs_between(self.vocabulary, 1, length)

    def shards(self, tier: int) -> Iterator[Shard]:
        """Return the shards of a tier in order."""
        return (Shard(tier, index) for index in range(self.tiers[tier].shards))

    def inputs_of(self, shard: Shard) -> int:
        """Return the number of inputs in a shard."""
        tier = self.tiers[shard.tier]
        return inputs_between(self.vocabulary, tier.shortest - tier.apart, tier.longest - tier.apart)

    def first_in(self, shard: Shard, length: int) -> int:
        """Return the place of a shard's first input of a length among all of that length, in vocabulary order."""
        return shard.index * int(self.vocabulary ** (length - self.tiers[shard.tier].apart))

    def beginning(self, shard: Shard) -> tuple[int, ...]:
        """Return what the inputs of a shard begin with, as places in the vocabulary."""
        return tokens(shard.index, self.tiers[shard.tier].apart, self.vocabulary)


def inputs_between(vocabulary: int, shortest: int, longest: int) -> int:
    """Return the number of inputs with lengths in a range."""
    if vocabulary == 1:
        return max(longest - shortest + 1, 0)
    return int((vocabulary ** (longest + 1) - vocabulary**shortest) // (vocabulary - 1))


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


def depth_within(vocabulary: int, most: int, inputs: int) -> int:
    """Return the greatest depth, from 1 to `most`, at which a tree of continuations has at most so many inputs."""
    depth, total = 1, vocabulary
    while depth < most and total + vocabulary ** (depth + 1) <= inputs:
        depth, total = depth + 1, total + vocabulary ** (depth + 1)
    return depth


def shard_size(weights: int) -> int:
    """Return how many inputs a shard holds at most, if it can, for models with so many weights."""
    return max(min(SHARD_WORK // max(weights, 1), MAX_INPUTS), MIN_INPUTS)


def make_plan(vocabulary: int, up_to: int, size: int) -> Plan:
    """Divide so that a shard holds at most so many inputs, unless there would be too many shards."""
    depth, step = depth_within(vocabulary, up_to, size), 1
    while step < depth and vocabulary**step < MIN_GROWTH:
        step += 1
    ends = [up_to]
    while ends[-1] > depth:
        ends.append(ends[-1] - step)
    tiers = []
    for shortest, longest in zip([1, *(end + 1 for end in ends[:0:-1])], reversed(ends), strict=True):
        apart = 0
        while (
            apart < shortest - 1
            and 1 < vocabulary ** (apart + 1) <= MAX_SHARDS
            and (
                shortest - apart > size.bit_length()
                or inputs_between(vocabulary, shortest - apart, longest - apart) > size
            )
        ):
            apart += 1
        tiers.append(Tier(shortest, longest, apart, vocabulary**apart))
    return Plan(vocabulary, up_to, tuple(tiers))
