"""Reading a certificate: whatever stands in it, all that can be checked without running anything is checked."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from weightsmith.check.automaton import Automaton
from weightsmith.check.claimed import Claimed
from weightsmith.check.claims import Claim, Recognizes, SameDecisions, SameLogits
from weightsmith.check.frame import checked_model, make_frame
from weightsmith.check.languages import language
from weightsmith.check.plan import LONGEST, Plan, Tier
from weightsmith.check.verdict import CERTIFICATE, identity, reach
from weightsmith.errors import FileError, InputError, brief
from weightsmith.model import Transformer

MOST_TIERS = 1000
MOST_TOGETHER = 1 << 20  # inputs below a stem; more are never run together
FLAGS = int(re.A | re.I | re.L | re.M | re.S | re.U | re.X)
KINDS = {"same_decisions": 2, "same_logits": 2, "recognizes": 1, "agrees_with": 1, "final_vectors": 1}  # models


@dataclass(frozen=True)
class Certificate:
    """A certificate and what was read from it."""

    data: Mapping[str, Any]
    claim: Claim
    plan: Plan
    claimed: Claimed
    digests: list[list[str]]
    refuting: tuple[int, ...] | None

    @classmethod
    def read(cls, certificate: str | Mapping[str, Any], models: Sequence[Transformer]) -> "Certificate":
        """Check everything that can be checked without running anything."""
        data = _parsed(certificate)
        _check_models(data, models)
        with _damaged():
            claim = _claim(data, models)
        if claim.not_data is not None:
            raise InputError(f"the certificate cannot be replayed: {claim.not_data}")
        with _damaged():
            plan = Plan(len(claim.vocabulary), data["up_to"], tuple(_tier(tier) for tier in data["tiers"]))
            digests, found = data["shards"], data["counterexample"]
            refuting = None if found is None else tuple(claim.vocabulary.index(token) for token in found["input"])
            _check_plan(plan)
            _check_shards(claim, plan, digests, refuting)
            claim.frame.check_lengths(models, plan.up_to)
            claimed = Claimed(claim.frame, plan)
        wanted = identity(claim, plan)
        for key in wanted:
            if data.get(key) != wanted[key]:
                raise FileError(
                    f"the certificate is of something else: its {key} is {brief(data.get(key))}, "
                    f"that of the given models is {brief(wanted[key])}"
                )
        return cls(data, claim, plan, claimed, digests, refuting)

    def contradictions(self) -> Iterator[str]:
        """Compare what is said of the whole with what follows from the rest."""
        data, holds = self.data, self.refuting is None
        inputs = self.claimed.inputs if self.refuting is None else self.claimed.up_to(self.refuting)
        if type(data.get("inputs")) is not int or data["inputs"] != inputs:
            yield f"the certificate counts {brief(data.get('inputs'))} inputs, and there are {inputs}"
        verdict = reach(self.claim, self.plan) if holds else "refuted"
        if data.get("holds") is not holds or data.get("verdict") != verdict:
            yield "the certificate contradicts itself about what holds"


@contextmanager
def _damaged() -> Iterator[None]:
    """Say of whatever fails that the certificate is damaged."""
    try:
        yield
    except FileError:
        raise
    except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError, re.error) as error:
        raise FileError(f"the certificate is damaged: {type(error).__name__}: {error!s:.200}") from None


def _parsed(certificate: str | Mapping[str, Any]) -> Mapping[str, Any]:
    try:
        data = json.loads(certificate) if isinstance(certificate, str) else certificate
    except (ValueError, RecursionError):
        raise FileError("the certificate is not JSON") from None
    if not isinstance(data, Mapping) or data.get("format") != CERTIFICATE:
        raise FileError("this is not a certificate of weightsmith check")
    return data


def _check_models(data: Mapping[str, Any], models: Sequence[Transformer]) -> None:
    """Refuse models that cannot be those of the certificate, and claims that it cannot hold."""
    kind, wanted = data.get("claim"), KINDS.get(str(data.get("claim")))
    if wanted is None:
        raise FileError(f"the certificate is damaged: there is no claim {brief(kind)}")
    if not isinstance(models, list | tuple) or len(models) != wanted:
        given = f"{len(models)} are given" if isinstance(models, list | tuple) else f"{brief(models)} is given"
        raise InputError(f"the claim {kind} is about {wanted} model(s), and {given}: write [S, T], or [T]")
    for T in models:
        checked_model(T, "given")
    languages = [data.get("within"), data.get("language") if kind == "recognizes" else None]
    if kind in ("agrees_with", "final_vectors") or any(
        "predicate" in it for it in languages if isinstance(it, Mapping)
    ):
        raise InputError(f"the claim {kind!r} was checked with a Python function, which a certificate cannot hold")


def _claim(data: Mapping[str, Any], models: Sequence[Transformer]) -> Claim:
    within = data.get("within")
    frame = make_frame(models, data.get("suffix", ()), data.get("length"), within and _described(within))
    if data["claim"] != "recognizes":
        return (SameDecisions if data["claim"] == "same_decisions" else SameLogits)(*models, frame=frame)
    wanted = language(_described(data["language"]), frame.vocabulary(models[0]))
    return Recognizes(models[0], wanted, data["yes"], frame=frame)


def _described(given: Mapping[str, Any]) -> re.Pattern[str] | Automaton:
    """Return the expression or the automaton of a language."""
    if "regex" in given:
        if type(given["flags"]) is not int or given["flags"] & ~FLAGS:
            raise TypeError(f"flags={brief(given['flags'])}")
        return re.compile(given["regex"], given["flags"])
    table = given["automaton"]
    return Automaton(table["table"], table["accepting"], table["start"])


def _tier(tier: Mapping[str, Any]) -> Tier:
    names = ("shortest", "longest", "stem", "shards", "stems")
    if any(type(tier[name]) is not int or tier[name] < 0 for name in names):
        raise TypeError("a tier must consist of whole numbers")
    return Tier(*(tier[name] for name in names))


def _check_plan(plan: Plan) -> None:
    """The tiers must hold each length once, and each its shards all stems, in sizes that a check could have."""
    if type(plan.up_to) is not int or not 1 <= plan.up_to <= LONGEST or len(plan.tiers) > MOST_TIERS:
        raise FileError(
            f"the certificate is damaged: no check goes up to {brief(plan.up_to)} in {len(plan.tiers)} tiers"
        )
    ends = [0, *(tier.longest for tier in plan.tiers)]
    whole = all(
        tier.stem <= end < tier.longest <= plan.up_to
        and tier.shortest == end + 1
        and tier.shards * tier.stems == plan.vocabulary**tier.stem
        and _is_power(tier.shards, plan.vocabulary)
        and (tier.longest - tier.stem == 1 or plan.vocabulary ** (tier.longest - tier.stem) <= MOST_TOGETHER)
        for end, tier in zip(ends, plan.tiers, strict=False)
    )
    if not whole or ends[-1] != plan.up_to:
        raise FileError("the certificate is damaged: its tiers do not hold every input once")


def _is_power(number: int, base: int) -> bool:
    while number > 1 and base > 1 and number % base == 0:
        number //= base
    return number == 1


def _check_shards(claim: Claim, plan: Plan, digests: object, refuting: tuple[int, ...] | None) -> None:
    """There must be a digest for each shard of each tier below the counterexample, and of no other."""
    if refuting is not None and len(refuting) not in claim.frame.lengths(1, plan.up_to):
        raise FileError(f"the certificate is damaged: its counterexample has {len(refuting)} tokens")
    finished = [tier for tier in plan.tiers if refuting is None or tier.longest < len(refuting)]
    if not isinstance(digests, list) or len(digests) != len(finished):
        raise FileError("the certificate is damaged: it does not have the digests of all finished tiers")
    for tier, found in zip(finished, digests, strict=True):
        if len(found) != tier.shards or any(re.fullmatch("[0-9a-f]{64}", digest) is None for digest in found):
            raise FileError("the certificate is damaged: a tier does not have a digest for each shard")
