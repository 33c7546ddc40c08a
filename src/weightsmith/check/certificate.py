"""Reading a certificate, and replaying it.

Whatever stands in it, all that can be checked without running anything is checked. Then part of it is derived again
with the readable reference semantics.
"""

import json
import random
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from weightsmith.automata import Inputs, input_text, read_described, written
from weightsmith.check.claim import Claim
from weightsmith.check.examine import EMPTY_DIGEST, by_reference, examine, reader
from weightsmith.check.frame import Claimed, checked_model, make_frame
from weightsmith.check.plan import MAX_LENGTH, Plan, Shard, Tier
from weightsmith.check.verdict import CERTIFICATE_FORMAT
from weightsmith.errors import FileError, InputError, brief, shown, whole_number
from weightsmith.model import Transformer

MAX_TIERS = 1000
MAX_TOGETHER = 1 << 20  # inputs below a stem; more are never run together


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
        kind = _kind(data, models)
        with _damaged():
            within = data.get("within")
            within = within and read_described(within)
            claim = kind.read(data, models, make_frame(models, data.get("suffix", ()), data.get("length"), within))
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
        wanted = claim.identity(plan)
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
        verdict = self.claim.frame.reach(self.plan.up_to) if holds else "refuted"
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
    if not isinstance(data, Mapping) or data.get("format") != CERTIFICATE_FORMAT:
        raise FileError("this is not a certificate of weightsmith check")
    return data


def _kind(data: Mapping[str, Any], models: Sequence[Transformer]) -> type[Claim]:
    """Return the kind of claim; refuse models that cannot be those of the certificate, and what it cannot hold."""
    name, kind = data.get("claim"), Claim.kinds.get(str(data.get("claim")))
    if kind is None:
        raise FileError(f"the certificate is damaged: there is no claim {brief(name)}")
    if not isinstance(models, list | tuple) or len(models) != kind.about:
        given = f"{len(models)} are given" if isinstance(models, list | tuple) else f"{brief(models)} is given"
        raise InputError(f"the claim {name} is about {kind.about} model(s), and {given}: write [S, T], or [T]")
    for T in models:
        checked_model(T, "given")
    if kind.had_function(data):
        raise InputError(f"the claim {name!r} was checked with a Python function, which a certificate cannot hold")
    return kind


def _tier(tier: Mapping[str, Any]) -> Tier:
    names = ("shortest", "longest", "stem", "shards", "stems")
    if any(type(tier[name]) is not int or tier[name] < 0 for name in names):
        raise TypeError("a tier must consist of whole numbers")
    return Tier(*(tier[name] for name in names))


def _check_plan(plan: Plan) -> None:
    """The tiers must hold each length once, and each its shards all stems, in sizes that a check could have."""
    if type(plan.up_to) is not int or not 1 <= plan.up_to <= MAX_LENGTH or len(plan.tiers) > MAX_TIERS:
        raise FileError(
            f"the certificate is damaged: no check goes up to {brief(plan.up_to)} in {len(plan.tiers)} tiers"
        )
    ends = [0, *(tier.longest for tier in plan.tiers)]
    whole = all(
        tier.stem <= end < tier.longest <= plan.up_to
        and tier.shortest == end + 1
        and tier.shards * tier.stems == plan.vocabulary**tier.stem
        and _is_power(tier.shards, plan.vocabulary)
        and (tier.longest - tier.stem == 1 or plan.vocabulary ** (tier.longest - tier.stem) <= MAX_TOGETHER)
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


@dataclass(frozen=True)
class Replay:
    """What was derived again, and whether it came out the same."""

    shards: tuple[Shard, ...]
    of: int  # how many shards with inputs the certificate has
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
    whole_number(sample, "sample", 0, meaning="how many shards to derive again, 0 or more")
    c = Certificate.read(certificate, models)
    found = {shard: c.digests[shard.tier][shard.index] for t in range(len(c.digests)) for shard in c.plan.shards(t)}
    shards = [shard for shard in found if c.claimed.of(shard)]
    chosen = sorted(random.Random(seed).sample(shards, min(sample, len(shards))))
    problems = list(c.contradictions())
    problems += [_differently(shard) for shard in sorted(found.keys() - shards) if found[shard] != EMPTY_DIGEST]
    for done, shard in enumerate(chosen):
        if examine(c.claim, c.plan, shard, source=by_reference).digest != found[shard]:
            problems.append(_differently(shard))
        if progress is not None:
            progress(done + 1, len(chosen))
    name = None
    if c.refuting is not None:
        name = shown(input_text(written(c.claim.vocabulary, c.refuting)))
        problems += _counterexample(c, c.refuting)
    inputs = sum(map(c.claimed.of, chosen))
    return Replay(tuple(chosen), len(shards), inputs, name, tuple(problems))


def _differently(shard: Shard) -> str:
    return f"tier {shard.tier}, shard {shard.index} comes out differently"


def _counterexample(c: Certificate, ids: tuple[int, ...]) -> list[str]:
    """Return what is wrong with the counterexample, by the reference semantics."""
    asked = c.claim.frame.claimed(Inputs(c.claim.vocabulary, ids, 0))
    if not len(asked):
        return ["the claim is not about the counterexample"]
    values = [next(by_reference(reader(c.claim, T), c.claim.quantity, [asked])) for T in c.claim.models]
    if c.claim.judge(values, asked)[0].all():
        return ["the counterexample refutes nothing"]
    tokens, found = written(c.claim.vocabulary, ids), c.data["counterexample"]
    problems = []
    if c.claim.sides(tokens) != found.get("sides"):
        problems.append("the counterexample refutes the claim, but the two sides say other things")
    parted = c.claim.divergence(tokens)
    if (None if parted is None else parted.to_json()) != found.get("divergence"):
        problems.append("the counterexample refutes the claim, but the streams part elsewhere")
    return problems
