"""Replaying a certificate: part of it is derived again with the readable reference semantics."""

import json
import random
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from weightsmith.check.automaton import Automaton
from weightsmith.check.claims import Claim, Recognizes, SameDecisions, SameLogits, checked_model
from weightsmith.check.examine import by_reference, examine
from weightsmith.check.explain import sides
from weightsmith.check.languages import language, text, written
from weightsmith.check.plan import Plan, Shard, Tier
from weightsmith.check.verdict import CERTIFICATE, identity
from weightsmith.errors import FileError, InputError
from weightsmith.model import Transformer
from weightsmith.model.names import shown

MOST_TIERS = 1000


@dataclass(frozen=True)
class Replay:
    """What was derived again, and whether it came out the same."""

    shards: tuple[Shard, ...]
    of: int  # how many shards the certificate has
    inputs: int
    counterexample: str | None
    problems: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether everything came out the same."""
        return not self.problems

    def __str__(self) -> str:
        """Say what was done."""
        done = [f"{len(self.shards)} of {self.of} shards with {self.inputs:,} inputs"] if self.of else []
        done += [f"the counterexample {self.counterexample}"] if self.counterexample is not None else []
        head = f"derived again with the reference semantics: {' and '.join(done) or 'nothing'}"
        return "\n".join([head, *(self.problems or ("everything agrees with the certificate",))])


def replay(
    certificate: str | Mapping[str, Any],
    models: Sequence[Transformer],
    *,
    sample: int = 2,
    seed: int | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Replay:
    """Derive a sample of a certificate's shards again, and its counterexample completely.

    The models are those of the claim, in its order. Claims with a Python function cannot be replayed.
    """
    if type(sample) is not int or sample < 0:
        raise InputError(f"sample={sample!r:.80}: write how many shards to derive again, 0 or more")
    c = _Certificate.read(certificate, models)
    shards = [shard for t in range(len(c.digests)) for shard in c.plan.shards(t)]
    chosen = sorted(random.Random(seed).sample(shards, min(sample, len(shards))))
    problems = list(c.problems)
    for done, shard in enumerate(chosen):
        if examine(c.claim, c.plan, shard, source=by_reference).digest != c.digests[shard.tier][shard.index]:
            problems.append(f"tier {shard.tier}, shard {shard.index} comes out differently")
        if progress is not None:
            progress(done + 1, len(chosen))
    name = None
    if c.refuting is not None:
        name = shown(text(written(c.claim.vocabulary, c.refuting)))
        problems += _counterexample(c, c.refuting)
    inputs = sum(c.plan.inputs_of(shard) for shard in chosen)
    return Replay(tuple(chosen), len(shards), inputs, name, tuple(problems))


def _counterexample(c: "_Certificate", ids: tuple[int, ...]) -> list[str]:
    """Run the counterexample through the reference semantics."""
    *stem, last = ids
    values = [next(by_reference(T, c.claim.quantity, stem, 1, 1)) for T in c.claim.models]
    holds, _ = c.claim.judge(values, stem, 1)
    if holds[last]:
        return ["the counterexample refutes nothing"]
    if sides(c.claim, written(c.claim.vocabulary, ids)) != c.data["counterexample"].get("sides"):
        return ["the counterexample refutes the claim, but the two sides say other things"]
    return []


@dataclass(frozen=True)
class _Certificate:
    data: Mapping[str, Any]
    claim: Claim
    plan: Plan
    digests: list[list[str]]
    refuting: tuple[int, ...] | None
    problems: tuple[str, ...]

    @classmethod
    def read(cls, certificate: str | Mapping[str, Any], models: Sequence[Transformer]) -> "_Certificate":
        """Check everything that can be checked without running anything."""
        data = _parsed(certificate)
        try:
            claim = _claim(data, models)
            plan = Plan(len(claim.vocabulary), data["up_to"], tuple(_tier(tier) for tier in data["tiers"]))
            digests, found = data["shards"], data["counterexample"]
            refuting = None if found is None else tuple(claim.vocabulary.index(token) for token in found["input"])
            _check_plan(plan)
            _check_shards(plan, digests, refuting is None)
            inputs = data["inputs"]
        except (KeyError, TypeError, AttributeError, IndexError) as error:
            raise FileError(f"the certificate is damaged: {type(error).__name__}: {error}") from None
        wanted = identity(claim, plan)
        for key in wanted:
            if data.get(key) != wanted[key]:
                raise FileError(
                    f"the certificate is of something else: its {key} is {data.get(key)!r:.80}, "
                    f"that of the given models is {wanted[key]!r:.80}"
                )
        problems = []
        if refuting is None and inputs != plan.inputs:
            problems.append(f"the certificate counts {inputs} inputs, and there are {plan.inputs}")
        if data.get("holds") is not (refuting is None):
            problems.append("the certificate contradicts itself about what holds")
        return cls(data, claim, plan, digests, refuting, tuple(problems))


def _parsed(certificate: str | Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        data = json.loads(certificate) if isinstance(certificate, str) else certificate
    except (ValueError, RecursionError):
        raise FileError("the certificate is not JSON") from None
    if not isinstance(data, Mapping) or data.get("format") != CERTIFICATE:
        raise FileError("this is not a certificate of weightsmith check")
    return data


def _claim(data: Mapping[str, Any], models: Sequence[Transformer]) -> Claim:
    wanted = 2 if data["claim"].startswith("same_") else 1
    if len(models) != wanted:
        raise InputError(f"the claim {data['claim']} is about {wanted} model(s), and {len(models)} are given")
    for T in models:
        checked_model(T, "given")
    if data["claim"] in ("same_decisions", "same_logits"):
        return (SameDecisions if data["claim"] == "same_decisions" else SameLogits)(*models)
    if data["claim"] != "recognizes" or "predicate" in data["language"]:
        raise InputError(
            f"the claim {data['claim']!r:.40} was checked with a Python function, which a certificate cannot hold"
        )
    given, vocabulary = data["language"], tuple(models[0].vocabulary)
    if "regex" in given:
        return Recognizes(models[0], language(re.compile(given["regex"], given["flags"]), vocabulary), data["yes"])
    table = given["automaton"]
    automaton = Automaton(np.array(table["table"]), np.array(table["accepting"]), table["start"])
    return Recognizes(models[0], language(automaton, vocabulary), data["yes"])


def _tier(tier: Mapping[str, Any]) -> Tier:
    names = ("shortest", "longest", "stem", "shards", "stems")
    if any(type(tier[name]) is not int or tier[name] < 0 for name in names):
        raise TypeError("a tier must consist of whole numbers")
    return Tier(*(tier[name] for name in names))


def _check_plan(plan: Plan) -> None:
    """The tiers must hold each length once, and each its shards all stems."""
    ends = [0, *(tier.longest for tier in plan.tiers)]
    whole = all(
        tier.shortest == end + 1 and tier.stem <= end and tier.shards * tier.stems == plan.vocabulary**tier.stem
        for end, tier in zip(ends, plan.tiers, strict=False)
    )
    if not whole or len(plan.tiers) > MOST_TIERS or ends[-1] != plan.up_to:
        raise FileError("the certificate is damaged: its tiers do not hold every input once")


def _check_shards(plan: Plan, digests: object, all_of_them: bool) -> None:
    if not isinstance(digests, list) or len(digests) > len(plan.tiers):
        raise TypeError("shards must be a list for each tier")
    if all_of_them and len(digests) != len(plan.tiers):
        raise FileError("the certificate is damaged: it lacks the digests of some tiers")
    for tier, found in zip(plan.tiers, digests, strict=False):
        if len(found) != tier.shards or any(re.fullmatch("[0-9a-f]{64}", digest) is None for digest in found):
            raise FileError("the certificate is damaged: a tier does not have a digest for each shard")
