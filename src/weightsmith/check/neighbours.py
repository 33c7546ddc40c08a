"""Neighbouring shards in one run.

The division into shards follows from the claim alone, so shards are small. Neighbours have a prefix in common, and one
tree of prefixes can hold the inputs of several: larger trees have fewer narrow levels, and need fewer calls. The
findings are those of each shard alone.
"""

from collections.abc import Iterator, Sequence
from functools import partial

from weightsmith.automata import Inputs
from weightsmith.check.claim import Claim, Values
from weightsmith.check.examine import MAX_COLUMNS, Finding, Runs, by_kernels, examine_alone
from weightsmith.check.plan import Plan, Shard, depth_within
from weightsmith.errors import ModelError

Asked = tuple[Shard, int]  # a shard, and the greatest length of its inputs that still matters


def examine_all(claim: Claim, plan: Plan, asked: Sequence[Asked], columns: int = MAX_COLUMNS) -> list[Finding]:
    """Check shards with the kernels, in batches of `columns`: neighbours in one batch where it can hold them."""
    runs, shards, findings = Runs(claim, plan, by_kernels), [shard for shard, _ in asked], list[Finding]()
    while len(findings) < len(asked):
        begin = len(findings)
        shorter = tokens_fewer(claim, plan, shards[begin:], columns)
        some = asked[begin : begin + plan.vocabulary**shorter]
        findings += _together(claim, plan, some, shorter, runs, columns)
    return findings


def tokens_fewer(claim: Claim, plan: Plan, shards: Sequence[Shard], columns: int) -> int:
    """Return by how many tokens the prefix of the first shard can be shorter.

    All shards with the shorter prefix must be among these, one after the other, and fit a batch.
    """
    if claim.frame.within is not None:  # the inputs of each shard are chosen by themselves
        return 0
    first, symbols = shards[0], plan.vocabulary
    tier = plan.tiers[first.tier]
    most = min(tier.apart, depth_within(symbols, plan.up_to, columns) - (tier.longest - tier.apart))
    fewer = 0
    while fewer < most:
        last = symbols ** (fewer + 1) - 1
        if last >= len(shards) or first.index % (last + 1) or shards[last] != Shard(first.tier, first.index + last):
            break
        fewer += 1
    return fewer


def _together(claim: Claim, plan: Plan, asked: Sequence[Asked], fewer: int, runs: Runs, columns: int) -> list[Finding]:
    """Check all shards whose prefixes begin alike; each by itself if their run fails, so that it names its input."""
    values = _values(claim, plan, asked, fewer, runs) if fewer else None
    findings, end = list[Finding](), max(longest for _, longest in asked)
    for number, (shard, longest) in enumerate(asked):
        own = runs.values if values is None else partial(_part, values, number)
        findings.append(examine_alone(claim, plan, shard, min(longest, end), own, columns))
        refuted = findings[-1].refuted
        end = end if refuted is None else min(end, refuted.length - 1)  # later inputs of that length do not matter
    return findings


def _part(values: dict[int, tuple[Values, ...]], number: int, wanted: Sequence[Inputs]) -> Iterator[tuple[Values, ...]]:
    """Yield the values for the inputs of one of the neighbours."""
    for inputs in wanted:
        part = slice(number * len(inputs), (number + 1) * len(inputs))
        yield tuple(side[part] for side in values[inputs.length])


def _values(
    claim: Claim, plan: Plan, asked: Sequence[Asked], fewer: int, runs: Runs
) -> dict[int, tuple[Values, ...]] | None:
    """Return the values of all models for the inputs of neighbours, by length; None if a model refuses one of them."""
    shard, longest = asked[0][0], max(longest for _, longest in asked)
    tier = plan.tiers[shard.tier]
    stem = plan.beginning(shard)[: tier.apart - fewer]
    lengths = claim.frame.lengths(tier.shortest, min(longest, tier.longest))
    every = [Inputs(claim.vocabulary, stem, length - len(stem)) for length in lengths]
    try:
        return dict(zip(lengths, runs.values(every), strict=True)) if every else {}
    except ModelError:
        return None
