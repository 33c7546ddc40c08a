"""Replaying a certificate: part of it is derived again with the readable reference semantics."""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from weightsmith.check.automaton import Automaton
from weightsmith.check.claims import Claim, Recognizes, SameDecisions, SameLogits, checked_model
from weightsmith.check.examine import by_reference, examine, reordered
from weightsmith.check.explain import divergence, sides
from weightsmith.check.languages import language, text, written
from weightsmith.check.plan import Plan, Shard, Tier, rank
from weightsmith.check.verdict import CERTIFICATE, identity
from weightsmith.errors import FileError, InputError
from weightsmith.model import Transformer, check_length
from weightsmith.model.names import shown

MOST_TIERS = 1000
MOST_LENGTH = 10_000
MOST_TOGETHER = 1 << 20  # inputs below a stem; more are never run together
FLAGS = int(re.A | re.I | re.L | re.M | re.S | re.U | re.X)
KINDS = {"same_decisions": 2, "same_logits": 2, "recognizes": 1, "agrees_with": 1, "final_vectors": 1}  # models


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
    values = [next(by_reference(reordered(c.claim, T), c.claim.quantity, stem, 1, 1)) for T in c.claim.models]
    holds, _ = c.claim.judge(values, stem, 1)
    if holds[last]:
        return ["the counterexample refutes nothing"]
    tokens, found = written(c.claim.vocabulary, ids), c.data["counterexample"]
    problems = []
    if sides(c.claim, tokens) != found.get("sides"):
        problems.append("the counterexample refutes the claim, but the two sides say other things")
    parted = divergence(c.claim, tokens)
    if (None if parted is None else parted.to_json()) != found.get("divergence"):
        problems.append("the counterexample refutes the claim, but the streams part elsewhere")
    return problems


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
        _check_models(data, models)
        try:
            claim = _claim(data, models)
            plan = Plan(len(claim.vocabulary), data["up_to"], tuple(_tier(tier) for tier in data["tiers"]))
            digests, found = data["shards"], data["counterexample"]
            refuting = None if found is None else tuple(claim.vocabulary.index(token) for token in found["input"])
            _check_plan(plan)
            _check_shards(plan, digests, refuting)
            for T in models:
                check_length(T, plan.up_to)
        except FileError:
            raise
        except (LookupError, TypeError, AttributeError, ValueError, ArithmeticError, RecursionError, re.error) as error:
            raise FileError(f"the certificate is damaged: {type(error).__name__}: {error!s:.200}") from None
        wanted = identity(claim, plan)
        for key in wanted:
            if data.get(key) != wanted[key]:
                raise FileError(
                    f"the certificate is of something else: its {key} is {data.get(key)!r:.80}, "
                    f"that of the given models is {wanted[key]!r:.80}"
                )
        return cls(data, claim, plan, digests, refuting, tuple(_contradictions(data, plan, refuting)))


def _contradictions(data: Mapping[str, Any], plan: Plan, refuting: tuple[int, ...] | None) -> Iterator[str]:
    """Compare what is said of the whole with what follows from the rest."""
    inputs, verdict = plan.inputs, f"exhaustive up to {plan.up_to}"
    if refuting is not None:
        inputs = plan.up_to_length(len(refuting) - 1) + rank(refuting, plan.vocabulary) + 1
        verdict = "refuted"
    if type(data.get("inputs")) is not int or data["inputs"] != inputs:
        yield f"the certificate counts {data.get('inputs')!r:.80} inputs, and there are {inputs}"
    if data.get("holds") is not (refuting is None) or data.get("verdict") != verdict:
        yield "the certificate contradicts itself about what holds"


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
        raise FileError(f"the certificate is damaged: there is no claim {kind!r:.80}")
    if not isinstance(models, list | tuple) or len(models) != wanted:
        given = f"{len(models)} are given" if isinstance(models, list | tuple) else f"{models!r:.80} is given"
        raise InputError(f"the claim {kind} is about {wanted} model(s), and {given}: write [S, T], or [T]")
    for T in models:
        checked_model(T, "given")
    if kind in ("agrees_with", "final_vectors") or (
        kind == "recognizes" and isinstance(data.get("language"), Mapping) and "predicate" in data["language"]
    ):
        raise InputError(f"the claim {kind!r} was checked with a Python function, which a certificate cannot hold")


def _claim(data: Mapping[str, Any], models: Sequence[Transformer]) -> Claim:
    if data["claim"] != "recognizes":
        return (SameDecisions if data["claim"] == "same_decisions" else SameLogits)(*models)
    given, vocabulary = data["language"], tuple(models[0].vocabulary)
    if "regex" in given:
        if type(given["flags"]) is not int or given["flags"] & ~FLAGS:
            raise TypeError(f"flags={given['flags']!r:.80}")
        return Recognizes(models[0], language(re.compile(given["regex"], given["flags"]), vocabulary), data["yes"])
    table = given["automaton"]
    automaton = Automaton(table["table"], table["accepting"], table["start"])
    return Recognizes(models[0], language(automaton, vocabulary), data["yes"])


def _tier(tier: Mapping[str, Any]) -> Tier:
    names = ("shortest", "longest", "stem", "shards", "stems")
    if any(type(tier[name]) is not int or tier[name] < 0 for name in names):
        raise TypeError("a tier must consist of whole numbers")
    return Tier(*(tier[name] for name in names))


def _check_plan(plan: Plan) -> None:
    """The tiers must hold each length once, and each its shards all stems, in sizes that a check could have."""
    if type(plan.up_to) is not int or not 1 <= plan.up_to <= MOST_LENGTH or len(plan.tiers) > MOST_TIERS:
        raise FileError(
            f"the certificate is damaged: no check goes up to {plan.up_to!r:.80} in {len(plan.tiers)} tiers"
        )
    ends = [0, *(tier.longest for tier in plan.tiers)]
    whole = all(
        tier.stem <= end < tier.longest <= plan.up_to
        and tier.shortest == end + 1
        and tier.shards * tier.stems == plan.vocabulary**tier.stem
        and (tier.longest - tier.stem == 1 or plan.vocabulary ** (tier.longest - tier.stem) <= MOST_TOGETHER)
        for end, tier in zip(ends, plan.tiers, strict=False)
    )
    if not whole or ends[-1] != plan.up_to:
        raise FileError("the certificate is damaged: its tiers do not hold every input once")


def _check_shards(plan: Plan, digests: object, refuting: tuple[int, ...] | None) -> None:
    """There must be a digest for each shard of each tier below the counterexample, and of no other."""
    if refuting is not None and not 1 <= len(refuting) <= plan.up_to:
        raise FileError(f"the certificate is damaged: its counterexample has {len(refuting)} tokens")
    finished = [tier for tier in plan.tiers if refuting is None or tier.longest < len(refuting)]
    if not isinstance(digests, list) or len(digests) != len(finished):
        raise FileError("the certificate is damaged: it does not have the digests of all finished tiers")
    for tier, found in zip(finished, digests, strict=True):
        if len(found) != tier.shards or any(re.fullmatch("[0-9a-f]{64}", digest) is None for digest in found):
            raise FileError("the certificate is damaged: a tier does not have a digest for each shard")
