"""How all inputs up to a length are divided into shards; the division follows from the claim alone.

A *shard* holds the inputs with a common prefix. Shards form *tiers* of growing length, so that the shortest refuting
input is found first. A tier spans enough lengths that recomputing the prefixes of its inputs adds at most a sixteenth.
Nothing depends on the machine, its memory or its cores: certificates and ledgers are checked against the plan of their
claim.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

MAX_LENGTH = 10_000  # tokens
MAX_SHARDS = 4096  # in a tier
MIN_GROWTH = 16  # inputs of a tier, for each input of all tiers before it, at least
SHARD_WORK = 1 << 29  # multiplications of a shard, if its size allows
MIN_INPUTS, MAX_INPUTS = 1 << 11, 1 << 16  # of a shard, if the tier is large enough


@dataclass(frozen=True)
class Tier:
    """All inputs with lengths in a range."""

    shortest: int
    longest: int
    apart: int  # tokens of the prefix of a shard
    shards: int


@dataclass(frozen=True, order=True)
class Shard:
    """A shard, by its tier and its index there."""

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
        """The number of inputs: Σ |V|^k."""
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
        """Return the rank of a shard's first input of a length among all of that length, in vocabulary order."""
        return shard.index * int(self.vocabulary ** (length - self.tiers[shard.tier].apart))

    def beginning(self, shard: Shard) -> tuple[int, ...]:
        """Return the prefix of a shard, as token ids."""
        return tokens(shard.index, self.tiers[shard.tier].apart, self.vocabulary)


def inputs_between(vocabulary: int, shortest: int, longest: int) -> int:
    """Return the number of inputs with lengths in a range."""
    if vocabulary == 1:
        return max(longest - shortest + 1, 0)
    return int((vocabulary ** (longest + 1) - vocabulary**shortest) // (vocabulary - 1))


def tokens(rank: int, length: int, vocabulary: int) -> tuple[int, ...]:
    """Return the input of a length with a rank in vocabulary order."""
    result = []
    for _ in range(length):
        rank, token = divmod(rank, vocabulary)
        result.append(token)
    return tuple(reversed(result))


def rank(ids: Sequence[int], vocabulary: int) -> int:
    """Return the rank of an input among those of its length, in vocabulary order."""
    result = 0
    for token in ids:
        result = result * vocabulary + token
    return result


def depth_within(vocabulary: int, most: int, inputs: int) -> int:
    """Return the greatest depth, from 1 to `most`, at which a tree of continuations has at most `inputs` inputs."""
    depth, total = 1, vocabulary
    while depth < most and total + vocabulary ** (depth + 1) <= inputs:
        depth, total = depth + 1, total + vocabulary ** (depth + 1)
    return depth


def shard_size(weights: int) -> int:
    """Return the size of shards for models with this number of weights together."""
    return max(min(SHARD_WORK // max(weights, 1), MAX_INPUTS), MIN_INPUTS)


def make_plan(vocabulary: int, up_to: int, size: int) -> Plan:
    """Return a plan whose shards hold at most `size` inputs, unless there would be too many shards."""
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
