"""Certificates of false claims: none is accepted when all of it is derived again, and a sample finds what it says."""

import copy
import itertools
import json
from collections.abc import Callable
from dataclasses import replace
from random import Random
from typing import Any

import pytest

import weightsmith as ws
from tests.check.conftest import Cut
from tests.check.models import just, never
from weightsmith.check import replay
from weightsmith.check.examine import EMPTY_DIGEST

Certificate = dict[str, Any]
Forge = Callable[[Certificate, Random], None]
DIGEST = 64  # hexadecimal digits


pytestmark = pytest.mark.usefixtures("small_shards")


def invented(random: Random) -> str:
    return f"{random.getrandbits(4 * DIGEST):064x}"


def accepted(certificate: Certificate, models: list[ws.Transformer], **how: Any) -> bool:
    """Say whether a certificate passes as a whole."""
    how = how or {"everything": True}
    try:
        return replay(json.dumps(certificate), models, **how).agrees
    except (ws.FileError, ws.InputError):
        return False


def holding(certificate: Certificate, plan: Any, inputs: int) -> Certificate:
    """Turn a refuted certificate into one that says that the claim holds, with digests for every shard of the plan."""
    shards = [[EMPTY_DIGEST] * tier.shards for tier in plan.tiers]
    for number, digests in enumerate(certificate["shards"]):
        shards[number] = list(digests)
    said = {"holds": True, "verdict": f"exhaustive up to {plan.up_to}", "counterexample": None}
    return {**copy.deepcopy(certificate), **said, "inputs": inputs, "shards": shards}


def a_false_claim(random: Random) -> tuple[ws.check.Verdict, list[ws.Transformer]]:
    """Return what is known of a claim that a single input refutes."""
    word = "".join(random.choice("ab") for _ in range(random.randint(1, 6)))
    T = just(word, "ab", 6)
    if random.random() < 0.5:
        return ws.check.same_decisions(T, never(T), 6), [T, never(T)]
    return ws.check.recognizes(T, random.choice(["a{7}", "(ab){4}", "(?!)"]), 6), [T]


def invent_digests(certificate: Certificate, random: Random) -> None:
    certificate["shards"] = [[invented(random) for _ in tier] for tier in certificate["shards"]]


def repeat_a_digest(certificate: Certificate, random: Random) -> None:
    tier = random.choice(certificate["shards"])
    tier[:] = [random.choice(tier)] * len(tier)


def one_tier_per_length(certificate: Certificate, random: Random) -> None:
    """What passed once: the file chose how the inputs are divided."""
    lengths = range(1, certificate["up_to"] + 1)
    certificate["tiers"] = [{"shortest": n, "longest": n, "apart": n - 1, "shards": 2 ** (n - 1)} for n in lengths]
    certificate["shards"] = [[invented(random) for _ in range(2 ** (n - 1))] for n in lengths]


def another_layout(certificate: Certificate, random: Random) -> None:
    ends = sorted(random.sample(range(1, certificate["up_to"]), random.randint(0, min(3, certificate["up_to"] - 1))))
    bounds = [0, *ends, certificate["up_to"]]
    certificate["tiers"], certificate["shards"] = [], []
    for begin, end in itertools.pairwise(bounds):
        apart = random.randint(0, begin)
        certificate["tiers"].append({"shortest": begin + 1, "longest": end, "apart": apart, "shards": 2**apart})
        certificate["shards"].append([invented(random) for _ in range(2**apart)])


def fewer_lengths(certificate: Certificate, random: Random) -> None:
    certificate["up_to"] = random.randint(1, certificate["up_to"])


def some_inputs_only(certificate: Certificate, random: Random) -> None:
    certificate["within"] = {"regex": random.choice(["a*", "b*a", ".*"]), "flags": 32}


def any_field(certificate: Certificate, random: Random) -> None:
    key = random.choice(list(certificate))
    certificate[key] = random.choice([None, 0, 1, True, "", [], {}, certificate[random.choice(list(certificate))]])


def nothing(certificate: Certificate, random: Random) -> None:
    """Leave it: empty shards where the claim is refuted."""


FORGE: list[Forge] = [
    *(invent_digests, repeat_a_digest, one_tier_per_length, another_layout),
    *(fewer_lengths, some_inputs_only, nothing, any_field),
]  # in the order in which they can be done together


def still_false(certificate: Certificate, verdict: ws.check.Verdict) -> bool:
    """Say whether what a forged certificate claims is still refuted: a field may have made it a true one."""
    word = str(verdict.counterexample)
    frame = (certificate.get("up_to"), certificate.get("within"), certificate.get("length"), certificate.get("suffix"))
    return frame == (6, None, None, None) and certificate["holds"] is True and bool(word)


@pytest.mark.parametrize("count", [50, pytest.param(1000, marks=pytest.mark.long)])
def test_no_forged_certificate_of_a_false_claim_is_accepted(count: int) -> None:
    random, tried = Random(14), 0
    while tried < count:
        verdict, models = a_false_claim(random)
        plan = verdict.plan
        for _ in range(25):
            forged = holding(verdict.certificate(), plan, plan.inputs)
            for forge in sorted(random.choices(FORGE, k=random.randint(1, 2)), key=FORGE.index):
                forge(forged, random)
            if still_false(forged, verdict):
                tried += 1
                assert not accepted(forged, models), forged


def test_a_later_counterexample_is_not_the_first() -> None:
    """Once 11011010 passed for a claim whose shortest counterexample is 10, even with all shards replayed."""
    T = ws.library.contains("1")
    verdict = ws.check.recognizes(T, "0*1", 8)
    assert verdict.counterexample == "10"
    later = ws.check.recognizes(T, "0*1", length=8, within="11011010")
    assert later.counterexample == "11011010"
    plan = verdict.plan
    finished = [tier for tier in plan.tiers if tier.longest < 8]
    random = Random(1)
    forged = {
        **verdict.certificate(),
        "counterexample": later.certificate()["counterexample"],
        "inputs": sum(2**k for k in range(1, 8)) + int("11011010", 2) + 1,
        "shards": [[invented(random) for _ in range(tier.shards)] for tier in finished],
    }
    again = replay(forged, [T])
    assert not again.agrees
    assert "comes out differently" in again.problems[0]
    for shards in range(len(finished) + 1):  # whichever digests are taken over from a claim that holds up to there
        good = ws.check.recognizes(T, "0*1.*", 8).certificate()["shards"][:shards]
        mixed = {**forged, "shards": [*good, *forged["shards"][shards:]]}
        assert not replay(mixed, [T], everything=True).agrees


def test_within_the_tier_of_a_counterexample_an_earlier_one_is_found(cut: Cut) -> None:
    cut(1 << 10)  # one tier, so that the certificate has no digest at all
    T = just("aab", "ab", 6)
    S = T | just("bbbb", "ab", 6)
    verdict = ws.check.recognizes(S, "a{7}", 6)
    assert verdict.counterexample == "aab"
    later = ws.check.recognizes(S, "a{7}", length=4)
    assert later.counterexample == "bbbb"
    forged = {**verdict.certificate(), "counterexample": later.certificate()["counterexample"], "inputs": 30}
    assert replay(forged, [S]).problems == ("the counterexample is not the first: tier 0, shard 0 has one before it",)
    assert replay(verdict.certificate(), [S]).agrees


@pytest.mark.parametrize("sample", [4, pytest.param(1, marks=pytest.mark.long)])
def test_a_sample_finds_a_single_false_shard_as_often_as_it_says(sample: int) -> None:
    T = just("abbaba", "ab", 6)
    verdict = ws.check.recognizes(T, "a{7}", 6)
    true = ws.check.recognizes(T, "abbaba", 6)
    forged = holding(verdict.certificate(), verdict.plan, verdict.plan.inputs)
    forged["shards"] = [list(tier) for tier in ws.check.recognizes(never(T), "a{7}", 6).digests]
    assert true.holds
    tries = 200
    passed = sum(accepted(forged, [T], sample=sample, seed=seed) for seed in range(tries))
    again = replay(forged, [T], sample=sample, seed=0)
    wanted = 1 - again.chance
    assert again.of == sum(tier.shards for tier in verdict.plan.tiers)
    assert abs(passed / tries - wanted) < 4 * (wanted * (1 - wanted) / tries) ** 0.5


def test_a_model_that_is_changed_by_one_step_is_another_model() -> None:
    T = just("ab", "ab", 6)
    certificate = ws.check.recognizes(T, "ab", 6).certificate()
    output = T.output.copy()
    output[1, 0] += T.arithmetic.smallest
    assert accepted(certificate, [T])
    assert not accepted(certificate, [replace(T, output=output)])
