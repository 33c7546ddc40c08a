"""Neighbouring shards in one run have the findings that each has by itself."""

import re
from functools import partial
from random import Random
from typing import Any, Literal

import pytest

import weightsmith as ws
from tests.check.models import flipped, just
from weightsmith.automata import language
from weightsmith.check import neighbours
from weightsmith.check.claim import Claim
from weightsmith.check.claims import FinalVectors, Recognizes
from weightsmith.check.examine import Finding, Runs, by_reference, examine, examine_alone
from weightsmith.check.frame import Frame
from weightsmith.check.neighbours import examine_all, tokens_fewer
from weightsmith.check.pair_claims import SameDecisions, SameLogits
from weightsmith.check.plan import Plan, Shard, make_plan

COUNT = 60
MASKS: tuple[Literal["causal", "full"], ...] = ("causal", "causal", "full")


@pytest.fixture
def alone(monkeypatch: pytest.MonkeyPatch) -> list[Shard]:
    """The shards that were run by themselves."""
    seen: list[Shard] = []
    run = examine_alone

    def watched(claim: Any, plan: Any, shard: Shard, longest: int, values: Any, columns: int) -> Finding:
        if not isinstance(values, partial):
            seen.append(shard)
        return run(claim, plan, shard, longest, values, columns)

    monkeypatch.setattr(neighbours, "examine_alone", watched)
    return seen


def random_claim(random: Random) -> Claim:
    vocabulary = random.choice(["ab", "abc"])
    frame = Frame((), random.choice([None, None, None, 4, 6]))
    seed, mask = random.randrange(1000), MASKS[random.randrange(3)]
    T = ws.random_transformer(vocabulary, lanes=3, blocks=1, heads=1, neurons=2, mask=mask, max_length=8, seed=seed)
    other = ws.random_transformer(vocabulary, lanes=3, blocks=1, heads=1, neurons=2, mask=mask, max_length=8, seed=1)
    letters = language(re.compile(random.choice(["a.*", ".*b.?.?", "[^z]*"])), tuple(vocabulary))
    return random.choice(
        [
            SameDecisions(T, flipped(T), frame=frame),
            SameDecisions(T, other, frame=frame),
            SameLogits(T, other, frame=frame),
            Recognizes(T, letters, frame=frame),
            FinalVectors(T, lambda vectors: vectors[:, 0] < 1, frame=frame),
            Recognizes(just("abab", vocabulary, 7), letters),
        ]
    )


def shards_of(plan: Plan, tier: int, random: Random) -> list[Shard]:
    """Return the shards of a tier; of a ledger that goes on, some are finished already."""
    every = list(plan.shards(tier))
    kept = random.choice([1.0, 1.0, 0.8])
    return [shard for shard in every if random.random() < kept] or every


@pytest.mark.parametrize("seed", range(COUNT))
@pytest.mark.one_in(3)
def test_findings_are_those_of_each_shard_by_the_reference(seed: int) -> None:
    random = Random(seed)
    claim = random_claim(random)
    plan = make_plan(len(claim.vocabulary), 7, random.choice([3, 5, 12]))
    columns = random.choice([4, 14, 40, 400])
    for tier, about in enumerate(plan.tiers):
        shards = shards_of(plan, tier, random)
        longest = random.choice([about.shortest - 1, about.shortest, about.longest, about.longest])
        findings = examine_all(claim, plan, [(shard, longest) for shard in shards], columns)
        assert [finding.shard for finding in findings] == shards
        first = min((finding.refuted.order for finding in findings if finding.refuted), default=None)
        for shard, finding in zip(shards, findings, strict=True):
            expected = examine(claim, plan, shard, longest, by_reference)
            if finding != expected:  # only beyond the first refutation
                assert first is not None
                assert (finding.refuted, finding.digest) == (None, None)
                assert expected.refuted is None or expected.refuted.order > first
        assert first == min(
            (
                one.refuted.order
                for one in (examine(claim, plan, s, longest, by_reference) for s in shards)
                if one.refuted
            ),
            default=None,
        )


def test_neighbours_are_all_shards_with_a_common_prefix_that_fit_a_batch() -> None:
    claim = SameDecisions(ws.library.contains("1"), ws.library.contains("1"))
    plan = make_plan(2, 9, 6)
    number, tier = len(plan.tiers) - 1, plan.tiers[-1]
    shards = list(plan.shards(number))
    deep = tier.longest - tier.apart
    for fewer in range(tier.apart + 1):
        exactly = 2 ** (deep + fewer + 1) - 2  # inputs of a tree
        assert tokens_fewer(claim, plan, shards, exactly) == fewer
        assert fewer == 0 or tokens_fewer(claim, plan, shards, exactly - 1) == fewer - 1
        assert tokens_fewer(claim, plan, shards[: 2**fewer], 1 << 20) == fewer
        assert fewer == 0 or tokens_fewer(claim, plan, shards[: 2**fewer - 1], 1 << 20) == fewer - 1
    assert tokens_fewer(claim, plan, shards[2:], 1 << 20) == 1
    assert tokens_fewer(claim, plan, shards[1:], 1 << 20) == 0
    assert tokens_fewer(claim, plan, [shards[0], *shards[2:]], 1 << 20) == 0
    assert tokens_fewer(claim, plan, [shards[0], shards[1], shards[2], *shards[4:]], 1 << 20) == 1


def test_neighbours_of_a_model_that_refuses_an_input_run_by_themselves(alone: list[Shard]) -> None:
    T = ws.random_transformer("ab", lanes=2, blocks=1, heads=1, neurons=2, max_length=6, seed=3)
    claim = SameDecisions(T, T)
    plan = make_plan(2, 6, 4)
    number = len(plan.tiers) - 1
    asked = [(shard, 6) for shard in plan.shards(number)]
    assert len(asked) > 4
    whole = examine_all(claim, plan, asked, 1 << 12)
    assert not alone
    refuse = ws.ModelError("an input")
    run = Runs.values

    def refusing(self: Any, inputs: Any) -> Any:
        if len(inputs[0].stem) < plan.tiers[number].apart:
            raise refuse
        return run(self, inputs)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Runs, "values", refusing)
        assert examine_all(claim, plan, asked, 1 << 12) == whole
    assert alone == [shard for shard, _ in asked]


def test_a_later_neighbour_is_still_asked_about_shorter_inputs_than_the_refutation() -> None:
    T = ws.library.exact_length(8, "ab")
    claim = Recognizes(T, language(re.compile("aaaaaa|bbbbb"), ("a", "b")))
    plan = make_plan(2, 6, 12)
    assert plan.tiers[-1].shortest == 5
    findings = examine_all(claim, plan, [(shard, 6) for shard in plan.shards(len(plan.tiers) - 1)], 1 << 12)
    refuted = [finding.refuted for finding in findings if finding.refuted]
    assert [(one.length, one.rank) for one in refuted] == [(6, 0), (5, 31)]
